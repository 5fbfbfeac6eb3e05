internal import PostgreSQL
internal import SQLite

// The table's rows in SQLite.
extension CopiedTable {
    /// Gives each row, or those of a condition.
    func rows(
        in connection: SQLite.Connection, where condition: String = "1", _ body: ([CopiedValue]) throws -> Void
    ) throws {
        try stand(at: condition, in: connection) { statement in
            try body(columns.indices.map { CopiedValue(statement, at: $0) })
        }
    }

    /// Stands at each row, or at those of a condition.
    func stand(
        at condition: String = "1", in connection: SQLite.Connection, _ body: (Statement) throws -> Void
    ) throws {
        let statement = try connection.prepare(
            "SELECT \(sqliteColumns) FROM \(try SQL.identifier(name)) WHERE \(condition)")
        while try statement.step() { try body(statement) }
    }

    /// The checksum of all rows.
    func checksum(in connection: SQLite.Connection) throws -> TableChecksum {
        var checksum = TableChecksum()
        try rows(in: connection) { checksum.add($0) }
        return checksum
    }

    /// Inserts the rows that `rows` passes to its argument.
    ///
    /// - Parameter key: The columns that identify an existing row, which then gets the values; empty if no row exists.
    func insert(
        into connection: SQLite.Connection, updating key: [String] = [],
        _ rows: (([CopiedValue]) throws -> Void) throws -> Void
    ) throws {
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        var sql = "INSERT INTO \(try SQL.identifier(name)) (\(try sqliteColumns)) VALUES (\(marks))"
        if !key.isEmpty {
            // Not REPLACE, which would delete the row and its dependents without the triggers of full-text indexes.
            let keys = try key.map { try SQL.identifier($0) }.joined(separator: ", ")
            let others = try columns.filter { !key.contains($0.name) }.map { try SQL.identifier($0.name) }
            let settings = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
            sql += " ON CONFLICT (\(keys)) DO \(others.isEmpty ? "NOTHING" : "UPDATE SET \(settings)")"
        }
        let statement = try connection.prepare(sql)
        try rows { row in
            for (index, value) in row.enumerated() { try value.bind(to: statement, at: index + 1) }
            _ = try statement.step()
            try statement.reset()
        }
    }

    /// Makes a feed's table as feedsync makes it, unless it is there.
    func make(in connection: SQLite.Connection, key: FeedKey) throws {
        guard try connection.scalar("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)) == nil else { return }
        let own = [
            "_section": "TEXT", "_generation": "INTEGER NOT NULL", "_position": "INTEGER NOT NULL",
            "_first_seen_at": "TEXT NOT NULL", "_changed_at": "TEXT NOT NULL", "_removed_at": "TEXT", "_raw": "TEXT",
        ]
        var lines = try columns.map { column in
            let isKey = key.columns.contains(column.name)
            let type = own[column.name] ?? (isKey ? key.isRowID ? "INTEGER NOT NULL" : "ANY NOT NULL" : "ANY")
            return "\(try SQL.identifier(column.name)) \(type)"
        }
        lines.append("PRIMARY KEY (\(try key.columns.map { try SQL.identifier($0) }.joined(separator: ", ")))")
        try connection.execute(
            "CREATE TABLE \(try SQL.identifier(name)) (\n    \(lines.joined(separator: ",\n    "))\n) STRICT")
    }
}
