internal import SQLite

/// The counts of a feed's runs in a day, in UTC.
package struct DayCounts: Sendable, Hashable {
    /// Such as 2026-11-21.
    package let day: String
    package let inserted: Int
    /// The number of items that changed, without those that came back.
    package let updated: Int
    /// The number of items that came back.
    package let returned: Int
    package let removed: Int
    package let requests: Int
    /// The number of runs that failed.
    package let failures: Int

    package init(
        day: String, inserted: Int = 0, updated: Int = 0, returned: Int = 0, removed: Int = 0, requests: Int = 0,
        failures: Int = 0
    ) {
        (self.day, self.inserted, self.updated, self.returned) = (day, inserted, updated, returned)
        self.removed = removed
        (self.requests, self.failures) = (requests, failures)
    }
}

extension Store {
    /// The counts of a feed's runs, day by day, the oldest first; days without a run are left out.
    package func days(of feed: String, last count: Int = 30) throws(FeedSyncError) -> [DayCounts] {
        try storing {
            let returned = try connection.returnedByDay(of: feed, since: "")
            let days = try connection.all(
                """
                SELECT substr(started_at, 1, 10), sum(inserted), sum(updated), sum(removed), sum(requests),
                    sum(outcome = 'failed')
                FROM run WHERE feed = ? GROUP BY 1 ORDER BY 1 DESC LIMIT ?
                """, [.text(feed), Value(max(0, count))]
            ) { row -> DayCounts? in
                let back = returned[row.text(at: 0) ?? ""] ?? 0
                return DayCounts(
                    day: row.text(at: 0) ?? "", inserted: row.count(at: 1),
                    updated: max(0, row.count(at: 2) &- back), returned: back,
                    removed: row.count(at: 3), requests: row.count(at: 4), failures: row.count(at: 5))
            }
            return days.reversed()
        }
    }
}

extension Connection {
    /// The number of a feed's items that came back on each day. Runs and events count them among the changed ones.
    ///
    /// - Parameter time: The earliest time, as the store writes times.
    func returnedByDay(of feed: String, since time: String) throws -> [String: Int] {
        var days: [String: Int] = [:]
        try rows(
            """
            SELECT substr(at, 1, 10), count(*) FROM _change
            WHERE feed = ? AND kind = 'returned' AND at >= ? GROUP BY 1
            """, [.text(feed), .text(time)]
        ) { row in days[row.text(at: 0) ?? ""] = row.count(at: 1) }
        return days
    }
}

extension Store {
    /// The number of requests by the runs of each feed in each hour since a time, by the names of feeds and hours, as in
    /// `2026-11-21T02`.
    package func requests(since time: String) throws(FeedSyncError) -> [String: [String: Int]] {
        try storing {
            var requests: [String: [String: Int]] = [:]
            try connection.rows(
                """
                SELECT feed, substr(started_at, 1, 13), sum(requests) FROM run WHERE started_at >= ? GROUP BY 1, 2
                """, [.text(time)]
            ) { row in
                guard let feed = row.text(at: 0), let hour = row.text(at: 1) else { return }
                requests[feed, default: [:]][hour] = row.count(at: 2)
            }
            return requests
        }
    }
}
