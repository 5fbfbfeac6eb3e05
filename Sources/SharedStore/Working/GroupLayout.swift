internal import Feeds
internal import PostgreSQL

/// Which groups there are: what `_claim` has a row for. All workers of a store agree on it, or the last one to come decides.
struct GroupLayout {
    let groups: [String: FeedGroup]

    init(_ groups: [FeedGroup]) {
        self.groups = Dictionary(groups.map { ($0.name, $0) }) { first, _ in first }
    }

    /// How the table differs from these groups.
    struct Difference: Sendable, Hashable {
        /// How often the table was changed when it was looked at.
        var version: Int64 = -1
        /// Groups of the table that are not among these.
        var others: [String] = []
        /// Those of these that the table has not.
        var lost: [String] = []
    }

    /// Makes the table have these groups. Others of the same feeds go, with their claims.
    ///
    /// - Parameter takesOver: Whether these hold if workers that live have others.
    /// - Throws: `CopyProblem` where they do not.
    func write(takesOver: Bool, on connection: PostgreSQL.Connection) throws {
        if !takesOver { try checkOthers(on: connection) }
        let gone = try connection.query(
            "\(Self.compared) DELETE FROM _claim WHERE \"group\" IN (SELECT * FROM other) RETURNING 1", arrays)
        let made = try connection.query(
            """
            \(Self.compared) INSERT INTO _claim ("group", feeds, due_at)
                SELECT "group", feeds, (
                    SELECT min(coalesce(f.next_due_at, '-infinity')) FROM unnest(feeds) m (name) LEFT JOIN feed f ON f.name = m.name)
                FROM ours WHERE NOT EXISTS (SELECT 1 FROM _claim c WHERE c."group" = ours."group") RETURNING 1
            """, arrays)
        if !gone.isEmpty || !made.isEmpty { try connection.execute("UPDATE _layout SET version = version + 1") }
    }

    /// How the table differs now; `known` if it was not changed since.
    func difference(since known: Difference, on connection: PostgreSQL.Connection) throws -> Difference {
        let version = try connection.scalar("SELECT version FROM _layout").flatMap { Int64($0) } ?? 0
        guard version != known.version else { return known }
        var now = Difference(version: version)
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
            SELECT h."group" FROM (SELECT "group", unnest(feeds) AS name FROM _claim) h
                JOIN (SELECT "group", unnest(feeds) AS name FROM ours) o ON o.name = h.name WHERE o."group" <> h."group"
        )
        """

    /// Names, and lines of feeds: the parameters of what is asked of groups.
    var arrays: [String?] {
        let all = groups.values.sorted { $0.name < $1.name }
        return [
            PostgreSQL.Connection.array(all.map(\.name)),
            PostgreSQL.Connection.array(all.map { $0.feeds.joined(separator: "\n") }),
        ]
    }
}
