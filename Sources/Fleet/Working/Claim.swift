internal import PostgreSQL
internal import PostgreSQLStore

/// A worker's right to work on a group.
package struct Claim: Sendable, Hashable {
    package let group: FeedGroup
    /// The number by which each commit is checked.
    package let fence: Int64
    /// The number of the group's commits when it was claimed.
    let version: Int64
}

extension [Claim] {
    /// The name of the feeds in errors.
    var nameOfFeeds: String {
        let names = map(\.group.name)
        return names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and others" : "")
    }

    /// The start of each commit: it renews the claims, for their full time after any wait. It fails if they are lost, or
    /// if a newer feedsync has changed the store since.
    package var guarded: String {
        """
        UPDATE _claim SET version = version + 1, until = clock_timestamp() + interval '\(Worker.lease)' WHERE \(isOurs);
        SELECT CAST(CASE WHEN \(StoreDatabase.isNewer) THEN '\(CommitFailure.newerStore)'
            WHEN count(*) = \(count) THEN '1' ELSE '\(CommitFailure.lostClaim)' END AS integer)
            FROM _claim WHERE \(isOurs);

        """
    }

    /// Renews the claims after a commit that may have taken longer than a claim lasts. After a short one, the row is
    /// left as it is: a second version of it would have to go into the index of its feeds.
    var renewal: String {
        """
        UPDATE _claim SET until = clock_timestamp() + interval '\(Worker.lease)'
            WHERE until < clock_timestamp() + interval '\(Worker.lease)' / 2 AND \(isOurs)
        """
    }

    /// The condition for the rows of these claims.
    var isOurs: String {
        let pairs = map { "(\(PostgreSQL.Connection.literal($0.group.name)), \($0.fence))" }
        return "(\"group\", fence) IN (\(pairs.joined(separator: ", ")))"
    }
}
