internal import SQLite

/// Reads rows by their numbers, in the requested order.
///
/// The statement is compiled once: a list of numbers would be another text, and sorted, each time.
///
/// - Isolation: the store's.
struct RowLookup {
    private let connection: Connection
    private let layout: ListingLayout
    private let select: String

    init(_ query: ListingQuery, of source: FeedRows, on connection: Connection) throws {
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

/// The rows of a feed, or of one of its lists, and the only maker of queries for them.
struct FeedRows {
    /// The table's name, and its form in SQL.
    let name: String
    let table: String
    let columns: [RowColumn]
    let key: [String]
    private let keepsRaw: Bool
    /// The condition on the table's rows; nil for all.
    private let scope: String?

    /// - Parameter time: The rows as they were then, as the store writes times; nil for those of now.
    /// - Returns: Nil while nothing is stored.
    init?(_ feed: String, at time: String? = nil, on connection: Connection) throws {
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
        if let time {
            let past = try PastRows(of: rows.feed, table: name, key: found.key, at: time, on: connection)
            try connection.makingTemporary { try past.makeView() }
            table = PastRows.view
        } else {
            table = try SQL.identifier(name)
        }
        (columns, key) = (found.columns, found.key)
    }

    /// The columns of the model, then those that every feed's table has.
    var allColumns: [RowColumn] { columns + PlaceColumn.allCases.map { RowColumn(name: $0.rawValue) } }

    /// The columns of a query's rows.
    func layout(_ query: ListingQuery) -> ListingLayout {
        ListingLayout(
            columns: columns.filter { query.columns?.contains($0.name) ?? true }, key: key,
            hasRaw: query.wantsRaw && keepsRaw)
    }

    /// The rows that match some conditions, in the order of the query.
    func read<Result: ListingResult>(
        _ query: ListingQuery, _ conditions: RowConditions, limit: Int, on connection: Connection
    ) throws -> Result {
        let layout = layout(query)
        var result = Result()
        result.begin(layout)
        var count = 0
        // One more row than requested shows if there are more.
        let sql = try select(layout, query) + conditions.end(orderedBy: query.order) + " OFFSET ?"
        try connection.rows(sql, conditions.values + [Value(limit + 1), Value(max(0, query.offset))]) { row in
            guard count < limit else {
                result.hasMore = true
                return
            }
            count += 1
            result.take(row)
        }
        return result
    }

    /// A statement for the rows of a query, which may have a condition of the user's.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if it fails without the user's condition: the store's list of columns
    ///   is wrong then.
    func statement(_ query: ItemQuery, _ columns: [RowColumn], path: String, on connection: Connection) throws
        -> Statement
    {
        let names = try columns.map { try SQL.identifier($0.name) }
        let select = "SELECT \(names.isEmpty ? "NULL" : names.joined(separator: ", ")) FROM \(table)"
        var conditions = RowConditions(scope, includesRemoved: query.includesRemoved, section: query.section)
        if let since = query.since {
            conditions.add("max(_first_seen_at, _changed_at, coalesce(_removed_at, '')) >= ?", .text(since))
        }
        let plain = try select + conditions.end(orderedBy: query.order)
        do throws(SQLiteError) { _ = try connection.prepare(plain) } catch {
            throw FeedSyncError(storing: error, path: path)
        }
        // On separate lines, so that a comment in it ends.
        if let condition = query.condition { conditions.add("(\n\(condition)\n)") }
        let statement = try connection.prepare(select + conditions.end(orderedBy: query.order))
        try statement.bind(conditions.values + [Store.limit(query.limit)])
        return statement
    }

    func select(_ layout: ListingLayout, _ query: ListingQuery) throws -> String {
        let names = try layout.names.map { try SQL.identifier($0) }
        let wanted = names.enumerated().map { index, name in
            // One text of megabytes takes as much as a page of others.
            guard let most = query.textLimit, index < layout.columns.count else { return name }
            return "CASE typeof(\(name)) WHEN 'text' THEN substr(\(name), 1, \(most)) ELSE \(name) END"
        }
        return "SELECT \(wanted.joined(separator: ", ")) FROM \(table)"
    }

    /// The query's conditions as SQL; nil if they cannot match.
    func conditions(_ query: ListingQuery) throws -> RowConditions? {
        var conditions = RowConditions(scope, includesRemoved: query.includesRemoved, section: query.section)
        if let place = query.after {
            conditions.add(
                "(_generation < ? OR _generation = ? AND _position > ?)", .integer(place.generation),
                .integer(place.generation), .integer(place.position))
        }
        if let (text, wanted) = query.words {
            let names = try columns.map(\.name).filter(wanted.contains).map { try SQL.identifier($0) }
            for word in text.words {
                conditions.add(
                    "(\(names.map { "_has_text(\($0), ?)" }.joined(separator: " OR ")))",
                    Array(repeating: .text(word), count: names.count))
            }
            guard !names.isEmpty else { return nil }
        }
        if let text = query.indexedWords {
            guard let words = text.fullTextQuery else { return nil }
            let index = try SQL.identifier(SearchIndex.name(of: name))
            conditions.add("_rowid_ IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?)", .text(words))
        }
        for filter in query.filters {
            let (text, given) = try filter.sql(columns.first { $0.name == filter.column }?.type)
            conditions.add(text, given)
        }
        if let keys = query.keys {
            let parts = keys.compactMap(Self.values(ofKey:)).filter { $0.count == key.count }
            guard !parts.isEmpty else { return nil }
            let names = try key.map { try SQL.identifier($0) }
            let one = "(\(names.map { "\($0) = ?" }.joined(separator: " AND ")))"
            // A key of one column is looked up once for all: SQLite takes a list of values in one parameter.
            conditions.add(
                names.count == 1
                    ? "\(names[0]) IN (\(parts.map { _ in "?" }.joined(separator: ", ")))"
                    : "(\(parts.map { _ in one }.joined(separator: " OR ")))", parts.flatMap(\.self))
        }
        return conditions
    }

    /// The values of a key as JSON; nil if it is not a key.
    static func values(ofKey json: String) -> [Value]? {
        guard let value = try? JSONValue(parsing: json) else { return nil }
        let parts = if case .array(let parts) = value { parts } else { [value] }
        let values = parts.compactMap { Value(key: $0) }
        return values.count == parts.count ? values : nil
    }
}

/// The conditions for rows, with their values.
struct RowConditions {
    private var conditions: [String]
    private(set) var values: [Value] = []

    /// - Parameters:
    ///   - scope: The condition for the rows of a list; nil for all rows of the table.
    ///   - section: The section's name, where `.some(nil)` are the items without one; nil for all sections.
    init(_ scope: String?, includesRemoved: Bool, section: String??) {
        conditions = [scope].compactMap(\.self)
        if !includesRemoved { conditions.append("_removed_at IS NULL") }
        if let section { add("_section IS ?", Value(section)) }
    }

    mutating func add(_ condition: String, _ values: Value...) { add(condition, values) }

    mutating func add(_ condition: String, _ values: [Value]) {
        conditions.append(condition)
        self.values += values
    }

    /// The WHERE clause; empty without conditions.
    var sql: String { conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))" }

    /// The rest of a SELECT: sorted by columns, then in feed order, with the limit as the last parameter.
    func end(orderedBy columns: [ItemQuery.Order]) throws(SQLiteError) -> String {
        let columns = try columns.map { column throws(SQLiteError) in
            "\(try SQL.identifier(column.column))\(column.isDescending ? " DESC" : "")"
        }
        let order = columns + ["_generation DESC", "_position"]
        return "\(sql) ORDER BY \(order.joined(separator: ", ")) LIMIT ?"
    }
}
