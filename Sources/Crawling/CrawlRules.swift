/// The rules of one run: which page comes next, and when it is over. Pure; the engine does what it says.
///
/// A sync reads the head first, whatever is known. Where that meets a stored range it goes on at the range's end, not
/// through it; at the end of the list it proves that nothing was missed, as far as that can be had, and finds out what
/// is gone.
package struct CrawlRules {
    /// What to do next.
    package enum Step: Sendable, Hashable {
        /// Request a page and commit it: the first one, or the next one of the crawl.
        case fetch(PageDirection, PageCursor?)
        /// Go on at the end of a crawl, or at a page of it, which is asked for again.
        case goOn(crawl: Int64, from: Int?)
        /// Ask for the first page again; if it is not as it was, a new crawl begins with it.
        case readHeadAgain
        /// The crawl has reached the end: find out what it has seen, and tell `examined`.
        case examine
        /// Ask for a page of the crawl again, and tell `checked`.
        case check(PageOfCrawl)
        /// Find out beside which pages rows stand that were not met, and tell `found(missingBeside:)`.
        case findMissing
        /// Nothing more; what is to be said of a sync's crawl.
        case end(RunOutcome, CrawlClosing? = nil)
    }

    /// What a committed page tells.
    package struct Committed: Sendable, Hashable {
        package var crawl: Int64 = 0
        /// Its number in the crawl, from 1.
        package var number: Int
        package var isUnchanged: Bool
        /// Whether the list goes on behind it, or ends, as it did when it was stored.
        package var isInPlace = true
        /// Whether some item of it had been met before, so that it is known where it stands.
        package var hasOverlap = true
        /// Where the crawl goes on.
        package var onward: CrawlProgress.Onward
        /// The pages of the range that it met, of the crawl at that range's end.
        package var pagesOfRange = 0

        package init(
            crawl: Int64 = 0, number: Int, isUnchanged: Bool, isInPlace: Bool = true, hasOverlap: Bool = true,
            onward: CrawlProgress.Onward, pagesOfRange: Int = 0
        ) {
            self.crawl = crawl
            self.number = number
            self.isUnchanged = isUnchanged
            self.isInPlace = isInPlace
            self.hasOverlap = hasOverlap
            self.onward = onward
            self.pagesOfRange = pagesOfRange
        }
    }

    /// What a page says of its border to the page before, when it has come and is not committed.
    package struct Border: Sendable, Hashable {
        /// The page's number.
        package var number: Int
        /// The total that it says.
        package var total: Int?
        /// The total that the page before said.
        package var totalBefore: Int?
        /// Whether its first item is the last one of the page before, as it was asked to be; nil where it was not.
        package var overlaps: Bool?
        /// The crawl.
        package var crawl: Int64 = 0

        package init(number: Int, total: Int? = nil, totalBefore: Int? = nil, overlaps: Bool? = nil, crawl: Int64 = 0) {
            self.number = number
            self.total = total
            self.totalBefore = totalBefore
            self.overlaps = overlaps
            self.crawl = crawl
        }

        /// Whether items moved up past the crawl between the two requests.
        var isBroken: Bool {
            if overlaps == false { return true }
            guard let total, let totalBefore else { return false }
            return total < totalBefore
        }
    }

    private struct Crawl {
        var hasChanged = false
        /// Whether the list is not what it was, if only because it ends elsewhere.
        var hasMoved = false
        /// The pages that were committed.
        var pages = 0
        /// How often it went a page back.
        var stepsBack = 0
        /// Whether a border stayed broken after so many steps back.
        var hasDrifted = false
        /// Whether a border was broken: the page that showed it was not committed, and tells nothing later.
        var hasSteppedBack = false
        /// Whether the next page to come is asked for again, to see where the list goes on.
        var isGoingBack = false
        /// Whether the head is read again, behind the end.
        var isReadingHead = false
        /// Whether it was.
        var hasReadHead = false
        /// The pages of the head that were read again in a row, and how often that was done.
        var headPages = 0
        var headReads = 0
        /// The last page of the list.
        var lastPage: PageOfCrawl?
        /// Whether a proof holds.
        var isVerified = false
        /// The pages to check for rows that were not met.
        var isRemoving = false
        /// A range to go on with, once its loose pages are checked.
        var behindLoose: SyncedRange?
        /// The range at whose end the crawl looks for what was appended.
        var grown: SyncedRange?
        var reason: IncompleteReason?
    }

    /// Pages that are asked for again, one after the other.
    private struct Round {
        private(set) var all: [PageOfCrawl]
        var left: [PageOfCrawl]
        let number: Int
        var worst = PageComparison.same
        /// How many items further down its last page showed the list.
        var shift = 0

        init(_ all: [PageOfCrawl], number: Int) { (self.all, left, self.number) = (all, all, number) }

        mutating func add(_ page: PageOfCrawl) {
            all.append(page)
            left = [page]
        }

        /// What a page tells beside those above it: a list that shifts down only never goes up again.
        mutating func settled(_ result: PageComparison) -> PageComparison {
            let by = if case .shifted(let by) = result { by } else { 0 }
            guard result < .changed else { return result }
            defer { shift = by }
            return by < shift ? .changed : result
        }
    }

    private enum State {
        case opening(RequestCommand)
        case paging(left: Int?, hasChanged: Bool)
        case crawling(Crawl)
        case checking(Crawl, Round)
        case ended
    }

    /// What the rules have to know of the feed.
    package struct Feed: Sendable, Hashable {
        var mode = CrawlMode.new
        var verify = VerifyRule.auto
        /// Whether items move from page to page as others come and go.
        var isShifting = false
        /// Whether each page is asked for with the last item of the page before.
        var overlaps = false
        /// Whether its pages say a total.
        var hasTotals = false
        var isPartitioned = false

        package init(
            mode: CrawlMode = .new, verify: VerifyRule = .auto, isShifting: Bool = false, overlaps: Bool = false,
            hasTotals: Bool = false, isPartitioned: Bool = false
        ) {
            self.mode = mode
            self.verify = verify
            self.isShifting = isShifting
            self.overlaps = overlaps
            self.hasTotals = hasTotals
            self.isPartitioned = isPartitioned
        }
    }

    /// How often the pages are asked for again before the crawl is given up as one under which the list moves.
    private static let mostRounds = 3
    /// How often a crawl goes a page back in a row of pages.
    private static let mostStepsBack = 5

    private var state: State
    private var feed: Feed

    package init(_ command: RequestCommand, _ feed: Feed = Feed()) {
        state = .opening(command)
        self.feed = feed
    }

    /// What pages told of the feed: how they are paged was found with the first one.
    package mutating func learn(_ feed: Feed) { self.feed = feed }

    /// Whether the page being fetched is wanted to be followed by another.
    package var wantsNext: Bool { pagesWanted != 0 }

    /// How many pages are wanted behind the one being fetched; nil where there is no limit.
    package var pagesWanted: Int? {
        switch state {
        case .paging(let left, _): left.map { max($0 - 1, 0) }
        case .crawling: nil
        default: 0
        }
    }

    /// Whether the run is a sync's.
    var isSync: Bool {
        switch state {
        case .crawling, .checking: true
        default: false
        }
    }

    /// Whether pages are asked for again because rows that stood there were not met.
    package var isRemoving: Bool { if case .checking(let crawl, _) = state { crawl.isRemoving } else { false } }

    /// Whether the head is read again.
    package var isReadingHeadAgain: Bool { if case .crawling(let crawl) = state { crawl.isReadingHead } else { false } }

    /// The feed is locked and read.
    package mutating func opened(_ resumePoint: ResumePoint) -> Step {
        guard case .opening(let command) = state else { return end(.failed) }
        guard command == .sync else {
            let isHeader = command == .reload || !resumePoint.isLoaded
            guard isHeader || resumePoint.open != nil else { return end(.noMoreData) }
            state = .paging(left: command.limit, hasChanged: false)
            guard !isHeader, let range = resumePoint.open else { return .fetch(.header, nil) }
            return .goOn(crawl: range.crawl, from: nil)
        }
        state = .crawling(Crawl())
        return .fetch(.header, nil)
    }

    /// A page has come. The step to take instead of committing it; nil to commit it.
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

    /// A page is committed.
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

    private mutating func went(on page: Committed, _ before: Crawl) -> Step {
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
            // What came above it is stored.
            if crawl.isReadingHead { return headIsRead(&crawl) }
            crawl.reason = reason
            // What a crawl of every page is worth shows when all of it has been read.
            crawl.isVerified = range.isVerified || feed.mode == .all || feed.mode == .since
            // A crawl that earlier runs brought to its end: the head has just been read again.
            if crawl.pages == 1 { crawl.hasReadHead = true }
            return range.loosePages.isEmpty
                ? reachedEnd(crawl) : checkLoosePages(of: range, pages: page.pagesOfRange, crawl)
        case .end(let reason):
            crawl.reason = crawl.isReadingHead ? .drift : reason
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
    private mutating func reachedEnd(_ crawl: Crawl) -> Step {
        // One page shows itself that nothing lies between it and the range.
        let isSure = crawl.pages == 1 && feed.mode == .new
        return isSure || crawl.reason?.leavesSyncedRange == false ? finish(crawl) : examine(crawl)
    }

    /// Pages of a range were fetched one by one, and the list may have moved in between: they are asked for again, each
    /// with the one behind it.
    private mutating func checkLoosePages(of range: SyncedRange, pages count: Int, _ before: Crawl) -> Step {
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
    private mutating func join(_ range: SyncedRange, _ page: Committed, _ before: Crawl) -> Step {
        var crawl = before
        if range.growsAtEnd, range.cursor == nil {
            if feed.hasTotals, crawl.pages == 1, page.isUnchanged, page.isInPlace {
                // As many items as there were.
                crawl.isVerified = range.isVerified
                return reachedEnd(crawl)
            }
            // What is new stands at the end: the last page again, and on from there.
            crawl.grown = range
            state = .crawling(crawl)
            return .goOn(crawl: range.crawl, from: page.pagesOfRange)
        }
        if !range.loosePages.isEmpty { return checkLoosePages(of: range, pages: page.pagesOfRange, crawl) }
        let isRead = range.crawl == page.crawl || crawl.pages == 1 && page.pagesOfRange == 1
        return resume(range.crawl, pages: page.pagesOfRange, isRead: isRead, crawl)
    }

    /// Goes on at the end of a crawl, with its last page again unless that was read a moment ago, or the next one tells
    /// by itself whether the list moved.
    private mutating func resume(_ id: Int64, pages: Int, isRead: Bool, _ before: Crawl) -> Step {
        var crawl = before
        // A total may be the same although as many items came as went.
        let isSure = isRead || !feed.isShifting || feed.overlaps || feed.isPartitioned || pages < 1
        crawl.isGoingBack = !isSure
        state = .crawling(crawl)
        return .goOn(crawl: id, from: isSure ? nil : pages)
    }

    /// What the crawl has seen up to the end of the list.
    package mutating func examined(_ facts: CrawlFacts) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        if crawl.hasDrifted {
            crawl.reason = .drift
            return finish(crawl)
        }
        crawl.lastPage = facts.lastPage
        var facts = facts
        facts.hasTotalMoved = facts.hasTotalMoved || crawl.hasSteppedBack
        if crawl.reason == nil, let total = facts.total, facts.met < total {
            crawl.reason = facts.hasRepeats || facts.hasTotalMoved ? .drift : .cap
            return finish(crawl)
        }
        // Tokens that count, or pages that repeat items, are page numbers in disguise.
        let isShifting = feed.isShifting || facts.hasRepeats || facts.cursorsCount
        switch Proof(feed.verify, isShifting: isShifting, isPartitioned: feed.isPartitioned, facts) {
        case .none:
            crawl.isVerified = false
            return proved(crawl)
        case .given: return proved(crawl)
        case .head(let proves):
            crawl.isVerified = crawl.isVerified && proves
            return readHeadAgain(crawl)
        case .pages where feed.verify == .auto && !crawl.hasMoved && !facts.isFirst:
            // Every page was asked again, and is as the crawl before read it.
            return proved(crawl)
        case .pages:
            guard let first = facts.pages.first else { return proved(crawl) }
            state = .checking(crawl, Round(facts.pages, number: 1))
            return .check(first)
        }
    }

    /// The first page is as it was.
    package mutating func headIsSame() -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        return headIsRead(&crawl)
    }

    /// The pages beside which rows stand that the crawl did not meet; nil where none is missing.
    package mutating func found(missingBeside pages: [PageOfCrawl]?) -> Step {
        guard case .crawling(var crawl) = state else { return end(.failed) }
        guard let pages else { return finish(crawl) }
        // To the head an item may have moved when the crawl had passed it.
        guard crawl.hasReadHead else { return readHeadAgain(crawl) }
        guard let first = pages.first else { return finish(crawl) }
        crawl.isRemoving = true
        state = .checking(crawl, Round(pages, number: 1))
        return .check(first)
    }

    /// A page was asked for again.
    package mutating func checked(_ page: PageOfCrawl, _ result: PageComparison) -> Step {
        guard case .checking(var crawl, var round) = state else { return end(.failed) }
        let rest = Array(round.left.dropFirst())
        let result = round.settled(result)
        let isFollowed = rest.first.map { $0.crawl == page.crawl && $0.number == page.number + 1 } ?? false
        round.worst = max(
            round.worst, weighed(result, isFollowed: isFollowed, isLast: page == crawl.lastPage))
        if result != .same { crawl.hasChanged = true }
        // What it leads to now was not read: the others need not be asked for.
        if round.worst == .outgrown { round.left = [] }
        if let next = rest.first, !round.left.isEmpty {
            round.left = rest
            state = .checking(crawl, round)
            return .check(next)
        }
        state = .crawling(crawl)
        if let range = crawl.behindLoose {
            crawl.behindLoose = nil
            guard round.worst == .same else {
                // From the first of them on the range is read again.
                crawl.isGoingBack = true
                state = .crawling(crawl)
                return .goOn(crawl: range.crawl, from: round.all[0].number)
            }
            guard range.cursor != nil else { return reachedEnd(crawl) }
            state = .crawling(crawl)
            return .goOn(crawl: range.crawl, from: nil)
        }
        if crawl.isRemoving {
            if round.worst >= .movedUp { crawl.reason = .drift }
            return finish(crawl)
        }
        if round.worst < .changed, round.worst > .same, let last = crawl.lastPage, !round.all.contains(last) {
            // What was pushed down shows on the page behind, or was removed and hides one that moved up.
            round.add(last)
            state = .checking(crawl, round)
            return .check(last)
        }
        if round.worst < .changed {
            // What changed while pages were asked for again may have changed back.
            crawl.isVerified = crawl.isVerified && round.number == 1
            return round.worst == .same || crawl.hasReadHead ? proved(crawl) : readHeadAgain(crawl)
        }
        if round.number < Self.mostRounds, round.worst < .detached {
            // What was pushed down may stand on the last page by now, whose border was the end.
            let last = crawl.lastPage.flatMap { round.all.contains($0) ? nil : $0 }
            let again = Round(round.all + [last].compactMap(\.self), number: round.number + 1)
            state = .checking(crawl, again)
            return .check(again.all[0])
        }
        crawl.isVerified = false
        // What only came above the others, or changed in its place, hides nothing.
        if round.worst < .movedUp { return proved(crawl) }
        crawl.reason = .drift
        return finish(crawl)
    }

    /// What another page behind it will show is not lost yet.
    private func weighed(_ result: PageComparison, isFollowed: Bool, isLast: Bool) -> PageComparison {
        switch result {
        case .pushedDown where isFollowed: .changed
        case .pushedDown, .detached: isLast ? .detached : .movedUp
        default: result
        }
    }

    /// The page did not come, or could not be committed.
    package mutating func failed(_ error: FeedError) -> RunOutcome {
        state = .ended
        switch error.kind {
        case .cancelled: return .cancelled
        case .limited: return .limited
        default: return .failed
        }
    }

    private mutating func examine(_ crawl: Crawl) -> Step {
        state = .crawling(crawl)
        return .examine
    }

    private mutating func readHeadAgain(_ crawl: Crawl) -> Step {
        var crawl = crawl
        crawl.isReadingHead = true
        crawl.headPages = 0
        crawl.headReads += 1
        state = .crawling(crawl)
        return .readHeadAgain
    }

    private mutating func headIsRead(_ crawl: inout Crawl) -> Step {
        crawl.isReadingHead = false
        crawl.hasReadHead = true
        // While its second page was read, more may have come to the first.
        if crawl.headPages > 1 {
            if crawl.headReads < Self.mostRounds { return readHeadAgain(crawl) }
            crawl.isVerified = false
        }
        return proved(crawl)
    }

    /// It is proved as far as it can be that nothing was missed: what is gone comes next.
    private mutating func proved(_ crawl: Crawl) -> Step {
        guard feed.mode == .all, crawl.reason == nil else { return finish(crawl) }
        state = .crawling(crawl)
        return .findMissing
    }

    private mutating func finish(_ crawl: Crawl) -> Step {
        let outcome: RunOutcome = crawl.hasChanged ? .ok : .unchanged
        return end(outcome, crawl.reason.map(CrawlClosing.incomplete) ?? .complete(isVerified: crawl.isVerified))
    }

    private mutating func end(_ outcome: RunOutcome, _ closing: CrawlClosing? = nil) -> Step {
        state = .ended
        return .end(outcome, closing)
    }
}

/// What a sync says of its crawl at the end.
package enum CrawlClosing: Sendable, Hashable {
    /// It met everything that it was to meet; and whether that is proved.
    case complete(isVerified: Bool)
    /// It did not, or that is not sure.
    case incomplete(IncompleteReason)
}
