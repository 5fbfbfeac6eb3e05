internal import PostgreSQL

/// A worker's right to work on a group.
package struct Claim: Sendable, Hashable {
    package let group: FeedGroup
    /// What each commit is checked by.
    package let fence: Int64
    /// How many commits the group had when it was claimed.
    let version: Int64
}

extension [Claim] {
    /// What errors call the feeds.
    var nameOfFeeds: String {
        let names = map(\.group.name)
        return names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and others" : "")
    }

    /// What a commit begins with: the claims are still ours, or what follows fails; and they stay ours for a while, however
    /// long it waited.
    package var guarded: String {
        """
        UPDATE _claim SET version = version + 1, until = clock_timestamp() + interval '\(Worker.lease)' WHERE \(isOurs);
        SELECT CAST(CASE WHEN count(*) = \(count) THEN '1' ELSE '\(CommitFailure.lostClaim)' END AS integer)
            FROM _claim WHERE \(isOurs);

        """
    }

    /// What was begun with `guarded` may have taken longer than a claim lasts.
    var renewal: String {
        "UPDATE _claim SET until = clock_timestamp() + interval '\(Worker.lease)' WHERE \(isOurs)"
    }

    private var isOurs: String {
        let pairs = map { "(\(PostgreSQL.Connection.literal($0.group.name)), \($0.fence))" }
        return "(\"group\", fence) IN (\(pairs.joined(separator: ", ")))"
    }
}
