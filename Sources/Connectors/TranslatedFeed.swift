internal import Feeds

/// A stream of a connector, said as a feed.
struct TranslatedFeed: Sendable {
    /// A column of the table: a property of the stream's schema.
    struct Column: Sendable, Hashable {
        let name: String
        let path: Path
        let type: ColumnType?
        /// The value that every item has; nil for a member.
        var value: FeedEntry.Value?
    }

    /// The stream's name.
    let stream: String
    /// The feed's name, once it has one.
    var name = ""
    /// The name of the feed whose rows each have a list.
    var parent: String?
    /// The values of a list that makes a feed each.
    var each: [ConnectorValue] = []
    var url = ConfigurationWords("")
    var method = "GET"
    var query: [FeedEntry.Member] = []
    var headers: [FeedEntry.Member] = []
    var body: [FeedEntry.Member] = []
    var authentication: FeedEntry.Value?
    var format: String?
    /// The path of the items on a page.
    var items = Path([])
    /// The lists that the items are gathered from; nil where they are one list.
    var scattered: ScatteredLists?
    var key: [Path] = []
    var columns: [Column] = []
    var pagination = FeedEntry.Value.text("none")
    var responses: [FeedEntry.Value] = []
    var sync: FeedEntry.Value?
    /// The values of the parent's row by the names of the connector.
    var partitionValues: [String: ConnectorValue] = [:]
    /// The types of the parent's columns, by the words that refer to them.
    var parentTypes: [String: ColumnType] = [:]
    /// Remarks on what is otherwise than in the connector.
    var notes: [String] = []

    /// The column of a path, which is added where the schema has none.
    mutating func column(for path: Path) -> String {
        if let column = columns.first(where: { $0.path == path }) { return column.name }
        let name = path.columnName
        if !columns.isEmpty { columns.append(Column(name: name, path: path, type: nil)) }
        return name
    }

    /// Puts a value where a `RequestOption` says.
    mutating func inject(_ words: ConfigurationWords, _ option: Component, _ evaluator: Evaluator)
        throws(ConnectorFault)
    {
        let place = try RequestPlace(option, evaluator)
        switch place {
        case .query(let name): query.set(name, .text(words.written))
        case .header(let name): headers.append(.init(name, .text(words.written)))
        case .body(let names):
            guard names.count == 1 else { throw option.fault(.request, "a value inside a body's object") }
            body.set(names[0], .text(words.written))
        case .path: throw option.fault(.request, "a value in the path that no path names")
        }
    }

    /// The entry of the configuration.
    var entry: FeedEntry {
        var members: [FeedEntry.Member] = []
        func add(_ name: String, _ value: FeedEntry.Value?) { if let value { members.append(.init(name, value)) } }
        func add(_ name: String, mapping: [FeedEntry.Member]) { if !mapping.isEmpty { add(name, .mapping(mapping)) } }
        if !each.isEmpty { add("each", .list(each.compactMap(\.entryValue))) }
        add("for_each", parent.map { .text($0) })
        add("url", .text(url.written))
        if method != "GET" { add("method", .text(method)) }
        add("query", mapping: query)
        add("headers", mapping: headers)
        add("auth", authentication)
        add("body", mapping: body)
        add("format", format.map { .text($0) })
        add("items", .text(scattered?.description ?? items.description))
        let keys = key.map { path in FeedEntry.Value.text(keyName(path)) }
        // Items without a key are to be kept, all of them; an `id` is found to be one.
        let hasOwnID = columns.isEmpty || columns.contains { $0.path == Path([.member("id")]) }
        if keys.isEmpty, !hasOwnID { add("key", .text("$hash")) }
        if let first = keys.first { add("key", keys.count == 1 ? first : .list(keys)) }
        add("columns", mapping: columns.map(\.member))
        add("pagination", pagination)
        if !responses.isEmpty { add("responses", .list(responses)) }
        add("sync", sync)
        if !each.isEmpty { add("model", .text(stream)) }
        return FeedEntry(name: each.isEmpty ? name : "\(name)-{each}", members: members)
    }

    /// A column's name where the key has one, else the path.
    private func keyName(_ path: Path) -> String { columns.first { $0.path == path }?.name ?? path.description }

    /// True if both read the same list: a parent is written once more in some manifests, with other rules for errors.
    func isSameList(as other: TranslatedFeed) -> Bool {
        let lists = [self, other].map { feed in
            var list = feed
            (list.responses, list.sync) = ([], nil)
            return list.entry
        }
        return stream == other.stream && lists[0] == lists[1]
    }
}

extension [FeedEntry.Member] {
    /// Gives the member of a name another value, behind the others.
    mutating func set(_ name: String, _ value: FeedEntry.Value) {
        removeAll { $0.name == name }
        append(.init(name, value))
    }
}

extension TranslatedFeed.Column {
    fileprivate var member: FeedEntry.Member {
        let type = type.map { [FeedEntry.Member("type", .text($0.rawValue))] } ?? []
        if let value { return .init(name, .mapping([.init("value", value)] + type)) }
        let path = FeedEntry.Value.text(path.description)
        return .init(name, type.isEmpty ? path : .mapping([.init("path", path)] + type))
    }
}
