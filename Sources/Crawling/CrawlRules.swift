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
        /// The number of committed pages, and of pages that were requested again and not committed.
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
        /// True if pages of earlier runs should be read again, and the run has too few requests for that: no page is
        /// asked again for missing rows, which may stand on one of those.
        var hasUnreadPages = false
        /// True if items came again on later pages, which do not overlap.
        var hasRepeats = false
        /// True if the list moved under the crawl before this one, which met as many items.
        var isLikeDrift = false
        /// True if each page was requested after the previous one had come.
        var isInSequence = true
        /// The reason why the head is read again.
        var headPurpose = HeadPurpose.proof
        /// True while the pages that only earlier runs read are read again. The second is true once they were, or could
        /// not be.
        var isReadingThrough = false
        var hasReadThrough = false
        /// The number of requests that the run may make for pages, counted from its beginning; nil without a limit.
        var requestsLeft: Int?
        /// True if pages are checked for rows that were not met.
        var isRemoving = false
        /// A range to continue with once its loose pages are checked.
        var behindLoose: SyncedRange?
        /// The range at whose end the crawl looks for appended items.
        var grown: SyncedRange?

        /// The number of pages that the run has requested.
        var requests: Int { pages + checks }
        /// The number of requests that it may still make for pages; `Int.max` without a limit.
        var left: Int { requestsLeft.map { $0 - requests } ?? .max }
        var reason: IncompleteReason? { claim.reason }
        var isVerified: Bool { claim.isVerified }
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

    enum State {
        case opening(RequestCommand)
        case paging(left: Int?, hasChanged: Bool)
        case crawling(Crawl)
        case checking(Crawl, CheckRound)
        case ended
    }

    /// The number of rounds of checks before the list counts as one that moves under the crawl.
    static let mostRounds = 3
    /// The number of steps back that a crawl may take in a row of pages.
    static let mostStepsBack = 5

    var state: State
    var feed: Feed
    /// True if the run had too few requests to see if the rows that it did not meet are gone.
    package internal(set) var keepsUnmetRows = false

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
            guard isHeader || resumePoint.open != nil else { return end(.noMoreData) }
            state = .paging(left: command.limit, hasChanged: false)
            guard !isHeader, let range = resumePoint.open else { return .fetch(.header, nil) }
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
