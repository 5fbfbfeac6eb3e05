internal import SQLite
internal import Text

/// The source of a search in one feed.
///
/// - Isolation: the store's, while it reads.
final class SearchSource {
    private let feed: String
    private let query: SearchQuery
    private let connection: Connection
    private let indexedFeed: IndexedFeed
    private let table: String
    private let index: String
    private lazy var title = ItemNames.column(query.show[feed]?.title, of: columns, \.title)
    /// The parts to find in the index's words. Long parts are in fewer words.
    private let parts: [[UInt8]]
    private var known: [Int64] = []
    /// All rows to find, in feed order, if a word is so rare that they are soon known.
    private var few: [Int64]?
    private let selection: RowSelection

    /// The maximum number of rows that are ranked if not all are wanted: 100,000 take 0.15 s, these 3 ms.
    private static let mostRanked = 2_000
    /// The number of rows with the words in their titles from which the frequency of words no longer matters.
    private static let mostTitles = 200
    /// A word is rare if it is part of at most this many words, and these are in at most this many rows.
    private static let mostWordsOfRare = 64
    private static let mostRowsOfRare = 256
    /// The rank of rows that share their words with so many others. They come after rows that rare words find in
    /// another feed.
    private static let commonRank = -1.0

    /// - Parameter began: A moment before the transaction read anything.
    /// - Returns: Nil for a feed without an index.
    init?(
        _ feed: String, _ query: SearchQuery, _ feeds: IndexedFeeds, since began: ContinuousClock.Instant,
        on connection: Connection
    ) throws {
        guard let indexedFeed = try feeds.feed(feed, since: began, on: connection) else { return nil }
        (self.feed, self.query, self.indexedFeed, self.connection) = (feed, query, indexedFeed, connection)
        table = indexedFeed.source.table
        index = try SQL.identifier(indexedFeed.index)
        selection = try indexedFeed.source.selection(of: indexedFeed.source.columns, hasKey: true)
        parts = query.text.words.compactMap(Vocabulary.part).sorted { $0.count > $1.count }
    }

    private var source: FeedRows { indexedFeed.source }
    private var indexed: [String] { indexedFeed.columns }
    private var columns: [RowColumn] { source.columns }

    /// The rows that have all words, the best first.
    func ranked() throws -> [(row: Int64, rank: Double)] {
        few = try rowsOfRareWord()
        guard let words = query.text.fullTextQuery else { return [] }
        // Ranking takes the most time. A single row needs a rank only next to rows of other feeds.
        if let few, few.isEmpty || few.count == 1 && query.feeds.count == 1 {
            known = few
            return few.map { ($0, 0) }
        }
        guard query.limit != nil else { return try allRanked(words) }
        let limit = query.mostHits
        if let places = try commonTitles(limit) { return places }
        let newest = try newestRanked(words, most: max(Self.mostRanked, limit))
        known = newest.map(\.row)
        // The table is read only for rows that may be among the best, because most matches of a common word are not.
        let best = newest.sorted { $0.rank < $1.rank }
        let least = limit > 0 && limit <= best.count ? best[limit - 1].rank : .infinity
        let places = try inFeedOrder(best.prefix { $0.rank <= least })
        // Some of them may be removed upstream.
        return places.count >= limit || least == .infinity ? places : try inFeedOrder(best[...])
    }

    /// The newest rows that have all words in the first column, if there are too many to rank: whole words, or else
    /// their beginnings. Reading them takes a twentieth of the time of ranking.
    ///
    /// - Returns: Nil if there are fewer.
    private func commonTitles(_ limit: Int) throws -> [(row: Int64, rank: Double)]? {
        guard let title = indexed.first else { return nil }
        let column = try SQL.identifier(title)
        let most = max(Self.mostTitles, limit)
        for isWhole in [true, false] {
            guard let words = query.text.fullTextQuery(in: column, isWhole: isWhole) else { return nil }
            // While the user types, there is no whole word yet, and a search for beginnings takes longer.
            if !isWhole, try hasWholeWords() { return nil }
            let rows = try connection.all(
                "SELECT rowid FROM \(index) WHERE \(index) MATCH ? ORDER BY rowid DESC LIMIT ?",
                [.text(words), Value(most)]
            ) { $0.int64(at: 0) }
            guard rows.count == most else { continue }
            known = rows
            var places: [(row: Int64, length: Int64, place: Place)] = []
            try connection.takeRows(
                """
                SELECT _rowid_, length(\(try SQL.identifier(title))), _generation, _position FROM \(table)
                WHERE _rowid_ = ? AND _removed_at IS NULL
                """, forEach: rows
            ) { row in
                places.append((row.int64(at: 0), row.int64(at: 1), row.place(at: 2)))
                return true
            }
            // Many may be removed upstream.
            guard places.count >= limit else { continue }
            places.sort { $0.length < $1.length || $0.length == $1.length && $0.place.precedes($1.place) }
            return places.prefix(limit).map { ($0.row, Self.commonRank) }
        }
        return nil
    }

    /// True if a row has all words as typed, each as a whole word.
    private func hasWholeWords() throws -> Bool {
        let names = try indexed.map { try SQL.identifier($0) }.joined(separator: " ")
        guard let words = query.text.fullTextQuery(in: names, isWhole: true) else { return false }
        let rows = "SELECT rowid FROM \(index) WHERE \(index) MATCH ? LIMIT 1"
        return try connection.int64(rows, .text(words)) != nil
    }

    /// All rows that have all words.
    private func allRanked(_ words: String) throws -> [(row: Int64, rank: Double)] {
        let places = try connection.all(
            """
            SELECT f.id, f.score FROM (SELECT rowid AS id, rank AS score FROM \(index) WHERE \(index) MATCH ?) f
            JOIN \(table) t ON t._rowid_ = f.id
            WHERE t._removed_at IS NULL ORDER BY f.score, t._generation DESC, t._position
            """, [.text(words)]
        ) { row in (row: row.int64(at: 0), rank: row.double(at: 1)) }
        known = places.map(\.row)
        return places
    }

    /// The newest rows that have all words, removed ones included.
    private func newestRanked(_ words: String, most: Int) throws -> [(row: Int64, rank: Double)] {
        try connection.all(
            "SELECT rowid, rank FROM \(index) WHERE \(index) MATCH ? ORDER BY rowid DESC LIMIT ?",
            [.text(words), Value(most)]
        ) { row in (row: row.int64(at: 0), rank: row.double(at: 1)) }
    }

    /// The rows that the upstream has, the best first, in feed order if their ranks are equal.
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

    /// Further rows that have all words, also inside other words, in feed order. Call it after `ranked`.
    func others(most: Int) throws -> [Int64] {
        let known = Set(known)
        let rows: [Int64]
        if let few {
            rows = few
        } else {
            if !parts.isEmpty { indexedFeed.noteScan() }
            // The known rows may be among them.
            rows = try rowsWithAllWords(most: most + known.count)
        }
        return Array(rows.lazy.filter { !known.contains($0) }.prefix(most))
    }

    /// All rows that have all words, also inside other words, in feed order, if one of the words is rare.
    ///
    /// - Returns: Nil if no word is known to be rare.
    private func rowsOfRareWord() throws -> [Int64]? {
        // The index ignores a word without letters and digits, but a scan of all rows does not.
        guard !parts.isEmpty, query.text.words.allSatisfy({ SearchText.fullTextQuery($0) != nil }),
            let vocabulary = try indexedFeed.vocabulary(on: connection)
        else {
            return nil
        }
        for part in parts where !indexedFeed.isCommon(part) {
            if let rows = try rows(withPart: part, of: vocabulary) {
                return rows.isEmpty ? [] : try rowsWithAllWords(among: rows, most: rows.count)
            }
            indexedFeed.noteCommon(part)
        }
        return nil
    }

    /// The rows with words that have a part, removed ones included; nil if there are many.
    private func rows(withPart part: [UInt8], of vocabulary: Vocabulary) throws -> [Int64]? {
        guard let words = vocabulary.words(with: part, most: Self.mostWordsOfRare) else { return nil }
        guard !words.isEmpty else { return [] }
        let text = words.compactMap { SearchText.fullTextQuery($0, isWhole: true) }.joined(separator: " OR ")
        let rows = try connection.all(
            "SELECT rowid FROM \(index) WHERE \(index) MATCH ? LIMIT ?",
            [.text(text), Value(Self.mostRowsOfRare + 1)]
        ) { $0.int64(at: 0) }
        return rows.count > Self.mostRowsOfRare ? nil : rows
    }

    /// The rows that have all words, also inside other words, in feed order: among some rows, or among all.
    private func rowsWithAllWords(among candidates: [Int64]? = nil, most: Int) throws -> [Int64] {
        let names = try indexed.map { try SQL.identifier($0) }
        var conditions = ["_removed_at IS NULL"]
        var values: [Value] = []
        if let candidates {
            // A list of values as one parameter, so that the statement is compiled once.
            conditions.append("_rowid_ IN (SELECT value FROM json_each(?))")
            values.append(.text("[\(candidates.map(String.init).joined(separator: ","))]"))
        }
        for word in query.text.words {
            values.append(contentsOf: Array(repeating: .text(word), count: names.count))
            var terms = names.map { "_has_text(\($0), ?)" }
            if candidates != nil || query.text.words.count > 1, let word = SearchText.fullTextQuery(word) {
                terms.append("_rowid_ IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?)")
                values.append(.text(word))
            }
            conditions.append("(\(terms.joined(separator: " OR ")))")
        }
        values.append(Value(most))
        return try connection.all(
            """
            SELECT _rowid_ FROM \(table) WHERE \(conditions.joined(separator: " AND "))
            ORDER BY _generation DESC, _position LIMIT ?
            """, values
        ) { $0.int64(at: 0) }
    }

    /// Reads the feed's rows, as many as an answer has.
    func rowLookup() throws -> RowLookup {
        var query = ItemQuery(feed: feed)
        query.byteLimit = ItemQuery.mostBytesOfAnswer
        return try RowLookup(query, of: source, on: connection)
    }

    /// The item of a row; nil if it was removed upstream.
    func hit(_ id: Int64) throws -> SearchHit? {
        try connection.first("\(selection.sql) WHERE _rowid_ = ? AND _removed_at IS NULL", [.integer(id)]) { row in
            hit(key: selection.key(of: row), selection.values(of: row))
        }
    }

    private func hit(key: String, _ values: [StoredValue]) -> SearchHit {
        func text(_ name: String?) -> String? {
            guard let name, let place = columns.firstIndex(where: { $0.name == name }) else { return nil }
            let text = values[place].description
            return text.isEmpty ? nil : text
        }
        let title = title ?? indexed.first
        let texts = indexed.filter { $0 != title }.compactMap(text)
        let excerpt = texts.first { !query.text.matches(in: $0).isEmpty } ?? texts.first ?? ""
        return SearchHit(
            feed: feed, key: key, title: MarkedText(text(title) ?? key, query.text),
            excerpt: MarkedText.excerpt(of: excerpt, query.text), link: text(link(values)))
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
