extension Store {
    /// What is known of each feed that a command has worked on, by name.
    ///
    /// - Throws: `FeedError` of kind `store`.
    public func histories() throws(FeedError) -> [String: FeedHistory] {
        try storing {
            let histories = try FeedSchedule.histories(on: connection)
            return Dictionary(histories.map { ($0.feed, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }
}
