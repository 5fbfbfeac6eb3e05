internal import Feeds
internal import PostgreSQL
internal import PostgreSQLStore
internal import Text

/// The groups that exist: the rows of `_claim`. All workers of a store agree on them, or the last one to start decides.
package struct GroupLayout: Sendable {
    let groups: [String: FeedGroup]
    /// The time at which the configuration changed last, in milliseconds since 1970.
    let configuredAt: Int64
    /// The time of the configuration that has the feeds, in milliseconds since 1970. A feed that was renamed or deleted
    /// later is left alone.
    private let asOf: Int64
    /// The file of that configuration, for advice.
    private let file: String

    /// The layout of a configuration's groups.
    ///
    /// - Parameter configuredAt: The time at which the configuration changed last, in milliseconds since 1970. Of two
    ///   workers whose feeds or definitions differ, the newer configuration holds.
    package init(_ groups: [FeedGroup], configuredAt: Int64) {
        self.init(groups, configuredAt: configuredAt, asOf: configuredAt, file: "")
    }

    /// The layout of a command, which takes no groups from workers.
    ///
    /// - Parameters:
    ///   - asOf: The time of the configuration that has the feeds, in milliseconds since 1970.
    ///   - file: The file of that configuration.
    package init(_ groups: [FeedGroup], asOf: Int64 = .max, file: String = "") {
        self.init(groups, configuredAt: 0, asOf: asOf, file: file)
    }

    private init(_ groups: [FeedGroup], configuredAt: Int64, asOf: Int64, file: String) {
        self.groups = Dictionary(groups.map { ($0.name, $0) }) { first, _ in first }
        self.configuredAt = configuredAt
        (self.asOf, self.file) = (asOf, file)
        let all = self.groups.values.sorted { $0.name < $1.name }
        let lines = all.map { $0.feeds.joined(separator: "\n") }
        arrays = [all.map(\.name), lines, all.map(\.definitions)].map(PostgreSQL.Connection.array)
        let unpaused = all.map { group in group.feeds.filter { !group.paused.contains($0) }.joined(separator: "\n") }
        self.unpaused = PostgreSQL.Connection.array(unpaused)
        var hash = FNV1a()
        for (group, line) in zip(all, lines) { hash.add("\(group.name)\n\(line)\n\n\(group.definitions)\n".utf8) }
        digest = hash.digits
    }

    /// The difference between the table and these groups.
    struct Difference: Sendable, Hashable {
        /// The number of changes to the table when it was read.
        var version: Int64 = -1
        /// Groups of the table that are not among these.
        var others: [String] = []
        /// The groups of these that the table lacks.
        var lost: [String] = []
        /// True if a newer feedsync has changed the store.
        var isOfNewerStore = false
    }

    /// Makes the table have these groups. Others of the same feeds go, with their claims, unless workers hold them.
    ///
    /// - Parameters:
    ///   - policy: The groups of others that go.
    ///   - isKnown: True to do nothing if the latest worker had these groups.
    /// - Throws: `CopyProblem` if the policy refuses.
    func write(_ policy: Policy, unlessKnown isKnown: Bool = true, on connection: PostgreSQL.Connection) throws {
        // A fleet's workers begin with the same groups, and there may be a million feeds.
        if isKnown, try written(on: connection) == (isLatest: true, isNewest: false) { return }
        try Self.lock(on: connection)
        let (isLatest, isNewest) = try written(on: connection)
        let renamed = isLatest ? nil : try goneFeed(on: connection)
        if policy == .ifNobodyWorks, !isLatest {
            if let renamed { throw refusal(of: renamed) }
            try checkOthers(on: connection)
        }
        let (mayGo, values) = mayGo(policy)
        let gone = try connection.query(
            "\(compared) DELETE FROM _claim c WHERE \"group\" IN (SELECT * FROM other) AND \(mayGo) RETURNING 1",
            arrays + values)
        let held = try connection.query("\(compared) SELECT \"group\" FROM other", arrays).compactMap { $0[0] }
        let parameters = arrays + ["\(configuredAt)", unpaused]
        // By the index, and not by a look at the table for each group: it would see more rows with each that it makes.
        let made = try connection.query(
            """
            \(compared) INSERT INTO _claim ("group", feeds, definitions, configured_at, due_at)
                SELECT "group", feeds, definitions, CAST($4 AS bigint), \(Self.dueAt)
                FROM ours JOIN unnest(CAST($1 AS text[]), CAST($5 AS text[])) d (name, unpaused) ON d.name = ours."group"
                WHERE NOT EXISTS (
                    SELECT FROM _claim c WHERE c."group" = ANY (CAST($6 AS text[])) AND c.feeds && ours.feeds)
                ON CONFLICT ("group") DO NOTHING RETURNING 1
            """, parameters + [PostgreSQL.Connection.array(held)])
        if isNewest {
            // A feed may be paused no longer.
            try connection.query(
                """
                UPDATE _claim c SET configured_at = CAST($4 AS bigint), due_at = least(c.due_at, \(Self.dueAt))
                FROM unnest(CAST($1 AS text[]), CAST($5 AS text[])) d (name, unpaused)
                WHERE d.name = c."group" AND c.configured_at < CAST($4 AS bigint) AND \(Self.isOurs)
                """, parameters)
        }
        let changes = gone.isEmpty && made.isEmpty ? 0 : 1
        if policy != .ifNobodyWorks, held.isEmpty, renamed == nil {
            try connection.query(
                """
                UPDATE _layout SET version = version + \(changes), digest = $1,
                    configured_at = greatest(configured_at, CAST($2 AS bigint)),
                    is_whole = (SELECT count(*) FROM _claim) = \(groups.count)
                """, [digest, "\(configuredAt)"])
        } else if changes > 0 {
            try connection.execute("UPDATE _layout SET version = version + 1, digest = NULL")
        }
    }

    /// Deletes the groups that nobody can sync: they are not among these, nobody has claimed them, and no worker lives
    /// that has other groups than these. A worker or command that has them makes them again when it begins.
    func deleteUnused(on connection: PostgreSQL.Connection) throws {
        let isAlone = """
            SELECT 1 FROM _layout WHERE digest = $1 AND NOT is_whole AND NOT EXISTS (
                SELECT FROM _worker w WHERE w.ended_at IS NULL AND w.seen_at > now() - interval '\(Worker.lease)'
                    AND w.layout <> $1)
            """
        guard try connection.scalar(isAlone, [digest]) != nil else { return }
        try Self.lock(on: connection)
        let gone = try connection.query(
            """
            DELETE FROM _claim c WHERE \(Worker.isFree) AND EXISTS (\(isAlone)) AND NOT EXISTS (
                SELECT FROM unnest(CAST($2 AS text[])) o (name) WHERE o.name = c."group") RETURNING 1
            """, [digest, arrays[0]])
        guard !gone.isEmpty else { return }
        try connection.execute(
            "UPDATE _layout SET version = version + 1, is_whole = (SELECT count(*) FROM _claim) = \(groups.count)")
    }

    /// True if these groups were written last, and if this configuration is newer than that of all that were written.
    private func written(on connection: PostgreSQL.Connection) throws -> (isLatest: Bool, isNewest: Bool) {
        let row = try connection.query("SELECT digest, configured_at FROM _layout").first ?? []
        return (row.first == digest, row.last.flatMap(\.self).flatMap { Int64($0) } ?? 0 < configuredAt)
    }

    /// The groups of other configurations that go.
    enum Policy {
        /// All of them, but only while no worker lives.
        case ifNobodyWorks
        /// Groups that are not newer, and groups that no worker holds any more.
        case ifNotNewer
        /// Groups that no worker holds any more.
        case ifAbandoned
    }

    /// The condition for a group `c` of another configuration to go, and its parameters, from `$4`.
    private func mayGo(_ policy: Policy) -> (condition: String, parameters: [String?]) {
        // A group is held by living workers with another layout whose configuration is at least as new.
        let isAbandoned = """
            NOT EXISTS (SELECT FROM _worker w WHERE w.ended_at IS NULL AND w.seen_at > now() - interval '\(Worker.lease)'
                AND w.layout <> $4 AND w.configured_at >= c.configured_at)
            """
        return switch policy {
        case .ifNobodyWorks: ("true", [])
        case .ifNotNewer: ("(c.configured_at <= CAST($5 AS bigint) OR \(isAbandoned))", [digest, "\(configuredAt)"])
        case .ifAbandoned: (isAbandoned, [digest])
        }
    }

    /// The present difference of the table; `known` if it has not changed since.
    func difference(since known: Difference, on connection: PostgreSQL.Connection) throws -> Difference {
        let row =
            try connection.query("SELECT version, digest, is_whole, \(StoreDatabase.isNewer) FROM _layout").first ?? []
        var known = known
        known.isOfNewerStore = row.last == "t"
        let version = row.first.flatMap(\.self).flatMap { Int64($0) } ?? 0
        guard version != known.version, !known.isOfNewerStore else { return known }
        var now = Difference(version: version)
        if row[1] == digest, row[2] == "t" { return now }
        var same: Set<String> = []
        let rows = try connection.query("SELECT \"group\", array_to_string(feeds, E'\\n'), definitions FROM _claim")
        for row in rows {
            guard let name = row[0] else { continue }
            if let group = groups[name], group.feeds.joined(separator: "\n") == row[1], group.definitions == row[2] {
                same.insert(name)
            } else {
                now.others.append(name)
            }
        }
        now.lost = groups.keys.filter { !same.contains($0) }.sorted()
        return now
    }

    /// Keeps the groups from being written elsewhere until the transaction ends. An insert that waits for a claim that
    /// is being deleted would not see that its feed is gone by then.
    static func lock(on connection: PostgreSQL.Connection) throws {
        try connection.query("SELECT pg_advisory_xact_lock(hashtext('feedsync groups ' || current_schema()))")
    }

    /// A feed that was renamed or deleted after this configuration was written.
    private func goneFeed(on connection: PostgreSQL.Connection) throws -> String? {
        try connection.scalar(
            """
            SELECT g.feed FROM _gone g JOIN unnest(CAST($1 AS text[]), CAST($2 AS text[])) o ("group", feeds)
                ON \(isNewer) LIMIT 1
            """, Array(arrays.prefix(2)))
    }

    private func refusal(of gone: String) -> CopyProblem {
        CopyProblem.refused(
            "the feed \(gone) was renamed or deleted in this store, by a newer configuration than this one",
            advice: "touch \(file)  # if this configuration is the right one; if not, use the newer one")
    }

    /// - Throws: `CopyProblem` where workers that live have other groups of these feeds.
    private func checkOthers(on connection: PostgreSQL.Connection) throws {
        let other = try connection.scalar(
            """
            \(compared) SELECT "group" FROM other
            WHERE EXISTS (SELECT 1 FROM _worker WHERE ended_at IS NULL AND seen_at > now() - interval '\(Worker.lease)')
            """, arrays)
        guard let other else { return }
        throw CopyProblem.refused(
            "the workers of this store have another configuration, with other feeds of \(other), or other definitions",
            advice: "use theirs, or stop them first")
    }

    /// These groups, and the names of others in the table that have one of their feeds or of their names. Groups with a
    /// feed that was renamed or deleted since are left out.
    private var compared: String {
        """
        WITH ours AS (
            SELECT "group", string_to_array(feeds, E'\\n') AS feeds, definitions
            FROM unnest(CAST($1 AS text[]), CAST($2 AS text[]), CAST($3 AS text[])) o ("group", feeds, definitions)
            WHERE NOT EXISTS (SELECT FROM _gone g WHERE \(isNewer))
        ), other AS (
            SELECT c."group" FROM _claim c JOIN ours o ON o."group" = c."group"
            WHERE o.feeds <> c.feeds OR o.definitions <> c.definitions
            UNION
            SELECT c."group" FROM _claim c JOIN ours o ON o.feeds && c.feeds WHERE o."group" <> c."group"
        )
        """
    }

    /// The condition for a feed `g` of `_gone` that a group `o` has, and that was renamed or deleted after its
    /// configuration was written.
    private var isNewer: String {
        """
        g.feed = ANY (string_to_array(o.feeds, E'\\n')) AND g.configured_at > \(asOf)
            AND o."group" NOT LIKE '\(FeedGroup.storedPrefix)%'
        """
    }

    /// The time at which a group `d` is due, by its feeds that are not paused: those are never due.
    private static let dueAt = """
        coalesce((SELECT min(coalesce(f.next_due_at, '-infinity'))
            FROM unnest(string_to_array(d.unpaused, E'\\n')) m (name) LEFT JOIN feed f ON f.name = m.name), 'infinity')
        """

    /// The condition for a group `c` of the table that is among these, with the same feeds and definitions.
    static let isOurs = """
        c."group" = ANY (CAST($1 AS text[])) AND EXISTS (
            SELECT 1 FROM unnest(CAST($1 AS text[]), CAST($2 AS text[]), CAST($3 AS text[])) o (name, feeds, definitions)
            WHERE o.name = c."group" AND string_to_array(o.feeds, E'\\n') = c.feeds AND o.definitions = c.definitions)
        """

    /// Names, lines of feeds, and hashes of definitions: the parameters of queries about groups.
    let arrays: [String?]
    /// The lines of the feeds that are not paused, in the same order.
    private let unpaused: String
    let digest: String
}
