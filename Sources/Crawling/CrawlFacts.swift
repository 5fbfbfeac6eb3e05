/// The facts of a crawl at the end of the list, on which `Completeness` decides.
package struct CrawlFacts: Sendable, Hashable {
    /// The number of different items that it met, including those that could not be stored.
    package var met = 0
    /// The number of items that the upstream reports; nil if it reports none.
    package var total: Int?
    /// True if every page reported a total.
    package var hasTotals = false
    /// True if the total changed between pages.
    package var hasTotalMoved = false
    /// True if an item came again further down than new items above it explain. It moved, and the item that took its
    /// place may have been missed, without any change of the total.
    package var hasMovedDown = false
    /// True if the upstream said on a page before the last one that it left items out.
    package var isPartial = false
    /// True if the list moved under the crawl before this one, which met the same items.
    package var isLikeDrift = false
    /// True if items came again on a later page.
    package var hasRepeats = false
    /// True if some did although nothing in the way of paging repeats them.
    package var hasOddRepeats = false
    /// True if a page before the last one with items is empty, and was not before. A page may come empty by mistake.
    package var hasEmptyPages = false
    /// True if each page cursor contains the position of its page.
    package var cursorsHavePlaces = false
    /// True if each page began with the last item of the previous page.
    package var overlaps = false
    /// The number of pages of the list that this crawl read.
    package var pageCount = 0
    /// The pages, in the order of the list.
    package var pages: [PageOfCrawl] = []
    /// The number of pages from the head to the last one that only earlier runs read, and one more; 0 if there are
    /// none.
    package var olderPages = 0
    /// True if the crawl is complete only if these pages are unchanged.
    package var mustReadThrough = true
    /// True if each page was requested after the previous one had come. Otherwise a total that falls on one page may be
    /// on another one that came first.
    package var isInSequence = true
    /// True if the end proves little: the last page repeats the one before it, may be cut off, or is an error.
    package var hasDoubtfulEnd = false
    /// True if pages continue behind values that are not the key. One that several items have may be passed over, and
    /// what is passed over is not stored, so that the rows do not show it.
    package var mayShareValues = false
    /// True if the total, or that of a partition that cannot be halved, is as many items as the upstream serves: it may
    /// count no further.
    package var totalMayBeCap = false
    /// True if so little of a quota is left that no request is spent on a proof.
    package var isQuotaLow = false
    /// The number of requests that the run may still make; nil without a limit.
    package var requestsLeft: Int?
}

extension CrawlFacts {
    /// The facts of a list before those of its crawls are added.
    package init(of definition: FeedDefinition) {
        self.init(hasTotals: true, overlaps: true, isInSequence: definition.pagination.prefetch <= 1)
    }

    /// Adds one of the crawls of the list, in its order.
    package mutating func add(_ crawl: CrawlState, cursorsHavePlaces: Bool) {
        hasTotals = hasTotals && crawl.hasTotals && crawl.total != nil
        hasTotalMoved = hasTotalMoved || crawl.hasTotalMoved || total.map { $0 != crawl.total } ?? false
        self.cursorsHavePlaces = cursorsHavePlaces
        hasMovedDown = hasMovedDown || !crawl.isOrdered
        hasRepeats = hasRepeats || crawl.repeats > 0
        overlaps = overlaps && (crawl.overlaps || crawl.pages < 2)
        total = crawl.total ?? total
    }
}
