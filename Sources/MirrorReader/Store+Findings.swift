internal import SQLite

extension Store {
    /// The feed's discovered settings; nil if none are kept.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func findings(of feed: String) throws(FeedSyncError) -> Findings? {
        try records("SELECT found FROM _feed WHERE feed = ?", [.text(feed)]) { row in
            try row.text("found").flatMap(Findings.init)
        }.first.flatMap(\.self)
    }
}
