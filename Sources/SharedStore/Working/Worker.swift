internal import Concurrency
package import Feeds
internal import PostgreSQL
internal import Time

/// A worker, as the others see it: what it has claimed, and that it lives.
///
/// A claim is a row of `_claim` with the worker's number and a time. The worker moves the time on every few seconds; when it
/// has passed, anybody may take the claim, with a new fence. So a claim ends within ten seconds of its worker.
///
/// - Isolation: an actor on a thread of its own, because libpq blocks.
package actor Worker {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let uri: String
    private let name: String
    private let groups: [String: FeedGroup]
    private let takesOver: Bool
    private var connection: PostgreSQL.Connection?
    private var id = ""
    private var claimed: Set<String> = []

    /// How long a claim lasts without a sign of life, and how often there is one.
    static let lease = "10 seconds"
    package static let pulse = Duration.seconds(3)

    /// - Parameters:
    ///   - name: What the others call it.
    ///   - takesOver: Whether its groups hold from now on, if other workers have others.
    /// - Throws: `FeedSyncError` of kind `store` where the system has no thread.
    package init(uri: String, name: String, groups: [FeedGroup], takesOver: Bool) throws(FeedSyncError) {
        guard let executor = ThreadExecutor() else {
            throw FeedSyncError(.store, "no thread can be started for the worker", advice: "see `ulimit -u`")
        }
        self.executor = executor
        self.uri = uri
        self.name = name
        self.takesOver = takesOver
        self.groups = Dictionary(groups.map { ($0.name, $0) }) { first, _ in first }
    }

    /// A group that is free and has a feed that is due: the one that has been due longest.
    ///
    /// - Parameter resting: Groups that are not wanted now.
    /// - Returns: Nil if nothing is due that is free.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func claim(besides resting: Set<String>) throws(FeedSyncError) -> Claim? {
        try connected { connection in
            let row = try connection.query(
                """
                WITH chosen AS (
                    SELECT c."group" FROM _claim c CROSS JOIN LATERAL (
                        SELECT min(coalesce(f.next_due_at, '-infinity')) AS at
                        FROM unnest(c.feeds) m (name) LEFT JOIN feed f ON f.name = m.name) due
                    WHERE \(Self.isOurs) AND \(Self.isFree) AND due.at <= now() AND NOT \(Self.isWanted)
                    ORDER BY due.at LIMIT 1 FOR UPDATE OF c SKIP LOCKED
                )
                UPDATE _claim SET worker = $3, fence = nextval('_fence'), until = now() + interval '\(Self.lease)'
                FROM chosen WHERE _claim."group" = chosen."group"
                RETURNING _claim."group", fence, version
                """, wanted(besides: resting) + [id]
            ).first
            guard let row, let name = row[0], let group = groups[name] else { return nil }
            return claim(of: group, row)
        }
    }

    /// Claims all groups, or none if somebody has one of them.
    ///
    /// - Parameter isUrgent: Whether those who have them are asked to let go.
    /// - Returns: The claims, or who has a group.
    /// - Throws: `FeedSyncError` of kind `store`.
    func claimAll(isUrgent: Bool) throws(FeedSyncError) -> Result<[Claim], Holder> {
        try connected { connection in
            let rows = try connection.query(
                """
                WITH free AS (
                    SELECT c."group" FROM _claim c WHERE \(Self.isOurs) AND \(Self.isFree) FOR UPDATE SKIP LOCKED
                )
                UPDATE _claim SET worker = $3, fence = nextval('_fence'), until = now() + interval '\(Self.lease)',
                    wanted_at = NULL
                FROM free WHERE _claim."group" = free."group" AND (SELECT count(*) FROM free) = $4
                RETURNING _claim."group", fence, version
                """, wanted(besides: []) + [id, "\(groups.count)"])
            let claims = rows.compactMap { row in row[0].flatMap { groups[$0] }.map { claim(of: $0, row) } }
            guard claims.isEmpty else { return .success(claims) }
            if isUrgent {
                try connection.query(
                    "UPDATE _claim c SET wanted_at = now() WHERE \(Self.isOurs)", wanted(besides: []))
            }
            let holder = try connection.query(
                """
                SELECT c."group", w.name FROM _claim c LEFT JOIN _worker w ON w.id = c.worker
                WHERE \(Self.isOurs) ORDER BY \(Self.isFree), 1 LIMIT 1
                """, wanted(besides: [])
            ).first
            return .failure(Holder(group: (holder?[0] ?? nil) ?? "", name: (holder?[1] ?? nil) ?? "another worker"))
        }
    }

    /// Somebody who has a group.
    struct Holder: Error, Sendable {
        let group: String
        let name: String
    }

    /// - Parameter row: Its name, fence and version.
    private func claim(of group: FeedGroup, _ row: [String?]) -> Claim {
        claimed.insert(group.name)
        let numbers = row.dropFirst().map { $0.flatMap { Int64($0) } ?? 0 }
        return Claim(group: group, fence: numbers[0], version: numbers[1])
    }

    /// Lets go of a claim, if it is still the worker's.
    package func release(_ claim: Claim) {
        claimed.remove(claim.group.name)
        _ = try? connected { connection in
            try connection.query(
                "UPDATE _claim SET worker = NULL, until = NULL WHERE \"group\" = $1 AND fence = $2",
                [claim.group.name, "\(claim.fence)"])
        }
    }

    /// Says that the worker has ended.
    package func end() {
        _ = try? connected { connection in
            try connection.query("UPDATE _worker SET ended_at = now() WHERE id = $1", [id])
        }
    }

    /// What others made of groups.
    package struct Signs: Sendable, Hashable {
        /// Those that another worker, whose configuration differs, has made others of.
        package var lost: [String] = []
        /// Those that this worker has, and that a reload wants.
        package var wanted: [String] = []
    }

    /// Says that the worker lives.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    @discardableResult
    package func live() throws(FeedSyncError) -> Signs {
        try connected { connection in
            // What is locked is being committed, and nobody's to take.
            try connection.query(
                """
                UPDATE _claim SET until = now() + interval '\(Self.lease)' WHERE "group" IN (
                    SELECT "group" FROM _claim WHERE worker = $1 AND "group" = ANY(CAST($2 AS text[]))
                    FOR UPDATE SKIP LOCKED)
                """, [id, PostgreSQL.Connection.array(claimed)])
            try connection.query("UPDATE _worker SET seen_at = now() WHERE id = $1", [id])
            let ours = try connection.query(
                "SELECT c.\"group\" FROM _claim c WHERE \(Self.isOurs)", wanted(besides: [], claimed: []))
            let wanted = try connection.query(
                "SELECT c.\"group\" FROM _claim c WHERE worker = $1 AND \(Self.isWanted)", [id])
            return Signs(
                lost: groups.keys.filter { name in !ours.contains { $0[0] == name } }.sorted(),
                wanted: wanted.compactMap { $0[0] })
        }
    }

    /// How long until a feed is due, or a claim of somebody else's may end.
    ///
    /// - Parameter resting: Groups that are not wanted now.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func timeUntilDue(besides resting: Set<String>) throws(FeedSyncError) -> Duration {
        let seconds = try connected { connection in
            try connection.scalar(
                """
                SELECT extract(epoch FROM min(greatest(coalesce(f.next_due_at, now()), coalesce(c.until, now()))) - now())
                FROM _claim c CROSS JOIN unnest(c.feeds) m (name) LEFT JOIN feed f ON f.name = m.name
                WHERE \(Self.isOurs)
                """, wanted(besides: resting))
        }
        return .seconds(min(max(seconds.flatMap(Double.init) ?? 3_600, 0), 3_600))
    }

    /// Whether a group is among the wanted ones, as this worker's configuration has it.
    private static let isOurs = """
        (c."group", array_to_string(c.feeds, E'\\n')) IN (SELECT * FROM unnest(CAST($1 AS text[]), CAST($2 AS text[])))
        """

    private static let isFree = "(c.until IS NULL OR c.until < now())"
    /// Who wants it asks again and again; if it ends meanwhile, the others wait no longer than this.
    private static let isWanted = "coalesce(c.wanted_at > now() - interval '5 seconds', false)"

    /// The parameters of `isOurs`.
    private func wanted(besides resting: Set<String>, claimed: Set<String>? = nil) -> [String?] {
        let wanted = groups.values.filter {
            !(claimed ?? self.claimed).contains($0.name) && !resting.contains($0.name)
        }
        return [
            PostgreSQL.Connection.array(wanted.map(\.name)),
            PostgreSQL.Connection.array(wanted.map { $0.feeds.joined(separator: "\n") }),
        ]
    }

    private func connected<Result>(
        _ body: (PostgreSQL.Connection) throws -> Result
    ) throws(FeedSyncError) -> Result {
        do {
            if let connection { return try body(connection) }
            let made = try PostgreSQL.Connection(uri: uri)
            // Once: after a lost connection, what it has claimed is still its own.
            if id.isEmpty { try register(on: made) }
            connection = made
            return try body(made)
        } catch {
            // The next call connects again.
            if let error = error as? PostgreSQLError, error.isOfConnection { connection = nil }
            throw FeedSyncError(copying: error, path: uri)
        }
    }

    /// Makes the tables where there are none, and says which feeds there are, and who works.
    private func register(on connection: PostgreSQL.Connection) throws {
        let store = PostgreSQLStore(connection: connection)
        let now = WallClock.system.text
        try connection.transaction {
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
            try NumberBlock.begin(in: connection)
            for group in groups.values.sorted(by: { $0.name < $1.name }) {
                let feeds = PostgreSQL.Connection.array(group.feeds)
                if !takesOver { try checkOthers(group, feeds, on: connection) }
                // Feeds that belonged elsewhere: who works there must not store them any more.
                try connection.query(
                    """
                    DELETE FROM _claim WHERE feeds && CAST($1 AS text[]) AND NOT ("group" = $2 AND feeds = CAST($1 AS text[]))
                    """, [feeds, group.name])
                try connection.query(
                    """
                    INSERT INTO _claim ("group", feeds) VALUES ($2, CAST($1 AS text[]))
                    ON CONFLICT ("group") DO UPDATE SET feeds = excluded.feeds, fence = nextval('_fence'),
                        version = nextval('_fence') << 32, worker = NULL, until = NULL WHERE _claim.feeds <> excluded.feeds
                    """, [feeds, group.name])
            }
            // Those of which nothing was heard for a day.
            try connection.execute("DELETE FROM _worker WHERE seen_at < now() - interval '1 day'")
        }
        id = try connection.scalar("INSERT INTO _worker (name) VALUES ($1) RETURNING id", [name]) ?? ""
    }

    /// - Throws: `CopyProblem` where workers have other groups of the feeds.
    private func checkOthers(_ group: FeedGroup, _ feeds: String, on connection: PostgreSQL.Connection) throws {
        let other = try connection.scalar(
            """
            SELECT "group" FROM _claim
            WHERE (feeds && CAST($1 AS text[]) OR "group" = $2) AND NOT ("group" = $2 AND feeds = CAST($1 AS text[]))
                AND EXISTS (SELECT 1 FROM _worker WHERE ended_at IS NULL AND seen_at > now() - interval '\(Self.lease)')
            """, [feeds, group.name])
        guard let other else { return }
        throw CopyProblem.refused(
            "the workers of this store have another configuration, with other feeds of \(other)",
            advice: "use theirs, or stop them first")
    }
}
