extension Store {
    /// The history of each feed that a command has worked on, by name, or of one feed.
    ///
    /// - Parameter now: In milliseconds since 1970. Times too far after it are ignored.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func histories(
        of feed: String? = nil, now: Int64 = WallClock.system.milliseconds
    ) throws(FeedSyncError) -> [String: FeedHistory] {
        try storing {
            let histories = try FeedHistory.load(feed, now: now, on: connection)
            return Dictionary(histories.map { ($0.feed, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }
}
