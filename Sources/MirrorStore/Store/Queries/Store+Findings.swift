internal import SQLite

extension Store {
    /// What was found of that which the feed's definition leaves open; nil as long as nothing is kept.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func findings(of feed: String) throws(FeedSyncError) -> Findings? {
        try records("SELECT found FROM _feed WHERE feed = ?", [.text(feed)]) { row in
            try row.text("found").flatMap(Findings.init)
        }.first.flatMap(\.self)
    }
}
