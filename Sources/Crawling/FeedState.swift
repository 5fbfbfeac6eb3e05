/// The state of a feed and its current crawl during a run; changed only after a transaction has succeeded.
package struct FeedState: Sendable {
    /// The feed's newest generation.
    package var generation: Int64 = 0
    /// The crawl of the next page; nil before the first page.
    package var crawl: CrawlState?
    /// The stored ranges of the list.
    package var progress = CrawlProgress()
    /// The largest number of positions of any page of the feed.
    package var longestPage: Int64 = 0
    package var metrics = RunMetrics()
    /// The direction of the page whose begin event has no end event yet.
    package var openDirection: PageDirection?
    /// True if a page of this run changed anything.
    package var hasChanged = false
    /// True if the mirror is complete, and true if that is proved.
    package var isComplete = false
    package var isVerified = false

    package init() {}

    /// The number of the page that is requested next.
    package func number(of direction: PageDirection) -> Int {
        direction == .header ? 1 : (crawl?.pages ?? 0) + 1
    }

    /// True if the crawl may still meet a range after its own pages.
    package var mayMeetRange: Bool {
        let ranges = progress.round?.ranges ?? progress.synced
        return ranges.ranges.last?.crawl != crawl?.id
    }
}

/// The point at which the next command resumes.
package struct ResumePoint: Sendable {
    /// The stored state of the feed.
    package var state = FeedState()
    /// The time of the last complete full crawl, in milliseconds since 1970.
    package var fullAt: Int64?
    /// The watermark in the requests of the current crawl.
    package var crawlWatermark: String?
    /// The name of the first partition of the last crawl.
    package var firstPartition: String?
    /// The furthest watermark value that a sync has met, as JSON.
    package var watermark: String?
    /// True if a full crawl is due, or the one under way began as such.
    package var isFullDue = false

    package init() {}

    /// True if a first page is stored.
    var isLoaded: Bool { state.crawl != nil }
    /// The range with which `more` continues; nil at the end, or before the first page.
    var openRange: SyncedRange? { state.progress.openRange }
    /// The stored ranges of the list.
    package var progress: CrawlProgress { state.progress }
    /// The number of items of a partition that the upstream serves, as seen so far.
    package var cap: Int? { state.crawl?.cap }
}
