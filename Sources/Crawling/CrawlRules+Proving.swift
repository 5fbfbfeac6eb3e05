/// How a sync proves, at the end of the list, that nothing was missed, and finds out what is gone.
extension CrawlRules {
    /// What the crawl has seen up to the end of the list.
    package mutating func examined(_ facts: CrawlFacts) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        if crawl.hasDrifted {
            crawl.reason = .drift
            return finish(crawl)
        }
        crawl.lastPage = facts.pages.last
        var facts = facts
        facts.hasTotalMoved = facts.hasTotalMoved || crawl.hasSteppedBack
        if crawl.reason == nil, let total = facts.total, facts.met < total {
            crawl.reason = facts.hasRepeats || facts.hasTotalMoved ? .drift : .cap
            return finish(crawl)
        }
        facts.isOpen = feed.isOpen
        // Tokens that count, or pages that repeat items, are page numbers in disguise.
        let isShifting = feed.isShifting || facts.hasRepeats || facts.cursorsCount
        switch Proof(feed.verify, isShifting: isShifting, isPartitioned: feed.isPartitioned, facts) {
        case .none:
            crawl.isVerified = false
            return proved(crawl)
        case .given: return proved(crawl)
        case .pages where feed.verify == .auto && !crawl.hasMoved && !facts.isFirst:
            // Every page was asked again, and is as the crawl before read it.
            return proved(crawl)
        case .head where !hasRoom(for: 1, crawl), .pages where !hasRoom(for: facts.pages.count, crawl):
            crawl.isVerified = false
            return proved(crawl)
        case .head(let proves):
            crawl.isVerified = crawl.isVerified && proves
            return readHeadAgain(crawl)
        case .pages:
            guard let first = facts.pages.first else { return proved(crawl) }
            state = .checking(crawl, Round(facts.pages, number: 1))
            return .check(first)
        }
    }

    /// The first page is as it was.
    package mutating func headIsSame() -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        crawl.checks += 1
        return headIsRead(&crawl)
    }

    /// The pages beside which rows stand that the crawl did not meet; nil where none is missing.
    package mutating func found(missingBeside pages: [PageOfCrawl]?) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        guard let pages else { return finish(crawl) }
        // What is gone stays until it was looked for.
        guard hasRoom(for: pages.count + (crawl.hasReadHead ? 0 : 1), crawl) else {
            crawl.reason = .maxPages
            return finish(crawl)
        }
        // To the head an item may have moved when the crawl had passed it.
        guard crawl.hasReadHead else { return readHeadAgain(crawl) }
        guard let first = pages.first else { return finish(crawl) }
        crawl.isRemoving = true
        state = .checking(crawl, Round(pages, number: 1))
        return .check(first)
    }

    /// A page was asked for again.
    ///
    /// - Parameter pages: Where rows that the crawl did not meet are looked for, and items came above the page: those that
    ///   have by now what stood on it; nil where no page of the crawl has.
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
        // The end of the list stands on a page that was not read.
        switch result {
        case .shifted(_, isLast: false) where page == crawl.lastPage,
            .overtaken(isLast: false) where page == crawl.lastPage:
            crawl.isVerified = false
            if crawl.awaitsProof { round.worst = max(round.worst, .detached) }
        default: break
        }
        // What it leads to now was not read: the others need not be asked for. Nor need those behind a loose page that
        // moved, from which on the range is read again.
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
                // Between the page before it and this one something may have come or gone.
                let isSecond = round.all.contains(PageOfCrawl(crawl: page.crawl, number: page.number - 1))
                crawl.isGoingBack = true
                state = .crawling(crawl)
                return .goOn(crawl: range.crawl, from: isSecond ? page.number - 1 : page.number)
            }
            guard range.cursor != nil else { return reachedEnd(crawl) }
            state = .crawling(crawl)
            return .goOn(crawl: range.crawl, from: nil)
        }
        if crawl.isRemoving {
            if round.worst >= .movedUp { crawl.reason = .drift }
            return finish(crawl)
        }
        if round.worst < .changed {
            // What changed while pages were asked for again may have changed back.
            crawl.isVerified = crawl.isVerified && round.number == 1
            if round.worst == .same || crawl.hasReadHead { return proved(crawl) }
            guard hasRoom(for: 1, crawl) else {
                crawl.isVerified = false
                return proved(crawl)
            }
            return readHeadAgain(crawl)
        }
        if round.number < Self.mostRounds, round.worst < .detached, hasRoom(for: round.all.count, crawl) {
            let again = Round(round.all, number: round.number + 1)
            state = .checking(crawl, again)
            return .check(again.all[0])
        }
        crawl.isVerified = false
        // What only came above the others, or changed in its place, hides nothing.
        if round.worst < .movedUp { return proved(crawl) }
        crawl.reason = .drift
        return finish(crawl)
    }

    /// Whether so many pages more can be asked for.
    private func hasRoom(for pages: Int, _ crawl: Crawl) -> Bool {
        feed.maxPages.map { crawl.pages + crawl.checks <= $0 - pages } ?? true
    }

    /// What another page behind it will show is not lost yet.
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

    mutating func readHeadAgain(_ crawl: Crawl) -> Step {
        var crawl = crawl
        crawl.isReadingHead = true
        crawl.headPages = 0
        crawl.headReads += 1
        state = .crawling(crawl)
        return .readHeadAgain
    }

    mutating func headIsRead(_ crawl: inout Crawl) -> Step {
        crawl.isReadingHead = false
        crawl.hasReadHead = true
        // While its second page was read, more may have come to the first.
        if crawl.headPages > 1 {
            if crawl.headReads < Self.mostRounds, hasRoom(for: 1, crawl) { return readHeadAgain(crawl) }
            crawl.isVerified = false
        }
        return proved(crawl)
    }

    /// It is proved as far as it can be that nothing was missed: what is gone comes next.
    mutating func proved(_ crawl: Crawl) -> Step {
        guard feed.mode == .all, crawl.reason == nil else { return finish(crawl) }
        state = .crawling(crawl)
        return .findMissing
    }

    mutating func finish(_ crawl: Crawl) -> Step {
        let outcome: RunOutcome = crawl.hasChanged ? .ok : .unchanged
        return end(outcome, crawl.reason.map(CrawlClosing.incomplete) ?? .complete(isVerified: crawl.isVerified))
    }
}
