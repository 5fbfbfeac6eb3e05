/// How a sync proves, at the end of the list, that nothing was missed, and finds out what is gone.
extension CrawlRules {
    /// Takes the facts of a crawl that has reached the end of the list.
    package mutating func examined(_ facts: CrawlFacts) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        crawl.requestsLeft = facts.requestsLeft.map { min($0, .max / 2) + crawl.pages + crawl.checks }
        crawl.lastPage = facts.pages.last
        if crawl.hasDrifted {
            crawl.reason = .drift
            return finish(crawl)
        }
        var facts = facts
        facts.hasTotalMoved = facts.hasTotalMoved || crawl.hasSteppedBack
        if let step = readThrough(facts, &crawl) { return step }
        if crawl.reason == nil, let shortage = Completeness.shortage(facts) {
            // What the pages passed over may stand at the head by now.
            if shortage == .drift, !crawl.hasReadHead, hasRoom(for: 1, crawl) {
                return readHeadAgain(crawl, for: .total)
            }
            crawl.reason = shortage
            return finish(crawl)
        }
        let proof = Completeness.Proof(feed.verify, feed, facts)
        if crawl.reason == nil, !crawl.hasReadAgain, Completeness.isDrift(facts, proof) {
            crawl.reason = .drift
            return finish(crawl)
        }
        switch proof {
        case .none:
            crawl.isVerified = false
            return proved(crawl)
        case .given: return proved(crawl)
        case .head(let proves):
            crawl.isVerified = crawl.isVerified && proves
            // What is as it was stored has nothing to bring up to date.
            if crawl.hasReadHead || !proves && !crawl.hasMoved { return proved(crawl) }
            guard !facts.isQuotaLow, hasRoom(for: 1, crawl) else {
                crawl.isVerified = false
                return proved(crawl)
            }
            return readHeadAgain(crawl, for: .proof)
        case .pages where facts.isQuotaLow || !hasRoom(for: facts.pages.count, crawl):
            crawl.isVerified = false
            return proved(crawl)
        case .pages:
            guard let first = facts.pages.first else { return proved(crawl) }
            state = .checking(crawl, Round(facts.pages, number: 1))
            return .check(first)
        }
    }

    /// Reads the pages again that only earlier runs read, from the head on until the list is met as this run read it: it may
    /// have moved since the cut. Where the run has no requests left for that, the crawl is what it was when it began, and
    /// proves nothing.
    private mutating func readThrough(_ facts: CrawlFacts, _ crawl: inout Crawl) -> Step? {
        guard facts.olderPages > 0, !crawl.hasReadThrough else { return nil }
        crawl.hasReadThrough = true
        // It was not read in one go.
        crawl.isVerified = false
        // Rows that were not met need three more: the head, and the two pages beside one.
        guard facts.mustReadThrough, hasRoom(for: facts.olderPages + 3, crawl) else { return nil }
        crawl.isReadingThrough = true
        crawl.hasReadHead = true
        state = .crawling(crawl)
        return .readThrough
    }

    /// Takes a first page that is as it was.
    package mutating func headIsSame() -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        crawl.checks += 1
        return headIsRead(&crawl)
    }

    /// Takes the head as it was read again so far. Where items went from it, and nothing proves the pages behind it, some
    /// items may have been passed over.
    package mutating func head(hasMovedUp: Bool) {
        guard case .crawling(var crawl) = state else { return }
        crawl.hasHeadMovedUp = hasMovedUp
        state = .crawling(crawl)
    }

    /// Takes a first page that did not come when it was asked for again. Without it, what was read stays read; nil where rows
    /// that were not met wait for it.
    package mutating func headFailed() -> Step? {
        guard case .crawling(var crawl) = state, crawl.headPurpose != .removal else { return nil }
        crawl.isReadingHead = false
        crawl.hasReadHead = true
        crawl.isVerified = false
        return crawl.headPurpose == .total ? examine(crawl) : finish(crawl)
    }

    /// The pages beside which rows stand that the crawl did not meet; nil where none is missing.
    package mutating func found(missingBeside pages: [PageOfCrawl]?) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        guard let pages else { return finish(crawl) }
        // What is gone stays until it was looked for.
        if let most = feed.maxPages, crawl.pages + crawl.checks > most - pages.count - (crawl.hasReadHead ? 0 : 1) {
            crawl.reason = .maxPages
            return finish(crawl)
        }
        // To the head an item may have moved when the crawl had passed it.
        guard crawl.hasReadHead else { return readHeadAgain(crawl, for: .removal) }
        guard let first = pages.first else { return finish(crawl) }
        crawl.isRemoving = true
        // Rows whose pages this run cannot ask for stay until a later one can. Two pages show that a row is gone: with fewer
        // requests left, the run ends there, and the next one begins with them.
        let left = crawl.requestsLeft.map { $0 - crawl.pages - crawl.checks } ?? .max
        let some = left < min(2, pages.count) ? pages : Array(pages.prefix(left))
        state = .checking(crawl, Round(some, number: 1))
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
                crawl.hasReadAgain = true
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
            return readHeadAgain(crawl, for: .proof)
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

    /// True if so many pages more can be asked for.
    private func hasRoom(for pages: Int, _ crawl: Crawl) -> Bool {
        [feed.maxPages, crawl.requestsLeft].compactMap(\.self).allSatisfy { crawl.pages + crawl.checks <= $0 - pages }
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
        // While its second page was read, more may have come to the first.
        if crawl.headPages > 1 {
            if crawl.headReads < Self.mostRounds, hasRoom(for: 1, crawl) {
                return readHeadAgain(crawl, for: crawl.headPurpose)
            }
            crawl.isVerified = false
        }
        return crawl.headPurpose == .total ? examine(crawl) : proved(crawl)
    }

    /// It is proved as far as it can be that nothing was missed: what is gone comes next.
    mutating func proved(_ before: Crawl) -> Step {
        var crawl = before
        if crawl.hasHeadMovedUp, !crawl.isVerified, crawl.reason == nil { crawl.reason = .drift }
        guard feed.mode == .all, crawl.reason == nil else { return finish(crawl) }
        state = .crawling(crawl)
        return .findMissing
    }

    mutating func finish(_ crawl: Crawl) -> Step {
        let outcome: RunOutcome = crawl.hasChanged ? .ok : .unchanged
        return end(outcome, crawl.reason.map(CrawlClosing.incomplete) ?? .complete(isVerified: crawl.isVerified))
    }
}
