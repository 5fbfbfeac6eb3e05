package import SQLite

/// The schema of a feed's table.
package struct TableSchema {
    package let name: String
    /// The columns of the parent's key, which come first; empty for a feed with a single list.
    let parentKey: [String]
    /// The values that each of them is to hold.
    private let parentStorage: [ColumnStorage]
    let key: [String]
    let columns: [ColumnDefinition]
    let keepsRaw: Bool

    package init(_ definition: FeedDefinition) {
        name = Self.tableName(definition.owner)
        parentKey = definition.part?.key.map(\.name) ?? []
        parentStorage = definition.part?.key.map { ColumnStorage($0.value) } ?? []
        key = definition.key
        columns = definition.columns
        keepsRaw = definition.keepsRaw
    }

    /// The feed's name as a table name.
    package static func tableName(_ feed: String) -> String { String(feed.map { $0 == "-" ? "_" : $0 }) }

    /// The result of `extend`.
    package enum Extension {
        /// The table had all columns.
        case none
        /// Columns were added: stored rows have no values there.
        case columns
        /// The table did not exist.
        case table
    }

    /// Adds the missing columns to the table, or creates it; no column is dropped.
    package func extend(on connection: Connection) throws -> Extension {
        let declared = try ColumnStorage.declared(in: name, on: connection)
        let existing = Set(declared.keys)
        guard !existing.isEmpty else {
            try create(on: connection)
            return .table
        }
        let table = try SQL.identifier(name)
        if try isBlank(existing, on: connection) {
            // Added columns come after our own, and the model's columns should come first.
            try connection.execute("DROP TABLE \(table)")
            try create(on: connection)
            return .none
        }
        let missing = columns.filter { !existing.contains(Self.folded($0.name)) }
        for column in missing {
            let storage = ColumnStorage(column.type).rawValue
            try connection.execute("ALTER TABLE \(table) ADD COLUMN \(try SQL.identifier(column.name)) \(storage)")
        }
        let lacksRaw = keepsRaw && !existing.contains(Self.folded("_raw"))
        if lacksRaw {
            try connection.execute("ALTER TABLE \(table) ADD COLUMN _raw TEXT")
        }
        let otherParents = zip(parentKey, parentStorage).filter { key, storage in
            let now = declared[Self.folded(key)] ?? .any
            return now != storage && now != .any
        }
        if !otherParents.isEmpty {
            let kinds = otherParents.map { ($0, Set([$1])) }
            try Self.widen(name, for: Dictionary(uniqueKeysWithValues: kinds), on: connection)
        }
        return missing.isEmpty && !lacksRaw ? .none : .columns
    }

    /// True if the table of a feed with a single list has all columns, by the schema of the last statement.
    package func isComplete(on connection: Connection) -> Bool {
        parentKey.isEmpty && connection.hasTable(name)
            && columns.allSatisfy { connection.hasColumn($0.name, in: name) }
            && (!keepsRaw || connection.hasColumn("_raw", in: name))
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
    /// The first page declares the columns whose values are not known yet. A key of one column is an INTEGER PRIMARY
    /// KEY, the rowid itself, until a key comes that is no integer: without a separate index a page costs half as much.
    /// https://sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the store has another object of that name, which is not
    ///   changed.
    package func create(on connection: Connection) throws {
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
        var lines = try zip(parentKey, parentStorage).map {
            "\(try SQL.identifier($0)) \($1.rawValue) NOT NULL"
        }
        lines += try columns.map { column in
            let isKey = key.contains(column.name)
            let isRowID = isKey && key.count == 1 && parentKey.isEmpty && column.mayBeRowID
            let storage = isRowID ? .integer : ColumnStorage(column.type)
            return "\(try SQL.identifier(column.name)) \(storage.rawValue)\(isKey ? " NOT NULL" : "")"
        }
        lines += PlaceColumn.allCases.map { "\($0.rawValue) \($0.storage)" }
        if keepsRaw { lines.append("_raw TEXT") }
        lines.append("PRIMARY KEY (\(try (parentKey + key).map { try SQL.identifier($0) }.joined(separator: ", ")))")
        do {
            try connection.execute("CREATE TABLE \(table) (\n    \(lines.joined(separator: ",\n    "))\n) STRICT")
        } catch {
            // Afterwards, since it reads the whole schema, and a store may have thousands of feeds.
            try checkName(on: connection)
            throw error
        }
    }

    /// - Throws: `FeedSyncError` of kind `configuration` if the store has another object with the table's name.
    package func checkName(on connection: Connection) throws {
        // These look names up; a query of sqlite_schema would read the whole of it. Tables, views and indexes share
        // names.
        let others = "SELECT 1 FROM pragma_table_info(?1) UNION ALL SELECT 1 FROM pragma_index_info(?1)"
        guard try connection.scalar(others, .text(name)) == nil else {
            throw FeedSyncError(
                .configuration, "the store already has something else named `\(name)`",
                advice: "rename the feed, or use another store")
        }
    }

    /// The name in the form in which SQLite compares names.
    package static func folded(_ name: String) -> [UInt8] {
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

    /// Rebuilds the table of that name with this key. Rows, columns, indexes and triggers stay, and so do views.
    ///
    /// - Throws: `SQLiteError` if two rows have the same key.
    package func rebuild(_ table: String, on connection: Connection) throws {
        let isOfIntegers =
            try key.count == 1 && columns.contains { $0.name == key[0] && $0.mayBeRowID }
            && connection.scalar(
                "SELECT 1 FROM \(try SQL.identifier(table)) WHERE typeof(\(try SQL.identifier(key[0]))) <> 'integer' LIMIT 1"
            )
                == nil
        try Self.rebuild(table, key: key, as: isOfIntegers ? [key[0]: .integer] : [:], on: connection)
    }
}

// Declarations that follow the values.
extension TableSchema {
    /// Declares columns so that they hold these kinds of values besides those that they have.
    ///
    /// A column that has none yet is declared for what comes.
    static func widen(
        _ table: String, for kinds: [String: Set<ColumnStorage>], on connection: Connection
    ) throws {
        let declared = try ColumnStorage.declared(in: table, on: connection)
        var storage: [String: ColumnStorage] = [:]
        for (column, kinds) in kinds {
            let isThere =
                "SELECT 1 FROM \(try SQL.identifier(table)) WHERE \(try SQL.identifier(column)) IS NOT NULL LIMIT 1"
            let now = try connection.scalar(isThere).flatMap { _ in declared[folded(column)] }
            storage[column] = ColumnStorage(holding: kinds.union([now].compactMap(\.self)))
        }
        try rebuild(table, as: storage, on: connection)
    }

    /// Rebuilds a table. Rows, columns, indexes, triggers and views stay, and so do row ids that are not the key.
    ///
    /// - Parameters:
    ///   - newKey: The columns of another key; nil for the present one.
    ///   - storage: The declarations that change, by column.
    ///   - values: The new values of columns, as SQL.
    package static func rebuild(
        _ name: String, key newKey: [String]? = nil, as storage: [String: ColumnStorage],
        values: [String: String] = [:], on connection: Connection
    ) throws {
        let keyBefore = try key(of: name, on: connection)
        let key = newKey ?? keyBefore
        let hadRowIDs = try keyIsRowID(of: name, on: connection)
        let keys = Set(key.map(folded))
        let storage = Dictionary(storage.map { (folded($0), $1) }) { first, _ in first }
        let values = Dictionary(values.map { (folded($0), $1) }) { first, _ in first }
        var columns: [String] = []
        var contents: [String] = []
        var lines: [String] = []
        try connection.rows(
            #"SELECT name, type, "notnull" AND pk = 0, dflt_value FROM pragma_table_info(?)"#, [.text(name)]
        ) { row in
            let own = row.text(at: 0) ?? ""
            let column = try SQL.identifier(own)
            columns.append(column)
            contents.append(values[folded(own)] ?? column)
            let otherwise = row.text(at: 3).map { " DEFAULT \($0)" } ?? ""
            let type = storage[folded(own)]?.rawValue ?? row.text(at: 1) ?? "ANY"
            let isNotNull = keys.contains(folded(own)) || row.int64(at: 2) == 1
            lines.append("\(column) \(type)\(isNotNull ? " NOT NULL" : "")\(otherwise)")
        }
        lines.append("PRIMARY KEY (\(try key.map { try SQL.identifier($0) }.joined(separator: ", ")))")
        let attached = try connection.all(
            "SELECT sql FROM sqlite_schema WHERE tbl_name = ? COLLATE NOCASE AND type <> 'table' AND sql IS NOT NULL",
            [.text(name)]
        ) { $0.text(at: 0) ?? "" }
        let table = try SQL.identifier(name)
        let rebuilt = try SQL.identifier(rebuiltName)
        try connection.execute(
            "CREATE TABLE main.\(rebuilt) (\n    \(lines.joined(separator: ",\n    "))\n) STRICT")
        let hasRowIDs = try keyIsRowID(of: rebuiltName, on: connection)
        let rowID = hasRowIDs ? [] : ["_rowid_"]
        try connection.execute(
            """
            INSERT INTO main.\(rebuilt) (\((rowID + columns).joined(separator: ", ")))
            SELECT \((rowID + contents).joined(separator: ", ")) FROM main.\(table)
            """)
        try connection.execute("DROP TABLE main.\(table)")
        // Otherwise the views that show the table would have to be dropped, too.
        // https://sqlite.org/pragma.html#pragma_legacy_alter_table
        try connection.execute("PRAGMA legacy_alter_table = ON")
        defer { try? connection.execute("PRAGMA legacy_alter_table = OFF") }
        try connection.execute("ALTER TABLE main.\(rebuilt) RENAME TO \(table)")
        // Only the first statement of each: a schema changed by hand may hold several.
        for sql in attached { _ = try connection.prepare(sql).step() }
        let keepsRowIDs = !hasRowIDs || hadRowIDs && key.map(folded) == keyBefore.map(folded)
        guard !keepsRowIDs || !values.isEmpty else { return }
        if try !SearchIndex.storedColumns(of: name, on: connection).isEmpty {
            try SearchIndex.rebuild(of: name, on: connection)
        }
    }

    /// The name of a table until it takes the place of the one that it is made of.
    private static let rebuiltName = "_rebuilt"

    private static func key(of table: String, on connection: Connection) throws -> [String] {
        try connection.all("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [.text(table)]) { row in
            row.text(at: 0) ?? ""
        }
    }
}

extension PlaceColumn {
    /// Its declaration in SQLite.
    package var storage: String {
        switch self {
        case .generation, .position: "INTEGER NOT NULL"
        case .firstSeenAt, .changedAt: "TEXT NOT NULL"
        case .section, .removedAt: "TEXT"
        }
    }
}

extension ColumnDefinition {
    /// True if its values may be integers, as far as known.
    fileprivate var mayBeRowID: Bool { (type == nil || type == .integer) && path != .itemHash }
}
