internal import SQLite

/// The changes of one feed, as a part of a query over several feeds.
///
/// - Isolation: the store's, while it reads.
final class ChangeSource {
    let query: ChangeQuery
    private let until: ChangePlace
    private let connection: Connection
    let table: String
    private let items: RowSelection
    private let title: String?
    private let link: String?
    private var hasNew = false
    /// The condition that an event is of the feed, or of one of its parts.
    let isOfFeed: String
    private var first = ""
    private var columns: [RowColumn] { items.columns }
    private var key: [String] { items.key }

    /// - Parameter until: The place of the last change; the end of all changes by default.
    /// - Returns: nil for a feed without stored data.
    init?(_ query: ChangeQuery, until: ChangePlace = .end, on connection: Connection) throws {
        self.query = query
        self.until = query.until ?? until
        self.connection = connection
        // The lists of a feed have no change log of their own.
        guard FeedPart.feed(ofPart: query.feed) == nil, let found = try FeedRows(query.feed, on: connection) else {
            return nil
        }
        (table, items) = (found.table, try found.selection(of: found.columns, hasKey: true))
        title = ItemNames.column(query.title, of: found.columns, \.title)
        link = ItemNames.column(query.link, of: found.columns, \.link)
        let parts = try connection.scalar("SELECT 1 FROM feed_part WHERE feed = ? LIMIT 1", .text(query.feed))
        let name = try SQL.string(query.feed)
        isOfFeed = parts == nil ? "feed = \(name)" : ListTables.isOf(name)
        let first = try connection.first(
            """
            SELECT min(at) FROM event WHERE \(isOfFeed) AND inserted > 0 AND id > ? AND id <= ? AND at >= ? AND run >= ?
            """, values
        ) { $0.text(at: 0) }
        hasNew = first != nil
        self.first = first ?? ""
    }

    /// The pages that brought new items, by time, as a table that is made once.
    func events(_ index: Int) -> String {
        """
        e\(index) AS MATERIALIZED (
            SELECT id, at, run FROM event WHERE \(isOfFeed) AND inserted > 0 AND id > ? AND id <= ? AND at >= ? AND run >= ?)
        """
    }

    /// SELECTs of time, order, number, source, run, kind, key, before, a row's id and its position.
    func terms(_ index: Int) throws -> [String] {
        let happened = """
            SELECT at, 1, id, \(index), run, kind, key, before, NULL, 0 FROM _change
            WHERE feed = \(try SQL.string(query.feed)) AND id > \(query.after.change) AND id <= \(until.change)
                AND at >= \(try SQL.string(query.since ?? "")) AND run >= \(query.run ?? 0)\(try isOfKey(["key"]))
            """
        guard hasNew else { return [happened] }
        let new = """
            SELECT t._first_seen_at, 0, e.id, \(index), e.run, 'new', NULL, NULL, t._rowid_, t._position
            FROM \(table) t JOIN e\(index) e ON e.at = t._first_seen_at WHERE t._first_seen_at >= \(try SQL.string(first))\(
                try isOfKey(key.map { "t.\(try SQL.identifier($0))" }))
            """
        return [new, happened]
    }

    /// The condition that columns hold the key of the query.
    private func isOfKey(_ names: [String]) throws -> String {
        guard let text = query.key else { return "" }
        var texts = [text]
        if key.count > 1 {
            guard let parts = try? JSONValue(parsing: text).elements, parts.count == key.count else {
                return " AND false"
            }
            // A change has the whole key in one column.
            texts = names.count > 1 ? parts.map { Value(key: $0)?.text ?? $0.json } : [JSONValue.array(parts).json]
        }
        return try zip(names, texts).map { " AND CAST(\($0) AS TEXT) = \(try SQL.string($1))" }.joined()
    }

    /// The values for `events`.
    var values: [Value] {
        [Value(query.after.event), Value(until.event), .text(query.since ?? ""), Value(query.run ?? 0)]
    }

    // MARK: - Rows of the queries

    /// The number of changes of some kinds that the store knows.
    func count(of kinds: Set<ItemChange.Kind>) throws -> Int {
        let known = try kinds.map { try SQL.string($0.rawValue) }.sorted().joined(separator: ", ")
        var counts = ["SELECT count(*) FROM _change WHERE feed = ? AND kind IN (\(known))"]
        if kinds.contains(.new) {
            counts.append(
                """
                SELECT count(*) FROM \(table) WHERE _first_seen_at IN (
                    SELECT at FROM event WHERE \(isOfFeed) AND inserted > 0) AND ? IS NOT NULL
                """)
        }
        return try counts.reduce(0) { sum, sql in sum &+ (try connection.count(sql, .text(query.feed))) }
    }

    /// The newest changes of one item that the change log has, without its first appearance.
    ///
    /// - Parameter item: The values of the item's key.
    func history(of item: [Value], json: String, last count: Int) throws -> [ItemChange] {
        let statement = try connection.prepare(
            """
            SELECT at, 0, id, 0, run, kind, key, before, NULL, 0 FROM _change
            WHERE feed = ? AND key IS ? ORDER BY id DESC LIMIT ?
            """)
        try statement.bind([.text(query.feed), item.count == 1 ? item[0] : .text(json), Value(max(0, count))])
        var changes: [ItemChange] = []
        while try statement.step() { if let change = try change(statement) { changes.append(change) } }
        return changes
    }

    /// The change in a row of the query; nil for a new item that has disappeared since without a trace.
    func change(_ row: Statement) throws -> ItemChange? {
        guard let kind = ItemChange.Kind(rawValue: row.text(at: 5) ?? "") else { return nil }
        var key = ChangeLog.json(ofKey: row.value(at: 6), isSingle: key.count == 1)
        let before = RowColumn.members(row.text(at: 7))
        let now: [String: String]
        let after: [(name: String, json: String)]
        if kind == .new {
            let stored = try item("_rowid_ = ?", [row.value(at: 8)])
            guard let stored else { return nil }
            key = stored.key
            now = stored.values
            // The log may have an older item of this key, which was deleted: its runs are earlier ones.
            after = try values(of: columns.map(\.name), after: "run >= ?", row.int64(at: 4), stored.loggedKey, now)
        } else {
            let values = RowKey.values(of: row.value(at: 6), count: self.key.count)
            now = try values.flatMap { try item(keyIs, $0) }?.values ?? [:]
            let names = kind == .returned ? columns.map(\.name) : before.map(\.name)
            after =
                kind == .removed
                ? [] : try self.values(of: names, after: "id > ?", row.int64(at: 2), row.value(at: 6), now)
        }
        let titled = title.flatMap { title in after.first { $0.name == title }?.json ?? now[title] }
        return ItemChange(
            at: row.text(at: 0) ?? "", feed: query.feed, run: Int(clamping: row.int64(at: 4)), kind: kind, key: key,
            before: before, after: after, title: titled, link: link.flatMap { now[$0] }, item: now)
    }

    private var keyIs: String { key.map { "\((try? SQL.identifier($0)) ?? "NULL") IS ?" }.joined(separator: " AND ") }

    /// An item as it is stored now.
    private typealias StoredItem = (key: String, loggedKey: Value, values: [String: String])

    private func item(_ condition: String, _ values: [Value]) throws -> StoredItem? {
        try connection.first("\(items.sql) WHERE \(condition)", values) { row -> StoredItem? in
            let members = zip(columns, items.values(of: row)).map { ($0.name, $0.json($1)) }
            return (items.key(of: row), items.loggedKey(of: row), Dictionary(members) { first, _ in first })
        }
    }

    /// The values of columns after a change: those before the next one, or the present ones.
    ///
    /// - Parameter isLater: The condition that a change of the log is a later one.
    private func values(
        of names: [String], after isLater: String, _ number: Int64, _ key: Value, _ now: [String: String]
    ) throws -> [(name: String, json: String)] {
        var later: [String: String] = [:]
        // The next change of each column: an item may have changed many times since.
        var wanted = Set(names)
        let changes = try connection.prepare(
            "SELECT before FROM _change WHERE feed = ? AND key IS ? AND \(isLater) AND before IS NOT NULL ORDER BY id")
        try changes.bind([.text(query.feed), key, .integer(number)])
        while !wanted.isEmpty, try changes.step() {
            for (name, json) in RowColumn.members(changes.text(at: 0)) where wanted.remove(name) != nil {
                later[name] = json
            }
        }
        return names.compactMap { name in (later[name] ?? now[name]).map { (name, $0) } }
    }
}

extension ChangeLog {
    /// A key of the log as JSON.
    fileprivate static func json(ofKey key: Value, isSingle: Bool) -> String {
        if !isSingle, case .text(let text) = key { return text }
        return StoredValue(key).json
    }
}

extension RowColumn {
    /// The members of an object, each as JSON.
    fileprivate static func members(_ json: String?) -> [(name: String, json: String)] {
        guard let json, let members = try? JSONValue(parsing: json).members else { return [] }
        return members.map { ($0.name, $0.value.json) }
    }
}

/// The columns that name an item and lead to it.
enum ItemNames {
    /// The column, by a word of the definition or else by the names of the columns.
    static func column(_ word: String?, of columns: [RowColumn], _ part: (ShowRule) -> String?) -> String? {
        if let word { return ShowRule.column(word, among: columns.map { (name: $0.name, path: $0.path) }) }
        let looks = columns.map { column in
            var look = ColumnLook(name: column.name)
            look.hasValues = true
            look.isNumber = column.type == .integer || column.type == .real || column.type == .boolean
            return look
        }
        let links = looks.filter { !$0.isNumber }.map { look in
            var look = look
            look.isLink = true
            return look
        }
        return part(ShowRule.found(in: looks)) ?? part(ShowRule.found(in: links))
    }
}
