internal import Concurrency
internal import Feeds
internal import PostgreSQL
internal import SQLite

/// Makes a worker's commits in PostgreSQL first, and then in its own file.
///
/// PostgreSQL's commit is the one that counts. The same transaction checks that the claim is still the worker's: a
/// worker that was paused, cut off or believed dead has an older fence by then, and neither commits. If PostgreSQL's
/// commit is uncertain, the file is not used again: the next worker reads the truth from PostgreSQL.
///
/// - Isolation: belongs to the thread of the store whose connection it is.
final class WriteThrough: CommitCompanion {
    let target: PostgreSQLStore
    let source: SQLite.Connection
    let claims: [Claim]
    /// The name of the feeds in errors.
    let name: String
    let scope: FeedScope
    let recorder: ChangeRecorder
    private var schemaVersion: Int64?
    /// The feeds' tables as they were at the last commit.
    var made: MadeTables
    /// The known tables in PostgreSQL.
    var tables: [String: Target] = [:]
    /// The script of the last commit, whose memory the next one uses.
    private var script = Script()
    var spare: [String: RowArrays] = [:]
    /// The rows of `_section`, which has no key, as they were written last; nil if that is not known.
    var sections: TableChecksum?
    /// The commit that is on its way.
    var underway: Underway?
    let progress: Progress

    /// The state that other threads may read.
    final class Progress: Sendable {
        private let state: Lock<(version: Int64, failure: CommitFailure?)>

        init(version: Int64) { state = Lock((version, nil)) }

        /// The number of the group's commits.
        var version: Int64 { state.withLock { $0.version } }
        /// The error of a failed commit, after which nothing is committed.
        var failure: CommitFailure? { state.withLock { $0.failure } }

        func committed() { state.withLock { $0.version += 1 } }

        func fail(_ failure: CommitFailure) { state.withLock { $0.failure = $0.failure ?? failure } }
    }

    /// A commit that is on its way.
    struct Underway {
        /// The rows written to the tables that every store has.
        let fixed: [String: [ChangedRow]]
        /// True if it has all rows of the feeds' tables; if not, it has the written ones.
        let isWhole: Bool
    }

    /// A table in PostgreSQL.
    struct Target {
        let table: CopiedTable
        /// The columns of its key, in SQLite's order.
        let key: [CopiedTable.Column]
        /// The columns that have no type in the definition: their values decide.
        let untyped: Set<String>
    }

    init(_ source: SQLite.Connection, to target: PostgreSQLStore, claims: [Claim], progress: Progress) throws {
        self.source = source
        self.target = target
        self.claims = claims
        name = claims.nameOfFeeds
        self.progress = progress
        scope = FeedScope(feeds: claims.flatMap(\.group.feeds))
        recorder = ChangeRecorder(on: source) {
            !["_salt", "_migration", "_rebuilt"].contains($0) && !$0.hasPrefix("_search_")
        }
        schemaVersion = try source.int64("PRAGMA schema_version")
        made = try MadeTables(in: source)
        let feeds = try StoredFeed.all(in: source)
        try learn(CopiedTable.fixed + feeds.map(\.table), feeds: feeds)
        sections = try tables["_section"]?.table.checksum(in: source)
        // An older feedsync left columns with the type of their first values. The next commit that changes the feed
        // changes them.
        for feed in feeds {
            guard let target = tables[feed.table] else { continue }
            let isRight = target.table.columns.allSatisfy { column in
                target.key.contains(column) || feed.types[column.name].map(FieldType.init) ?? column.type == column.type
            }
            if !isRight { made.forget(feed.table) }
        }
    }

    /// The feeds' tables as they are now.
    private func madeNow(_ changes: [String: [ChangedRow]], isNewSchema: Bool) throws -> MadeTables {
        var now = made
        if isNewSchema { try now.readStatements(in: source) }
        try now.readTypes(of: changes["_feed"] ?? [], in: source)
        return now
    }

    /// Commits the rows written since the last commit.
    ///
    /// While PostgreSQL commits some pages, the next ones are decoded here.
    ///
    /// - Throws: `SQLiteError` if PostgreSQL did not, or may not have, committed these or the previous rows: `failure`
    ///   has the reason.
    func commitFirst(isFollowed: Bool) throws(SQLiteError) {
        try unlessFailed {
            let changes = try recorder.take()
            let fixed = changes.filter { CopiedTable.fixed.contains($0.key) }
            let rows = changes.filter { fixed[$0.key] == nil }
            let version = try source.int64("PRAGMA schema_version")
            let now = try madeNow(changes, isNewSchema: version != schemaVersion)
            // PostgreSQL cannot describe a table that is new to us before the last commit has ended.
            if now != made || !recorder.remade.isEmpty || changes.keys.contains(where: { tables[$0] == nil }) {
                try receive()
            }
            guard recorder.remade.isEmpty, try areShaped(rows, now) else {
                try commitTables(fixed, rows, now)
                schemaVersion = version
                if !isFollowed { try receive() }
                return
            }
            (made, schemaVersion) = (now, version)
            script.removeAll()
            script += "BEGIN;\n\(claims.guarded)"
            let empty = script.count
            // If a value no longer fits its column, the table is changed.
            do { try add(changes, to: &script) } catch CopyProblem.unfit {
                try receive()
                try commitTables(fixed, rows, now)
                if !isFollowed { try receive() }
                return
            }
            try receive()
            try addSections(to: &script)
            guard script.count > empty else { return }
            script += "COMMIT"
            try target.connection.send(&script)
            underway = Underway(fixed: fixed, isWhole: false)
            if !isFollowed { try receive() }
        }
    }

    var isBusy: Bool { underway != nil && target.connection.isRunning }

    /// Waits for the commit that is on its way.
    ///
    /// - Throws: `SQLiteError` where PostgreSQL did not, or may not have, committed it: `failure` says why.
    func settle() throws(SQLiteError) { try unlessFailed(receive) }

    /// The file is behind PostgreSQL, and is not used again.
    func commitFailed(_ error: SQLiteError) {
        progress.fail(CommitFailure(error, group: name))
    }

    private func receive() throws {
        guard let commit = underway else { return }
        underway = nil
        do throws(PostgreSQLError) { try target.connection.receive() } catch {
            if target.connection.isInTransaction { try? target.connection.execute("ROLLBACK") }
            // A key is longer than an index takes, or is another one's text: the table is made without an index of
            // keys.
            guard !commit.isWhole, ["54000", "23505", "21000"].contains(error.code) else { throw error }
            sections = nil
            try commitTables(commit.fixed, nil, made)
            return try receive()
        }
        progress.committed()
    }

    private func unlessFailed(_ body: () throws -> Void) throws(SQLiteError) {
        if let failure = progress.failure { throw Self.refusal(failure.error) }
        do { try body() } catch {
            let failure = CommitFailure(error, group: name)
            progress.fail(failure)
            throw Self.refusal(failure.error)
        }
    }

    private static func refusal(_ failure: FeedSyncError) -> SQLiteError {
        // SQLITE_ABORT: https://sqlite.org/rescode.html#abort
        var error = SQLiteError(code: 4, message: failure.message)
        error.advice = failure.advice
        return error
    }
}

extension RowArrays {
    /// Rows into a table of a store.
    init(into target: WriteThrough.Target) {
        self.init(into: target.table, key: target.key, untyped: target.untyped)
    }
}
