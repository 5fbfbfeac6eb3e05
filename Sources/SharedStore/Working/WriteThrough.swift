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
    private let target: PostgreSQLStore
    private let source: SQLite.Connection
    private let claim: Claim
    private let recorder: ChangeRecorder
    private let scope: FeedScope
    private var schemaVersion: Int64?
    private var tables: [String: Target] = [:]
    /// The rows of `_section`, which has no key, as they were written last.
    private var sections: TableChecksum?
    private let progress: Progress

    /// What can be seen of it from elsewhere.
    final class Progress: Sendable {
        private let state: Lock<(version: Int64, failure: FeedSyncError?)>

        init(version: Int64) { state = Lock((version, nil)) }

        /// How many commits the group has had.
        var version: Int64 { state.withLock { $0.version } }
        /// Why a commit failed; nothing is committed any more.
        var failure: FeedSyncError? { state.withLock { $0.failure } }

        fileprivate func committed() { state.withLock { $0.version += 1 } }

        func fail(_ error: FeedSyncError) { state.withLock { $0.failure = $0.failure ?? error } }
    }

    /// A table in PostgreSQL.
    private struct Target {
        let table: CopiedTable
        /// The columns of its key, in SQLite's order, and the places of them among all.
        let key: [CopiedTable.Column]
        let hasPrimaryKey: Bool
    }

    init(_ source: SQLite.Connection, to target: PostgreSQLStore, claim: Claim, progress: Progress) throws {
        self.source = source
        self.target = target
        self.claim = claim
        self.progress = progress
        scope = FeedScope(feeds: claim.group.feeds)
        recorder = try ChangeRecorder(on: source)
        schemaVersion = try source.int64("PRAGMA schema_version")
        sections = try sectionsNow()
    }

    /// Commits what was written since the last commit.
    ///
    /// - Throws: `SQLiteError` where PostgreSQL did not, or may not have, committed it: `failure` says why.
    func commitFirst() throws(SQLiteError) {
        if let failure = progress.failure { throw Self.refusal(failure) }
        do {
            guard let changes = try recorder.take(), try source.int64("PRAGMA schema_version") == schemaVersion else {
                return try commitAll()
            }
            guard !changes.isEmpty else { return }
            guard let script = try script(of: changes), try run(script) else { return try commitAll() }
            progress.committed()
        } catch {
            let failure = FeedSyncError(ofSharedStore: error, group: claim.group.name)
            progress.fail(failure)
            throw Self.refusal(failure)
        }
    }

    /// The file is behind PostgreSQL, and is not used again.
    func commitFailed(_ error: SQLiteError) {
        progress.fail(FeedSyncError(ofSharedStore: error, group: claim.group.name))
    }

    /// - Returns: False if a key is longer than an index takes: the table needs another index first.
    private func run(_ script: String) throws -> Bool {
        do throws(PostgreSQLError) { try target.connection.execute(script) } catch {
            if target.connection.isInTransaction { try? target.connection.execute("ROLLBACK") }
            guard error.code == "54000" else { throw error }
            return false
        }
        return true
    }

    private static func refusal(_ failure: FeedSyncError) -> SQLiteError {
        // SQLITE_ABORT: https://sqlite.org/rescode.html#abort
        SQLiteError(code: 4, message: failure.message)
    }

    private func sectionsNow() throws -> TableChecksum? {
        try target.table("_section")?.checksum(in: source)
    }

    /// The claim is still ours, or what follows fails; and it stays ours for a while, however long it waited.
    private var guarded: String {
        let isOurs = "\"group\" = \(PostgreSQL.Connection.literal(claim.group.name)) AND fence = \(claim.fence)"
        return """
            UPDATE _claim SET version = version + 1, until = clock_timestamp() + interval '\(Worker.lease)' WHERE \(isOurs);
            SELECT 1 / count(*) FROM _claim WHERE \(isOurs);

            """
    }
}

// Row by row: one round trip.
extension WriteThrough {
    /// Everything that a commit takes, as one script; nil where a table has to be made or changed first.
    private func script(of changes: [ChangedRow]) throws -> String? {
        var script = "BEGIN;\n" + guarded
        let byTable = Dictionary(grouping: changes, by: \.table)
        let fixed = CopiedTable.fixed.filter { byTable[$0] != nil }
        let others = byTable.keys.filter { !CopiedTable.fixed.contains($0) && $0 != "_migration" }.sorted()
        for name in fixed + others {
            guard let own = byTable[name], name != "_salt" else { continue }
            guard let target = try known(name) else { return nil }
            guard let sql = try sql(of: own, in: target) else { return nil }
            script += sql
        }
        let sections = try sectionsNow()
        if sections != self.sections, let table = try target.table("_section") {
            script += "DELETE FROM _section WHERE \(scope.condition(of: "_section") ?? "true");\n"
            var rows: [[StoredValue]] = []
            try table.rows(in: source) { rows.append($0) }
            if !rows.isEmpty { script += try insertion(of: rows, into: table) + ";\n" }
            self.sections = sections
        }
        return script + "COMMIT"
    }

    private func known(_ name: String) throws -> Target? {
        if let known = tables[name] { return known }
        guard let table = try target.table(name) else { return nil }
        var key: [CopiedTable.Column] = []
        try source.rows("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY cid", [.text(name)]) { row in
            key += table.columns.filter { $0.name == row.text(at: 0) }
        }
        guard !key.isEmpty else { return nil }
        let own = Target(table: table, key: key, hasPrimaryKey: try target.hasPrimaryKey(name))
        tables[name] = own
        return own
    }

    /// Nil where a key does not fit its column.
    private func sql(of changes: [ChangedRow], in target: Target) throws -> String? {
        let name = PostgreSQL.Connection.identifier(target.table.name)
        let keys = target.key.map { PostgreSQL.Connection.identifier($0.shortName) }
        var gone: [String] = []
        var rows: [[StoredValue]] = []
        let conditions = try target.key.map { "\(try SQL.identifier($0.name)) = ?" }.joined(separator: " AND ")
        let find = try source.cached(
            "SELECT \(target.table.sqliteColumns) FROM \(try SQL.identifier(target.table.name)) WHERE \(conditions)")
        for change in changes {
            let fields = zip(target.key, change.key).map { column, value in
                column.type.field(StoredValue(value)).text.map(PostgreSQL.Connection.literal)
            }
            guard fields.allSatisfy({ $0 != nil }) else { return nil }
            if change.isDeleted || !target.hasPrimaryKey {
                gone.append("(\(fields.compactMap(\.self).joined(separator: ", ")))")
            }
            guard !change.isDeleted else { continue }
            try find.reset()
            try find.bind(change.key)
            if try find.step() { rows.append(target.table.columns.indices.map { StoredValue(find, at: $0) }) }
        }
        try find.reset()
        var sql = ""
        if !gone.isEmpty {
            sql += "DELETE FROM \(name) WHERE (\(keys.joined(separator: ", "))) IN (\(gone.joined(separator: ", ")));\n"
        }
        guard !rows.isEmpty else { return sql }
        sql += try insertion(of: rows, into: target.table)
        if target.hasPrimaryKey {
            let columns = target.table.columns.map(\.shortName) + (target.table.hasExact ? ["_exact"] : [])
            let settings = columns.map(PostgreSQL.Connection.identifier).map { "\($0) = EXCLUDED.\($0)" }
            sql += "\nON CONFLICT (\(keys.joined(separator: ", "))) DO UPDATE SET \(settings.joined(separator: ", "))"
        }
        return sql + ";\n"
    }

    private func insertion(of rows: [[StoredValue]], into table: CopiedTable) throws -> String {
        let values = try rows.map { row in
            let fields = try table.fields(of: row).map { $0.map(PostgreSQL.Connection.literal) ?? "NULL" }
            return "(\(fields.joined(separator: ", ")))"
        }
        return
            "INSERT INTO \(PostgreSQL.Connection.identifier(table.name)) (\(table.postgreSQLColumns)) VALUES \(values.joined(separator: ", "))"
    }
}

// Where a table was made or changed: all rows of the group.
extension WriteThrough {
    private func commitAll() throws {
        let connection = target.connection
        try connection.transaction {
            try connection.execute(guarded)
            for name in CopiedTable.fixed where name != "_salt" {
                guard let table = try target.table(name) else { throw CopyProblem.unreadable(table: name) }
                guard let condition = scope.condition(of: name) else {
                    try upsertQuotas(table)
                    continue
                }
                try connection.execute("DELETE FROM \(PostgreSQL.Connection.identifier(name)) WHERE \(condition)")
                try copy(table)
            }
            // Two workers that make tables and views at once would wait for each other in a circle.
            try connection.query("SELECT pg_advisory_xact_lock(hashtext('feedsync views ' || current_schema()))")
            for feed in try StoredFeed.all(in: source) {
                let shape = try FeedTableShape(of: feed.table, types: feed.types, on: source)
                let table = try target.shape(feed, as: shape)
                try connection.execute("DELETE FROM \(PostgreSQL.Connection.identifier(table.name))")
                try copy(table)
            }
            try PostgreSQLViews(feeds: target.shownFeeds()).apply(to: connection)
            try connection.execute(renewal)
        }
        progress.committed()
        tables = [:]
        schemaVersion = try source.int64("PRAGMA schema_version")
        sections = try sectionsNow()
    }

    /// All of it may have taken longer than a claim lasts.
    private var renewal: String {
        """
        UPDATE _claim SET until = clock_timestamp() + interval '\(Worker.lease)'
            WHERE "group" = \(PostgreSQL.Connection.literal(claim.group.name))
        """
    }

    private func copy(_ table: CopiedTable) throws {
        let name = PostgreSQL.Connection.identifier(table.name)
        try target.connection.copyIn("COPY \(name) (\(table.postgreSQLColumns)) FROM STDIN") { writer in
            try table.rows(in: source) { row in try table.write(row, to: &writer) }
        }
    }

    /// They are other groups' as well.
    private func upsertQuotas(_ table: CopiedTable) throws {
        guard table.name == "_quota", let own = try known("_quota") else { return }
        var rows: [ChangedRow] = []
        try source.rows("SELECT origin, credential, resource FROM _quota") { row in
            rows.append(
                ChangedRow(table: "_quota", key: (0..<3).map { row.value(at: $0) }, isDeleted: false))
        }
        if !rows.isEmpty, let sql = try sql(of: rows, in: own) { try target.connection.execute(sql) }
    }
}
