/// The rules of one run: they choose the next page and the end. Pure: the engine performs the steps.
///
/// A sync always reads the head first. If the head meets a stored range, the sync continues at the range's end instead
/// of reading through it. At the end of the list it proves, as far as possible, that nothing was missed, and finds
/// removed items.
package struct CrawlRules {
    struct Crawl {
        var hasChanged = false
        /// True if the list has changed, even if only its end is elsewhere.
        var hasMoved = false
        /// The number of the crawl's pages, and of other requests: pages again, the head again, and looks behind the end.
        var pages = 0
        var checks = 0
        /// The number of steps back to an earlier page.
        var stepsBack = 0
        /// True if a border stayed broken after that many steps back.
        var hasDrifted = false
        /// True if a border was broken. The page that showed it was not committed, so later facts do not show it.
        var hasSteppedBack = false
        /// True if the next page is requested again to find the place where the list continues.
        var isGoingBack = false
        /// True while the head is read again after the end.
        var isReadingHead = false
        /// True once the head was read again.
        var hasReadHead = false
        /// True if pages were read since, from which items may have moved to the head.
        var isHeadStale = false
        /// The number of pages of the head that were read again in a row, and the number of such reads.
        var headPages = 0
        var headReads = 0
        /// The last page of the list.
        var lastPage: PageOfCrawl?
        /// The completeness of the list, as far as it is known.
        var claim = Completeness.Claim()
        /// True if pages were read again, so that their places do not show the list's order.
        var hasReadAgain = false
        /// True if the head, when read again, had lost items or gained items from further down.
        var hasHeadMovedUp = false
        /// True if the head, when read again, was as the crawl had read it.
        var hasSameHead = false
        /// True if every page, when requested again, was as the crawl had read it.
        var hasSamePages = false
        /// True if pages of earlier runs should be read again, and the run has too few requests for that: no page is
        /// asked again for missing rows, which may stand on one of those.
        var hasUnreadPages = false
        /// The number of different items that it met, where the upstream reports a total.
        var met: Int?
        /// True if items came again on later pages, besides those by which pages overlap.
        var hasRepeats = false
        /// True if some of them have no reason in the way of paging, pages are places in the list, and this run has read
        /// all of them.
        var hasOddRepeats = false
        /// True if the list moved under the crawl before this one, which met the same items.
        var isLikeDrift = false
        /// True if each page was requested after the previous one had come.
        var isInSequence = true
        /// The reason why the head is read again.
        var headPurpose = HeadPurpose.proof
        /// True while the pages that only earlier runs read are read again. The second is true once they were, or could
        /// not be.
        var isReadingThrough = false
        var hasReadThrough = false
        /// The number of requests that the run may make for pages in all; nil without a limit.
        var requestLimit: Int?
        /// True if pages are checked for rows that were not met.
        var isRemoving = false
        /// The number of pages behind the end that were requested.
        var looks = 0
        /// A range to continue with once its loose pages are checked.
        var behindLoose: SyncedRange?
        /// The range at whose end the crawl looks for appended items.
        var grown: SyncedRange?

        /// The number of pages that the run has requested.
        var requests: Int { pages + checks }
        /// The number of requests that it may still make for pages; `Int.max` without a limit.
        var left: Int { requestLimit.map { $0 - requests } ?? .max }
        var reason: IncompleteReason? { claim.reason }
    }

    /// The reason why the head is read again after the end.
    enum HeadPurpose {
        /// The crawl met fewer items than there are.
        case total
        /// The head proves the earlier pages, or brings new items.
        case proof
        /// Rows were not met: an item may have moved to the head after the crawl had passed its place.
        case removal
    }

    /// One round of checks: pages that are requested again, one after the other.
    struct CheckRound {
        let all: [PageOfCrawl]
        var left: [PageOfCrawl]
        let number: Int
        var worst = PageComparison.same
        /// The number of items by which the last page had shifted down.
        var shift = 0

        init(_ all: [PageOfCrawl], number: Int) { (self.all, left, self.number) = (all, all, number) }

        /// The result of a page in the light of the pages above it: in a list that only shifts down, the shift never
        /// decreases.
        mutating func settled(_ result: PageComparison) -> PageComparison {
            if case .overtaken = result { return result }
            let by = if case .shifted(let by, _) = result { by } else { 0 }
            // After a change, only items that a page shows count: items that this page pushed down may be on pages not
            // checked.
            if number > 1, by > 0 { return .pushedDown }
            guard result < .changed else { return result }
            defer { shift = by }
            return by < shift ? .changed : result
        }
    }

    enum State {
        case opening(RequestCommand)
        case paging(left: Int?, hasChanged: Bool)
        case crawling(Crawl)
        case checking(Crawl, CheckRound)
        case ended
    }

    /// The number of rounds of checks, and of reads of the head, before the list counts as one that moves under the
    /// crawl.
    static let mostRounds = 3
    /// The number of steps back that a crawl may take in a row of pages.
    static let mostStepsBack = 5
    /// The number of pages after which one step back no longer counts.
    static let pagesPerStepBack = 4
    /// The number of pages behind the end that are looked at.
    static let mostLooks = 3

    var state: State
    var feed: Feed
    /// True if the run had too few requests to see if the rows that it did not meet are gone.
    package internal(set) var keepsUnmetRows = false
    /// True if no page can show that the rows that the run did not meet are gone: those beside them have moved.
    package private(set) var hasUnclearRows = false

    package init(_ command: RequestCommand, _ feed: Feed = Feed()) {
        state = .opening(command)
        self.feed = feed
    }

    /// Updates the facts of the feed after its first page has shown how it is paged.
    package mutating func learn(_ feed: Feed) { self.feed = feed }

    /// True if the page being fetched is to be followed by another.
    package var wantsNext: Bool { pagesWanted != 0 }

    /// The number of pages wanted after the one being fetched; nil without a limit.
    package var pagesWanted: Int? {
        switch state {
        case .paging(let left, _): left.map { max($0 - 1, 0) }
        case .crawling: nil
        default: 0
        }
    }

    /// True if the run is a sync.
    var isSync: Bool {
        switch state {
        case .crawling, .checking: true
        default: false
        }
    }

    /// True while pages are requested again because rows on them were not met.
    package var isRemoving: Bool { if case .checking(let crawl, _) = state { crawl.isRemoving } else { false } }

    /// True while pages are requested again to prove that nothing was missed.
    package var isProving: Bool {
        if case .checking(let crawl, _) = state { !crawl.isRemoving && crawl.behindLoose == nil } else { false }
    }

    /// True if it is proved so far that the crawl met everything.
    package var isProved: Bool { if case .crawling(let crawl) = state { crawl.claim.isVerified } else { false } }

    /// True if a page that was requested again counts as one that the run read. Where no rows are looked for, a page
    /// whose items are further down by now proves nothing about those that were not met.
    package func countsAsRead(_ result: PageComparison) -> Bool {
        isRemoving || result.hasSameItems || result == .changed
    }

    /// True while the head is read again.
    package var isReadingHeadAgain: Bool { if case .crawling(let crawl) = state { crawl.isReadingHead } else { false } }

    /// True while pages that only earlier runs read are read again. Rows that those runs stored are not met then.
    package var isReadingThrough: Bool {
        if case .crawling(let crawl) = state { crawl.isReadingThrough } else { false }
    }

    /// Begins the run, once the feed is locked and loaded. Returns the first step.
    package mutating func opened(_ resumePoint: ResumePoint) -> Step {
        guard case .opening(let command) = state else { return end(.failed) }
        guard command == .sync else {
            let isHeader = command == .reload || !resumePoint.isLoaded
            guard isHeader || resumePoint.openRange != nil else { return end(.noMoreData) }
            state = .paging(left: command.limit, hasChanged: false)
            guard !isHeader, let range = resumePoint.openRange else { return .fetch(.header, nil) }
            return .goOn(crawl: range.crawl, from: nil)
        }
        state = .crawling(Crawl())
        return .fetch(.header, nil)
    }

    /// Takes a fetched page before it is committed. Returns the step to take instead; nil to commit the page.
    package mutating func came(_ border: Border) -> Step? {
        guard case .crawling(var crawl) = state, !crawl.isGoingBack, border.isBroken, border.number > 1, feed.isShifting
        else { return nil }
        guard crawl.stepsBack < Self.mostStepsBack else {
            crawl.hasDrifted = true
            state = .crawling(crawl)
            return nil
        }
        crawl.stepsBack += 1
        crawl.hasSteppedBack = true
        crawl.isGoingBack = true
        state = .crawling(crawl)
        return .goOn(crawl: border.crawl, from: border.number - 1)
    }

    /// True if the list may have moved unnoticed before a page that is the first one behind a synced range: a sync
    /// requests the range's last page again, `more` does not.
    package func isLoose(_ border: Border) -> Bool {
        guard !isSync, feed.isShifting, border.overlaps != true else { return false }
        return border.total == nil || border.total != border.totalBefore
    }

    /// The way to deal with a page that only a count calls the last one.
    ///
    /// - Parameters:
    ///   - number: The number of the page in the crawl.
    ///   - isChecked: True if the page is as it was when a sync requested the page behind it.
    ///   - ledOn: True if that page had items then.
    ///   - mayRequest: True if the run may make one more request.
    package func countedEnd(onPage number: Int, isChecked: Bool, ledOn: Bool, mayRequest: Bool) -> CountedEnd {
        guard !isChecked, feed.verify != .never, !feed.isPartitioned, feed.pageLimit.left(behind: number) != 0 else {
            return .believed
        }
        switch state {
        case .paging(left: .some, _): return .unchecked
        // The page is requested again to go on behind it.
        case .crawling(let crawl) where crawl.isGoingBack && ledOn: return .toGoOn
        default: return mayRequest ? .toCheck : .unchecked
        }
    }

    /// Takes a committed page, and returns the next step.
    package mutating func committed(_ page: Committed) -> Step {
        switch state {
        case .paging(let left, let hasChanged):
            let changed = hasChanged || !page.isUnchanged
            let rest = left.map { $0 - 1 }
            state = .paging(left: rest, hasChanged: changed)
            guard rest != 0 else { return end(changed ? .ok : .unchanged) }
            switch page.onward {
            case .page(let next): return .fetch(.footer, next)
            case .range(let range): return .goOn(crawl: range.crawl, from: nil)
            case .whole, .end: return end(changed ? .ok : .unchanged)
            }
        case .crawling(var crawl):
            crawl.hasChanged = crawl.hasChanged || !page.isUnchanged
            crawl.hasMoved = crawl.hasMoved || !page.isUnchanged || !page.isInPlace
            crawl.pages += 1
            crawl.headPages += crawl.isReadingHead ? 1 : 0
            state = .crawling(crawl)
            return went(on: page, crawl)
        default: return end(.failed)
        }
    }

    /// Takes the error of a page that failed or could not be committed, and returns the run's outcome.
    package mutating func failed(_ error: FeedSyncError) -> RunOutcome {
        state = .ended
        return RunOutcome(error)
    }

    mutating func end(_ outcome: RunOutcome, _ closing: CrawlClosing? = nil) -> Step {
        state = .ended
        return .end(outcome, closing)
    }
}

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
        } else if crawl.pages.isMultiple(of: Self.pagesPerStepBack) {
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
            if page.hasUncheckedEnd { crawl.claim.take(.unproved) }
            crawl.isReadingThrough = false
            if let grown = crawl.grown, !crawl.hasMoved {
                crawl.claim.take(.endOfGrowingRange(isVerified: grown.isVerified))
                return finish(crawl)
            }
            // A synced range must have no gaps, so that an incomplete list is examined, too. After `cap`, the next sync
            // looks for the end anyway.
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
        let isRead =
            range.crawl == page.crawl || crawl.pages == 1 && page.pagesOfRange == 1 || page.isLastOfRange
        return resume(
            range.crawl, pages: page.pagesOfRange, isRead: isRead,
            isShifting: feed.isShifting || page.rangeCursorsHavePlaces, crawl)
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

/// The end of a sync: proves that nothing was missed, and finds removed items.
extension CrawlRules {
    /// Takes the facts of a crawl at the end of the list, and returns the next step.
    package mutating func examined(_ facts: CrawlFacts) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        crawl.requestLimit = facts.requestsLeft.map { min($0, .max / 2) + crawl.requests }
        crawl.lastPage = facts.pages.last
        crawl.hasRepeats = facts.hasRepeats && !facts.hasDoubtfulEnd
        crawl.hasOddRepeats =
            facts.hasOddRepeats && facts.olderPages == 0 && (feed.isShifting || facts.cursorsHavePlaces)
        crawl.isInSequence = facts.isInSequence
        crawl.isLikeDrift = facts.isLikeDrift
        crawl.met = facts.total == nil ? nil : facts.met
        if crawl.hasDrifted {
            crawl.claim.take(.moved)
            return finish(crawl)
        }
        if crawl.reason == nil, facts.isPartial {
            crawl.claim.take(.upstreamIncomplete)
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
        // The list may have more, and no page that is asked for again would show them.
        if facts.totalMayBeCap { crawl.claim.take(.unproved) }
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

    /// Takes a first page with the items that it had, in their order.
    ///
    /// - Parameters:
    ///   - hasChanged: True if some of their values have changed.
    ///   - total: The number of items that it reported both times at least; nil if it reports none.
    package mutating func headIsSame(hasChanged: Bool = false, total: Int? = nil) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        crawl.checks += 1
        if crawl.reason == nil, let reason = Completeness.shortage(met: crawl.met, atHead: total) {
            crawl.claim.take(.shortage(reason))
        }
        crawl.hasChanged = crawl.hasChanged || hasChanged
        // If the head was read again before, something may have changed it.
        crawl.hasSameHead = crawl.headReads == 1
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

    /// Takes the page cursor to which the list led on before, if rows at its end were not met. Returns nil if this run
    /// removes no row anyway.
    package mutating func found(behindEnd next: PageCursor) -> Step? {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        guard !crawl.hasUnreadPages, !Completeness.mayHavePassed(crawl, feed) else { return nil }
        guard hasRoom(for: 1, crawl) else { return keepRows(crawl, .unmetRows) }
        crawl.checks += 1
        crawl.looks = 1
        state = .crawling(crawl)
        return .lookBehindEnd(next)
    }

    /// True if enough pages behind the end were requested.
    package var hasLookedEnough: Bool {
        if case .crawling(let crawl) = state { crawl.looks >= Self.mostLooks } else { true }
    }

    /// Counts one more page behind the end. False if the run has too few requests.
    package mutating func looksFurther() -> Bool {
        guard case .crawling(var crawl) = state, hasRoom(for: 1, crawl) else { return false }
        crawl.checks += 1
        crawl.looks += 1
        state = .crawling(crawl)
        return true
    }

    /// Takes the decision on the page behind the end of the list.
    package mutating func looked(keepsRows: Bool) -> Step {
        guard case .crawling(let crawl) = state else { return end(.failed) }
        return keepsRows ? finish(crawl) : .findMissing
    }

    /// Takes the pages next to the rows that the crawl did not meet; nil if none is missing.
    ///
    /// - Parameter isUnclear: True if other rows were not met, and no two pages show that they are gone.
    package mutating func found(missingBeside pages: [PageOfCrawl]?, isUnclear: Bool = false) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        guard pages != nil || isUnclear else { return finish(crawl) }
        hasUnclearRows = isUnclear
        if isUnclear { crawl.claim.take(.unproved) }
        // The rows may be on pages that only an earlier run has read.
        if crawl.hasUnreadPages { return keepRows(crawl, .unmetRows) }
        if Completeness.mayHavePassed(crawl, feed) {
            crawl.claim.take(.moved)
            return finish(crawl)
        }
        guard let pages else { return finish(crawl) }
        if Completeness.mayHideItems(crawl) {
            hasUnclearRows = true
            crawl.claim.take(.unmetRows)
            return finish(crawl)
        }
        // The proof of partitions has requested each page again, the first one, too.
        let isProvedByPages = feed.isPartitioned && crawl.hasSamePages
        let needsHead = (!crawl.hasReadHead || crawl.isHeadStale) && !isProvedByPages
        // Two pages show that a row is gone. In partitions, the run checks as many pages as it can, and the next run the
        // rest.
        let left = crawl.left
        let isShort = left < min(2, pages.count) + (needsHead ? 1 : 0)
        if isShort, !feed.isPartitioned { return keepRows(crawl, needsHead ? .unmetRows : .unproved) }
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
    ///
    /// - Parameter evidence: `unproved` if the pages that were read show all the same that some of them are gone.
    private mutating func keepRows(_ crawl: Crawl, _ evidence: Completeness.Claim.Evidence) -> Step {
        keepsUnmetRows = true
        var crawl = crawl
        crawl.claim.take(evidence)
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
            round.worst, adjusted(result, isFollowed: isFollowed, isLast: page == crawl.lastPage))
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
        if round.worst == .outgrown || crawl.behindLoose != nil && !round.worst.hasSameItems { round.left = [] }
        if let next = rest.first, !round.left.isEmpty {
            round.left = rest
            state = .checking(crawl, round)
            return .check(next)
        }
        if let range = crawl.behindLoose { return goOn(behind: range, crawl, round, last: page) }
        return checkedAll(crawl, round)
    }

    /// Goes on behind the loose pages of a range, or reads the range again from one of them that has moved.
    private mutating func goOn(
        behind range: SyncedRange, _ before: Crawl, _ round: CheckRound, last page: PageOfCrawl
    ) -> Step {
        var crawl = before
        crawl.behindLoose = nil
        guard round.worst.hasSameItems else {
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

    /// Decides what a round of checks has shown.
    private mutating func checkedAll(_ before: Crawl, _ round: CheckRound) -> Step {
        var crawl = before
        state = .crawling(crawl)
        if crawl.isRemoving {
            if round.worst >= .movedUp { crawl.claim.take(.moved) }
            return finish(crawl)
        }
        if round.worst < .changed {
            // Changes during the checks may have been undone meanwhile.
            if round.number > 1 { crawl.claim.take(.unproved) }
            crawl.hasSamePages = round.worst.hasSameItems
            if crawl.hasSamePages || crawl.hasReadHead { return proved(crawl) }
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
    func adjusted(_ result: PageComparison, isFollowed: Bool, isLast: Bool) -> PageComparison {
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
        if crawl.reason == nil, Completeness.mayHideItems(crawl) {
            crawl.claim.take(crawl.hasMoved && !crawl.isLikeDrift ? .moved : .unproved)
        }
        guard feed.mode == .all, crawl.reason == nil else { return finish(crawl) }
        state = .crawling(crawl)
        return .findMissing
    }

    mutating func finish(_ crawl: Crawl) -> Step {
        let outcome: RunOutcome = crawl.hasChanged ? .ok : .unchanged
        return end(outcome, crawl.claim.closing)
    }
}
