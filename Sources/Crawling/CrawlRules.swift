/// The rules of one run: which page comes next, and when it is over. Pure; the engine does what it says.
///
/// A sync reads the head first, whatever is known. Where that meets a stored range it goes on at the range's end, not
/// through it; at the end of the list it proves that nothing was missed, as far as that can be had, and finds out what
/// is gone.
package struct CrawlRules {
    struct Crawl {
        var hasChanged = false
        /// Whether the list is not what it was, if only because it ends elsewhere.
        var hasMoved = false
        /// The pages that were committed, and those that were asked for again and not committed.
        var pages = 0
        var checks = 0
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
        /// True if pages were read again, so that their places say nothing of the list's order.
        var hasReadAgain = false
        /// True if the head, when it was read again, had lost items, or gained some from further down.
        var hasHeadMovedUp = false
        /// Why the head is read again.
        var headPurpose = HeadPurpose.proof
        /// True while the pages that only earlier runs read are read again, and once they were, or could not be.
        var isReadingThrough = false
        var hasReadThrough = false
        /// The requests that the run may make for pages, from its beginning on; nil where there is no limit.
        var requestsLeft: Int?
        /// The pages to check for rows that were not met.
        var isRemoving = false
        /// A range to go on with, once its loose pages are checked.
        var behindLoose: SyncedRange?
        /// The range at whose end the crawl looks for what was appended.
        var grown: SyncedRange?
        var reason: IncompleteReason?
    }

    /// The reason why the head is read again behind the end.
    enum HeadPurpose {
        /// The crawl met fewer items than there are.
        case total
        /// The pages before are proved by it, or what is new comes by it.
        case proof
        /// Rows were not met: an item may have moved to the head when the crawl had passed it.
        case removal
    }

    enum State {
        case opening(RequestCommand)
        case paging(left: Int?, hasChanged: Bool)
        case crawling(Crawl)
        case checking(Crawl, Round)
        case ended
    }

    /// How often the pages are asked for again before the crawl is given up as one under which the list moves.
    static let mostRounds = 3
    /// How often a crawl goes a page back in a row of pages.
    static let mostStepsBack = 5

    var state: State
    var feed: Feed

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

    /// Whether pages are asked for again to prove that nothing of the list was missed.
    package var isProving: Bool {
        if case .checking(let crawl, _) = state { !crawl.isRemoving && crawl.behindLoose == nil } else { false }
    }

    /// Whether the head is read again.
    package var isReadingHeadAgain: Bool { if case .crawling(let crawl) = state { crawl.isReadingHead } else { false } }

    /// True while pages are read again that only earlier runs read: what those stored is not met.
    package var isReadingThrough: Bool {
        if case .crawling(let crawl) = state { crawl.isReadingThrough } else { false }
    }

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

    /// The page did not come, or could not be committed.
    package mutating func failed(_ error: FeedSyncError) -> RunOutcome {
        state = .ended
        switch error.kind {
        case .cancelled: return .cancelled
        case .limited: return .limited
        default: return .failed
        }
    }

    mutating func end(_ outcome: RunOutcome, _ closing: CrawlClosing? = nil) -> Step {
        state = .ended
        return .end(outcome, closing)
    }
}
