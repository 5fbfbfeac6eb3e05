internal import SQLite

extension Store {
    /// The items of a query, in feed order; without columns while no page of the feed is stored.
    ///
    /// - Parameter order: An earlier order of the feed, so that it is not sorted for every page. Updated if the store
    ///   has changed.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func listing(_ query: ListingQuery, order: inout FeedOrder?) throws(FeedSyncError) -> Listing {
        try read(query, order: &order)
    }

    /// The same listing as JSON.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func listingText(_ query: ListingQuery, order: inout FeedOrder?) throws(FeedSyncError) -> ListingText {
        try read(query, order: &order)
    }

    /// The items of a query, without a known order.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func listing(_ query: ListingQuery) throws(FeedSyncError) -> Listing { try read(query) }

    /// The same listing as JSON.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func listingText(_ query: ListingQuery) throws(FeedSyncError) -> ListingText { try read(query) }

    private func read<Result: ListingResult>(
        _ query: ListingQuery, order: inout FeedOrder?
    ) throws(FeedSyncError) -> Result {
        guard query.words == nil, query.indexedWords == nil, query.keys == nil, query.filters.isEmpty,
            query.order.isEmpty, query.offset == 0,
            !query.includesRemoved, FeedPart.feed(ofPart: query.feed) == nil
        else { return try read(query) }
        let (result, made) = try storing {
            try connection.transaction(.deferred) { () -> (Result, FeedOrder?) in
                let version = try connection.int64("PRAGMA data_version") ?? 0
                var known = order
                if known?.version != version || known?.feed != query.feed {
                    known = try FeedOrder(query.feed, version: version, on: connection)
                }
                guard let known else { return (Result(), nil) }
                let limit = max(0, min(query.limit, Int(Int32.max)))
                let (rows, hasMore) = known.rows(after: query.after, section: query.section, limit: limit)
                let lookup = try RowLookup(query, of: known.source, on: connection)
                var result = Result()
                lookup.begin(&result)
                _ = try lookup.take(rows, into: &result)
                result.hasMore = hasMore
                return (result, known)
            }
        }
        order = made
        return result
    }

    private func read<Result: ListingResult>(_ query: ListingQuery) throws(FeedSyncError) -> Result {
        try storing {
            // One snapshot for the columns and the rows: another process may be adding a column.
            try connection.transaction(.deferred) {
                guard let source = try ListingSource(query.feed, on: connection) else { return Result() }
                guard let (conditions, values) = try source.conditions(query) else {
                    var result = Result()
                    result.begin(source.layout(query))
                    return result
                }
                let limit = max(0, min(query.limit, Int(Int32.max)))
                return try source.read(query, conditions, values, limit: limit, on: connection)
            }
        }
    }

    /// The number of items that a query matches, whatever its limit.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func count(_ query: ListingQuery) throws(FeedSyncError) -> Int {
        try storing {
            guard let source = try ListingSource(query.feed, on: connection),
                let (conditions, values) = try source.conditions(query)
            else { return 0 }
            var count = 0
            try connection.rows("SELECT count(*) FROM \(source.table) \(conditions)", values) { row in
                count = row.count(at: 0)
            }
            return count
        }
    }
}

/// Reads rows by their numbers, in the requested order.
///
/// The statement is compiled once: a list of numbers would be another text, and sorted, each time.
///
/// - Isolation: the store's.
struct RowLookup {
    private let connection: Connection
    private let layout: ListingLayout
    private let select: String

    init(_ query: ListingQuery, of source: ListingSource, on connection: Connection) throws {
        self.connection = connection
        layout = source.layout(query)
        select = "\(try source.select(layout, query)) WHERE _rowid_ = ? AND _removed_at IS NULL"
    }

    /// Passes the columns of the coming rows to a result.
    func begin(_ result: inout some ListingResult) { result.begin(layout) }

    /// Reads rows. Returns the number of items that the upstream still has.
    func take(_ rows: some Sequence<Int64>, into result: inout some ListingResult) throws -> Int {
        var count = 0
        try connection.rows(select, forEach: rows) { row in
            result.take(row)
            count += 1
        }
        return count
    }
}

/// A feed's table, and the known properties of its columns.
struct ListingSource {
    /// The table's name, and its form in SQL.
    let name: String
    let table: String
    let columns: [RowColumn]
    let key: [String]
    private let keepsRaw: Bool
    /// The condition on the table's rows; nil for all.
    private let scope: String?

    /// - Returns: Nil while nothing is stored.
    init?(_ feed: String, on connection: Connection) throws {
        let rows = try StoredRows(of: feed, on: connection)
        guard let found = try StoredTable(of: rows.feed, on: connection), !found.key.isEmpty, !found.columns.isEmpty
        else {
            return nil
        }
        let names = "SELECT sum(name = '_raw') FROM pragma_table_info(?)"
        guard let raws = try connection.int64(names, .text(found.name)) else { return nil }
        keepsRaw = raws > 0
        scope = rows.condition
        name = found.name
        table = try SQL.identifier(name)
        (columns, key) = (found.columns, found.key)
    }

    /// The columns of a query's rows.
    fileprivate func layout(_ query: ListingQuery) -> ListingLayout {
        ListingLayout(
            columns: columns.filter { query.columns?.contains($0.name) ?? true }, key: key,
            hasRaw: query.wantsRaw && keepsRaw)
    }

    /// The rows that match some conditions, in feed order.
    fileprivate func read<Result: ListingResult>(
        _ query: ListingQuery, _ conditions: String, _ values: [Value], limit: Int, on connection: Connection
    ) throws -> Result {
        let layout = layout(query)
        var result = Result()
        result.begin(layout)
        var count = 0
        try connection.rows(
            "\(try select(layout, query)) \(conditions) ORDER BY \(try order(query)) LIMIT ? OFFSET ?",
            values + [Value(limit + 1), Value(max(0, query.offset))]
        ) { row in
            guard count < limit else {
                result.hasMore = true
                return
            }
            count += 1
            result.take(row)
        }
        return result
    }

    private func order(_ query: ListingQuery) throws -> String {
        let columns = try query.order.map { "\(try SQL.identifier($0.column))\($0.isDescending ? " DESC" : "")" }
        return (columns + ["_generation DESC", "_position"]).joined(separator: ", ")
    }

    fileprivate func select(_ layout: ListingLayout, _ query: ListingQuery) throws -> String {
        let names = try layout.names.map { try SQL.identifier($0) }
        let wanted = names.enumerated().map { index, name in
            // One text of megabytes takes as much as a page of others.
            guard let most = query.textLimit, index < layout.columns.count else { return name }
            return "CASE typeof(\(name)) WHEN 'text' THEN substr(\(name), 1, \(most)) ELSE \(name) END"
        }
        return "SELECT \(wanted.joined(separator: ", ")) FROM \(table)"
    }

    /// The query's conditions as SQL; nil if they cannot match.
    func conditions(_ query: ListingQuery) throws -> (sql: String, values: [Value])? {
        var conditions = [scope].compactMap(\.self)
        var values: [Value] = []
        if !query.includesRemoved { conditions.append("_removed_at IS NULL") }
        if let section = query.section {
            conditions.append("_section IS ?")
            values.append(Value(section))
        }
        if let place = query.after {
            conditions.append("(_generation < ? OR _generation = ? AND _position > ?)")
            values += [.integer(place.generation), .integer(place.generation), .integer(place.position)]
        }
        if let (text, wanted) = query.words {
            let names = try columns.map(\.name).filter(wanted.contains).map { try SQL.identifier($0) }
            for word in text.words {
                conditions.append("(\(names.map { "\($0) LIKE ? ESCAPE '\\'" }.joined(separator: " OR ")))")
                values += Array(repeating: .text(SearchText.pattern(word)), count: names.count)
            }
            guard !names.isEmpty else { return nil }
        }
        if let text = query.indexedWords {
            guard let words = text.fullTextQuery else { return nil }
            let index = try SQL.identifier(SearchIndex.name(of: name))
            conditions.append("_rowid_ IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?)")
            values.append(.text(words))
        }
        for filter in query.filters {
            let (text, given) = try filter.sql(columns.first { $0.name == filter.column }?.type)
            conditions.append(text)
            values += given
        }
        if let keys = query.keys {
            let parts = keys.compactMap(Self.values(ofKey:)).filter { $0.count == key.count }
            guard !parts.isEmpty else { return nil }
            let names = try key.map { try SQL.identifier($0) }
            let one = "(\(names.map { "\($0) = ?" }.joined(separator: " AND ")))"
            // A key of one column is looked up once for all: SQLite takes a list of values in one parameter.
            conditions.append(
                names.count == 1
                    ? "\(names[0]) IN (\(parts.map { _ in "?" }.joined(separator: ", ")))"
                    : "(\(parts.map { _ in one }.joined(separator: " OR ")))")
            values += parts.flatMap(\.self)
        }
        return (conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))", values)
    }

    /// The values of a key as JSON; nil if it is not a key.
    static func values(ofKey json: String) -> [Value]? {
        guard let value = try? JSONValue(parsing: json) else { return nil }
        let parts = if case .array(let parts) = value { parts } else { [value] }
        var values: [Value] = []
        for part in parts {
            switch part {
            case .string(let text): values.append(.text(text))
            case .number(let digits):
                if let integer = Int64(digits) {
                    values.append(.integer(integer))
                } else if let real = Double(digits) {
                    values.append(.real(real))
                } else {
                    return nil
                }
            case .null, .bool, .array, .object: return nil
            }
        }
        return values
    }
}
