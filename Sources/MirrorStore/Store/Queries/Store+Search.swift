internal import SQLite
package import Text

/// What to search for, and where.
package struct SearchQuery: Sendable {
    /// The words.
    package let text: SearchText
    /// The feeds' names.
    package let feeds: [String]
    /// How many items at most; nil for all.
    package var limit: Int?
    /// What people want to see of a feed's items, where its definition says so.
    package var show: [String: ShowRule] = [:]

    package init(_ text: SearchText, in feeds: [String], limit: Int? = nil) {
        self.text = text
        self.feeds = feeds
        self.limit = limit
    }
}

extension Store {
    /// No store has so many items.
    fileprivate static let mostHits = Int(Int32.max)

    /// The feeds that have a full-text index, in the order of their names, with the columns that are in it.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func searchableFeeds() throws(FeedSyncError) -> [(feed: String, columns: [String])] {
        try storing {
            var tables: [(feed: String, table: String)] = []
            try connection.rows("SELECT feed, \"table\" FROM _feed ORDER BY feed") { row in
                tables.append((row.text(at: 0) ?? "", row.text(at: 1) ?? ""))
            }
            return try tables.compactMap { feed, table in
                let columns = try SearchIndex.storedColumns(of: table, on: connection)
                return columns.isEmpty ? nil : (feed, columns)
            }
        }
    }

    /// Gives the items that have all words, the best first. Those that have a word only inside of another come last, in
    /// feed order. Where no words are given, all items come in feed order. Feeds without an index have none to give.
    ///
    /// Of words that very many items have, only the newest of these are ranked if there is a limit: it is kept as short
    /// as typing.
    ///
    /// - Parameter take: Takes an item; says whether further ones are wanted.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func search(_ query: SearchQuery, take: (SearchHit) -> Bool) throws(FeedSyncError) {
        try storing {
            // One snapshot for the index and the rows.
            try connection.transaction(.deferred) {
                let sources = try query.feeds.compactMap { try SearchSource($0, query, on: connection) }
                var count = 0
                let most = query.limit.map { max(0, min($0, Self.mostHits)) } ?? Self.mostHits
                func give(_ places: [(source: SearchSource, row: Int64)]) throws -> Bool {
                    for place in places {
                        guard count < most else { return false }
                        guard let hit = try place.source.hit(place.row) else { continue }
                        count += 1
                        guard take(hit) else { return false }
                    }
                    return true
                }
                var ranked: [(source: SearchSource, row: Int64, rank: Double)] = []
                for source in sources {
                    for place in try source.ranked() { ranked.append((source, place.row, place.rank)) }
                }
                // Swift's sort keeps the order of those that rank alike.
                ranked.sort { $0.rank < $1.rank }
                guard try give(ranked.map { ($0.source, $0.row) }) else { return }
                for source in sources {
                    guard try give(source.others(most: most - count).map { (source, $0) }) else { return }
                }
            }
        }
    }
}

/// What one feed has to give to a search.
///
/// - Isolation: the store's, while it reads.
private final class SearchSource {
    private let feed: String
    private let query: SearchQuery
    private let connection: Connection
    private let table: String
    private let index: String
    private let indexed: [String]
    private let columns: [RowColumn]
    private let key: [String]
    private let title: String?
    private var known: Set<Int64> = []
    private var row: Statement?

    /// The most rows that are ranked where not all are wanted: 100,000 take 0.3 s, these 0.05 s.
    private static let mostRanked = 5_000

    /// - Returns: Nil for a feed without an index.
    init?(_ feed: String, _ query: SearchQuery, on connection: Connection) throws {
        self.feed = feed
        self.query = query
        self.connection = connection
        var found: (table: String, columns: [RowColumn], key: [String])?
        try connection.rows("SELECT \"table\", columns, key_columns FROM _feed WHERE feed = ?", [.text(feed)]) { row in
            found = (row.text(at: 0) ?? "", RowColumn.list(row.text(at: 1)), RowColumn.names(row.text(at: 2)))
        }
        guard let found, !found.key.isEmpty else { return nil }
        indexed = try SearchIndex.storedColumns(of: found.table, on: connection)
        guard !indexed.isEmpty else { return nil }
        (columns, key) = (found.columns, found.key)
        table = try SQL.identifier(found.table)
        index = try SQL.identifier(SearchIndex.name(of: found.table))
        title = ItemTitle.column(query.show[feed]?.title, of: found.columns)
    }

    /// The rows that have all words, the best first.
    func ranked() throws -> [(row: Int64, rank: Double)] {
        guard let words = query.text.fullTextQuery else { return [] }
        let most = query.limit.map { max(Self.mostRanked, min($0, Store.mostHits)) }
        var places: [(row: Int64, rank: Double)] = []
        try connection.rows(
            """
            SELECT f.id, f.score FROM (SELECT rowid AS id, rank AS score FROM \(index) WHERE \(index) MATCH ?
                ORDER BY rowid DESC LIMIT ?) f JOIN \(table) t ON t._rowid_ = f.id
            WHERE t._removed_at IS NULL ORDER BY f.score, t._generation DESC, t._position
            """, [.text(words), Value(most ?? -1)]
        ) { row in places.append((row.int64(at: 0), row.double(at: 1))) }
        known = Set(places.map(\.row))
        return places
    }

    /// Further rows that have all words, be it inside of others; in feed order.
    func others(most: Int) throws -> [Int64] {
        let names = try indexed.map { try SQL.identifier($0) }
        var values: [Value] = []
        let conditions = query.text.words.map { word in
            values.append(contentsOf: Array(repeating: .text(SearchText.pattern(word)), count: names.count))
            var terms = names.map { "\($0) LIKE ? ESCAPE '\\'" }
            if query.text.words.count > 1, let word = SearchText.fullTextQuery(word) {
                terms.append("_rowid_ IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?)")
                values.append(.text(word))
            }
            return "(\(terms.joined(separator: " OR ")))"
        }
        // Those that are known may be among them.
        values.append(Value(most + known.count))
        var rows: [Int64] = []
        try connection.rows(
            """
            SELECT _rowid_ FROM \(table) WHERE \((["_removed_at IS NULL"] + conditions).joined(separator: " AND "))
            ORDER BY _generation DESC, _position LIMIT ?
            """, values
        ) { row in
            if !known.contains(row.int64(at: 0)) { rows.append(row.int64(at: 0)) }
        }
        return rows
    }

    /// The item of a row; nil if the upstream has it no more.
    func hit(_ id: Int64) throws -> SearchHit? {
        let statement = try self.statement()
        try statement.reset()
        try statement.bindInt64(id, at: 1)
        defer { try? statement.reset() }
        guard try statement.step() else { return nil }
        let values = columns.indices.map { StoredValue(statement.value(at: $0)) }
        func text(_ name: String?) -> String? {
            guard let name, let place = columns.firstIndex(where: { $0.name == name }) else { return nil }
            let text = values[place].description
            return text.isEmpty ? nil : text
        }
        let key = RowKey.text(statement, from: columns.count, count: key.count)
        let title = title ?? indexed.first
        let texts = indexed.filter { $0 != title }.compactMap(text)
        let excerpt = texts.first { !query.text.matches(in: $0).isEmpty } ?? texts.first ?? ""
        return SearchHit(
            feed: feed, key: key, title: MarkedText(text(title) ?? key, query.text),
            excerpt: MarkedText.excerpt(of: excerpt, query.text), link: text(link(values)))
    }

    private func statement() throws -> Statement {
        if let row { return row }
        let names = try (columns.map(\.name) + key).map { try SQL.identifier($0) }
        let made = try connection.prepare(
            "SELECT \(names.joined(separator: ", ")) FROM \(table) WHERE _rowid_ = ? AND _removed_at IS NULL")
        row = made
        return made
    }

    private func link(_ values: [StoredValue]) -> String? {
        if let word = query.show[feed]?.link {
            return ShowRule.column(word, among: columns.map { (name: $0.name, path: $0.path) })
        }
        let looks = zip(columns, values).map { column, value in
            var look = ColumnLook(name: column.name)
            let text = value.description
            look.hasValues = !text.isEmpty
            look.isLink = text.hasPrefix("https://") || text.hasPrefix("http://")
            return look
        }
        return ShowRule.found(in: looks).link
    }
}
