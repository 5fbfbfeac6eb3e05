/// The output of the rules, a step of the run, and their input: facts of the feed, of a fetched page, and of a
/// committed page.
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
        /// Request the page to which the list led on before, behind its end, and pass the result to `looked`.
        case lookBehindEnd(PageCursor)
        /// Stop, with the closing of a sync's crawl.
        case end(RunOutcome, CrawlClosing? = nil)
    }

    /// The facts of a committed page.
    package struct Committed: Sendable, Hashable {
        package var crawl: Int64 = 0
        /// The page's number in the crawl, from 1.
        package var number: Int
        package var isUnchanged: Bool
        /// True if the list continues or ends after the page as it did when the page was stored.
        package var isInPlace = true
        /// True if the crawl had met one of its items before, so that its place in the list is known.
        package var hasOverlap = true
        /// The next step of the crawl.
        package var onward: CrawlProgress.Onward
        /// The number of pages of the crawl at the end of the range that the page met.
        package var pagesOfRange = 0
        /// True if the page was requested as the last page of that range was.
        package var isLastOfRange = false
        /// True if the page cursors of that range contain item positions, so that items move from page to page.
        package var rangeCursorsHavePlaces = false
        /// True if the upstream reports more items than that range has, or only a count that is not checked ends it.
        package var isShort = false
        /// True if only a count calls the page the last one, and the page behind it could not be read.
        package var hasUncheckedEnd = false
    }

    /// The way to deal with a page that only a count calls the last one.
    package enum CountedEnd: Sendable, Hashable {
        /// The count is believed.
        case believed
        /// The page behind it is requested, to check the count.
        case toCheck
        /// The crawl goes on there: the count was wrong before.
        case toGoOn
        /// The command reads no more pages, or the run has no request left. The next sync checks the count.
        case unchecked
    }

    /// The facts about the border between a fetched page and the previous one, before the page is committed.
    package struct Border: Sendable, Hashable {
        /// The page's number in the crawl.
        package var number: Int
        /// The total on the page.
        package var total: Int?
        /// The total on the previous page.
        package var totalBefore: Int?
        /// True if the page begins with the last item of the previous page, as requested; nil if that was not
        /// requested.
        package var overlaps: Bool?
        /// The crawl's number.
        package var crawl: Int64 = 0

        package init(number: Int, total: Int? = nil, totalBefore: Int? = nil, overlaps: Bool? = nil, crawl: Int64 = 0) {
            self.number = number
            self.total = total
            self.totalBefore = totalBefore
            self.overlaps = overlaps
            self.crawl = crawl
        }

        /// True if items moved up past the crawl between the two requests.
        var isBroken: Bool {
            if overlaps == false { return true }
            guard let total, let totalBefore else { return false }
            return total < totalBefore
        }
    }

    /// The facts of the feed.
    package struct Feed: Sendable, Hashable {
        var mode = CrawlMode.new
        var verify = VerifyRule.auto
        /// True if items move from page to page as other items come and go.
        var isShifting = false
        /// True if each page is requested to begin with the last item of the previous page.
        var overlaps = false
        var isPartitioned = false
        /// True if it is unknown how the list continues after its first page, and if it does.
        var isOpen = false
        var pageLimit = PageLimit(nil)
    }
}

extension CrawlRules.Committed {
    package init(number: Int, isUnchanged: Bool, onward: CrawlProgress.Onward) {
        self.init(crawl: 0, number: number, isUnchanged: isUnchanged, onward: onward)
    }
}

extension CrawlRules.Feed {
    /// The facts of a definition that the rules depend on.
    package init(_ definition: FeedDefinition, _ mode: CrawlMode, overlaps: Bool) {
        self.init(
            // A token follows the changes one by one, so another request for the same changes proves nothing.
            mode: mode, verify: mode == .since && definition.sync.delta != nil ? .never : definition.verify,
            isShifting: definition.pagination.isShifting, overlaps: overlaps,
            isPartitioned: definition.partitioning != nil,
            isOpen: definition.hasOpenPagination,
            pageLimit: definition.pageLimit)
    }
}
