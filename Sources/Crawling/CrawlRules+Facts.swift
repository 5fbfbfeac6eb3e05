/// What the rules are told: of the feed, of a page that has come, and of one that is committed.
extension CrawlRules {
    /// What a committed page tells.
    package struct Committed: Sendable, Hashable {
        package var crawl: Int64 = 0
        /// Its number in the crawl, from 1.
        package var number: Int
        package var isUnchanged: Bool
        /// Whether the list goes on behind it, or ends, as it did when it was stored.
        package var isInPlace = true
        /// Whether some item of it had been met before, so that it is known where it stands.
        package var hasOverlap = true
        /// Where the crawl goes on.
        package var onward: CrawlProgress.Onward
        /// The pages of the range that it met, of the crawl at that range's end.
        package var pagesOfRange = 0
        /// Whether the page cursors of that range have numbers of items in them, so that items move from page to page.
        package var rangeCounts = false
        /// True if the upstream says that there are more items than the range that it met has.
        package var isShort = false

        package init(
            crawl: Int64 = 0, number: Int, isUnchanged: Bool, isInPlace: Bool = true, hasOverlap: Bool = true,
            onward: CrawlProgress.Onward, pagesOfRange: Int = 0, rangeCounts: Bool = false,
            isShort: Bool = false
        ) {
            self.crawl = crawl
            self.number = number
            self.isUnchanged = isUnchanged
            self.isInPlace = isInPlace
            self.hasOverlap = hasOverlap
            self.onward = onward
            self.pagesOfRange = pagesOfRange
            self.rangeCounts = rangeCounts
            self.isShort = isShort
        }
    }

    /// What a page says of its border to the page before, when it has come and is not committed.
    package struct Border: Sendable, Hashable {
        /// The page's number.
        package var number: Int
        /// The total that it says.
        package var total: Int?
        /// The total that the page before said.
        package var totalBefore: Int?
        /// Whether its first item is the last one of the page before, as it was asked to be; nil where it was not.
        package var overlaps: Bool?
        /// The crawl.
        package var crawl: Int64 = 0

        package init(number: Int, total: Int? = nil, totalBefore: Int? = nil, overlaps: Bool? = nil, crawl: Int64 = 0) {
            self.number = number
            self.total = total
            self.totalBefore = totalBefore
            self.overlaps = overlaps
            self.crawl = crawl
        }

        /// Whether items moved up past the crawl between the two requests.
        var isBroken: Bool {
            if overlaps == false { return true }
            guard let total, let totalBefore else { return false }
            return total < totalBefore
        }
    }

    /// What the rules have to know of the feed.
    package struct Feed: Sendable, Hashable {
        var mode = CrawlMode.new
        var verify = VerifyRule.auto
        /// Whether items move from page to page as others come and go.
        var isShifting = false
        /// Whether each page is asked for with the last item of the page before.
        var overlaps = false
        /// Whether its pages say a total.
        var hasTotals = false
        var isPartitioned = false
        /// True if it is not known how the list goes on behind its first page, if it does.
        var isOpen = false
        /// The most pages that a run asks for, those that it asks for again among them; nil where there is no limit.
        var maxPages: Int?

        package init(
            mode: CrawlMode = .new, verify: VerifyRule = .auto, isShifting: Bool = false, overlaps: Bool = false,
            hasTotals: Bool = false, isPartitioned: Bool = false, isOpen: Bool = false, maxPages: Int? = nil
        ) {
            self.isOpen = isOpen
            self.mode = mode
            self.verify = verify
            self.isShifting = isShifting
            self.overlaps = overlaps
            self.hasTotals = hasTotals
            self.isPartitioned = isPartitioned
            self.maxPages = maxPages
        }
    }
}
