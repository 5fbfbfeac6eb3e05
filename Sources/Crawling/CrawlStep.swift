extension CrawlRules {
    /// What to do next.
    package enum Step: Sendable, Hashable {
        /// Request a page and commit it: the first one, or the next one of the crawl.
        case fetch(PageDirection, PageCursor?)
        /// Go on at the end of a crawl, or at a page of it, which is asked for again.
        case goOn(crawl: Int64, from: Int?)
        /// Ask for the first page again; if it is not as it was, a new crawl begins with it.
        case readHeadAgain
        /// Read the list from the head on, and meet only what this run has read.
        case readThrough
        /// The crawl has reached the end: find out what it has seen, and tell `examined`.
        case examine
        /// Ask for a page of the crawl again, and tell `checked`.
        case check(PageOfCrawl)
        /// Find out beside which pages rows stand that were not met, and tell `found(missingBeside:)`.
        case findMissing
        /// Nothing more; what is to be said of a sync's crawl.
        case end(RunOutcome, CrawlClosing? = nil)
    }
}

/// What a sync says of its crawl at the end.
package enum CrawlClosing: Sendable, Hashable {
    /// It met everything that it was to meet; and whether that is proved.
    case complete(isVerified: Bool)
    /// It did not, or that is not sure.
    case incomplete(IncompleteReason)
}
