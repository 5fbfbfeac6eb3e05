extension Store {
    /// What is known of each feed that a command has worked on, by name; of one feed where it is named.
    ///
    /// - Parameter now: In milliseconds since 1970; times that lie too far ahead of it are not believed.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func histories(
        of feed: String? = nil, now: Int64 = WallClock.system.milliseconds
    ) throws(FeedSyncError) -> [String: FeedHistory] {
        try storing {
            let histories = try FeedSchedule.histories(of: feed, now: now, on: connection)
            return Dictionary(histories.map { ($0.feed, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }
}
