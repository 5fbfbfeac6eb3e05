internal import Feeds
internal import PostgreSQL
internal import PostgreSQLStore
internal import Text

/// The groups that exist: the rows of `_claim`. All workers of a store agree on them, or the last one to start decides.
package struct GroupLayout: Sendable {
    let groups: [String: FeedGroup]

    /// The layout of a configuration's groups.
    package init(_ groups: [FeedGroup]) {
        self.groups = Dictionary(groups.map { ($0.name, $0) }) { first, _ in first }
        let all = self.groups.values.sorted { $0.name < $1.name }
        let lines = all.map { $0.feeds.joined(separator: "\n") }
        arrays = [PostgreSQL.Connection.array(all.map(\.name)), PostgreSQL.Connection.array(lines)]
        var hash = FNV1a()
        for (group, line) in zip(all, lines) { hash.add("\(group.name)\n\(line)\n\n".utf8) }
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
    }

    /// Makes the table have these groups. Others of the same feeds go, with their claims.
    ///
    /// - Parameter takesOver: Whether these hold if workers that live have others.
    /// - Throws: `CopyProblem` where they do not.
    func write(takesOver: Bool, on connection: PostgreSQL.Connection) throws {
        // A fleet's workers begin with the same groups, and there may be a million feeds.
        guard try connection.scalar("SELECT digest FROM _layout") != digest else { return }
        if !takesOver { try checkOthers(on: connection) }
        let gone = try connection.query(
            "\(Self.compared) DELETE FROM _claim WHERE \"group\" IN (SELECT * FROM other) RETURNING 1", arrays)
        // By the index, and not by a look at the table for each group: it would see more rows with each that it makes.
        let made = try connection.query(
            """
            \(Self.compared) INSERT INTO _claim ("group", feeds, due_at)
                SELECT "group", feeds, (
                    SELECT min(coalesce(f.next_due_at, '-infinity')) FROM unnest(feeds) m (name) LEFT JOIN feed f ON f.name = m.name)
                FROM ours ON CONFLICT ("group") DO NOTHING RETURNING 1
            """, arrays)
        let changes = gone.isEmpty && made.isEmpty ? 0 : 1
        if takesOver {
            try connection.query(
                """
                UPDATE _layout SET version = version + \(changes), digest = $1,
                    is_whole = (SELECT count(*) FROM _claim) = \(groups.count)
                """, [digest])
        } else if changes > 0 {
            try connection.execute("UPDATE _layout SET version = version + 1, digest = NULL")
        }
    }

    /// The present difference of the table; `known` if it has not changed since.
    func difference(since known: Difference, on connection: PostgreSQL.Connection) throws -> Difference {
        let row = try connection.query("SELECT version, digest, is_whole FROM _layout").first ?? []
        let version = row.first.flatMap(\.self).flatMap { Int64($0) } ?? 0
        guard version != known.version else { return known }
        var now = Difference(version: version)
        if row[1] == digest, row[2] == "t" { return now }
        var same: Set<String> = []
        for row in try connection.query("SELECT \"group\", array_to_string(feeds, E'\\n') FROM _claim") {
            guard let name = row[0] else { continue }
            if let group = groups[name], group.feeds.joined(separator: "\n") == row[1] {
                same.insert(name)
            } else {
                now.others.append(name)
            }
        }
        now.lost = groups.keys.filter { !same.contains($0) }.sorted()
        return now
    }

    /// - Throws: `CopyProblem` where workers that live have other groups of these feeds.
    private func checkOthers(on connection: PostgreSQL.Connection) throws {
        let other = try connection.scalar(
            """
            \(Self.compared) SELECT "group" FROM other
            WHERE EXISTS (SELECT 1 FROM _worker WHERE ended_at IS NULL AND seen_at > now() - interval '\(Worker.lease)')
            """, arrays)
        guard let other else { return }
        throw CopyProblem.refused(
            "the workers of this store have another configuration, with other feeds of \(other)",
            advice: "use theirs, or stop them first")
    }

    /// These groups, and the names of others in the table that have one of their feeds or of their names.
    private static let compared = """
        WITH ours AS (
            SELECT "group", string_to_array(feeds, E'\\n') AS feeds
            FROM unnest(CAST($1 AS text[]), CAST($2 AS text[])) o ("group", feeds)
        ), other AS (
            SELECT c."group" FROM _claim c JOIN ours o ON o."group" = c."group" WHERE o.feeds <> c.feeds
            UNION
            SELECT c."group" FROM _claim c JOIN ours o ON o.feeds && c.feeds WHERE o."group" <> c."group"
        )
        """

    /// The condition for a group `c` of the table that is among these, with the same feeds.
    static let isOurs = """
        c."group" = ANY (CAST($1 AS text[])) AND EXISTS (
            SELECT 1 FROM unnest(CAST($1 AS text[]), CAST($2 AS text[])) o (name, feeds)
            WHERE o.name = c."group" AND string_to_array(o.feeds, E'\\n') = c.feeds)
        """

    /// Names, and lines of feeds: the parameters of queries about groups.
    let arrays: [String?]
    private let digest: String
}
