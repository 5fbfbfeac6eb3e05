internal import SQLite

extension Store {
    /// The validators for requesting a page; nil for an unconditional request.
    package func conditions(
        for key: RequestKey, at cursor: PageCursor?, of definition: FeedDefinition
    ) throws(FeedSyncError) -> Validators? {
        try storing {
            guard let page = try StoredPages(of: definition.name, on: connection).newest(key),
                !page.validators.isEmpty,
                !definition.needsBody(of: cursor, before: page.cursor, elementCount: page.elements)
            else { return nil }
            return page.validators
        }
    }

    /// The name of the newest crawl's first partition; nil for a feed without partitions or without a crawl.
    package func firstPartition(of feed: String) throws(FeedSyncError) -> String? {
        try storing { try CrawlState.firstPartition(of: feed, on: connection) }
    }
}
