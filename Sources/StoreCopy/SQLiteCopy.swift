internal import Feeds
internal import JSON
internal import PostgreSQL
internal import SQLite

/// Copies a store in PostgreSQL to one in SQLite.
///
/// The target is a file that nobody else uses. Each table that is like its original is committed; the next copy goes on with
/// those that differ.
struct SQLiteCopy {
    let source: PostgreSQLStore
    /// A store with its tables.
    let target: SQLite.Connection
    /// Is told of each table behind it.
    let report: (CopyReport.Table) -> Void

    /// Copies what differs.
    ///
    /// - Throws: `CopyProblem`, `PostgreSQLError`, `SQLiteError`, `MigrationError`.
    func run() throws -> CopyReport {
        guard try source.exists(), try source.pending().isEmpty else {
            throw CopyProblem.refused(
                "\(source.connection.place) has no store", advice: "feedsync store copy FILE URI makes one")
        }
        // https://www.postgresql.org/docs/15/transaction-iso.html#XACT-REPEATABLE-READ
        return try source.connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
            guard try source.connection.scalar("SELECT 1 FROM _copy WHERE finished_at IS NULL") == nil else {
                throw CopyProblem.refused(
                    "the store in \(source.connection.place) is not whole: a copy to it was cut off",
                    advice: "run that copy again first")
            }
            var result = CopyReport()
            for name in CopiedTable.fixed {
                guard let table = try source.table(name) else { throw CopyProblem.unreadable(table: name) }
                result.tables.append(try target.transaction { try bring(table) })
            }
            for name in try source.feedTables() {
                // A feed that failed before its first page has none.
                guard let table = try source.table(name) else { continue }
                result.tables.append(
                    try target.transaction {
                        try make(table)
                        return try bring(table)
                    })
            }
            try target.transaction { try continueNumbers() }
            return result
        }
    }

    /// Makes a feed's table as feedsync makes it, unless it is there.
    private func make(_ table: CopiedTable) throws {
        guard try target.scalar("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(table.name)) == nil else { return }
        guard let key = try source.key(of: table.name) else { throw CopyProblem.unreadable(table: table.name) }
        let own = [
            "_section": "TEXT", "_generation": "INTEGER NOT NULL", "_position": "INTEGER NOT NULL",
            "_first_seen_at": "TEXT NOT NULL", "_changed_at": "TEXT NOT NULL", "_removed_at": "TEXT", "_raw": "TEXT",
        ]
        var lines = try table.columns.map { column in
            let isKey = key.columns.contains(column.name)
            let type = own[column.name] ?? (isKey ? key.isRowID ? "INTEGER NOT NULL" : "ANY NOT NULL" : "ANY")
            return "\(try SQL.identifier(column.name)) \(type)"
        }
        lines.append("PRIMARY KEY (\(try key.columns.map { try SQL.identifier($0) }.joined(separator: ", ")))")
        try target.execute(
            "CREATE TABLE \(try SQL.identifier(table.name)) (\n    \(lines.joined(separator: ",\n    "))\n) STRICT")
    }

    /// Makes a table's rows what the source has, and makes sure of it.
    private func bring(_ table: CopiedTable) throws -> CopyReport.Table {
        let wanted = try source.checksum(table)
        let isWritten = try checksum(table) != wanted
        if isWritten {
            let name = try SQL.identifier(table.name)
            try target.execute("DELETE FROM \(name)")
            let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
            let statement = try target.prepare("INSERT INTO \(name) (\(table.sqliteColumns)) VALUES (\(marks))")
            try source.rows(of: table) { row in
                for (index, value) in row.enumerated() { try value.bind(to: statement, at: index + 1) }
                _ = try statement.step()
                try statement.reset()
            }
            guard try checksum(table) == wanted else { throw CopyProblem.different(table: table.name) }
        }
        let result = CopyReport.Table(
            name: table.name, rowCount: wanted.rowCount, checksum: wanted.digits, isWritten: isWritten)
        report(result)
        return result
    }

    private func checksum(_ table: CopiedTable) throws -> TableChecksum {
        var checksum = TableChecksum()
        let statement = try target.prepare("SELECT \(table.sqliteColumns) FROM \(try SQL.identifier(table.name))")
        while try statement.step() { checksum.add(table.columns.indices.map { StoredValue(statement, at: $0) }) }
        return checksum
    }

    /// Gives each table the next number that the source would give.
    private func continueNumbers() throws {
        for table in CopiedTable.fixed {
            let sequence = try source.connection.scalar(
                "SELECT pg_get_serial_sequence($1, 'id') WHERE EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = CAST($1 AS regclass) AND attname = 'id')",
                [table])
            guard let sequence,
                let number = try source.connection.scalar("SELECT last_value FROM \(sequence) WHERE is_called"),
                let last = Int64(number)
            else { continue }
            try target.run("DELETE FROM sqlite_sequence WHERE name = ?", .text(table))
            try target.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", .text(table), .integer(last))
        }
    }
}
