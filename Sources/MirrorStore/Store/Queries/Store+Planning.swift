extension Store {
    /// What is known of each feed that a command has worked on, by name; of one feed where it is named.
    ///
    /// - Throws: `FeedError` of kind `store`.
    package func histories(of feed: String? = nil) throws(FeedError) -> [String: FeedHistory] {
        try storing {
            let histories = try FeedSchedule.histories(of: feed, on: connection)
            return Dictionary(histories.map { ($0.feed, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }
}
