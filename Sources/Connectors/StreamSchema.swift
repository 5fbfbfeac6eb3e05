internal import Feeds
internal import YAML

/// The properties of a stream's items.
struct StreamSchema: Sendable {
    /// The columns, in the order of the schema; none where it names no property.
    let columns: [TranslatedFeed.Column]

    /// The schema that the stream's loader names.
    init(_ stream: Component, _ evaluator: Evaluator, _ schemas: (String) -> Node?) throws(ConnectorFault) {
        let loader = try stream.member("schema_loader")?.elements().first
        if let schema = try loader?.member("schema") {
            columns = try Self.columns(of: schema)
            return
        }
        let path = try evaluator.literal(try loader?.member("file_path"))
        let own = try StreamTranslator.name(of: stream, evaluator) + ".json"
        let name = path ?? own
        guard let file = name.split(separator: "/").last, let node = schemas(String(file)) else {
            columns = []
            return
        }
        columns = (try? Self.columns(of: try Component(node, in: ManifestDocument(root: node)))) ?? []
    }

    /// True if items have a member of this name; nil if the schema names no members.
    func has(_ name: String) -> Bool? {
        columns.isEmpty ? nil : columns.contains { $0.path.segments.first == .member(name) }
    }

    private static func columns(of schema: Component) throws(ConnectorFault) -> [TranslatedFeed.Column] {
        var columns: [TranslatedFeed.Column] = []
        for pair in try schema.member("properties")?.node.pairs ?? [] {
            guard let name = pair.key.text else { continue }
            // A property of another file is an object mostly; its values say what they are.
            let isElsewhere = pair.value["$ref"]?.text?.hasPrefix("#/") == false
            let property = isElsewhere ? pair.value : try schema.resolved(pair.value)
            columns.append(.init(name: name, path: Path([.member(name)]), type: type(of: property)))
        }
        return columns
    }

    private static func type(of property: Node) -> ColumnType? {
        let named = property["type"]?.elements?.map(\.text) ?? [property["type"]?.text]
        return ColumnType(schemaTypes: ColumnType.schemaTypes(named), format: property["format"]?.text)
    }
}
