internal import CSQLite
@_exported public import SchemaMigration

/// Brings a store's schema up to date, each migration in one transaction with the row that records it.
package struct Migrator: Sendable {
    private let migrations: [Migration]

    /// A migrator for `migrations`, oldest first.
    package init(_ migrations: [Migration]) { self.migrations = migrations }

    /// The migrations that the store lacks, oldest first; never writes.
    ///
    /// Call this before anything that writes, even a change of the journal mode, so that a newer store stays unchanged.
    ///
    /// - Throws: `MigrationError` if the store does not fit, `SQLiteError` if its records cannot be read.
    package func pending(in connection: Connection) throws -> [Migration] {
        try migrations.pending(recorded: recorded(in: connection))
    }

    /// Applies those of `planned` that the store still lacks.
    ///
    /// Several processes may do so at once: each migration is applied by one of them. A migration that fails leaves
    /// the store as the one before it did. Foreign keys are enforced throughout.
    ///
    /// - Parameter now: the time to record, UTC and ISO 8601.
    /// - Returns: the migrations that this call applied.
    /// - Throws: `MigrationError` if the store or a migration does not fit, `SQLiteError` if one fails.
    package func apply(_ planned: [Migration], to connection: Connection, now: String) throws -> [Migration] {
        try planned.filter { migration in
            try connection.transaction(.immediate) {
                // Another process may have been first, even a newer one; only the state under the write lock counts.
                guard try pending(in: connection).contains(migration) else { return false }
                try apply(migration, to: connection, now: now)
                return true
            }
        }
    }

    private func apply(_ migration: Migration, to connection: Connection, now: String) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS "_migration" (
                name TEXT NOT NULL PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL
            ) STRICT
            """)
        do {
            try connection.withoutTransactionControl { try connection.execute(migration.sql) }
        } catch let error as SQLiteError where error.primaryCode == SQLITE_AUTH {
            throw MigrationError.transactionInside(name: migration.name)
        }
        try connection.run(
            #"INSERT INTO "_migration" (name, checksum, applied_at) VALUES (?, ?, ?)"#,
            .text(migration.name), .text(migration.checksum), .text(now))
    }

    /// The checksums in the store by name; none in a store without the table.
    private func recorded(in connection: Connection) throws -> [String: String] {
        // Asked for by name, so that an error in the read below is not mistaken for a new store.
        let isRecorded = try connection.scalar(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_migration' COLLATE NOCASE")
        guard isRecorded != nil else { return [:] }
        var checksums: [String: String] = [:]
        try connection.rows(#"SELECT name, checksum FROM "_migration""#) { row in
            checksums[row.text(at: 0) ?? ""] = row.text(at: 1)
        }
        return checksums
    }
}

extension Connection {
    /// Runs `body` while SQLite refuses to compile BEGIN, COMMIT and ROLLBACK, with SQLITE_AUTH.
    ///
    /// A COMMIT in a migration would end the transaction that holds the migration and its record.
    fileprivate func withoutTransactionControl(_ body: () throws -> Void) throws {
        // https://sqlite.org/c3ref/set_authorizer.html
        let status = sqlite3_set_authorizer(
            handle.database,
            { _, action, _, _, _, _ in action == SQLITE_TRANSACTION ? SQLITE_DENY : SQLITE_OK }, nil)
        try handle.check(status)
        defer { sqlite3_set_authorizer(handle.database, nil, nil) }
        try body()
    }
}
