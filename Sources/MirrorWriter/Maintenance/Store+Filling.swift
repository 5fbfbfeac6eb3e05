package import SQLite

// Copies of a whole store, to or from another database.
extension Store {
    /// Makes the full-text indexes of feeds match their definitions, as a sync does.
    ///
    /// - Throws: `FeedSyncError`.
    package func index(_ feeds: [FeedDefinition]) throws(FeedSyncError) {
        try storing {
            for feed in feeds {
                guard try connection.scalar("SELECT 1 FROM _feed WHERE feed = ?", .text(feed.name)) != nil else {
                    continue
                }
                let stored = try storedDefinition(of: feed.name)
                let resolved = try ResolvedFeed(feed, stored.findings).definition
                try connection.transaction { try SearchIndex.follow(resolved, on: connection) }
            }
        }
    }

    /// Runs `body`, which writes every table of a new store. Then creates the views of the tables, and leaves a single
    /// file.
    ///
    /// - Throws: The error of `body`; `FeedSyncError` of kind `store`.
    package func filling<Result: Sendable>(
        _ body: (Connection) throws(FeedSyncError) -> Result
    ) throws(FeedSyncError) -> Result {
        try storing {
            let result = try body(connection)
            try connection.transaction { try StoreViews.makeAll(on: connection) }
            try connection.execute("PRAGMA journal_mode = DELETE")
            return result
        }
    }
}
