internal import SQLite

/// What runs brought to a feed in a day, in UTC.
package struct DayFigures: Sendable, Hashable {
    /// Such as 2026-11-21.
    package let day: String
    package let inserted: Int
    package let updated: Int
    package let removed: Int
    package let requests: Int
}

extension Store {
    /// What the runs of a feed brought, day by day, the oldest first; days without a run are left out.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func days(of feed: String, last count: Int = 30) throws(FeedSyncError) -> [DayFigures] {
        try storing {
            var days: [DayFigures] = []
            try connection.rows(
                """
                SELECT substr(started_at, 1, 10), sum(inserted), sum(updated), sum(removed), sum(requests)
                FROM run WHERE feed = ? GROUP BY 1 ORDER BY 1 DESC LIMIT ?
                """, [.text(feed), Value(max(0, count))]
            ) { row in
                days.append(
                    DayFigures(
                        day: row.text(at: 0) ?? "", inserted: row.count(at: 1), updated: row.count(at: 2),
                        removed: row.count(at: 3), requests: row.count(at: 4)))
            }
            return days.reversed()
        }
    }
}
