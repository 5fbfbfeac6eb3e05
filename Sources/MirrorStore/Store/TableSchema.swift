internal import SQLite

/// The schema of a feed's table.
struct TableSchema {
    let name: String
    /// The columns of the parent's key, which come first; empty for a feed with a single list.
    let parentKey: [String]
    let key: [String]
    let columns: [ColumnDefinition]
    let keepsRaw: Bool

    init(_ definition: FeedDefinition) {
        name = Self.tableName(definition.owner)
        parentKey = definition.part?.key.map(\.name) ?? []
        key = definition.key
        columns = definition.columns
        keepsRaw = definition.keepsRaw
    }

    /// The feed's name as a table name.
    static func tableName(_ feed: String) -> String { String(feed.map { $0 == "-" ? "_" : $0 }) }

    /// Adds the missing columns to the table; none is ever dropped. Creates the table and returns true if it does not
    /// exist.
    func extend(on connection: Connection) throws -> Bool {
        var existing: Set<[UInt8]> = []
        try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(name)]) { row in
            existing.insert(Self.folded(row.text(at: 0) ?? ""))
        }
        guard !existing.isEmpty else {
            try create(on: connection)
            return true
        }
        let table = try SQL.identifier(name)
        if try isBlank(existing, on: connection) {
            // Added columns come after our own, and the model's columns should come first.
            try connection.execute("DROP TABLE \(table)")
            try create(on: connection)
            return false
        }
        for column in columns where !existing.contains(Self.folded(column.name)) {
            try connection.execute("ALTER TABLE \(table) ADD COLUMN \(try SQL.identifier(column.name)) ANY")
        }
        if keepsRaw, !existing.contains(Self.folded("_raw")) {
            try connection.execute("ALTER TABLE \(table) ADD COLUMN _raw TEXT")
        }
        return false
    }

    /// True if the table lacks columns, and has no rows, no columns of earlier definitions and no indexes of the user.
    private func isBlank(_ existing: Set<[UInt8]>, on connection: Connection) throws -> Bool {
        let wanted = Set((parentKey + columns.map(\.name)).map(Self.folded))
        guard !wanted.isSubset(of: existing),
            existing.subtracting(ColumnNames.reserved.map(Self.folded)).isSubset(of: wanted)
        else { return false }
        let isUsed = """
            SELECT EXISTS (SELECT 1 FROM \(try SQL.identifier(name)))
                OR EXISTS (SELECT 1 FROM sqlite_schema WHERE tbl_name = ? COLLATE NOCASE AND type <> 'table' AND sql IS NOT NULL)
            """
        return try connection.int64(isUsed, .text(name)) == 0
    }

    /// Creates the table.
    ///
    /// ANY in a STRICT table keeps the exact value that was bound:
    /// https://sqlite.org/stricttables.html#the_any_datatype. A key of one column is an INTEGER PRIMARY KEY, the rowid
    /// itself, until a key comes that is not an integer: without a separate index a page costs half as much.
    /// https://sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the store has another object of that name, which is not
    ///   changed.
    func create(on connection: Connection) throws {
        try checkName(on: connection)
        // https://sqlite.org/limits.html#max_column, less our own
        guard columns.count <= 1990 else {
            throw FeedSyncError(.configuration, "it has \(columns.count) columns; a table can have 1,990")
        }
        let table = try SQL.identifier(name)
        if let taken = parentKey.first(where: { name in columns.contains { Self.folded($0.name) == Self.folded(name) } }
        ) {
            throw FeedSyncError(
                .configuration, "its items have a column `\(taken)`, which is that of the parent's key",
                advice: "give it another name under `columns`")
        }
        var lines = try parentKey.map { "\(try SQL.identifier($0)) ANY NOT NULL" }
        lines += try columns.map { column in
            let isKey = key.contains(column.name)
            let type = isKey && key.count == 1 && parentKey.isEmpty && column.mayBeRowID ? "INTEGER" : "ANY"
            return "\(try SQL.identifier(column.name)) \(type)\(isKey ? " NOT NULL" : "")"
        }
        lines += [
            "_section TEXT", "_generation INTEGER NOT NULL", "_position INTEGER NOT NULL",
            "_first_seen_at TEXT NOT NULL", "_changed_at TEXT NOT NULL", "_removed_at TEXT",
        ]
        if keepsRaw { lines.append("_raw TEXT") }
        lines.append("PRIMARY KEY (\(try (parentKey + key).map { try SQL.identifier($0) }.joined(separator: ", ")))")
        try connection.execute("CREATE TABLE \(table) (\n    \(lines.joined(separator: ",\n    "))\n) STRICT")
    }

    /// - Throws: `FeedSyncError` of kind `configuration` if the store has another object with the table's name.
    func checkName(on connection: Connection) throws {
        let others = "SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE"
        guard try connection.scalar(others, .text(name)) == nil else {
            throw FeedSyncError(
                .configuration, "the store already has something else named `\(name)`",
                advice: "rename the feed, or use another store")
        }
    }

    /// The name in the form in which SQLite compares names.
    static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    }
}

// A table whose key is its rowid.
extension TableSchema {
    /// True if only integers can be keys of the table.
    static func keyIsRowID(of table: String, on connection: Connection) throws(SQLiteError) -> Bool {
        try connection.scalar(
            "SELECT group_concat(type) = 'INTEGER' FROM pragma_table_info(?) WHERE pk > 0", .text(table)) == .integer(1)
    }

    /// Rebuilds the table with a key of any type. Rows, columns and indexes stay, and so do views.
    static func admitAnyKey(to name: String, on connection: Connection) throws {
        var key: [String] = []
        try connection.rows("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [.text(name)]) { row in
            key.append(row.text(at: 0) ?? "")
        }
        try rebuild(name, key: key, keyType: "ANY", on: connection)
    }

    /// Rebuilds the table of that name with this key. Rows, columns, indexes and triggers stay, and so do views.
    ///
    /// - Throws: `SQLiteError` if two rows have the same key.
    func rebuild(_ table: String, on connection: Connection) throws {
        let isOfIntegers =
            try key.count == 1 && columns.contains { $0.name == key[0] && $0.mayBeRowID }
            && connection.scalar(
                "SELECT 1 FROM \(try SQL.identifier(table)) WHERE typeof(\(try SQL.identifier(key[0]))) <> 'integer' LIMIT 1"
            )
                == nil
        try Self.rebuild(table, key: key, keyType: isOfIntegers ? "INTEGER" : "ANY", on: connection)
    }

    private static func rebuild(_ name: String, key: [String], keyType: String, on connection: Connection) throws {
        let table = try SQL.identifier(name)
        let keys = Set(key.map(folded))
        var columns: [String] = []
        var lines: [String] = []
        try connection.rows(
            #"SELECT name, CASE pk WHEN 0 THEN type ELSE 'ANY' END, "notnull" AND pk = 0, dflt_value FROM pragma_table_info(?)"#,
            [.text(name)]
        ) { row in
            let own = row.text(at: 0) ?? ""
            let column = try SQL.identifier(own)
            columns.append(column)
            let otherwise = row.text(at: 3).map { " DEFAULT \($0)" } ?? ""
            let isKey = keys.contains(folded(own))
            let type = isKey ? keyType : row.text(at: 1) ?? "ANY"
            lines.append("\(column) \(type)\(isKey || row.int64(at: 2) == 1 ? " NOT NULL" : "")\(otherwise)")
        }
        lines.append("PRIMARY KEY (\(try key.map { try SQL.identifier($0) }.joined(separator: ", ")))")
        var attached: [String] = []
        try connection.rows(
            "SELECT sql FROM sqlite_schema WHERE tbl_name = ? COLLATE NOCASE AND type <> 'table' AND sql IS NOT NULL",
            [.text(name)]
        ) { row in attached.append(row.text(at: 0) ?? "") }
        let list = columns.joined(separator: ", ")
        // By way of a copy, because renaming a table would also rename it in the views that show it.
        try connection.execute("CREATE TEMP TABLE _rows AS SELECT \(list) FROM main.\(table)")
        try connection.execute("DROP TABLE main.\(table)")
        try connection.execute("CREATE TABLE main.\(table) (\n    \(lines.joined(separator: ",\n    "))\n) STRICT")
        try connection.execute("INSERT INTO main.\(table) (\(list)) SELECT \(list) FROM temp._rows")
        try connection.execute("DROP TABLE temp._rows")
        // Only the first statement of each: a schema changed by hand may hold several.
        for sql in attached { _ = try connection.prepare(sql).step() }
        if try !SearchIndex.storedColumns(of: name, on: connection).isEmpty {
            try SearchIndex.rebuild(of: name, on: connection)
        }
    }
}

extension ColumnDefinition {
    /// True if its values may be integers, as far as known.
    fileprivate var mayBeRowID: Bool { type == nil || type == .integer }
}

extension FeedDefinition {
    /// The URL as written, without its query, which may hold anything.
    var shownURL: String { String(url.description.prefix { $0 != "?" }) }
}
