internal import Foundation
internal import JSON
internal import YAML

/// Holds values against a JSON Schema, as far as feedsync's own schemas use it.
package struct SchemaChecker: Sendable {
    private let schema: JSONValue
    private let definitions: JSONObject

    /// A checker.
    ///
    /// - Parameters:
    ///   - schema: The schema as JSON.
    ///   - property: The property of the schema that values are checked against; nil for the whole.
    package init(_ schema: String, property: String? = nil) throws {
        let root = try JSONValue(parsing: schema)
        guard case .object(let members) = root, case .object(let definitions)? = members["$defs"] else {
            throw Problem.noSchema
        }
        self.definitions = definitions
        guard let property else {
            self.schema = root
            return
        }
        guard let part = root.value(at: ["properties", property]) else { throw Problem.noProperty(property) }
        self.schema = part
    }

    private enum Problem: Error {
        case noSchema
        case noProperty(String)
    }

    /// The violations of the schema by a value, which is JSON or YAML.
    package func problems(with text: String) throws -> [String] {
        guard let node = try Node.parse(text, source: "value") else { return ["there is no value"] }
        return problems(node, schema, at: "")
    }

    private func problems(_ node: Node, _ schema: JSONValue, at path: String) -> [String] {
        guard case .object(let members) = schema else { return [] }
        var found: [String] = []
        if case .string(let reference)? = members["$ref"] {
            guard let other = definitions[reference.replacing("#/$defs/", with: "")] else {
                return ["\(reference) is not defined"]
            }
            found += problems(node, other, at: path)
        }
        if case .array(let choices)? = members["anyOf"] {
            let each = choices.map { problems(node, $0, at: path) }
            if !each.contains([]) { found += ["\(path): \(each.flatMap(\.self).joined(separator: " | "))"] }
        }
        if let type = members["type"] {
            let types: [String] =
                switch type {
                case .string(let name): [name]
                case .array(let names): names.compactMap { if case .string(let name) = $0 { name } else { nil } }
                default: []
                }
            if types.allSatisfy({ !node.isOf($0) }) { found.append("\(path) is not \(types)") }
        }
        if case .array(let words)? = members["enum"], !words.contains(.string(node.text ?? "")) {
            found.append("\(path) is none of the words")
        }
        if case .string(let pattern)? = members["pattern"], let text = node.text,
            (try? Regex(pattern).firstMatch(in: text)) == nil
        {
            found.append("\(path) does not match")
        }
        switch members["const"] {
        case .string(let word)? where node.text != word: found.append("\(path) is not \(word)")
        case .number(let digits)? where node.text != digits: found.append("\(path) is not \(digits)")
        default: break
        }
        if case .number(let least)? = members["minimum"], let least = Double(least),
            let number = node.text.flatMap({ Double($0) }), number < least
        {
            found.append("\(path) is less than \(least)")
        }
        for pair in node.pairs ?? [] {
            let name = pair.key.text ?? ""
            if case .object(let properties)? = members["properties"], let own = properties[name] {
                found += problems(pair.value, own, at: "\(path).\(name)")
            } else if case .bool(false)? = members["additionalProperties"] {
                found.append("\(path).\(name) is unknown")
            } else if let other = members["additionalProperties"] {
                found += problems(pair.value, other, at: "\(path).\(name)")
            }
        }
        if case .array(let required)? = members["required"], node.pairs != nil {
            for case .string(let name) in required where node[name] == nil { found.append("\(path) lacks \(name)") }
        }
        if let items = members["items"] {
            for element in node.elements ?? [] { found += problems(element, items, at: "\(path)[]") }
        }
        return found
    }
}

extension Node {
    fileprivate func isOf(_ type: String) -> Bool {
        switch type {
        case "object": pairs != nil
        case "array": elements != nil
        case "null": isNull
        case "boolean": if case .boolean? = scalar?.resolution { true } else { false }
        case "integer": if case .integer? = scalar?.resolution { true } else { false }
        case "number":
            switch scalar?.resolution {
            case .integer, .real, .oversizedInteger: true
            default: false
            }
        case "string": scalar?.resolution == .text
        default: false
        }
    }
}
