/// A page of a crawl: its place in the list, and what it shows of the list, without its items.
package struct CrawlPage: Sendable {
    package let direction: PageDirection
    /// The purpose of the crawl.
    package var mode = CrawlMode.reload
    /// The page cursor of its request; nil for the first page.
    package var asked: PageCursor?
    /// The name of the page's partition; nil for a feed without partitions.
    package var partition: String?
    /// The page's number if it is requested again after the end of the crawl; nil for the crawl's next page.
    package var checked: Int?
    /// True if the crawl had read the page before and went back to it.
    package var isAgain = false
    /// True if the page is read again because only earlier runs had read it. It may only meet pages that this run read.
    package var readsThrough = false
    /// True if the crawl reads a list from its newest item down to older ones.
    package var asksNewest = false
    /// True if the crawl ends with the page because all items behind it are older than the watermark.
    package var isOlder = false
    /// True if the list may have moved unnoticed since the previous page was read.
    package var isLoose = false
    /// The page cursor behind a counted end, if the page there has no other items; nil if it was not requested.
    package var checkedEnd: PageCursor?
    /// True if only a count calls the page the last one, and the page behind it could not be read.
    package var hasUncheckedEnd = false
    /// The number of elements that it shares with the previous page: 1 if that was requested and is so.
    package var overlap = 0
    /// True if it begins with an item of the previous page, as requested.
    package var showsPageBefore = false
    /// True if its items are exactly those of the previous page.
    package private(set) var repeatsPageBefore = false

    /// The next page of the crawl.
    package private(set) var end: NextPage
    /// The next page according to the upstream. The crawl may end before it.
    package private(set) var upstreamNext: PageCursor?
    package let httpStatus: Int
    /// True if the upstream says that the stored page is still valid.
    package var isNotModified = false
    /// The keys of its items, as a JSON array.
    package var keys = "[]"
    /// The number of elements in the items array.
    package var elementCount = 0
    /// The number of elements that are not items; nil if unknown.
    package var otherElements: Int?
    /// The number of elements that could not be stored, and of those replaced by another with the same key.
    package var skipped = 0
    package var sameKey = 0
    /// The furthest watermark value of its items, as JSON.
    package var furthest: String?

    package init(_ direction: PageDirection, end: NextPage, upstreamNext: PageCursor?, httpStatus: Int = 200) {
        self.direction = direction
        self.end = end
        self.upstreamNext = upstreamNext
        self.httpStatus = httpStatus
    }

    /// True if the page is requested again after the end of the crawl.
    package var isCheck: Bool { checked != nil }

    /// The page as the last one of its list.
    package func asEnd() -> CrawlPage {
        var page = self
        page.end = .end(total: end.total, notice: end.notice)
        page.upstreamNext = nil
        return page
    }

    /// The page as an empty last page, because its items are those of the previous page.
    package func asRepeat() -> CrawlPage {
        var page = asEnd()
        // A page without a way on may still say that there is more.
        if end.next == nil { page.end.sign = end.sign }
        page.overlap = 0
        page.showsPageBefore = false
        page.repeatsPageBefore = true
        return page
    }
}

/// A page that leads on, and shows that the list does not.
package enum Circle: Sendable, Hashable {
    /// The page has no items and leads back to a page of the crawl: it is the last one.
    case leadsBack
    /// The page has the items of the previous page, and so had that one: it is an empty last page.
    case repeats
    /// The second page equals the first one: the upstream ignores the page cursor.
    case ignoresCursor

    /// - Parameter headKeys: The keys on the first page as this run read it; nil if it did not.
    /// - Returns: nil if the page is none.
    package init?(_ page: CrawlPage, behind crawl: CrawlState, _ trail: CrawlTrail, headKeys: String? = nil) {
        guard page.direction == .footer, !page.isCheck else { return nil }
        if Circle.repeatsPageBefore(page, crawl) {
            let isShort = page.elementCount < crawl.mostElements
            // The list has one item, and each page begins with the last item of the one before.
            let isOnlyItem = page.elementCount == 1 && page.end.next == nil && page.end.isDoubtful
            if crawl.pages == 1, !isOnlyItem {
                // New items have pushed down the first page of an earlier run.
                if let headKeys, headKeys != page.keys { return nil }
                // A list that moves may repeat a short page, but hardly a full one.
                guard page.mode == .reload || !isShort else { return nil }
                self = .ignoresCursor
                return
            }
            // Otherwise it may have the same items pushed down by a page of new ones.
            if isShort || crawl.repeatedPages > 0 || page.end.next == nil {
                self = .repeats
                return
            }
        }
        // Partitions follow each other in their own order.
        guard page.partition == nil, page.elementCount == 0, let next = page.end.next, trail.cursors.contains(next.text)
        else { return nil }
        self = .leadsBack
    }

    private static func repeatsPageBefore(_ page: CrawlPage, _ crawl: CrawlState) -> Bool {
        guard !page.isNotModified, !page.isAgain, page.keys != "[]" else { return false }
        return page.keys == crawl.lastKeys && !crawl.begins(page.partition)
    }
}

/// A page of one of the crawls that make up a list, by its number from 1.
package struct PageOfCrawl: Sendable, Hashable {
    package let crawl: Int64
    package let number: Int

    package init(crawl: Int64, number: Int) {
        self.crawl = crawl
        self.number = number
    }
}
