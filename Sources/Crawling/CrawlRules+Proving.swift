/// The end of a sync: proves that nothing was missed, and finds removed items.
extension CrawlRules {
    /// Takes the facts of a crawl at the end of the list, and returns the next step.
    package mutating func examined(_ facts: CrawlFacts) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        crawl.requestsLeft = facts.requestsLeft.map { min($0, .max / 2) + crawl.requests }
        crawl.lastPage = facts.pages.last
        crawl.hasRepeats = facts.hasRepeats && !facts.overlaps && !facts.endsInRepeat
        crawl.isInSequence = facts.isInSequence
        crawl.isLikeDrift = facts.isLikeDrift
        if crawl.hasDrifted {
            crawl.claim.take(.moved)
            return finish(crawl)
        }
        if crawl.reason == nil, facts.isPartial {
            crawl.claim.take(.leftOut)
            return finish(crawl)
        }
        var facts = facts
        facts.hasTotalMoved = facts.hasTotalMoved || crawl.hasSteppedBack
        if let step = readThrough(facts, &crawl) { return step }
        if crawl.reason == nil, let shortage = Completeness.shortage(facts) {
            // Items that the pages passed over may be at the head by now.
            if shortage == .drift, !crawl.hasReadHead, hasRoom(for: 1, crawl) {
                return readHeadAgain(crawl, for: .total)
            }
            crawl.claim.take(.shortage(shortage))
            return finish(crawl)
        }
        let proof = Completeness.Proof(feed.verify, feed, facts)
        if crawl.reason == nil, !crawl.hasReadAgain, Completeness.isDrift(facts, proof) {
            crawl.claim.take(.moved)
            return finish(crawl)
        }
        switch proof {
        case .none:
            crawl.claim.take(.unproved)
            return proved(crawl)
        case .given: return proved(crawl)
        case .head(let proves):
            if !proves { crawl.claim.take(.unproved) }
            // Unchanged pages leave nothing to update, and an incomplete crawl nothing to prove.
            if crawl.hasReadHead || crawl.reason != nil || !proves && !crawl.hasMoved { return proved(crawl) }
            guard !facts.isQuotaLow, hasRoom(for: 1, crawl) else {
                crawl.claim.take(.unproved)
                return proved(crawl)
            }
            return readHeadAgain(crawl, for: .proof)
        case .pages where facts.isQuotaLow || !hasRoom(for: facts.pages.count, crawl):
            crawl.claim.take(.unproved)
            return proved(crawl)
        case .pages:
            guard let first = facts.pages.first else { return proved(crawl) }
            state = .checking(crawl, CheckRound(facts.pages, number: 1))
            return .check(first)
        }
    }

    /// Reads the pages that only earlier runs read again, from the head until the crawl meets pages of this run: the
    /// list may have moved since those runs. If the run has too few requests left for that, the crawl stays as it began
    /// and proves nothing.
    private mutating func readThrough(_ facts: CrawlFacts, _ crawl: inout Crawl) -> Step? {
        guard facts.olderPages > 0, !crawl.hasReadThrough else { return nil }
        crawl.hasReadThrough = true
        // The list was not read in one go.
        crawl.claim.take(.unproved)
        // Missing rows need three more requests: the head, and the two pages next to a row.
        guard facts.mustReadThrough else { return nil }
        guard hasRoom(for: facts.olderPages + 3, crawl) else {
            // Partitions are read again page by page anyway.
            crawl.hasUnreadPages = !feed.isPartitioned
            return nil
        }
        crawl.isReadingThrough = true
        crawl.hasReadHead = true
        crawl.isHeadStale = true
        state = .crawling(crawl)
        return .readThrough
    }

    /// Takes an unchanged first page.
    package mutating func headIsSame() -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        crawl.checks += 1
        crawl.hasSameHead = true
        return headIsRead(&crawl)
    }

    /// Takes the head as read again so far. If items left it, and nothing proves the pages after it, some items may
    /// have been missed.
    package mutating func head(hasMovedUp: Bool) {
        guard case .crawling(var crawl) = state else { return }
        crawl.hasHeadMovedUp = hasMovedUp
        state = .crawling(crawl)
    }

    /// Takes the failure of a first page that was requested again. The pages that were read still count. Returns nil if
    /// the removal of missing rows depends on the head.
    package mutating func headFailed() -> Step? {
        guard case .crawling(var crawl) = state, crawl.headPurpose != .removal else { return nil }
        crawl.isReadingHead = false
        crawl.hasReadHead = true
        crawl.claim.take(.unproved)
        return crawl.headPurpose == .total ? examine(crawl) : finish(crawl)
    }

    /// Takes the pages next to the rows that the crawl did not meet; nil if none is missing.
    ///
    /// - Parameter isUnclear: True if other rows were not met, and no two pages show that they are gone.
    package mutating func found(missingBeside pages: [PageOfCrawl]?, isUnclear: Bool = false) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        if isUnclear { crawl.claim.take(.unproved) }
        guard let pages else { return finish(crawl) }
        // The rows may be on pages that only an earlier run has read.
        if crawl.hasUnreadPages { return keepRows(crawl) }
        if Completeness.mayHavePassed(crawl, feed) {
            crawl.claim.take(.moved)
            return finish(crawl)
        }
        let needsHead = !crawl.hasReadHead || crawl.isHeadStale
        // Two pages show that a row is gone. A crawl in partitions is cut off there, and the next run goes on with
        // them.
        let left = crawl.left
        let isShort = left < min(2, pages.count) + (needsHead ? 1 : 0)
        if isShort, !feed.isPartitioned { return keepRows(crawl) }
        if feed.pageLimit.left(behind: crawl.requests) < pages.count + (needsHead ? 1 : 0) {
            crawl.claim.take(.outOfPages)
            return finish(crawl)
        }
        // An item may have moved to the head after the crawl had passed its place.
        if needsHead { return readHeadAgain(crawl, for: .removal) }
        guard let first = pages.first else { return finish(crawl) }
        crawl.isRemoving = true
        // Rows whose pages this run cannot request stay until a later run can.
        state = .checking(crawl, CheckRound(isShort ? pages : Array(pages.prefix(left)), number: 1))
        return .check(first)
    }

    /// Ends the run without a look for the rows that were not met, because it has too few requests for that.
    private mutating func keepRows(_ crawl: Crawl) -> Step {
        keepsUnmetRows = true
        var crawl = crawl
        crawl.claim.take(.unproved)
        return finish(crawl)
    }

    /// Takes a page that was requested again.
    ///
    /// - Parameter pages: In a search for missing rows, if items came above the page: the pages that now hold its
    ///   earlier items; nil if no page of the crawl does.
    package mutating func checked(
        _ page: PageOfCrawl, _ result: PageComparison, pushedTo pages: [PageOfCrawl]? = []
    ) -> Step {
        guard case .checking(var crawl, var round) = state else { return end(.failed) }
        crawl.checks += 1
        var rest = Array(round.left.dropFirst())
        let others = (pages ?? []).filter { !rest.contains($0) }
        let isLost = pages == nil || !others.isEmpty && !hasRoom(for: rest.count + others.count, crawl)
        if !isLost {
            rest += others
            round.left += others
        }
        let result = round.settled(result)
        let isFollowed = rest.first.map { $0.crawl == page.crawl && $0.number == page.number + 1 } ?? false
        round.worst = max(
            round.worst, weighed(result, isFollowed: isFollowed, isLast: page == crawl.lastPage))
        if isLost { round.worst = max(round.worst, .movedUp) }
        if result != .same { crawl.hasChanged = true }
        // The end of the list is on a page that was not read.
        switch result {
        case .shifted(_, isLast: false) where page == crawl.lastPage,
            .overtaken(isLast: false) where page == crawl.lastPage:
            crawl.claim.take(.unproved)
        default: break
        }
        // The page now leads to pages that were not read, so the others need not be requested. The same holds for pages
        // after a loose page that moved, from which the range is read again.
        if round.worst == .outgrown || crawl.behindLoose != nil && round.worst != .same { round.left = [] }
        if let next = rest.first, !round.left.isEmpty {
            round.left = rest
            state = .checking(crawl, round)
            return .check(next)
        }
        state = .crawling(crawl)
        if let range = crawl.behindLoose {
            crawl.behindLoose = nil
            guard round.worst == .same else {
                // Items may have come or gone between the previous page and this one.
                let isSecond = round.all.contains(PageOfCrawl(crawl: page.crawl, number: page.number - 1))
                crawl.isGoingBack = true
                crawl.hasReadAgain = true
                state = .crawling(crawl)
                return .goOn(crawl: range.crawl, from: isSecond ? page.number - 1 : page.number)
            }
            guard range.cursor != nil else { return reachedEnd(crawl) }
            state = .crawling(crawl)
            return .goOn(crawl: range.crawl, from: nil)
        }
        if crawl.isRemoving {
            if round.worst >= .movedUp { crawl.claim.take(.moved) }
            return finish(crawl)
        }
        if round.worst < .changed {
            // Changes during the checks may have been undone meanwhile.
            if round.number > 1 { crawl.claim.take(.unproved) }
            if round.worst == .same || crawl.hasReadHead { return proved(crawl) }
            guard hasRoom(for: 1, crawl) else {
                crawl.claim.take(.unproved)
                return proved(crawl)
            }
            return readHeadAgain(crawl, for: .proof)
        }
        if round.number < Self.mostRounds, round.worst < .detached, hasRoom(for: round.all.count, crawl) {
            let again = CheckRound(round.all, number: round.number + 1)
            state = .checking(crawl, again)
            return .check(again.all[0])
        }
        crawl.claim.take(.unproved)
        // Items that only came above the others, or changed in place, hide nothing.
        if round.worst < .movedUp { return proved(crawl) }
        crawl.claim.take(.moved)
        return finish(crawl)
    }

    /// True if this number of further pages may be requested.
    private func hasRoom(for pages: Int, _ crawl: Crawl) -> Bool {
        min(feed.pageLimit.left(behind: crawl.requests), crawl.left) >= pages
    }

    /// The result of a page, adjusted for what the page after it will still show.
    func weighed(_ result: PageComparison, isFollowed: Bool, isLast: Bool) -> PageComparison {
        switch result {
        case .pushedDown where isFollowed: .changed
        case .pushedDown, .detached: isLast ? .detached : .movedUp
        default: result
        }
    }

    mutating func examine(_ crawl: Crawl) -> Step {
        state = .crawling(crawl)
        return .examine
    }

    mutating func readHeadAgain(_ crawl: Crawl, for purpose: HeadPurpose) -> Step {
        var crawl = crawl
        crawl.headPurpose = purpose
        crawl.isReadingHead = true
        crawl.headPages = 0
        crawl.headReads += 1
        state = .crawling(crawl)
        return .readHeadAgain
    }

    mutating func headIsRead(_ crawl: inout Crawl) -> Step {
        crawl.isReadingHead = false
        crawl.hasReadHead = true
        crawl.isHeadStale = false
        // While its second page was read, more items may have come to the first.
        if crawl.headPages > 1 {
            if crawl.headReads < Self.mostRounds, hasRoom(for: 1, crawl) {
                return readHeadAgain(crawl, for: crawl.headPurpose)
            }
            crawl.claim.take(.unproved)
        }
        return crawl.headPurpose == .total ? examine(crawl) : proved(crawl)
    }

    /// Ends the proof. The search for removed items comes next.
    mutating func proved(_ before: Crawl) -> Step {
        var crawl = before
        if crawl.hasHeadMovedUp { crawl.claim.take(.headMovedUp) }
        guard feed.mode == .all, crawl.reason == nil else { return finish(crawl) }
        state = .crawling(crawl)
        return .findMissing
    }

    mutating func finish(_ crawl: Crawl) -> Step {
        let outcome: RunOutcome = crawl.hasChanged ? .ok : .unchanged
        return end(outcome, crawl.claim.closing)
    }
}
