internal import PostgreSQL
package import SQLite
package import StoreFile

extension Store {
    /// Runs `body`, which uses both databases, with the store's connection, on the store's thread.
    ///
    /// - Parameter path: The name in messages.
    /// - Throws: `FeedSyncError` with advice, whatever `body` throws.
    package func copying<Result: Sendable>(
        called path: String, _ body: (SQLite.Connection) throws -> Result
    ) throws(FeedSyncError) -> Result {
        try copying { connection throws(FeedSyncError) in
            do { return try body(connection) } catch { throw FeedSyncError(copying: error, path: path) }
        }
    }
}

extension FeedSyncError {
    /// An error of one of the two databases, with advice.
    package init(copying error: any Error, path: String) {
        switch error {
        case let error as FeedSyncError: self = error
        case let error as CopyProblem: self.init(error)
        case let error as PostgreSQLError: self.init(error)
        default: self.init(storing: error, path: ConnectionURI.masked(path))
        }
    }

    fileprivate init(_ problem: CopyProblem) {
        switch problem {
        case .unfit(let table, let column):
            self.init(
                .store,
                "`\(column)` of `\(table)` has a value that is none of feedsync's, and PostgreSQL has no place for it",
                advice: "set it right in sqlite3, or to NULL, and run the copy again")
        case .unreadable(let table):
            self.init(
                .store, "the table `\(table)` in PostgreSQL was changed by somebody else and cannot be read",
                advice: "copy to another schema")
        case .different(let table):
            self.init(
                .store, "`\(table)` was read back otherwise than it was written; nothing of it was kept",
                advice: "report this, with the table's columns, as a bug")
        case .refused(let message, let advice): self.init(.store, message, advice: advice)
        }
    }

    fileprivate init(_ error: PostgreSQLError) {
        let message = error.message
        let advice =
            switch (error.code, error.code?.prefix(2)) {
            case _ where error.isMissingLibrary: "install libpq; on Debian: apt-get install libpq5"
            case _ where error.isPooled:
                "name the server itself, or a pool with a session for each client (PgBouncer: pool_mode = session)"
            case ("53100", _): "make room on the server's disk, then run the command again; it goes on"
            // Memory for locks is limited apart: https://www.postgresql.org/docs/15/runtime-config-locks.html
            case ("53200", _):
                "for a store with thousands of feeds, set max_locks_per_transaction = 256 in the server's postgresql.conf"
            case ("25006", _):
                "this server or database takes no writes: name the primary, or change default_transaction_read_only"
            // An error of connecting has no code.
            case (_, "3D"),
                _ where error.isLost && message.contains("database \"") && message.hasSuffix("does not exist"):
                "make the database first: createdb NAME, or CREATE DATABASE"
            case ("42501", _): "the role may do too little: see Rights in Docs/postgresql.md"
            // libpq's messages name its parameters, which all begin with `ssl`, or what is wrong with a certificate.
            case _ where error.isLost && ["SSL", "ssl", "certificate"].contains { message.contains($0) }:
                "compare sslmode and sslrootcert in the URI with the server's certificate: see Docs/postgresql.md"
            case (_, "28"): "check the name, the password (~/.pgpass) and the database with psql"
            case _ where error.isOfConnection:
                "check the URI and that the server runs, then run the command again; it goes on"
            case _ where error.isLocked:
                "end what reads the table for so long (SELECT * FROM pg_stat_activity), or wait; it is tried again"
            // A row may be larger than a page: https://www.postgresql.org/docs/15/limits.html
            case (_, "54"): "name fewer columns under the feed's `columns`, then run the command again"
            case _ where error.isOfData:
                "change what refuses it in PostgreSQL (a constraint, a trigger, a type), then run the command again"
            default: "run the command again; it goes on"
            }
        self.init(.store, error.isMissingLibrary ? message : "PostgreSQL: \(error)", advice: advice)
    }
}
