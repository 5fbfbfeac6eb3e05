internal import SQLite
internal import Text

/// What one feed has to give to a search.
///
/// - Isolation: the store's, while it reads.
final class SearchSource {
    private let feed: String
    private let query: SearchQuery
    private let connection: Connection
    private let source: ListingSource
    private let table: String
    private let index: String
    private let indexed: [String]
    private let columns: [RowColumn]
    private let key: [String]
    private let title: String?
    private var known: [Int64] = []
    private var row: Statement?

    /// The most rows that are ranked where not all are wanted: 100,000 take 0.15 s, these 3 ms.
    private static let mostRanked = 2_000
    /// As many rows with the words in their titles cannot be told apart by how often words occur.
    private static let mostTitles = 200
    /// How rows rank that have words in common with so many: behind those that rare words find in another feed.
    private static let commonRank = -1.0

    /// - Returns: Nil for a feed without an index.
    init?(_ feed: String, _ query: SearchQuery, on connection: Connection) throws {
        self.feed = feed
        self.query = query
        self.connection = connection
        guard let source = try ListingSource(feed, on: connection) else { return nil }
        indexed = try SearchIndex.storedColumns(of: source.name, on: connection)
        guard !indexed.isEmpty else { return nil }
        self.source = source
        (columns, key, table) = (source.columns, source.key, source.table)
        index = try SQL.identifier(SearchIndex.name(of: source.name))
        title = ItemTitle.column(query.show[feed]?.title, of: source.columns)
    }

    /// The rows that have all words, the best first.
    func ranked() throws -> [(row: Int64, rank: Double)] {
        guard let words = query.text.fullTextQuery else { return [] }
        guard query.limit != nil else { return try allRanked(words) }
        let limit = query.mostHits
        if let places = try commonTitles(limit) { return places }
        let newest = try newestRanked(words, most: max(Self.mostRanked, limit))
        known = newest.map(\.row)
        // The table is asked only for those that may be among the best: most of what a common word finds is not.
        let best = newest.sorted { $0.rank < $1.rank }
        let least = limit > 0 && limit <= best.count ? best[limit - 1].rank : .infinity
        let places = try inFeedOrder(best.prefix { $0.rank <= least })
        // Some of them may be gone from the upstream.
        return places.count >= limit || least == .infinity ? places : try inFeedOrder(best[...])
    }

    /// The newest rows that have all words in the column that counts most, where these are more than could be told apart:
    /// whole words, or else their beginnings. Reading them takes a twentieth of the time that ranking does.
    ///
    /// - Returns: Nil where they are fewer.
    private func commonTitles(_ limit: Int) throws -> [(row: Int64, rank: Double)]? {
        guard let title = indexed.first else { return nil }
        let column = try SQL.identifier(title)
        let most = max(Self.mostTitles, limit)
        for isWhole in [true, false] {
            guard let words = query.text.fullTextQuery(in: column, isWhole: isWhole) else { return nil }
            // Somebody who goes on typing has typed no whole word yet; to look for beginnings takes longer.
            if !isWhole, try hasWholeWords() { return nil }
            var rows: [Int64] = []
            try connection.rows(
                "SELECT rowid FROM \(index) WHERE \(index) MATCH ? ORDER BY rowid DESC LIMIT ?",
                [.text(words), Value(most)]
            ) { row in rows.append(row.int64(at: 0)) }
            guard rows.count == most else { continue }
            known = rows
            var places: [(row: Int64, length: Int64, place: Place)] = []
            try connection.rows(
                """
                SELECT _rowid_, length(\(try SQL.identifier(title))), _generation, _position FROM \(table)
                WHERE _rowid_ = ? AND _removed_at IS NULL
                """, forEach: rows
            ) { row in places.append((row.int64(at: 0), row.int64(at: 1), row.place(at: 2))) }
            // Many may be gone from the upstream.
            guard places.count >= limit else { continue }
            places.sort { $0.length < $1.length || $0.length == $1.length && $0.place.precedes($1.place) }
            return places.prefix(limit).map { ($0.row, Self.commonRank) }
        }
        return nil
    }

    /// Whether there is a row with all words as they were typed, none of which goes on.
    private func hasWholeWords() throws -> Bool {
        let names = try indexed.map { try SQL.identifier($0) }.joined(separator: " ")
        guard let words = query.text.fullTextQuery(in: names, isWhole: true) else { return false }
        let rows = "SELECT rowid FROM \(index) WHERE \(index) MATCH ? LIMIT 1"
        return try connection.int64(rows, .text(words)) != nil
    }

    /// All rows that have all words.
    private func allRanked(_ words: String) throws -> [(row: Int64, rank: Double)] {
        var places: [(row: Int64, rank: Double)] = []
        try connection.rows(
            """
            SELECT f.id, f.score FROM (SELECT rowid AS id, rank AS score FROM \(index) WHERE \(index) MATCH ?) f
            JOIN \(table) t ON t._rowid_ = f.id
            WHERE t._removed_at IS NULL ORDER BY f.score, t._generation DESC, t._position
            """, [.text(words)]
        ) { row in places.append((row.int64(at: 0), row.double(at: 1))) }
        known = places.map(\.row)
        return places
    }

    /// The newest rows that have all words, those that are gone among them.
    private func newestRanked(_ words: String, most: Int) throws -> [(row: Int64, rank: Double)] {
        var places: [(row: Int64, rank: Double)] = []
        try connection.rows(
            "SELECT rowid, rank FROM \(index) WHERE \(index) MATCH ? ORDER BY rowid DESC LIMIT ?",
            [.text(words), Value(most)]
        ) { row in places.append((row.int64(at: 0), row.double(at: 1))) }
        return places
    }

    /// Rows that the upstream has, the best first, and in feed order where they rank alike.
    private func inFeedOrder(_ places: ArraySlice<(row: Int64, rank: Double)>) throws -> [(row: Int64, rank: Double)] {
        guard !places.isEmpty else { return [] }
        let ranks = Dictionary(places.map { ($0.row, $0.rank) }) { first, _ in first }
        var found: [(row: Int64, rank: Double, generation: Int64, position: Int64)] = []
        try connection.rows(
            """
            SELECT _rowid_, _generation, _position FROM \(table)
            WHERE _removed_at IS NULL AND _rowid_ IN (\(places.map { String($0.row) }.joined(separator: ",")))
            """
        ) { row in
            let id = row.int64(at: 0)
            found.append((id, ranks[id] ?? 0, row.int64(at: 1), row.int64(at: 2)))
        }
        found.sort { ($0.rank, $1.generation, $0.position) < ($1.rank, $0.generation, $1.position) }
        return found.map { ($0.row, $0.rank) }
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
        let known = Set(known)
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

    /// Reads the feed's rows.
    func rowLookup() throws -> RowLookup {
        try RowLookup(ListingQuery(feed: feed, limit: 0), of: source, on: connection)
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
