/// The rules of one run: which page comes next, and when it is over. Pure; the engine does what it says.
struct RunRules {
    /// What to do next.
    enum Step: Equatable {
        /// Get the page and commit it.
        case fetch(PageDirection, PageCursor?)
        /// Find out which pages of the crawl rows that were not met should be on, and tell `found(missingBeside:)`.
        case findMissing
        /// Ask once more for a page of the crawl, by its number from 1, and tell `checked`.
        case check(Int)
        /// Nothing more; what is to be said of a sync's crawl.
        case end(RunOutcome, CrawlClosing? = nil)
    }

    /// What a committed page tells.
    struct Committed: Equatable {
        /// Its number in the crawl, from 1.
        var number: Int
        var isUnchanged: Bool
        /// Whether the list goes on behind it, or ends, as it did when it was stored.
        var isInPlace = true
        /// Whether everything from it on is stored already.
        var isSynced = false
        /// Whether it is sure that nothing lies between the page before and this one.
        var adjoins = true
        /// Where the crawl goes on.
        var next: PageCursor?
        /// Why the crawl cannot be complete if it ends here.
        var reason: IncompleteReason?
    }

    /// What came of asking for a page once more.
    enum Check: Int, Comparable {
        /// It is as it was.
        case same
        /// It is another one, which is stored now.
        case mended
        /// The same, and what stands last on it was met on an earlier page: what stood behind that stands behind this one.
        case pushedDown
        /// Items moved up to it from later pages: what moved past the crawl is stored now.
        case movedUp
        /// It is another one, and what stands last on it was met nowhere: others may lie between it and what was.
        case cutLoose
        /// It leads to others than it did: no page that is asked again can mend that.
        case outgrown

        static func < (one: Check, other: Check) -> Bool { one.rawValue < other.rawValue }
    }

    private struct Crawl {
        var hasChanged = false
        /// Whether the list is not what it was, be it that it only ends elsewhere.
        var hasMoved = false
        var pages = 0
        /// The pages that the crawl had when it was cut off; 0 for one that was not.
        var resumedBehind = 0
        /// The pages that something may have moved to unseen.
        var doubtful: Set<Int> = []
        var reason: IncompleteReason?
    }

    private struct Round {
        /// The pages to ask again, in order.
        let all: [Int]
        var left: [Int]
        let number: Int
        var worst = Check.same
        /// The first page that was not as it was.
        var firstChanged: Int?

        init(_ all: [Int], number: Int) {
            (self.all, left, self.number) = (all, all, number)
        }
    }

    private enum State {
        case opening(RequestCommand)
        case fetching(left: Int?, hasChanged: Bool)
        case crawling(Crawl)
        case checking(Crawl, Round)
        case ended
    }

    /// How often the pages are asked again before the crawl is given up as one under which the list moves.
    private static let mostRounds = 3

    private var state: State
    private let mode: SyncRule
    private let isShifting: Bool
    private var mayEndAtHeader = false

    /// - Parameters:
    ///   - mode: What a sync crawls for.
    ///   - isShifting: Whether items of the feed move from page to page as others come and go.
    init(_ command: RequestCommand, mode: SyncRule = .new, isShifting: Bool = false) {
        state = .opening(command)
        self.mode = mode
        self.isShifting = isShifting
    }

    /// Whether the page being fetched is wanted to be followed by another.
    var wantsNext: Bool { pagesWanted != 0 }

    /// How many pages are wanted behind the one being fetched; nil where there is no limit.
    var pagesWanted: Int? {
        switch state {
        case .fetching(let left, _): left.map { max($0 - 1, 0) }
        case .crawling: nil
        default: 0
        }
    }

    /// Whether the run is over once a page is a synced range.
    var stopsAtSyncedRange: Bool {
        if case .crawling = state { mode == .new } else { false }
    }

    /// The feed is held and read.
    mutating func opened(_ resumePoint: ResumePoint) -> Step {
        guard case .opening(let command) = state else { return end(.failed) }
        guard command == .sync else {
            let isHeader = command == .reload || !resumePoint.isLoaded
            guard isHeader || !resumePoint.isAtEnd else { return end(.noMoreData) }
            state = .fetching(left: command.limit, hasChanged: false)
            return isHeader ? .fetch(.header, nil) : .fetch(.footer, resumePoint.cursor)
        }
        mayEndAtHeader = resumePoint.leavesSyncedRange
        guard mode != .new, resumePoint.resumableMode == mode.mode, let next = resumePoint.cursor else {
            state = .crawling(Crawl())
            return .fetch(.header, nil)
        }
        state = .crawling(Crawl(resumedBehind: resumePoint.pages))
        return .fetch(.footer, next)
    }

    /// A page is committed.
    mutating func committed(_ page: Committed) -> Step {
        switch state {
        case .fetching(let left, let hasChanged):
            let changed = hasChanged || !page.isUnchanged
            let rest = left.map { $0 - 1 }
            guard let next = page.next, rest != 0 else { return end(changed ? .ok : .unchanged) }
            state = .fetching(left: rest, hasChanged: changed)
            return .fetch(.footer, next)
        case .crawling(var crawl):
            crawl.hasChanged = crawl.hasChanged || !page.isUnchanged
            crawl.hasMoved = crawl.hasMoved || !page.isUnchanged || !page.isInPlace
            crawl.pages = max(crawl.pages, page.number)
            // Where a watermark leads, rows that stood together may have others between them now.
            let isSure = if case .since = mode { false } else { page.adjoins }
            if !isSure, isShifting, page.number > 1 { crawl.doubtful.insert(page.number - 1) }
            crawl.reason = page.reason
            state = .crawling(crawl)
            let isEnd = stopsAtSyncedRange && page.isSynced && (page.number > 1 || mayEndAtHeader)
            guard !isEnd, let next = page.next else { return crawled(crawl) }
            return .fetch(.footer, next)
        default: return end(.failed)
        }
    }

    /// The pages beside which rows stand that the crawl did not meet.
    mutating func found(missingBeside pages: [Int]) -> Step {
        guard case .crawling(let crawl) = state else { return end(.failed) }
        return check(crawl, also: pages)
    }

    /// Whether no page of the crawl stands behind this one.
    func isLast(_ page: Int) -> Bool {
        if case .checking(let crawl, _) = state { page >= crawl.pages } else { false }
    }

    /// A page was asked for once more.
    mutating func checked(_ page: Int, _ result: Check) -> Step {
        guard case .checking(let crawl, var round) = state else { return end(.failed) }
        // What came before the cut and is not as it was belongs to another crawl.
        guard result == .same || page > crawl.resumedBehind else { return end(outcome(crawl), .incomplete(.cutOff)) }
        let rest = Array(round.left.dropFirst())
        round.worst = max(round.worst, weighed(result, of: page, isFollowed: rest.first == page + 1, crawl))
        if result != .same { round.firstChanged = round.firstChanged ?? page }
        if let next = rest.first {
            round.left = rest
            state = .checking(crawl, round)
            return .check(next)
        }
        guard round.worst > .same else { return end(outcome(crawl), closing(crawl)) }
        guard round.number < Self.mostRounds, round.worst < .cutLoose else {
            // New items that come all the time move the others down: what stood behind a page is on the next one.
            return end(.ok, mode == .new && round.worst == .mended ? closing(crawl) : .incomplete(.drift))
        }
        // What had moved up unseen, to this page or to a later one, may have been pushed down again, to the page behind.
        let behind = round.all.filter { $0 >= round.firstChanged ?? 0 && $0 < crawl.pages }.map { $0 + 1 }
        let all = Set(round.all + behind).sorted()
        state = .checking(crawl, Round(all, number: round.number + 1))
        return .check(all[0])
    }

    /// What a page tells of the crawl: what another one behind it will show is not lost yet.
    private func weighed(_ result: Check, of page: Int, isFollowed: Bool, _ crawl: Crawl) -> Check {
        switch result {
        case .pushedDown where isFollowed: .mended
        case .pushedDown, .cutLoose: page < crawl.pages ? .movedUp : .cutLoose
        default: result
        }
    }

    /// The page did not come, or could not be committed.
    mutating func failed(_ error: FeedError) -> RunOutcome {
        state = .ended
        switch error.kind {
        case .cancelled: return .cancelled
        case .limited: return .limited
        default: return .failed
        }
    }

    private mutating func crawled(_ crawl: Crawl) -> Step {
        // What is a synced range from now on must have no gaps, for whatever reason the crawl ended.
        if let reason = crawl.reason, mode != .new || !reason.leavesSyncedRange {
            return end(outcome(crawl), .incomplete(reason))
        }
        return mode == .all ? .findMissing : check(crawl, also: [])
    }

    private mutating func check(_ crawl: Crawl, also pages: [Int]) -> Step {
        // A list that is as a crawl stored it that missed nothing has not moved.
        var wanted = Set(pages).union(crawl.hasMoved || !mayEndAtHeader ? crawl.doubtful : [])
        if crawl.resumedBehind > 0 { wanted.formUnion(1...crawl.resumedBehind) }
        let all = wanted.sorted()
        guard let first = all.first else { return end(outcome(crawl), closing(crawl)) }
        state = .checking(crawl, Round(all, number: 1))
        return .check(first)
    }

    private func closing(_ crawl: Crawl) -> CrawlClosing { crawl.reason.map(CrawlClosing.incomplete) ?? .complete }

    private func outcome(_ crawl: Crawl) -> RunOutcome { crawl.hasChanged ? .ok : .unchanged }

    private mutating func end(_ outcome: RunOutcome, _ closing: CrawlClosing? = nil) -> Step {
        state = .ended
        return .end(outcome, closing)
    }
}

/// What a sync says of its crawl at the end.
enum CrawlClosing: Sendable, Hashable {
    /// It met everything that it was to meet.
    case complete
    /// It did not, or that is not sure.
    case incomplete(IncompleteReason)
}
