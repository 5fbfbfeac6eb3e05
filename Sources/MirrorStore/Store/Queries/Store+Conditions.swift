internal import SQLite

extension Store {
    /// What a page would be asked for with; nil where it would be asked unconditionally.
    package func conditions(
        for request: String, _ credential: Int64, at cursor: PageCursor?, of definition: FeedDefinition
    ) throws(FeedSyncError) -> Validators? {
        try records(
            """
            SELECT etag, last_modified, cursor FROM _page WHERE feed = ? AND request = ? AND credential = ?
            ORDER BY id DESC LIMIT 1
            """, [.text(definition.name), .text(request), Value(credential)]
        ) { row in
            let validators = Validators(etag: try row.text("etag"), lastModified: try row.text("last_modified"))
            // A 304 would not tell that the header which leads on has come since.
            let mayHaveGoneOn = definition.mayHaveGoneOn(
                from: cursor, to: try row.text("cursor").map(PageCursor.init))
            return mayHaveGoneOn || validators.isEmpty ? nil : validators
        }.first.flatMap(\.self)
    }

    /// The name of the partition that the last crawl began with; nil for a feed without partitions or without a crawl.
    package func firstPartition(of feed: String) throws(FeedSyncError) -> String? {
        try records(
            """
            SELECT asked FROM _feed JOIN _crawl_page ON _crawl_page.crawl = _feed.crawl
            WHERE feed = ? AND number = 1 AND asked IS NOT NULL
            """, [.text(feed)]
        ) { row in try row.textOrEmpty("asked") }.first.flatMap { PartitionScheme.partitionName(in: PageCursor($0)) }
    }
}
