internal import Feeds

/// A body made up after a schema, so that it can be studied as a page that came.
///
/// Values have what their names say of pages: a total is larger than the page, and what leads on leads on.
struct SampleBody {
    /// The types of the columns of items, by the path of the value in the body, without the steps into arrays.
    private(set) var types: [Path: ColumnType?] = [:]

    private let schemas: SchemaReader
    /// True if a member that may be a URL or a token is a token: the request has a parameter for one.
    private let hasTokens: Bool
    private var count = 0

    /// The most values of a body, the most steps to the items, and the most in an item.
    private static let most = 3_000
    private static let deepest = 5
    private static let deepestInItem = 2

    static let nextURL = "https://example.com/next?page=2"

    init(_ schemas: SchemaReader, hasTokens: Bool) {
        self.schemas = schemas
        self.hasTokens = hasTokens
    }

    /// The body of a schema.
    ///
    /// - Throws: `ConnectorFault` where the schema itself cannot be read. A part of it that cannot be read is left out.
    mutating func body(_ schema: JSONValue) throws(ConnectorFault) -> JSONValue {
        value(try schemas.plain(schema), Path([]), named: "", depth: 0, depthInItem: nil)
    }

    private mutating func value(
        _ schema: JSONObject, _ path: Path, named name: String, depth: Int, depthInItem: Int?
    ) -> JSONValue {
        count += 1
        let type = SchemaType(of: schema)
        if depthInItem != nil {
            types[path] = .some(
                ColumnType(
                    schemaTypes: ColumnType.schemaTypes(
                        schema["type"]?.elements?.map(\.text) ?? [schema["type"]?.text]),
                    format: schema["format"]?.text))
        }
        switch type {
        case .object:
            let isTooDeep = depthInItem.map { $0 >= Self.deepestInItem } ?? (depth >= Self.deepest)
            guard !isTooDeep else { return .object([:]) }
            return .object(members(of: schema, path, depth: depth, depthInItem: depthInItem))
        case .array:
            // Lists inside items are theirs, and no lists of items.
            guard depthInItem == nil else { return .array([.number("1")]) }
            guard let items = schema["items"], let element = try? schemas.plain(items) else { return .array([]) }
            guard SchemaType(of: element) == .object else { return .array([.string("text")]) }
            return .array([value(element, path, named: "", depth: depth + 1, depthInItem: 0)])
        case .boolean: return .bool(depthInItem == nil && !PagingNames.last.contains(MemberName(name).folded))
        case .integer, .number: return .number(depthInItem == nil ? Self.figure(named: name) : "1")
        case .null: return .null
        case .text, .any: return .string(depthInItem == nil ? word(schema, path, named: name) : Self.itemText(schema))
        }
    }

    private mutating func members(
        of schema: JSONObject, _ path: Path, depth: Int, depthInItem: Int?
    ) -> JSONObject {
        var object = JSONObject()
        let required = Set((schema["required"]?.elements ?? []).compactMap(\.text))
        let all = schema["properties"]?.members ?? [:]
        // Of two members that may be the key, the one that is always there goes first.
        func rank(_ name: String) -> Int { name == "id" ? 0 : required.contains(name) ? 1 : 2 }
        let ordered = (0...2).flatMap { place in all.filter { rank($0.name) == place } }
        for (name, property) in ordered where count < Self.most {
            guard let property = try? schemas.plain(property), property["writeOnly"] != .bool(true) else { continue }
            object[name] = value(
                property, path.appending(name), named: name, depth: depth + 1, depthInItem: depthInItem.map { $0 + 1 })
        }
        return object
    }

    /// A number around the items.
    private static func figure(named text: String) -> String {
        let name = MemberName(text)
        if PagingNames.pages.contains(name.folded) { return "10" }
        if PagingNames.isTotal(name, of: Path([])) { return "1000" }
        if name.words.contains("next") { return "2" }
        return PagingNames.offset.contains(name.folded) ? "0" : "1"
    }

    /// A text around the items.
    private func word(_ schema: JSONObject, _ path: Path, named text: String) -> String {
        if let only = schema["enum"]?.elements?.first?.text { return only }
        let name = MemberName(text)
        let isLink = ["uri", "url", "uri-reference"].contains(schema["format"]?.text)
        // `next: {href: …}` leads on by its parent's name.
        let isOfLink = ["href", "url", "uri", "link"].contains(name.folded)
        guard PagingNames.leadsOn(name) else { return isLink || isOfLink ? Self.nextURL : "text" }
        let saysURL = name.words.contains { ["url", "uri", "link", "href", "path"].contains($0) }
        // A member of `links` is one, whatever parameters there are; another `next_page` may be a token.
        let isInLinks = path.segments.dropLast().contains { segment in
            guard case .member(let name) = segment else { return false }
            return MemberName(name).words.contains { ["link", "links"].contains($0) }
        }
        return isLink || saysURL || isInLinks || name.folded == "next" && !hasTokens ? Self.nextURL : "token"
    }

    private static func itemText(_ schema: JSONObject) -> String {
        schema["format"]?.text == "date-time" ? "2026-01-01T00:00:00Z" : "text"
    }
}
