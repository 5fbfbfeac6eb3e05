/// How a sync gets on through the list: behind a page, at a range that it meets, and at the end.
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
            // What came above it is stored.
            if crawl.isReadingHead { return headIsRead(&crawl) }
            crawl.reason = reason
            // What a crawl of every page is worth shows when all of it has been read.
            crawl.isVerified = range.isVerified || feed.mode == .all || feed.mode == .since
            // A crawl that earlier runs brought to its end: the head has just been read again.
            if crawl.pages == 1 { crawl.hasReadHead = true }
            guard range.loosePages.isEmpty else {
                return checkLoosePages(of: range, pages: page.pagesOfRange, crawl)
            }
            if page.isShort, reason == nil, crawl.grown == nil { return lookBehindEnd(of: range, page, crawl) }
            return reachedEnd(crawl)
        case .end(let reason):
            crawl.reason = crawl.isReadingHead ? .drift : reason
            crawl.isReadingThrough = false
            if let grown = crawl.grown, !crawl.hasMoved {
                crawl.isVerified = grown.isVerified
                return finish(crawl)
            }
            crawl.isVerified = true
            // What leaves a synced range must have no gaps, whatever the reason why it is not all.
            return crawl.reason.map { $0 == .cap || !$0.leavesSyncedRange } ?? false ? finish(crawl) : examine(crawl)
        }
    }

    /// A range that reaches the end was met.
    mutating func reachedEnd(_ crawl: Crawl) -> Step {
        // One page shows itself that nothing lies between it and the range.
        let isSure = crawl.pages == 1 && feed.mode == .new
        return isSure || crawl.reason?.leavesSyncedRange == false ? finish(crawl) : examine(crawl)
    }

    /// Pages of a range were fetched one by one, and the list may have moved in between: they are asked for again, each
    /// with the one behind it.
    mutating func checkLoosePages(of range: SyncedRange, pages count: Int, _ before: Crawl) -> Step {
        var crawl = before
        crawl.behindLoose = range
        let numbers = Set(range.loosePages.flatMap { [$0, $0 + 1] }).sorted()
        // A range that was read anew from a page before has fewer pages than it had.
        let known = numbers.filter { $0 <= count }
        let pages = (known.isEmpty ? numbers : known).map { PageOfCrawl(crawl: range.crawl, number: $0) }
        state = .checking(crawl, Round(pages, number: 1))
        return .check(pages[0])
    }

    /// The crawl met a range that is open at its end.
    mutating func join(_ range: SyncedRange, _ page: Committed, _ before: Crawl) -> Step {
        var crawl = before
        if range.growsAtEnd, range.cursor == nil {
            if feed.hasTotals, crawl.pages == 1, page.isUnchanged, page.isInPlace {
                // As many items as there were.
                crawl.isVerified = range.isVerified
                return reachedEnd(crawl)
            }
            // What is new stands at the end.
            return lookBehindEnd(of: range, page, crawl)
        }
        if !range.loosePages.isEmpty { return checkLoosePages(of: range, pages: page.pagesOfRange, crawl) }
        let isRead = range.crawl == page.crawl || crawl.pages == 1 && page.pagesOfRange == 1
        return resume(
            range.crawl, pages: page.pagesOfRange, isRead: isRead, isShifting: feed.isShifting || page.rangeCounts,
            crawl)
    }

    /// Asks for the last page of a range that reaches the end again, and goes on from there.
    private mutating func lookBehindEnd(of range: SyncedRange, _ page: Committed, _ before: Crawl) -> Step {
        var crawl = before
        crawl.grown = range
        crawl.hasReadAgain = true
        state = .crawling(crawl)
        return .goOn(crawl: range.crawl, from: page.pagesOfRange)
    }

    /// Goes on at the end of a crawl, with its last page again unless that was read a moment ago, or the next one tells
    /// by itself whether the list moved.
    mutating func resume(_ id: Int64, pages: Int, isRead: Bool, isShifting: Bool, _ before: Crawl) -> Step {
        var crawl = before
        // A total may be the same although as many items came as went.
        let isSure = isRead || !isShifting || feed.overlaps || feed.isPartitioned || pages < 1
        crawl.isGoingBack = !isSure
        crawl.hasReadAgain = crawl.hasReadAgain || !isSure
        state = .crawling(crawl)
        return .goOn(crawl: id, from: isSure ? nil : pages)
    }
}
