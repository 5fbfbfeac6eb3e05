internal import Concurrency
package import Feeds
internal import PostgreSQL
internal import PostgreSQLStore
internal import Time

/// A worker, as the others see it: its claims and its signs of life.
///
/// A claim is a row of `_claim` with the worker's number and a time, which the worker moves forward every few seconds.
/// When it has passed, any worker may take the claim, with a new fence. So a claim ends within ten seconds of its
/// worker.
///
/// Each call throws `FeedSyncError` of kind `store` if the database cannot be reached, or refuses.
///
/// - Isolation: an actor on a thread of its own, because libpq blocks.
package actor Worker {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let uri: String
    private let name: String
    private let layout: GroupLayout
    private let takesOver: Bool
    private var connection: PostgreSQL.Connection?
    private var id = ""
    private var claimed: Set<String> = []
    private var difference = GroupLayout.Difference()

    /// The time for which a claim lasts without a sign of life, and the interval of such signs.
    static let lease = "10 seconds"
    package static let pulse = Duration.seconds(3)

    /// - Parameters:
    ///   - name: Its name for the others.
    ///   - takesOver: True if its groups hold from now on, unless a worker with a newer configuration has others.
    /// - Throws: `FeedSyncError` of kind `store` where the system has no thread.
    package init(uri: String, name: String, groups: GroupLayout, takesOver: Bool) throws(FeedSyncError) {
        guard let executor = ThreadExecutor() else {
            throw FeedSyncError(.store, "no thread can be started for the worker", advice: "see `ulimit -u`")
        }
        self.executor = executor
        self.uri = uri
        self.name = name
        self.takesOver = takesOver
        layout = groups
    }

    /// Creates missing tables, and registers the feeds and the worker.
    package func begin() throws(FeedSyncError) { try connected { _ in } }

    /// Claims free groups with a due feed, those first that have been due longest.
    ///
    /// - Parameter limit: The most groups to claim.
    /// - Returns: The claims; none if no free group is due.
    /// - Throws: `FeedSyncError` of kind `store`, also if a newer feedsync has changed the store: `isOutdated` then.
    package func claim(limit: Int) throws(FeedSyncError) -> [Claim] {
        try connected { connection in
            try compare(on: connection)
            // A group that another worker has replaced since has other feeds under the same name.
            let rows = try connection.query(
                """
                WITH chosen AS (
                    SELECT c."group" FROM _claim c
                    WHERE c.due_at <= now() AND \(Self.isFree) AND NOT \(Self.isWanted) AND NOT \(StoreDatabase.isNewer)
                        AND c."group" <> ALL (CAST($1 AS text[]))
                        AND (SELECT version FROM _layout) = CAST($4 AS bigint)
                    ORDER BY c.due_at LIMIT $3 FOR UPDATE SKIP LOCKED
                )
                UPDATE _claim SET worker = $2, fence = nextval('_fence'), until = now() + interval '\(Self.lease)'
                FROM chosen WHERE _claim."group" = chosen."group"
                RETURNING _claim."group", fence, version
                """,
                [
                    PostgreSQL.Connection.array(claimed.union(difference.others)), id, "\(limit)",
                    "\(difference.version)",
                ])
            return rows.compactMap(claim)
        }
    }

    /// Claims all groups, or none if another worker has one of them.
    ///
    /// - Parameter isUrgent: True to ask their owners to release them.
    /// - Returns: The claims, or the owner of a group.
    func claimAll(isUrgent: Bool) throws(FeedSyncError) -> Result<[Claim], Holder> {
        try connected { connection in
            let rows = try connection.query(
                """
                WITH free AS (
                    SELECT c."group" FROM _claim c
                    WHERE \(GroupLayout.isOurs) AND \(Self.isFree) AND NOT \(StoreDatabase.isNewer)
                    FOR UPDATE SKIP LOCKED
                )
                UPDATE _claim SET worker = $4, fence = nextval('_fence'), until = now() + interval '\(Self.lease)',
                    wanted_at = NULL
                FROM free WHERE _claim."group" = free."group" AND (SELECT count(*) FROM free) = $5
                RETURNING _claim."group", fence, version
                """, layout.arrays + [id, "\(layout.groups.count)"])
            let claims = rows.compactMap(claim)
            guard claims.isEmpty else { return .success(claims) }
            let holder = try connection.query(
                """
                SELECT c."group", w.name, \(StoreDatabase.isNewer) FROM _claim c LEFT JOIN _worker w ON w.id = c.worker
                WHERE \(GroupLayout.isOurs) ORDER BY \(Self.isFree), 1 LIMIT 1
                """, layout.arrays
            ).first
            if holder?[2] == "t" { try refuseNewer(connection) }
            if isUrgent {
                try connection.query("UPDATE _claim c SET wanted_at = now() WHERE \(GroupLayout.isOurs)", layout.arrays)
            }
            return .failure(Holder(group: (holder?[0] ?? nil) ?? "", name: (holder?[1] ?? nil) ?? "another worker"))
        }
    }

    /// True once a newer feedsync has changed the store: nothing can be claimed or stored any more.
    package var isOutdated: Bool { difference.isOfNewerStore }

    /// Compares the groups of the store with the worker's.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if a newer feedsync has changed the store.
    private func compare(on connection: PostgreSQL.Connection) throws {
        difference = try layout.difference(since: difference, on: connection)
        if isOutdated { try refuseNewer(connection) }
    }

    /// - Throws: `FeedSyncError` of kind `store`, as for a store that was newer from the beginning.
    private func refuseNewer(_ connection: PostgreSQL.Connection) throws {
        _ = try StoreDatabase(connection: connection).pending()
    }

    /// The owner of a group.
    struct Holder: Error, Sendable {
        let group: String
        let name: String
    }

    /// - Parameter row: A group's name, the claim's fence and its version.
    private func claim(of row: [String?]) -> Claim? {
        guard let name = row[0], let group = layout.groups[name] else { return nil }
        claimed.insert(name)
        let numbers = row.dropFirst().map { $0.flatMap { Int64($0) } ?? 0 }
        return Claim(group: group, fence: numbers[0], version: numbers[1])
    }

    /// Releases a claim, if it is still the worker's, and records the time at which the group is due next.
    ///
    /// - Parameters:
    ///   - rests: True if no worker should claim it for a while, because nothing could be done.
    ///   - forgets: True for a group that exists only for this claim.
    package func release(_ claim: Claim, rests: Bool = false, forgets: Bool = false) {
        claimed.remove(claim.group.name)
        guard !forgets else {
            _ = try? connected { try $0.query("DELETE FROM _claim WHERE \([claim].isOurs)") }
            return
        }
        // Paused feeds are never due. They count for a worker with an older configuration: in the newer one, they may be
        // paused no longer.
        let rest = rests ? "now() + interval '\(Self.rest)'" : "'-infinity'"
        _ = try? connected { connection in
            try connection.query(
                """
                UPDATE _claim SET worker = NULL, until = NULL, due_at = greatest(\(rest), coalesce((
                    SELECT min(coalesce(f.next_due_at, '-infinity'))
                    FROM unnest(feeds) m (name) LEFT JOIN feed f ON f.name = m.name
                    WHERE m.name <> ALL (CAST($3 AS text[])) OR configured_at > CAST($4 AS bigint)), 'infinity'))
                WHERE "group" = $1 AND fence = $2
                """,
                [
                    claim.group.name, "\(claim.fence)", PostgreSQL.Connection.array(claim.group.paused),
                    "\(layout.configuredAt)",
                ])
        }
    }

    /// The time for which a group rests after nothing could be done.
    private static let rest = "15 seconds"

    /// Says that the worker has ended.
    package func end() {
        guard !id.isEmpty else { return }
        _ = try? connected { connection in
            try connection.query("UPDATE _worker SET ended_at = now() WHERE id = $1", [id])
        }
    }

    /// The changes of groups by others.
    package struct Signs: Sendable, Hashable {
        /// The groups that another worker with another configuration has changed.
        package var lost: [String] = []
        /// This worker's groups that a reload waits for.
        package var wanted: [String] = []
    }

    /// Says that the worker lives.
    @discardableResult
    package func live() throws(FeedSyncError) -> Signs {
        try connected { connection in
            let claimed = PostgreSQL.Connection.array(claimed)
            // A locked row is being committed and cannot be taken by others.
            try connection.query(
                """
                UPDATE _claim SET until = now() + interval '\(Self.lease)' WHERE "group" IN (
                    SELECT "group" FROM _claim WHERE worker = $1 AND "group" = ANY(CAST($2 AS text[]))
                    FOR UPDATE SKIP LOCKED)
                """, [id, claimed])
            try connection.query("UPDATE _worker SET seen_at = now() WHERE id = $1", [id])
            try compare(on: connection)
            if takesOver, !difference.lost.isEmpty {
                try connection.transaction { try layout.write(.ifAbandoned, unlessKnown: false, on: connection) }
                try compare(on: connection)
            }
            let wanted = try connection.query(
                """
                SELECT c."group" FROM _claim c
                WHERE worker = $1 AND c."group" = ANY(CAST($2 AS text[])) AND \(Self.isWanted)
                """, [id, claimed])
            return Signs(lost: difference.lost, wanted: wanted.compactMap { $0[0] })
        }
    }

    /// The time until a group without an owner is due: an hour at most.
    package func timeUntilDue() throws(FeedSyncError) -> Duration {
        let seconds = try connected { connection in
            try connection.scalar(
                """
                SELECT extract(epoch FROM least(greatest(c.due_at, now()), now() + interval '1 hour') - now()) FROM _claim c
                WHERE c.until IS NULL AND c."group" <> ALL (CAST($1 AS text[])) ORDER BY c.due_at LIMIT 1
                """, [PostgreSQL.Connection.array(difference.others)])
        }
        return .seconds(min(max(seconds.flatMap(Double.init) ?? 3_600, 0), 3_600))
    }

    /// The state of a store's workers together. Groups that another configuration has do not count.
    package struct Fleet: Sendable, Hashable {
        /// Workers that live.
        package let workers: Int
        /// Groups that have an owner, groups that are due and free, and all others.
        package let claimed: Int
        package let due: Int
        package let resting: Int
        /// The time for which the longest waiting group has been due; 0 if it was never synced.
        package let oldestDueSeconds: Int
    }

    /// The state of the store's workers.
    package func fleet() throws(FeedSyncError) -> Fleet {
        let row = try connected { connection in
            try connection.query(
                """
                SELECT (SELECT count(*) FROM _worker WHERE ended_at IS NULL AND seen_at > now() - interval '\(Self.lease)'),
                    count(*) FILTER (WHERE NOT \(Self.isFree)),
                    count(*) FILTER (WHERE \(Self.isFree) AND c.due_at <= now()),
                    count(*) FILTER (WHERE \(Self.isFree) AND c.due_at > now()),
                    coalesce(extract(epoch FROM max(now() - c.due_at) FILTER (
                        WHERE \(Self.isFree) AND c.due_at <= now() AND c.due_at > '-infinity')), 0)::bigint
                FROM _claim c WHERE c."group" <> ALL (CAST($1 AS text[]))
                """, [PostgreSQL.Connection.array(difference.others)]
            ).first ?? []
        }
        let counts = row.map { $0.flatMap { Int($0) } ?? 0 } + Array(repeating: 0, count: 5)
        return Fleet(
            workers: counts[0], claimed: counts[1], due: counts[2], resting: counts[3], oldestDueSeconds: counts[4])
    }

    /// The time limits of a connection that writes: others wait for the claims that it has locked.
    static let limits = """
        SET tcp_user_timeout = 10000; SET idle_in_transaction_session_timeout = '10s'; SET statement_timeout = '10min'
        """

    static let isFree = "(c.until IS NULL OR c.until < now())"
    /// A reload repeats its request for a group; if the reload ends meanwhile, the others wait no longer than this.
    private static let isWanted = "coalesce(c.wanted_at > now() - interval '5 seconds', false)"

    private func connected<Result>(
        _ body: (PostgreSQL.Connection) throws -> Result
    ) throws(FeedSyncError) -> Result {
        do {
            if let connection { return try body(connection) }
            let made = try StoreDatabase(uri: uri).connection
            try made.execute(Self.limits)
            // Once: after a lost connection, the worker still owns its claims.
            if id.isEmpty { try register(on: made) }
            connection = made
            return try body(made)
        } catch {
            // The next call connects again.
            if let error = error as? PostgreSQLError, error.isOfConnection { connection = nil }
            throw FeedSyncError(copying: error, path: uri)
        }
    }

    /// Creates missing tables, and registers the feeds and the worker.
    private func register(on connection: PostgreSQL.Connection) throws {
        let store = StoreDatabase(connection: connection)
        let now = WallClock.system.text
        let worker = [name, layout.digest, takesOver ? "\(layout.configuredAt)" : "-1"]
        let registered = try connection.transaction {
            try connection.query("SELECT pg_advisory_xact_lock(hashtext('feedsync ' || current_schema()))")
            if try !store.exists() || !store.pending().isEmpty { try store.migrate(now: now) }
            if try connection.scalar("SELECT value FROM _salt") == nil {
                try connection.execute("INSERT INTO _salt VALUES (md5(random()::text || clock_timestamp()::text))")
            }
            guard try connection.scalar("SELECT 1 FROM _copy WHERE finished_at IS NULL") == nil else {
                throw CopyProblem.refused(
                    "the store is not whole: a copy to it was cut off", advice: "run that copy again first")
            }
            // It is a store of its own from now on.
            try connection.execute("DELETE FROM _copy")
            try store.adoptRestoredLogs()
            try NumberBlock.begin(in: connection)
            try layout.write(takesOver ? .ifNotNewer : .ifNobodyWorks, on: connection)
            if takesOver { try layout.deleteUnused(on: connection) }
            // Workers that have been silent for a day are gone.
            try connection.execute("DELETE FROM _worker WHERE seen_at < now() - interval '1 day'")
            // In one transaction with the groups, because other workers delete groups that no living worker has.
            return try connection.scalar(
                """
                INSERT INTO _worker (name, layout, configured_at, seen_at)
                VALUES ($1, $2, CAST($3 AS bigint), clock_timestamp()) RETURNING id
                """, worker)
        }
        id = registered ?? ""
    }
}
