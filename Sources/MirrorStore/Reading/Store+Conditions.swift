internal import SQLite

extension Store {
    /// The validators for requesting a page; nil for an unconditional request.
    package func conditions(
        for request: String, _ credential: Int64, at cursor: PageCursor?, of definition: FeedDefinition
    ) throws(FeedSyncError) -> Validators? {
        try records(
            """
            SELECT etag, last_modified, cursor, elements FROM _page WHERE feed = ? AND request = ? AND credential = ?
            ORDER BY id DESC LIMIT 1
            """, [.text(definition.name), .text(request), Value(credential)]
        ) { row in
            let validators = Validators(etag: try row.text("etag"), lastModified: try row.text("last_modified"))
            // A 304 would not show that a header for the next page has been added since.
            let mayHaveGoneOn = definition.mayHaveGoneOn(
                from: cursor, to: try row.text("cursor").map(PageCursor.init), elementCount: try row.count("elements"))
            return mayHaveGoneOn || validators.isEmpty ? nil : validators
        }.first.flatMap(\.self)
    }

    /// The name of the newest crawl's first partition; nil for a feed without partitions or without a crawl.
    package func firstPartition(of feed: String) throws(FeedSyncError) -> String? {
        try storing { try CrawlState.firstPartition(of: feed, on: connection) }
    }
}
