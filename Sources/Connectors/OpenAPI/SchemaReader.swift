internal import Feeds

/// Reads the schemas of a document: each as one plain object, without references and alternatives.
final class SchemaReader {
    let document: APIDocument
    /// The schemas that references lead to, by the reference.
    private var known: [String: JSONObject] = [:]

    /// The deepest nesting of `allOf` and its like.
    private static let deepest = 32
    /// The most parts of an `allOf`, and the most alternatives that are looked at.
    private static let mostParts = 50

    init(_ document: APIDocument) { self.document = document }

    /// A schema with its references followed, the parts of `allOf` merged, and its first alternative that has members.
    ///
    /// - Throws: `ConnectorFault` for a reference that leads nowhere, and for schemas inside each other without end.
    func plain(_ schema: JSONValue, depth: Int = 0) throws(ConnectorFault) -> JSONObject {
        guard depth < Self.deepest else { throw ConnectorFault(.reference, "a schema is inside itself") }
        if let reference = schema.members?["$ref"]?.text {
            if let known = known[reference] { return known }
            let plain = try plain(try document.resolved(schema), depth: depth + 1)
            known[reference] = plain
            return plain
        }
        guard var plain = schema.members else { return [:] }
        if let parts = plain["allOf"]?.elements {
            plain["allOf"] = nil
            for part in parts.prefix(Self.mostParts) {
                Self.merge(try self.plain(part, depth: depth + 1), into: &plain)
            }
        }
        for name in ["oneOf", "anyOf"] {
            guard let alternatives = plain[name]?.elements else { continue }
            plain[name] = nil
            guard plain["properties"] == nil, plain["items"] == nil else { continue }
            if let chosen = try chosen(of: alternatives, depth) { Self.merge(chosen, into: &plain) }
        }
        return plain
    }

    /// The first object or array of several alternatives, else the first that is not `null`.
    private func chosen(of alternatives: [JSONValue], _ depth: Int) throws(ConnectorFault) -> JSONObject? {
        var all: [JSONObject] = []
        for alternative in alternatives.prefix(Self.mostParts) {
            let schema = try plain(alternative, depth: depth + 1)
            if schema["properties"] != nil || schema["items"] != nil { return schema }
            all.append(schema)
        }
        return all.first { SchemaType(of: $0) == .object } ?? all.first { SchemaType(of: $0) != .null }
    }

    private static func merge(_ part: JSONObject, into whole: inout JSONObject) {
        for (name, value) in part {
            switch (whole[name], value) {
            case (nil, _): whole[name] = value
            case (.object(let own)?, .object(let other)) where name == "properties":
                // The members that are written beside the parts go before those of the parts.
                var all = other
                for member in own { all[member.name] = member.value }
                whole[name] = .object(all)
            case (.array(let own)?, .array(let other)) where name == "required": whole[name] = .array(other + own)
            default: continue
            }
        }
    }
}

/// The type of a schema's values.
enum SchemaType: Sendable {
    case object, array, text, integer, number, boolean, null
    /// Several types, or none that is said.
    case any

    /// The type of a plain schema, `null` apart.
    init(of schema: JSONObject) {
        switch ColumnType.schemaTypes(schema["type"]?.elements?.compactMap(\.text) ?? [schema["type"]?.text]) {
        case ["object"]: self = .object
        case ["array"]: self = .array
        case ["string"]: self = .text
        case ["integer"]: self = .integer
        case ["number"]: self = .number
        case ["boolean"]: self = .boolean
        case [] where schema["type"] != nil: self = .null
        case [] where schema["properties"] != nil: self = .object
        case [] where schema["items"] != nil: self = .array
        case [] where schema["enum"] != nil: self = .text
        default: self = .any
        }
    }
}

extension ColumnType {
    /// The types that a JSON Schema names, without `null`.
    static func schemaTypes(_ names: [String?]) -> Set<String> { Set(names.compactMap(\.self)).subtracting(["null"]) }

    /// The type of a column whose values are of these types of JSON Schema; nil where they are of several types, or of
    /// none that is known. Numbers keep their own: an identifier that is called a number is not to become `7.0`.
    init?(schemaTypes types: Set<String>, format: String?) {
        switch types.count == 1 ? types.first : nil {
        case "string": self = format == "date-time" ? .timestamp : .text
        case "integer": self = .integer
        case "boolean": self = .boolean
        case "object", "array": self = .json
        default: return nil
        }
    }
}
