internal import Concurrency
internal import Feeds
internal import PostgreSQL
internal import SQLite

/// Commits in PostgreSQL what a worker's own file is about to commit, first there and then here.
///
/// PostgreSQL's commit is the one that counts. It checks in the same transaction that the claim is still the worker's: whoever
/// was paused, cut off or believed dead has an older fence by then, and neither commits. If it is not known whether PostgreSQL
/// committed, the file is not used again: the next worker reads from PostgreSQL what is true.
///
/// - Isolation: belongs to the thread of the store whose connection it is.
final class WriteThrough: CommitCompanion {
    let target: PostgreSQLStore
    let source: SQLite.Connection
    let claims: [Claim]
    /// What errors call the feeds.
    private let name: String
    let scope: FeedScope
    /// What is written to the tables that every store has, and to those of feeds.
    private let fixedRecorder: ChangeRecorder
    private let feedRecorder: ChangeRecorder
    private var schemaVersion: Int64?
    /// The feeds' tables as SQLite made them.
    var schemas: [String: String] = [:]
    /// What is known of tables in PostgreSQL.
    var tables: [String: Target] = [:]
    /// The rows of `_section`, which has no key, as they were written last, and as they are about to be written.
    var sections: TableChecksum?
    var nextSections: TableChecksum?
    /// Whether tables were made or changed that the views do not show yet.
    var viewsLag = false
    let progress: Progress

    /// What can be seen of it from elsewhere.
    final class Progress: Sendable {
        private let state: Lock<(version: Int64, failure: FeedSyncError?)>

        init(version: Int64) { state = Lock((version, nil)) }

        /// How many commits the group has had.
        var version: Int64 { state.withLock { $0.version } }
        /// Why a commit failed; nothing is committed any more.
        var failure: FeedSyncError? { state.withLock { $0.failure } }

        func committed() { state.withLock { $0.version += 1 } }

        func fail(_ error: FeedSyncError) { state.withLock { $0.failure = $0.failure ?? error } }
    }

    /// A table in PostgreSQL.
    struct Target {
        let table: CopiedTable
        /// The columns of its key, in SQLite's order, and the places of them among all.
        let key: [CopiedTable.Column]
        /// The columns of PostgreSQL's primary key: those of `key`, and those by which the table is partitioned.
        let primaryKey: [String]
    }

    init(_ source: SQLite.Connection, to target: PostgreSQLStore, claims: [Claim], progress: Progress) throws {
        self.source = source
        self.target = target
        self.claims = claims
        name = claims.nameOfFeeds
        self.progress = progress
        scope = FeedScope(feeds: claims.flatMap(\.group.feeds))
        let fixed = Set(CopiedTable.fixed)
        fixedRecorder = try ChangeRecorder(on: source) { fixed.contains($0) && $0 != "_salt" }
        feedRecorder = try ChangeRecorder(on: source) { name in
            !fixed.contains(name) && !name.hasPrefix("_search_") && name != "_migration"
        }
        schemaVersion = try source.int64("PRAGMA schema_version")
        schemas = try schemasNow()
        sections = try target.table("_section")?.checksum(in: source)
        nextSections = sections
    }

    /// Commits what was written since the last commit.
    ///
    /// - Throws: `SQLiteError` where PostgreSQL did not, or may not have, committed it: `failure` says why.
    func commitFirst() throws(SQLiteError) {
        if let failure = progress.failure { throw Self.refusal(failure) }
        do {
            guard let fixed = try fixedRecorder.take() else { throw CopyProblem.unreadable(table: "feed") }
            let rows = try feedRecorder.take()
            let version = try source.int64("PRAGMA schema_version")
            if let rows, version == schemaVersion, try areShaped(rows) {
                let script: String?
                do { script = try self.script(of: fixed + rows) + sectionScript() } catch CopyProblem.unfit {
                    script = nil
                }
                if script?.isEmpty == true { return }
                // Where a key no longer fits the table, that is made anew first.
                let isDone = try script.map { try run("BEGIN;\n" + claims.guarded + $0 + "COMMIT") } ?? false
                if !isDone { try commitTables(fixed, nil) }
            } else {
                try commitTables(fixed, rows)
                schemaVersion = version
            }
            sections = nextSections
            progress.committed()
        } catch {
            let failure = FeedSyncError(ofSharedStore: error, group: name)
            progress.fail(failure)
            throw Self.refusal(failure)
        }
    }

    /// The file is behind PostgreSQL, and is not used again.
    func commitFailed(_ error: SQLiteError) {
        progress.fail(FeedSyncError(ofSharedStore: error, group: name))
    }

    /// - Returns: False if a key is longer than an index takes, or is another one's text.
    private func run(_ script: String) throws -> Bool {
        do throws(PostgreSQLError) { try target.connection.execute(script) } catch {
            if target.connection.isInTransaction { try? target.connection.execute("ROLLBACK") }
            guard ["54000", "23505"].contains(error.code) else { throw error }
            return false
        }
        return true
    }

    private static func refusal(_ failure: FeedSyncError) -> SQLiteError {
        // SQLITE_ABORT: https://sqlite.org/rescode.html#abort
        SQLiteError(code: 4, message: failure.message)
    }
}
