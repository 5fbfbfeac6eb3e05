internal import Concurrency
internal import Feeds
internal import JSON
internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLite
internal import Time

/// Makes a worker's commits in PostgreSQL first, and then in its own file.
///
/// PostgreSQL's commit is the one that counts. The same transaction checks that the claim is still the worker's: a
/// worker that was paused, cut off or believed dead has an older fence by then, and neither commits. If PostgreSQL's
/// commit is uncertain, the file is not used again: the next worker reads the truth from PostgreSQL.
///
/// - Isolation: belongs to the thread of the store whose connection it is.
final class WriteThrough: CommitCompanion {
    private let pool: ConnectionPool
    /// The connection that it has taken from the pool.
    private var taken: ConnectionPool.Loan?
    let source: SQLite.Connection
    let claims: [Claim]
    /// The name of the feeds in errors.
    let name: String
    let scope: FeedScope
    let recorder: ChangeRecorder
    private var schemaVersion: Int64?
    /// The feeds' tables as they were at the last commit.
    var made: MadeTables
    private var names: FileFeeds
    /// False if the file lacks the items of its feeds, so that their tables cannot be filled from it.
    private let hasItems: Bool
    /// The known tables in PostgreSQL.
    var tables: [String: Target] = [:]
    /// The script of the last commit, whose memory the next one uses.
    private var script = Script()
    var spare: [String: RowArrays] = [:]
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
        /// The columns that have no type in the definition; nil for a table that every store has.
        let untyped: UntypedColumns?
    }

    /// - Parameters:
    ///   - taken: A connection that was taken from the pool.
    ///   - feeds: The claimed feeds that the file has; nil for all of them.
    ///   - hasItems: False if the file lacks their items.
    init(
        _ source: SQLite.Connection, to pool: ConnectionPool, taken: ConnectionPool.Loan? = nil, claims: [Claim],
        feeds: [String]? = nil,
        hasItems: Bool = true,
        progress: Progress
    ) throws {
        self.source = source
        self.pool = pool
        self.taken = taken
        self.claims = claims
        name = claims.nameOfFeeds
        self.progress = progress
        self.hasItems = hasItems
        names = try FileFeeds(in: source)
        scope = FeedScope(feeds: Set((feeds ?? claims.flatMap(\.group.feeds)) + names.feeds).sorted())
        // A feed's sections have no key.
        recorder = ChangeRecorder(on: source, groups: ["_section": 0]) {
            !["_salt", "_migration", "_rebuilt"].contains($0) && !$0.hasPrefix("_search_")
        }
        schemaVersion = try source.int64("PRAGMA schema_version")
        made = try MadeTables(in: source)
        let feeds = try StoredFeed.all(in: source)
        try learn(CopiedTable.fixed + feeds.map(\.table), feeds: feeds)
        letGo()
    }

    /// Commits the rows written since the last commit.
    ///
    /// While PostgreSQL commits some pages, the next ones are decoded here.
    ///
    /// - Throws: `SQLiteError` if PostgreSQL did not, or may not have, committed these or the previous rows: `failure`
    ///   has the reason.
    func commitFirst(isFollowed: Bool) throws(SQLiteError) {
        // Others may be waiting for the connection.
        let isFollowed = isFollowed && !pool.isShared
        try unlessFailed {
            let changes = try recorder.take()
            let fixed = changes.filter { CopiedTable.fixed.contains($0.key) }
            let rows = changes.filter { fixed[$0.key] == nil }
            let version = try source.int64("PRAGMA schema_version")
            let (moves, newTables) = try names.changes(changes["_feed"] ?? [], in: source)
            for move in moves {
                tables[move.old.table] = nil
                made.rename(move.old.table, to: move.new?.table)
            }
            let reshaped = try made.look(
                at: changes["_feed"] ?? [], version == schemaVersion ? [] : Array(rows.keys), in: source)
            schemaVersion = version
            // PostgreSQL cannot describe a table that is new to us before the last commit has ended.
            let isKnown = changes.keys.allSatisfy { tables[$0] != nil }
            let isRemade = !reshaped.isEmpty || !recorder.remade.isEmpty
            if isRemade || !isKnown || !moves.isEmpty || !newTables.isEmpty { try receive() }
            if !newTables.isEmpty { try target.checkFree(newTables) }
            guard moves.isEmpty, recorder.remade.isEmpty, try areShaped(rows, reshaped) else {
                try commitTables(fixed, rows, reshaped, moves)
                if !isFollowed { try receive() }
                return
            }
            script.removeAll()
            script += "BEGIN;\n\(claims.guarded)"
            let empty = script.count
            // If a value no longer fits its column, the table is changed.
            do { try add(changes, to: &script) } catch CopyProblem.unfit {
                try receive()
                try commitTables(fixed, rows, reshaped)
                if !isFollowed { try receive() }
                return
            }
            try receive()
            guard script.count > empty else { return }
            script += "COMMIT"
            try target.connection.send(&script)
            underway = Underway(fixed: fixed, isWhole: false)
            if !isFollowed { try receive() }
        }
    }

    var isBusy: Bool { underway != nil && taken?.store.connection.isRunning ?? false }

    /// Waits for the commit that is on its way.
    ///
    /// - Throws: `SQLiteError` where PostgreSQL did not, or may not have, committed it: `failure` says why.
    func settle() throws(SQLiteError) { try unlessFailed(receive) }

    /// The connection to PostgreSQL.
    ///
    /// - Throws: `PostgreSQLError` if none can be made.
    var target: StoreDatabase {
        get throws(PostgreSQLError) {
            if let taken { return taken.store }
            let taken = try pool.take()
            self.taken = taken
            return taken.store
        }
    }

    /// Gives the connection back, unless it may keep it.
    private func letGo() {
        if pool.isShared, underway == nil { taken = nil }
    }

    /// The file is behind PostgreSQL, and is not used again.
    func commitFailed(_ error: SQLiteError) {
        progress.fail(CommitFailure(error, group: name))
    }

    private func receive() throws {
        guard let commit = underway else { return }
        underway = nil
        let connection = try target.connection
        do throws(PostgreSQLError) { try connection.receive() } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            // A key is longer than an index takes, or is another one's text: the table is made without an index of
            // keys.
            guard !commit.isWhole, ["54000", "23505", "21000"].contains(error.code) else { throw error }
            try commitTables(commit.fixed, nil, [])
            return try receive()
        }
        progress.committed()
    }

    private func unlessFailed(_ body: () throws -> Void) throws(SQLiteError) {
        if let failure = progress.failure { throw Self.refusal(failure.error) }
        defer { letGo() }
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

// Commits that make or change tables.
extension WriteThrough {
    /// Sends a commit with the tables as they are in SQLite now.
    ///
    /// - Parameters:
    ///   - fixed: The changed rows of the tables that every store has.
    ///   - rows: The changed rows of the feeds' tables; nil if they are not known, or if a table has to be made
    ///     otherwise.
    ///   - reshaped: The tables that are new or have another shape.
    ///   - moves: The renamed and deleted feeds.
    private func commitTables(
        _ fixed: [String: [ChangedRow]], _ rows: [String: [ChangedRow]]?, _ reshaped: Set<String>,
        _ moves: [FeedMove] = []
    ) throws {
        let connection = try target.connection
        try connection.execute("BEGIN")
        do {
            // Before the claims, as workers do that write groups.
            if !moves.isEmpty { try GroupLayout.lock(on: connection) }
            try connection.execute(claims.guarded)
            if !moves.isEmpty {
                try target.lockTables()
                try target.apply(moves, claims: claims, now: WallClock.system.milliseconds)
            }
            var script = Script()
            try add(fixed, to: &script)
            try connection.execute(&script)
            // Two workers that make tables at once would wait for each other in a circle.
            try target.lockTables()
            // The statements that remain when the tables are made are sent with the commit.
            var end = Script()
            let changed = reshaped.union(recorder.remade)
            // Nothing is asked of others: a feed of a group of thousands costs what it costs alone.
            let feeds = try StoredFeed.all(in: source, of: rows.map { changed.union($0.keys) })
            let existing = try target.tables(feeds.map(\.table))
            for feed in feeds {
                let isThere = existing[feed.table] != nil
                if let rows, isThere, !changed.contains(feed.table) {
                    let own = rows.filter { $0.key == feed.table }
                    do { try add(own, to: &end) } catch CopyProblem.unfit { try copy(feed, &end) }
                } else if try isThere || !isEmpty(feed.table) {
                    try copy(feed, &end)
                }
                if end.count > Self.chunk { try execute(&end) }
            }
            for feed in feeds { tables[feed.table] = nil }
            try learn(feeds.map(\.table), feeds: feeds)
            try end += PostgreSQLViews.outdating(on: connection)
            end += "\(claims.renewal);\nCOMMIT"
            try connection.send(&end)
        } catch {
            // The first error counts; where the connection is lost, the server rolls back by itself.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
        underway = Underway(fixed: fixed, isWhole: rows == nil)
        spare = [:]
    }

    /// True if PostgreSQL's tables fit the rows. A table's column types are derived from the first rows of a feed, so
    /// it has no table before them.
    ///
    /// - Parameter reshaped: The tables that are new in SQLite, or have another shape.
    private func areShaped(_ rows: [String: [ChangedRow]], _ reshaped: Set<String>) throws -> Bool {
        try rows.keys.allSatisfy { try known($0) != nil }
            && reshaped.allSatisfy { try known($0, hasKey: false) == nil && isEmpty($0) }
    }

    private func isEmpty(_ table: String) throws -> Bool {
        try source.scalar("SELECT 1 FROM \(try SQL.identifier(table)) LIMIT 1") == nil
    }

    /// Updates the views to the present tables; see `StoreDatabase.refreshViews`.
    func refreshViews() throws {
        guard progress.failure == nil else { return }
        defer { letGo() }
        try target.refreshViews()
    }

    /// Deletes the history that is older than it is to be kept, in many short transactions: others wait for none of
    /// them long, and VACUUM finds room again from the first one on.
    ///
    /// - Parameters:
    ///   - now: In seconds since 1970.
    ///   - slice: The most rows of a transaction.
    func prune(_ keep: Retention, now: Int64, slice: Int = 10_000) throws {
        defer { letGo() }
        let limits = Dictionary(grouping: scope.feeds ?? []) { keep.limit(of: $0, at: now) }
        for (limit, feeds) in limits {
            guard let limit else { continue }
            for deletion in FeedScope(feeds: feeds).pruning(before: limit, slice: slice) {
                var count = 0
                repeat {
                    count = try target.connection.transaction {
                        try target.connection.execute(claims.guarded)
                        return try target.connection.scalar(deletion).flatMap { Int($0) } ?? 0
                    }
                    progress.committed()
                } while count >= slice
            }
        }
    }

    /// The number of bytes that are sent at a time, about. The first pages of a feed fit: PostgreSQL stores them while the
    /// next pages come.
    private static let chunk = 8 << 20

    private func execute(_ script: inout Script) throws {
        try target.connection.execute(&script)
        script.removeAll()
    }

    /// Copies all rows of a feed; the last of them are in the script then.
    private func copy(_ feed: StoredFeed, _ script: inout Script) throws {
        guard hasItems else { throw CopyProblem.unreadable(table: feed.table) }
        let table = try target.shape(feed, as: FeedTableShape(of: feed.table, types: feed.types, on: source))
        let name = PostgreSQL.Connection.identifier(table.name)
        try target.connection.execute("DELETE FROM \(name)")
        // COPY is not used: if a worker is paused in the middle of one, PostgreSQL waits until it goes on, and other
        // workers wait for the claim.
        var rows = RowArrays(into: table)
        func takeRows() {
            guard !rows.isEmpty else { return }
            rows.takeInsertion(into: &script)
            script += ";\n"
        }
        try table.stand(in: source) { row in
            try rows.append(row)
            // To count bytes costs something, too.
            guard rows.count.isMultiple(of: 100), rows.byteCount > Self.chunk else { return }
            takeRows()
            try execute(&script)
        }
        takeRows()
    }
}

// Row by row.
extension WriteThrough {
    /// Adds the statements that write rows as they are in SQLite now.
    ///
    /// - Parameter changes: By table.
    /// - Throws: `CopyProblem` for a row that has no place in PostgreSQL.
    func add(_ changes: [String: [ChangedRow]], to script: inout Script) throws {
        let fixed = CopiedTable.fixed.filter { changes[$0] != nil }
        let others = changes.keys.filter { !CopiedTable.fixed.contains($0) }.sorted()
        for name in fixed + others {
            guard let target = try known(name, hasKey: name != "_section") else {
                throw CopyProblem.unreadable(table: name)
            }
            if name == "_section" {
                try addSections(of: changes[name]?.map(\.key.values) ?? [], target.table, to: &script)
            } else {
                try add(changes[name] ?? [], in: target, to: &script)
            }
        }
    }

    /// Adds the statements that write the sections of feeds anew.
    private func addSections(of feeds: [[Value]], _ table: CopiedTable, to script: inout Script) throws {
        let names = feeds.compactMap { $0.first?.text }.map(PostgreSQL.Connection.literal)
        script += "DELETE FROM _section WHERE feed IN (\(names.joined(separator: ", ")));\n"
        var rows = RowArrays(into: table)
        let statement = try source.cached("SELECT \(table.sqliteColumns) FROM _section WHERE feed = ?")
        for feed in feeds {
            try statement.reset()
            try statement.bind(feed)
            while try statement.step() { try rows.append(statement) }
        }
        try statement.reset()
        if !rows.isEmpty {
            rows.takeInsertion(into: &script)
            script += ";\n"
        }
    }

    /// A table in PostgreSQL; nil where there is none, or SQLite's has no key.
    func known(_ name: String, hasKey: Bool = true) throws -> Target? {
        if tables[name] == nil { try learn([name], feeds: StoredFeed.all(in: source, of: [name])) }
        return tables[name].flatMap { hasKey && $0.key.isEmpty ? nil : $0 }
    }

    /// Asks PostgreSQL for tables.
    ///
    /// - Parameter feeds: The feeds that have tables in SQLite.
    func learn(_ names: [String], feeds: [StoredFeed]) throws {
        let types = Dictionary(feeds.map { ($0.table, $0.types) }) { first, _ in first }
        for (name, table) in try target.tables(names) {
            var key: [CopiedTable.Column] = []
            try source.rows("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY cid", [.text(name)]) { row in
                key += table.columns.filter { $0.name == row.text(at: 0) }
            }
            let untyped = types[name].map { types in
                let columns = table.columns.filter { types[$0.name] == nil && !key.contains($0) }
                return UntypedColumns(Set(columns.map(\.name)), of: name, in: hasItems ? source : nil)
            }
            tables[name] = Target(table: table, key: key, untyped: untyped)
        }
    }

    private func add(_ changes: [ChangedRow], in target: Target, to script: inout Script) throws {
        let keys = target.key.map { PostgreSQL.Connection.identifier($0.shortName) }
        var gone: [String] = []
        // They keep their memory from commit to commit.
        let name = target.table.name
        var added = spare.removeValue(forKey: name) ?? RowArrays(into: target)
        var changed = RowArrays(into: target)
        // Another worker may have added the same row to a table that all feeds share.
        let isOwn = !CopiedTable.fixed.contains(name)
        let ordered = Self.ordered(changes)
        var finder = try RowFinder(target, hasNumbers: ordered != nil, in: source)
        defer { finder.end() }
        for change in ordered ?? changes {
            let isThere = try finder.find(change.key)
            if !change.isNew, !isThere || target.table.primaryKey.isEmpty {
                gone.append(try place(of: change, in: target))
            }
            guard isThere else { continue }
            if isOwn && change.isNew || target.table.primaryKey.isEmpty {
                try added.append(finder.statement)
            } else {
                try changed.append(finder.statement)
            }
        }
        if !gone.isEmpty {
            let exact = target.table.primaryKey.isEmpty ? target.key.map { CopiedTable.exact($0.shortName) } : []
            let columns = (keys + exact).joined(separator: ", ")
            script +=
                "DELETE FROM \(PostgreSQL.Connection.identifier(name)) WHERE (\(columns)) IN (\(gone.joined(separator: ", ")));\n"
        }
        if !added.isEmpty {
            added.takeInsertion(into: &script)
            script += ";\n"
        }
        if !changed.isEmpty {
            changed.takeInsertion(into: &script)
            script += update(in: target)
        }
        if isOwn { spare[name] = added }
    }

    /// Rows by their numbers; nil where they have other keys.
    private static func ordered(_ changes: [ChangedRow]) -> [ChangedRow]? {
        var rows: [(number: Int64, change: ChangedRow)] = []
        rows.reserveCapacity(changes.count)
        for change in changes {
            guard case .number(let number) = change.key else { return nil }
            rows.append((number, change))
        }
        return rows.sorted { $0.number < $1.number }.map(\.change)
    }

    /// The clause by which an insertion updates existing rows.
    private func update(in target: Target) -> String {
        let columns = target.table.columns.map(\.shortName) + (target.table.hasExact ? ["_exact"] : [])
        // The columns that partition a table never change, and Citus refuses to set them.
        let partitioning = Set(target.table.primaryKey).subtracting(target.key.map(\.shortName))
        let settings = columns.filter { !partitioning.contains($0) }.map(PostgreSQL.Connection.identifier)
            .map { "\($0) = EXCLUDED.\($0)" }
        let conflict = target.table.primaryKey.map(PostgreSQL.Connection.identifier)
        return """

            ON CONFLICT (\(conflict.joined(separator: ", "))) DO UPDATE SET \(settings.joined(separator: ", "));

            """
    }

    /// The values by which a row that is gone is found.
    ///
    /// - Throws: `CopyProblem` for a key that its columns cannot hold: PostgreSQL has no such row.
    private func place(of change: ChangedRow, in target: Target) throws -> String {
        let fields = try zip(target.key, change.key.values).map { column, value in
            let field = column.type.field(CopiedValue(value))
            guard let text = field.text else {
                throw CopyProblem.unfit(table: target.table.name, column: column.name)
            }
            return (text, field.isExact ? "" : ExactValue.json(CopiedValue(value)).json)
        }
        let values = fields.map(\.0) + (target.table.primaryKey.isEmpty ? fields.map(\.1) : [])
        return "(\(values.map(PostgreSQL.Connection.literal).joined(separator: ", ")))"
    }
}

// Columns of earlier definitions.
extension WriteThrough {
    /// Deletes columns of a feed from PostgreSQL: from its table, its views, the changes of rows and the kept
    /// responses.
    ///
    /// The file is not used afterwards: it has the columns still.
    ///
    /// - Throws: `PostgreSQLError`, also if something of the user's own depends on a column.
    func dropColumns(_ names: [String], of feed: StoredFeed) throws {
        let connection = try target.connection
        let quoted = PostgreSQL.Connection.identifier
        guard let table = try target.table(feed.table) else { return }
        let gone = table.columns.filter { names.contains($0.name) }.map(\.shortName)
        try connection.transaction {
            try connection.execute(claims.guarded)
            try target.lockTables()
            try PostgreSQLViews(feeds: []).drop(from: connection)
            for column in gone {
                try connection.execute("ALTER TABLE \(quoted(table.name)) DROP COLUMN \(quoted(column))")
            }
            try connection.query(
                "UPDATE \(quoted(table.name)) SET _exact = nullif(_exact - $1::text[], '{}') WHERE _exact ?| $1::text[]",
                [PostgreSQL.Connection.array(gone)])
            try forget(names, of: feed.name)
            try PostgreSQLViews(feeds: target.shownFeeds()).apply(to: connection)
        }
        progress.committed()
        // A dropped column's values stay in the rows until they are written anew.
        try connection.execute("VACUUM FULL \(quoted(table.name))")
        for other in ["_change", "_response"] { try connection.execute("VACUUM \(other)") }
    }

    /// Deletes what else the store has of columns.
    private func forget(_ names: [String], of feed: String) throws {
        let values = [feed, PostgreSQL.Connection.array(names)]
        try target.connection.query(
            """
            UPDATE _feed SET columns = (SELECT coalesce(json_agg(value ORDER BY number), '[]')::text
                FROM json_array_elements(columns::json) WITH ORDINALITY AS e (value, number)
                WHERE value ->> 'name' <> ALL ($2::text[])) WHERE feed = $1
            """, values)
        let rest = "SELECT 1 FROM json_each(before) WHERE key <> ALL ($2::text[])"
        let isHit = "feed = $1 AND EXISTS (SELECT 1 FROM json_each(before) WHERE key = ANY ($2::text[]))"
        try target.connection.query(
            "DELETE FROM _change WHERE kind = 'changed' AND \(isHit) AND NOT EXISTS (\(rest))", values)
        try target.connection.query(
            """
            UPDATE _change SET before = (SELECT json_object_agg(key, value) FROM json_each(before)
                WHERE key <> ALL ($2::text[])) WHERE \(isHit)
            """, values)
        try target.connection.query("DELETE FROM _response WHERE feed = $1 OR split_part(feed, '/', 1) = $1", [feed])
    }
}
