internal import SQLite

/// Reads rows by their numbers, in the requested order.
///
/// The statement is compiled once: a list of numbers would be another text, and sorted, each time.
///
/// - Isolation: the store's.
struct RowLookup {
    private let connection: Connection
    private let selection: RowSelection
    private let sql: String

    init(_ query: ItemQuery, of source: FeedRows, on connection: Connection) throws {
        self.connection = connection
        selection = try source.listed(query, on: connection)
        sql = "\(selection.sql) WHERE _rowid_ = ? AND _removed_at IS NULL"
    }

    /// Passes the columns of the coming rows to a result.
    func begin(_ result: inout some ListingResult) { result.begin(selection) }

    /// Reads rows until the result is full. Returns the number of items that the upstream still has.
    func take(_ rows: some Sequence<Int64>, into result: inout some ListingResult) throws -> Int {
        var count = 0
        try connection.takeRows(sql, forEach: rows) { row in
            guard !result.isFull else {
                result.hasMore = true
                return false
            }
            result.take(row)
            count += 1
            return true
        }
        return count
    }
}

/// The rows of a feed, or of one of its lists, and the only maker of SELECTs of their columns and keys.
struct FeedRows {
    /// The table's name, and its form in SQL.
    let name: String
    let table: String
    let columns: [RowColumn]
    let key: [String]
    /// The condition on the table's rows; nil for all.
    private let scope: String?

    /// - Parameter time: The rows as they were then, as the store writes times; nil for those of now.
    /// - Returns: Nil while nothing is stored.
    init?(_ feed: String, at time: String? = nil, on connection: Connection) throws {
        let (owner, condition) = try Self.scope(of: feed, on: connection)
        guard let found = try StoredTable(of: owner, on: connection), !found.key.isEmpty, !found.columns.isEmpty
        else {
            return nil
        }
        // In a copy of a store in PostgreSQL, a feed without rows has columns and no table.
        guard try connection.scalar("SELECT 1 FROM pragma_table_info(?) LIMIT 1", .text(found.name)) != nil else {
            return nil
        }
        scope = condition
        name = found.name
        if let time {
            let past = try PastRows(of: owner, table: name, key: found.key, at: time, on: connection)
            try connection.makingTemporary { try past.makeView() }
            table = PastRows.view
        } else {
            table = try SQL.identifier(name)
        }
        (columns, key) = (found.columns, found.key)
    }

    /// The feed that owns the table of a feed or of one of its lists, and the condition on its rows; nil for all.
    private static func scope(
        of name: String, on connection: Connection
    ) throws -> (owner: String, condition: String?) {
        guard let owner = FeedPart.feed(ofPart: name),
            let key = try connection.scalar("SELECT parent_key FROM feed_part WHERE name = ?", .text(name)),
            let table = try StoredTable(of: owner, on: connection)
        else { return (name, nil) }
        let count = name.utf8.count { $0 == UInt8(ascii: "/") }
        // A key that cannot be read has no rows.
        guard let values = RowKey.values(of: key, count: count) else { return (owner, "false") }
        let parts = try zip(table.key, values).map { "\(try SQL.identifier($0)) = \(try $1.literal)" }
        return (owner, parts.joined(separator: " AND "))
    }

    /// The columns of the model, then those that every feed's table has.
    var allColumns: [RowColumn] { columns + PlaceColumn.allCases.map { RowColumn(name: $0.rawValue) } }

    /// The SELECT of some columns.
    ///
    /// - Parameters:
    ///   - columns: The named columns.
    ///   - hasKey: True to add the columns of the key.
    func selection(of columns: [RowColumn], hasKey: Bool = false) throws -> RowSelection {
        try RowSelection(columns, hasPlace: false, key: hasKey ? key : [], hasRaw: false, textLimit: nil, from: table)
    }

    /// The SELECT of a listing's columns.
    func listed(_ query: ItemQuery, on connection: Connection) throws -> RowSelection {
        var selection = try RowSelection(
            columns.filter { query.columns?.contains($0.name) ?? true }, hasPlace: true, key: key,
            hasRaw: query.wantsRaw && connection.hasColumn("_raw", in: name), textLimit: query.textLimit,
            from: table)
        selection.byteLimit = query.byteLimit
        return selection
    }

    /// Passes the rows of a query in its order, as many as its limit permits.
    ///
    /// - Parameter take: Takes a row. Returns true if further ones are wanted.
    func read(
        _ selection: RowSelection, _ query: ItemQuery, on connection: Connection, take: (Statement) throws -> Bool
    ) throws {
        guard let conditions = try conditions(query) else { return }
        var (sql, values) = (selection.sql + (try conditions.end(orderedBy: query.order)), conditions.values)
        values.append(Store.limit(query.limit))
        if query.offset > 0 {
            sql += " OFFSET ?"
            values.append(Value(query.offset))
        }
        try connection.takeRows(sql, values, take)
    }

    /// Checks that a query can be read if its condition, which is the user's, is right.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if it cannot: the store's list of columns is wrong then.
    func check(_ selection: RowSelection, _ query: ItemQuery, path: String, on connection: Connection) throws {
        var query = query
        query.condition = nil
        guard let plain = try conditions(query)?.end(orderedBy: query.order) else { return }
        do throws(SQLiteError) { _ = try connection.prepare(selection.sql + plain) } catch {
            throw FeedSyncError(storing: error, path: path)
        }
    }

    /// The query's conditions as SQL; nil if they cannot match.
    func conditions(_ query: ItemQuery) throws -> RowConditions? {
        var conditions = RowConditions(scope, includesRemoved: query.includesRemoved, section: query.section)
        if let since = query.since {
            conditions.add("max(_first_seen_at, _changed_at, coalesce(_removed_at, '')) >= ?", .text(since))
        }
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
            let parts = keys.compactMap(RowKey.values(ofJSON:)).filter { $0.count == key.count }
            guard !parts.isEmpty else { return nil }
            let names = try key.map { try SQL.identifier($0) }
            let one = "(\(names.map { "\($0) = ?" }.joined(separator: " AND ")))"
            // A key of one column is looked up once for all: SQLite takes a list of values in one parameter.
            conditions.add(
                names.count == 1
                    ? "\(names[0]) IN (\(parts.map { _ in "?" }.joined(separator: ", ")))"
                    : "(\(parts.map { _ in one }.joined(separator: " OR ")))", parts.flatMap(\.self))
        }
        // On separate lines, so that a comment in it ends.
        if let condition = query.condition { conditions.add("(\n\(condition)\n)") }
        return conditions
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
    func end(orderedBy columns: [ItemOrder]) throws(SQLiteError) -> String {
        let columns = try columns.map { column throws(SQLiteError) in
            "\(try SQL.identifier(column.column))\(column.isDescending ? " DESC" : "")"
        }
        let order = columns + ["_generation DESC", "_position"]
        return "\(sql) ORDER BY \(order.joined(separator: ", ")) LIMIT ?"
    }
}
