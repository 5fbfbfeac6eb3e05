package import SQLite

extension FeedHistory {
    /// The items that a feed's crawl has met, or the feed's item count if that is larger.
    package static let seenCountSQL = "max(_crawl.elements, item_count)"

    /// True if the stored pages of a feed are one, as no other was asked for.
    ///
    /// - Parameter feed: The SQL for its name.
    package static func hasOnePageSQL(_ feed: String) -> String {
        let pages = "FROM _page WHERE _page.feed = \(feed)"
        return "coalesce((SELECT min(request) \(pages)) = (SELECT max(request) \(pages)), 0)"
    }

    /// The history of a feed, or of all feeds.
    ///
    /// - Parameter now: In milliseconds since 1970. Times too far after it are ignored.
    package static func load(
        _ feed: String? = nil, now: Int64, on connection: Connection
    ) throws -> [FeedHistory] {
        let horizon = FeedHistory.horizon(at: now)
        let tables = ListTables(of: feed ?? "")
        return try connection.all(
            """
            SELECT feed.name, round_started_at, round_ended_at, failures, failing_since, poll_interval, fresh_for,
                (SELECT max(blocked_until) FROM _quota q WHERE q.origin = quota_origin
                    AND q.credential = quota_credential AND (q.resource = '' OR q.resource = _feed.resource)
                    AND blocked_until <= ?2),
                next_due_at, planned_due_at, _crawl.reason, _crawl.total, \(seenCountSQL), reloaded_at
            FROM \(tables.feed) AS feed JOIN \(tables.state) AS _feed ON _feed.feed = feed.name LEFT JOIN _crawl ON _crawl.id = _feed.crawl
            \(feed == nil ? "" : "WHERE feed.name = ?1")
            """, [Value(feed), Value(Timestamp(milliseconds: horizon)?.text)]
        ) { row -> FeedHistory? in
            var history = FeedHistory(feed: row.text(at: 0) ?? "")
            let moment = { Timestamp.milliseconds(of: row.text(at: $0)) }
            history.lastSyncStartedAt = moment(1)
            history.isAheadOfClock = history.lastSyncStartedAt.map { $0 > horizon } ?? false
            history.lastSyncEndedAt = moment(2)
            history.failures = row.count(at: 3)
            history.failingSince = moment(4)
            history.pollInterval = row.isNull(at: 5) ? nil : row.int64(at: 5)
            history.freshFor = row.isNull(at: 6) ? nil : row.int64(at: 6)
            history.blockedUntil = moment(7)
            history.nextDueAt = moment(8)
            history.plannedDueAt = moment(9)
            history.incompleteReason = row.text(at: 10).flatMap(IncompleteReason.init)
            history.expectedCount = row.countIfAny(at: 11)
            history.seenCount = row.count(at: 12)
            history.isLoaded = !row.isNull(at: 13)
            return history
        }
    }
}
