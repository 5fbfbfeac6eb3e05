internal import Feeds
internal import JSON
internal import PostgreSQL
internal import SQLite

/// Copies a store in PostgreSQL to one in SQLite.
///
/// The target is a file without other users. Each table that equals its original is committed; the next copy continues
/// with those that differ.
struct SQLiteCopy {
    let source: StoreDatabase
    /// A store with its tables.
    let target: SQLite.Connection
    /// Receives each finished table.
    let report: (CopyReport.Table) -> Void

    /// Copies the differences.
    ///
    /// - Throws: `CopyProblem`, `PostgreSQLError`, `SQLiteError`, `FeedSyncError`.
    func run() throws -> CopyReport {
        guard try source.exists(), try source.pending().isEmpty else {
            throw CopyProblem.refused(
                "\(source.connection.place) has no store", advice: "feedsync store copy FILE URI  # makes one")
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
                        guard let key = try source.key(of: name) else { throw CopyProblem.unreadable(table: name) }
                        try table.make(in: target, key: key)
                        return try bring(table)
                    })
            }
            try target.transaction { try continueNumbers() }
            return result
        }
    }

    /// Makes a table's rows equal to the source's, and verifies them.
    private func bring(_ table: CopiedTable) throws -> CopyReport.Table {
        let wanted = try source.checksum(table)
        let isWritten = try table.checksum(in: target) != wanted
        if isWritten {
            try target.execute("DELETE FROM \(try SQL.identifier(table.name))")
            try source.insertRows(of: table, into: target)
            guard try table.checksum(in: target) == wanted else { throw CopyProblem.different(table: table.name) }
        }
        let result = CopyReport.Table(
            name: table.name, rowCount: wanted.rowCount, checksum: wanted.digits, isWritten: isWritten)
        report(result)
        return result
    }

    /// Gives each table the next number that the source would give.
    private func continueNumbers() throws {
        for table in CopiedTable.fixed {
            let sequence = try source.connection.scalar(
                "SELECT pg_get_serial_sequence($1, 'id') WHERE EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = CAST($1 AS regclass) AND attname = 'id')",
                [table])
            guard let sequence,
                // Workers give numbers of their own blocks.
                let number = try source.connection.scalar(
                    "SELECT greatest((SELECT last_value FROM \(sequence) WHERE is_called), (SELECT max(id) FROM \(PostgreSQL.Connection.identifier(table))))"
                ), let last = Int64(number)
            else { continue }
            try target.run("DELETE FROM sqlite_sequence WHERE name = ?", .text(table))
            try target.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", .text(table), .integer(last))
        }
    }
}
