/// The facts of a crawl that has reached the end of the list, from which `Completeness` decides.
package struct CrawlFacts: Sendable, Hashable {
    /// The different items that it met, those that could not be stored among them.
    package var met = 0
    /// The items that the upstream says there are; nil where it does not say.
    package var total: Int?
    /// True if every page said how many there are.
    package var hasTotals = false
    /// True if that figure was another one on some page.
    package var hasTotalMoved = false
    /// True if an item came again further down than new items above it explain. It moved, and the item that took its place
    /// may have been missed; the total stays the same.
    package var hasMovedDown = false
    /// True if items came again on a later page.
    package var hasRepeats = false
    /// True if each token has the place of its page in it.
    package var cursorsCount = false
    /// True if each page showed the last item of the page before.
    package var overlaps = false
    /// The pages of the list, as far as this crawl read it.
    package var pageCount = 0
    /// The pages, in the order of the list.
    package var pages: [PageOfCrawl] = []
    /// The pages from the head to the last one that only earlier runs read, and the one behind it; 0 if there are none.
    package var olderPages = 0
    /// True if the crawl is complete only if these are as they were.
    package var mustReadThrough = true
    /// True if each page was asked for when the one before had come. Else a total that falls on one page may stand on
    /// another one that came first.
    package var isInSequence = true
    /// True if so little is left of a quota that none of it goes into a proof.
    package var isQuotaLow = false
    /// The requests that the run may still make; nil where there is no limit.
    package var requestsLeft: Int?

    package init(
        met: Int = 0, total: Int? = nil, hasTotals: Bool = false, hasTotalMoved: Bool = false,
        hasMovedDown: Bool = false, hasRepeats: Bool = false, cursorsCount: Bool = false, overlaps: Bool = false,
        pageCount: Int = 0, pages: [PageOfCrawl] = [], olderPages: Int = 0, isInSequence: Bool = true,
        requestsLeft: Int? = nil
    ) {
        self.met = met
        self.total = total
        self.hasTotals = hasTotals
        self.hasTotalMoved = hasTotalMoved
        self.hasMovedDown = hasMovedDown
        self.hasRepeats = hasRepeats
        self.cursorsCount = cursorsCount
        self.overlaps = overlaps
        self.pageCount = pageCount
        self.pages = pages
        self.olderPages = olderPages
        self.isInSequence = isInSequence
        self.requestsLeft = requestsLeft
    }
}
