internal import Feeds
internal import YAML

/// The text of an OpenAPI 3 or Swagger 2 document, in which parts refer to other parts.
struct APIDocument: Sendable {
    /// The version of the language, as far as it matters.
    enum Version: Sendable { case swagger2, openAPI3 }

    /// The document's name in messages: a file, or a URL.
    let source: String
    let root: JSONObject
    let version: Version

    private static let yamlLimits = YAMLLimits(nodes: 4_000_000, depth: 128)
    /// The longest chain of references.
    private static let mostReferences = 64

    /// Reads a document.
    ///
    /// - Throws: `ConnectorError` if the text is not JSON, YAML or such a document.
    init(_ bytes: [UInt8], source: String) throws(ConnectorError) {
        self.source = source
        let root = try Self.value(bytes, source)
        let openAPI = root.members?["openapi"]?.scalarText
        let swagger = root.members?["swagger"]?.scalarText
        guard let members = root.members, openAPI != nil || swagger != nil else {
            throw ConnectorError(
                ["\(source): this is not an OpenAPI document: it has neither `openapi` nor `swagger`"],
                advice: "give the openapi.json, openapi.yaml or swagger.json of the API")
        }
        guard openAPI?.hasPrefix("3.") ?? (swagger == "2.0") else {
            throw ConnectorError(
                [
                    "\(source): version \(openAPI ?? swagger ?? "") is not supported; OpenAPI 3.0 and 3.1 and Swagger 2.0 are"
                ],
                advice: "give a document of one of these versions")
        }
        self.root = members
        version = openAPI == nil ? .swagger2 : .openAPI3
    }

    private static func value(_ bytes: [UInt8], _ source: String) throws(ConnectorError) -> JSONValue {
        let advice = "give the openapi.json, openapi.yaml or swagger.json of the API"
        // White space of JSON is below the space.
        if bytes.withoutByteOrderMark.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") {
            return try JSONValue(describing: bytes, source, advice: advice)
        }
        do throws(YAMLError) {
            return try Node.parse(bytes, source: source, limits: yamlLimits).map { JSONValue($0) } ?? .null
        } catch {
            throw ConnectorError(["\(error)"], advice: advice)
        }
    }

    /// A value with its own reference followed; those inside stay until they are read.
    ///
    /// - Throws: `ConnectorFault` for a reference to another document, to a place that does not exist, or to itself.
    func resolved(_ value: JSONValue) throws(ConnectorFault) -> JSONValue {
        var value = value
        for _ in 0..<Self.mostReferences {
            guard let reference = value.members?["$ref"]?.text else { return value }
            value = try target(of: reference)
        }
        throw ConnectorFault(.reference, "a `$ref` leads back to itself")
    }

    /// The value at a reference such as `#/components/schemas/pet`.
    private func target(of reference: String) throws(ConnectorFault) -> JSONValue {
        guard reference.hasPrefix("#") else {
            throw ConnectorFault(
                .reference, "`\(Excerpt.of(reference, limit: 100) ?? "")` is in another document, which is not read")
        }
        var value = JSONValue.object(root)
        for word in reference.dropFirst().split(separator: "/") {
            let name = PercentCoding.decoded(Substring(word).utf8, plus: "+")
                .replacing("~1", with: "/").replacing("~0", with: "~")
            let element = Int(name).flatMap { index in
                value.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            }
            guard let next = value.members?[name] ?? element else {
                throw ConnectorFault(
                    .reference, "`\(Excerpt.of(reference, limit: 100) ?? "")` is not in the document")
            }
            value = next
        }
        return value
    }

    /// The members of a value, its own reference followed; none for anything but an object.
    func members(_ value: JSONValue?) throws(ConnectorFault) -> JSONObject {
        guard let value else { return [:] }
        return try resolved(value).members ?? [:]
    }
}
