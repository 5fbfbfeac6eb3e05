extension CrawlRules {
    /// The next step of a run.
    package enum Step: Sendable, Hashable {
        /// Request a page and commit it: the first one, or the next one of the crawl.
        case fetch(PageDirection, PageCursor?)
        /// Continue at the end of a crawl, or request one of its pages again and continue there.
        case goOn(crawl: Int64, from: Int?)
        /// Request the first page again. If it has changed, a new crawl begins with it.
        case readHeadAgain
        /// Read the list from the head, and only meet pages that this run has read.
        case readThrough
        /// The crawl has reached the end: load its facts and pass them to `examined`.
        case examine
        /// Request a page of the crawl again, and pass the result to `checked`.
        case check(PageOfCrawl)
        /// Find the pages next to the rows that were not met, and pass them to `found(missingBeside:)`.
        case findMissing
        /// Stop, with the closing of a sync's crawl.
        case end(RunOutcome, CrawlClosing? = nil)
    }
}

/// The result of a sync's crawl.
package enum CrawlClosing: Sendable, Hashable {
    /// The crawl met everything that it was meant to meet; `isVerified` is true if that is proved. `keepsUnmetRows` is
    /// true if the run could not see if the rows that it did not meet are gone.
    case complete(isVerified: Bool, keepsUnmetRows: Bool = false)
    /// The crawl did not meet everything, or that is not certain.
    case incomplete(IncompleteReason)
}
