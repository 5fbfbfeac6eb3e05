internal import SQLite

extension Store {
    /// The validators for requesting a page; nil for an unconditional request.
    package func conditions(
        for key: RequestKey, at cursor: PageCursor?, of definition: FeedDefinition
    ) throws(FeedSyncError) -> Validators? {
        try storing {
            var found: Validators?
            try connection.rows(
                """
                SELECT etag, last_modified, cursor, elements FROM _page
                WHERE feed = ? AND request = ? AND credential = ? ORDER BY id DESC LIMIT 1
                """, [.text(definition.name), .text(key.request), Value(key.credential)]
            ) { row in
                let validators = Validators(etag: row.text(at: 0), lastModified: row.text(at: 1))
                // A 304 would not show that a header for the next page has been added since.
                let mayHaveGoneOn = definition.mayHaveGoneOn(
                    from: cursor, to: row.text(at: 2).map(PageCursor.init), elementCount: row.count(at: 3))
                if !mayHaveGoneOn, !validators.isEmpty { found = validators }
            }
            return found
        }
    }

    /// The name of the newest crawl's first partition; nil for a feed without partitions or without a crawl.
    package func firstPartition(of feed: String) throws(FeedSyncError) -> String? {
        try storing { try CrawlState.firstPartition(of: feed, on: connection) }
    }
}
