internal import SQLite

/// The store's data on a feed's last crawl and its pages.
package struct CrawlRecord: Sendable, Hashable, JSONRecord {
    /// The start, in UTC, ISO 8601 with milliseconds.
    package let startedAt: String
    /// Pages fetched.
    package let pages: Int
    /// True if it reached its end, undrifted.
    package let isComplete: Bool
    /// The reason why it is incomplete although it has ended; nil if it is complete or may continue.
    package let reason: IncompleteReason?
    /// True if it has ended.
    package let hasEnded: Bool
    /// The number of stored pages of this and earlier crawls.
    package let storedPages: Int
    /// The number of pages that can be requested conditionally.
    package let pagesWithValidators: Int

    package var fields: JSONFields {
        [
            "started_at": startedAt,
            "pages": pages,
            "ended": hasEnded,
            "complete": isComplete,
            "reason": reason?.rawValue,
            "stored_pages": storedPages,
            "pages_with_validators": pagesWithValidators,
        ]
    }
}

extension Store {
    /// The feed's newest crawl; nil if there is none.
    package func lastCrawl(of feed: String) throws(FeedSyncError) -> CrawlRecord? {
        try records(
            """
            SELECT _crawl.started_at, _crawl.pages, feed.complete, _crawl.reason, _crawl.ended_at, feed.no_more_data,
                (SELECT count(*) FROM _page WHERE feed = ?1) AS stored,
                (SELECT count(*) FROM _page WHERE feed = ?1 AND coalesce(etag, last_modified) IS NOT NULL) AS conditional
            FROM _crawl JOIN feed ON feed.name = _crawl.feed WHERE _crawl.feed = ?1 ORDER BY _crawl.id DESC LIMIT 1
            """, [.text(feed)]
        ) { row in
            CrawlRecord(
                startedAt: try row.textOrEmpty("started_at"), pages: try row.count("pages"),
                isComplete: try row.flag("complete"), reason: try row.word("reason"),
                hasEnded: try row.text("ended_at") != nil || row.flag("no_more_data"),
                storedPages: try row.count("stored"), pagesWithValidators: try row.count("conditional"))
        }.first
    }
}
