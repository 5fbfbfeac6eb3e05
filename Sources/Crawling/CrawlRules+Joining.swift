/// The way of a sync through the list: after a page, at a range that it meets, and at the end.
extension CrawlRules {
    mutating func went(on page: Committed, _ before: Crawl) -> Step {
        var crawl = before
        if crawl.isGoingBack {
            if !page.hasOverlap, page.number > 1, crawl.stepsBack < Self.mostStepsBack {
                crawl.stepsBack += 1
                state = .crawling(crawl)
                return .goOn(crawl: page.crawl, from: page.number - 1)
            }
            if !page.hasOverlap, page.number > 1 { crawl.hasDrifted = true }
            crawl.isGoingBack = false
        } else if crawl.pages.isMultiple(of: 4) {
            crawl.stepsBack = max(0, crawl.stepsBack - 1)
        }
        state = .crawling(crawl)
        switch page.onward {
        case .page(let next): return .fetch(.footer, next)
        case .range(let range): return join(range, page, crawl)
        case .whole(let range, let reason):
            if crawl.isReadingThrough {
                crawl.isReadingThrough = false
                return examine(crawl)
            }
            // The new items above it are stored.
            if crawl.isReadingHead { return headIsRead(&crawl) }
            crawl.claim.take(.endOfRange(reason, isVerified: range.isVerified, mode: feed.mode))
            // A crawl that earlier runs brought to its end: its head has just been read again.
            if crawl.pages == 1 { crawl.hasReadHead = true }
            guard range.loosePages.isEmpty else {
                return checkLoosePages(of: range, pages: page.pagesOfRange, crawl)
            }
            if page.isShort, reason == nil, crawl.grown == nil { return lookBehindEnd(of: range, page, crawl) }
            return reachedEnd(crawl)
        case .end(let reason):
            crawl.claim.take(.end(reason, isReadingHead: crawl.isReadingHead))
            crawl.isReadingThrough = false
            if let grown = crawl.grown, !crawl.hasMoved {
                crawl.claim.take(.endOfGrowingRange(isVerified: grown.isVerified))
                return finish(crawl)
            }
            // A synced range must have no gaps, even if the list is incomplete for another reason.
            return crawl.reason.map { $0 == .cap || !$0.leavesSyncedRange } ?? false ? finish(crawl) : examine(crawl)
        }
    }

    /// Ends the crawl after it met a range that reaches the end.
    mutating func reachedEnd(_ crawl: Crawl) -> Step {
        // A single page itself shows that nothing lies between it and the range.
        let isSure = crawl.pages == 1 && feed.mode == .new
        return isSure || crawl.reason?.leavesSyncedRange == false ? finish(crawl) : examine(crawl)
    }

    /// Checks the loose pages of a range, each with the page after it: they were fetched one by one, and the list may
    /// have moved in between.
    mutating func checkLoosePages(of range: SyncedRange, pages count: Int, _ before: Crawl) -> Step {
        var crawl = before
        crawl.behindLoose = range
        let numbers = Set(range.loosePages.flatMap { [$0, $0 + 1] }).sorted()
        // A range that was read again from an earlier page on has fewer pages than before.
        let known = numbers.filter { $0 <= count }
        let pages = (known.isEmpty ? numbers : known).map { PageOfCrawl(crawl: range.crawl, number: $0) }
        state = .checking(crawl, CheckRound(pages, number: 1))
        return .check(pages[0])
    }

    /// Continues after the crawl met a range that is open at its end.
    mutating func join(_ range: SyncedRange, _ page: Committed, _ crawl: Crawl) -> Step {
        // New items are at the end. A total does not show that there are none: as many may have gone.
        if range.growsAtEnd, range.cursor == nil { return lookBehindEnd(of: range, page, crawl) }
        if !range.loosePages.isEmpty { return checkLoosePages(of: range, pages: page.pagesOfRange, crawl) }
        let isRead = range.crawl == page.crawl || crawl.pages == 1 && page.pagesOfRange == 1
        return resume(
            range.crawl, pages: page.pagesOfRange, isRead: isRead, isShifting: feed.isShifting || page.rangeCounts,
            crawl)
    }

    /// Requests the last page of a range that reaches the end again, and continues from there.
    private mutating func lookBehindEnd(of range: SyncedRange, _ page: Committed, _ before: Crawl) -> Step {
        var crawl = before
        crawl.grown = range
        crawl.hasReadAgain = true
        state = .crawling(crawl)
        return .goOn(crawl: range.crawl, from: page.pagesOfRange)
    }

    /// Continues at the end of a crawl. Requests its last page again, unless it was just read, or the next page itself
    /// shows if the list moved.
    mutating func resume(_ id: Int64, pages: Int, isRead: Bool, isShifting: Bool, _ before: Crawl) -> Step {
        var crawl = before
        // A total does not change if as many items came as went.
        let isSure = isRead || !isShifting || feed.overlaps || feed.isPartitioned || pages < 1
        crawl.isGoingBack = !isSure
        crawl.hasReadAgain = crawl.hasReadAgain || !isSure
        state = .crawling(crawl)
        return .goOn(crawl: id, from: isSure ? nil : pages)
    }
}
