extension CrawlState {
    /// Adds a page that was read to the crawl.
    ///
    /// - Parameter rules: The effect of the page on the stored rows.
    /// - Throws: `FeedSyncError` of kind `unfollowable` if the list goes in circles.
    package mutating func add(
        _ page: CrawlPage, by rules: PageRules, _ feed: FeedDefinition, url: String
    ) throws(FeedSyncError) {
        if !page.isCheck {
            pages += 1
            onlyGrows = onlyGrows && rules.onlyGrows(behindMet: hasMet)
            hasMet = hasMet || !rules.metPlaces.isEmpty
            let beginsPart = begins(page.part)
            count(page, by: rules)
            try noteNews(of: page, hasNews: rules.placed > 0, beginsPart: beginsPart, url: url)
        }
        mostElements = max(mostElements, page.elementCount)
        switch feed.sync {
        case .since(let rule): furthest = Watermark.further(furthest, page.furthest, isTime: rule.isTime)
        // The token of a later page takes the place of an earlier one.
        case .delta: furthest = page.isCheck ? furthest : page.furthest ?? furthest
        case .auto, .new, .all: break
        }
        skipped += page.skipped
        sameKey += page.sameKey
        // Rows of a page that moved elsewhere meanwhile are stored after the others.
        if rules.isOutOfOrder || page.isCheck && rules.isMoved { isOrdered = false }
        if page.keys != "[]", !page.isCheck { lastKeys = page.keys }
        if rules.isMoved { lifted = pages }
        guard !page.isCheck else { return }
        reason =
            page.end.next == nil
            ? Completeness.reason(
                of: self, isCut: page.upstreamNext != nil && !page.isOlder, isPartitioned: feed.partitioning != nil,
                sign: page.end.sign)
            // The halves of a partition have what the upstream left out.
            : Completeness.reason(after: page.end.part == .cut ? nil : page.end.sign, reason)
    }

    /// Counts a page of the crawl.
    private mutating func count(_ page: CrawlPage, by rules: PageRules) {
        elements += page.elementCount - page.overlap
        if pages == 1 { headGained = rules.items.inserted > 0 }
        if page.repeatsPageBefore {
            repeats += mostElements
            isDoubtful = true
        }
        isDoubtful = isDoubtful || page.end.isDoubtful
        // The older pages that are read through are a crawl of their own.
        if !page.isAgain || page.readsThrough { repeats += max(rules.repeats - page.overlap, 0) }
        if pages > 1, !page.showsPageBefore { overlaps = false }
        guard let part = page.part else { return countTotal(page) }
        let said = page.isNotModified ? begins(part) ? page.end.total : nil : page.end.total
        let hasTotal = said != nil || !begins(part) && self.part?.total != nil
        let hasFallen = meet(part, elements: page.elementCount, total: said, end: page.end.part)
        if hasFallen, page.mode == .reload { hasDrifted = true }
        // An error proves little if no total shows that all items had come.
        let provesLittle = page.end.part == .whole && page.httpStatus >= 400 && !hasTotal
        isDoubtful = isDoubtful || provesLittle
        if page.end.part == .whole, !hasTotal { hasTotals = false }
    }

    private mutating func countTotal(_ page: CrawlPage) {
        // A total counts the older items, too, which are not asked for.
        guard let total = page.end.total, !page.asksNewest || !page.isOlder && page.end.next == nil else {
            hasTotals = false
            return
        }
        // An unchanged first page shows the total of the list as it was then.
        if let before = self.total, total != before {
            hasTotalMoved = true
            // Items that the crawl has passed were removed: as many later ones moved up, past the next page.
            if total < before, page.mode == .reload { hasDrifted = true }
        }
        self.total = total
    }

    /// Throws if too many pages in a row brought nothing new: only items already met, only `null`, or no items at all.
    /// Such a list never ends.
    private mutating func noteNews(
        of page: CrawlPage, hasNews: Bool, beginsPart: Bool, url: String
    ) throws(FeedSyncError) {
        repeatedPages = page.elementCount > 0 && !hasNews ? repeatedPages + 1 : 0
        // The number of partitions is limited, and many may be empty.
        pagesWithoutNews = hasNews || beginsPart ? 0 : pagesWithoutNews + 1
        let isEndless = pagesWithoutNews > Self.mostRepeatedPages && page.end.next != nil
        guard repeatedPages > Self.mostRepeatedPages || isEndless else { return }
        throw FeedSyncError(
            .unfollowable,
            "\(Self.mostRepeatedPages) pages in a row brought only items seen before, or none: the upstream is going in circles",
            advice: "check `pagination` in the feed's definition", url: url)
    }

    /// A list to which a thousand items are added meanwhile is not yet a loop.
    private static let mostRepeatedPages = 100
}
