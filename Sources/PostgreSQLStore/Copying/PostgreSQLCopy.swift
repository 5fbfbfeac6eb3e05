internal import Feeds
internal import JSON
internal import PostgreSQL
internal import SQLite

/// Copies a store in SQLite to one in PostgreSQL.
///
/// A copy is absent, begun or complete. While it is begun, `_copy` has no `finished_at`, and each table that equals its
/// original is committed. A complete copy is updated in a single transaction: its readers see the old state or the new
/// one. An interruption leaves a copy begun, or as it was, and the next one continues with the tables that differ.
struct PostgreSQLCopy {
    let source: SQLite.Connection
    let target: StoreDatabase
    let now: String
    /// Receives each finished table.
    let report: (CopyReport.Table) -> Void

    private var connection: PostgreSQL.Connection { target.connection }

    /// Copies the differences.
    ///
    /// - Throws: `CopyProblem`, `PostgreSQLError`, `SQLiteError`, `FeedSyncError`.
    func run() throws -> CopyReport {
        // All tables as they are at one moment, while others write: https://sqlite.org/isolation.html
        try source.transaction(.deferred) {
            // It ends with the connection. https://www.postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS
            guard try connection.scalar("SELECT pg_try_advisory_lock(hashtext('feedsync ' || current_schema()))") != "f"
            else {
                throw CopyProblem.refused("somebody else is copying to \(connection.place)", advice: "wait for that")
            }
            let isWhole = try begin()
            return try isWhole ? connection.transaction { try copyAll() } : copyAll()
        }
    }

    /// Makes the tables, unless they are there.
    ///
    /// - Returns: True if the copy was whole before.
    private func begin() throws -> Bool {
        let salt = try source.scalar("SELECT value FROM _salt")?.text ?? ""
        return try connection.transaction {
            let exists = try target.exists()
            let isEmpty = try !exists || connection.scalar("SELECT value FROM _salt") == nil
            try target.migrate(now: now)
            if isEmpty {
                try connection.query("INSERT INTO _salt VALUES ($1)", [salt])
                try connection.query("INSERT INTO _copy (started_at) VALUES ($1)", [now])
                return false
            }
            let copies = try connection.query("SELECT finished_at FROM _copy")
            guard try connection.scalar("SELECT value FROM _salt") == salt, let copy = copies.first else {
                throw CopyProblem.refused(
                    "\(connection.place) has another store already",
                    advice:
                        "name another database, or CREATE SCHEMA feeds and add ?options=-csearch_path%3Dfeeds to the URI"
                )
            }
            return copy[0] != nil
        }
    }

    private func copyAll() throws -> CopyReport {
        var result = CopyReport()
        let feeds = try StoredFeed.all(in: source)
        try dropTables(except: Set(feeds.map(\.table)))
        for name in CopiedTable.fixed {
            guard let table = try target.table(name) else { throw CopyProblem.unreadable(table: name) }
            result.tables.append(try bring(table))
        }
        for feed in feeds {
            let table = try connection.transaction {
                try target.shape(feed, as: FeedTableShape(of: feed.table, types: feed.types, on: source))
            }
            result.tables.append(try bring(table))
        }
        try connection.transaction {
            try continueNumbers()
            try PostgreSQLViews(feeds: target.shownFeeds()).apply(to: connection)
            try connection.query("UPDATE _copy SET finished_at = $1", [now])
        }
        return result
    }
}

// A table.
extension PostgreSQLCopy {
    /// Makes a table's rows equal to the source's, and verifies them.
    private func bring(_ table: CopiedTable) throws -> CopyReport.Table {
        let before = try target.checksum(table)
        // Of a table without rows, the rows are read once: on their way.
        var wanted = before.rowCount > 0 ? try table.checksum(in: source) : nil
        let isWritten = wanted != before
        if isWritten {
            try connection.transaction {
                let name = PostgreSQL.Connection.identifier(table.name)
                if before.rowCount > 0 { try connection.execute("DELETE FROM \(name)") }
                var written = TableChecksum()
                try connection.copyIn("COPY \(name) (\(table.postgreSQLColumns)) FROM STDIN") { writer in
                    try table.rows(in: source) { row in
                        written.add(row)
                        try table.write(row, to: &writer)
                    }
                }
                guard try target.checksum(table) == written else { throw CopyProblem.different(table: table.name) }
                wanted = written
            }
        }
        let both = wanted ?? before
        let result = CopyReport.Table(
            name: table.name, rowCount: both.rowCount, checksum: both.digits, isWritten: isWritten && both != before)
        report(result)
        return result
    }

    /// Gives each table the next number that the source would give.
    private func continueNumbers() throws {
        let numbers = try source.all("SELECT name, seq FROM sqlite_sequence") { row in
            (table: row.text(at: 0) ?? "", number: row.int64(at: 1))
        }
        for (table, number) in numbers where CopiedTable.fixed.contains(table) && number > 0 {
            try connection.query("SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", [table, "\(number)"])
        }
    }
}

// Feeds that are gone.
extension PostgreSQLCopy {
    /// Drops the tables of feeds that the source has no longer.
    private func dropTables(except names: Set<String>) throws {
        let gone = try target.feedTables().filter { !names.contains($0) }
        guard !gone.isEmpty else { return }
        try connection.transaction {
            try PostgreSQLViews(feeds: []).drop(from: connection)
            for name in gone {
                try connection.execute("DROP TABLE IF EXISTS \(PostgreSQL.Connection.identifier(name))")
            }
        }
    }
}
