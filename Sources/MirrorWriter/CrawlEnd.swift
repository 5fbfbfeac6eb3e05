internal import SQLite

/// The end of a sync's crawl: loads the facts for `Completeness`, and saves its verdict.
///
/// - Isolation: the store's, inside the transaction that ends the crawl.
struct CrawlEnd {
    private let shape: ResolvedFeed
    private let list: CrawledList
    private let log: RunLog
    private let changes: ChangeLog?
    private let window: WindowEnd?
    /// The range at the head when the run began; nil if there was none.
    private let headBefore: SyncedRange?
    private let now: String
    /// The feed's state, as the end leaves it.
    private(set) var draft: FeedState

    private var records: ListRecords { list.records }
    private var definition: FeedDefinition { shape.definition }

    /// - Parameters:
    ///   - changes: The log of changes of rows; nil if the feed keeps none.
    ///   - window: The window that the crawl asked for; nil without windows.
    init(
        of list: CrawledList, log: RunLog, changes: ChangeLog?, headBefore: SyncedRange?, window: WindowEnd?,
        now: String
    ) {
        (shape, self.list, draft) = (list.shape, list, list.state)
        (self.log, self.changes, self.headBefore, self.window, self.now) = (log, changes, headBefore, window, now)
    }

    /// Closes the crawl.
    ///
    /// - Returns: The number of removed rows.
    mutating func close(_ closing: CrawlClosing) throws -> Int {
        let (missing, isUnclear) =
            try closing.isComplete && draft.progress.round?.mode == .all ? list.missingRows() : ([], false)
        let verdict = Completeness.verdict(
            closing, draft.crawl, draft.progress, isPartitioned: definition.partitioning != nil,
            isNewestFirst: definition.isNewestFirst, try list.rowCounts(missing))
        let after = Completeness.after(verdict, window: window, draft.progress)
        var removed = 0
        switch verdict {
        case .complete(let isVerified, let keepsUnmetRows):
            let gone = keepsUnmetRows ? [] : missing.filter(\.pages.isEmpty)
            try records.remove(gone, of: definition, log: changes, longest: draft.longestPage, now: now)
            removed = gone.count
            draft.metrics.items.removed += removed
            try prove(isVerified: isVerified, isWhole: missing.isEmpty && !isUnclear)
            try complete(isVerified: isVerified, isSettled: !isUnclear && gone.count == missing.count)
        case .endedEarly(let met): try lookAgain(at: met)
        case .incomplete(let reason): try endIncomplete(reason)
        case .unknown: draft.progress.forgetRanges()
        }
        draft.progress.driftEnd = try verdict.reason == .drift && draft.crawl != nil ? list.keyCount() : nil
        if let reason = after.reason {
            draft.crawl?.reason = reason
            try records.crawls.leave(draft.crawl?.id, reason)
        }
        draft.progress.walk = after.walk
        (draft.isComplete, draft.isVerified) = (after.isComplete, after.isVerified)
        if let window, window.window.isLast, window.walk.isFull { try records.state.saveFull(now: now) }
        try records.state.save(draft, removed: removed, syncedAt: now)
        try log.save(removed: draft.metrics.items.removed, added: removed)
        return removed
    }

    // MARK: - Verdicts

    /// Saves that the crawl met everything.
    ///
    /// - Parameter isSettled: True if all rows that it did not meet are shown to be gone.
    private mutating func complete(isVerified: Bool, isSettled: Bool) throws {
        if draft.progress.round?.mode == .since { draft.progress.isFullVerified = isVerified }
        try records.crawls.complete(draft.crawl?.id, now: now)
        draft.crawl?.reason = nil
        draft.progress.suspectEnd = nil
        if draft.progress.round?.mode != .since { draft.progress.otherElements = try list.elementsWithoutRow() }
        if let round = draft.progress.round {
            if definition.sync.delta == nil { try moveWatermark(round) } else { try keepToken(round, isSettled) }
            if round.mode == .all {
                draft.progress.isFullVerified = isVerified
                try saveFull(round)
            }
            draft.progress.endRound(
                nil, generations: try records.crawls.generations(ofRound: round.id), isVerified: isVerified,
                growsAtEnd: try list.growsAtEnd(since: headBefore))
        } else if let head = draft.progress.synced.ranges.first {
            // A crawl that met no range has read the whole list.
            let isWholeList = head.cursor == nil && head.crawls == [draft.crawl?.id].compactMap(\.self)
            let growsAtEnd = try isWholeList ? list.growsAtEnd(since: headBefore) : head.growsAtEnd
            draft.progress.synced.update(head.crawl) {
                $0.isVerified = isVerified
                $0.growsAtEnd = growsAtEnd
                $0.loosePages = []
            }
        }
        // The next sync reads through pages that are stored in another order than the list's.
        if draft.crawl?.isOrdered == false { draft.progress.synced = SyncedRanges() }
    }

    /// Saves that the full crawl before this one is proved, if this one proves it.
    private mutating func prove(isVerified: Bool, isWhole: Bool) throws {
        guard draft.progress.round?.mode == .all, definition.partitioning == nil else { return }
        if let before = draft.progress.unprovedRun,
            Completeness.provesBefore(draft.crawl, isWhole: isWhole, crawls: list.crawls.count)
        {
            try log.prove(before)
        }
        let mayBeProved = Completeness.mayBeProvedLater(
            draft.crawl, isVerified: isVerified, hasRepeats: try records.crawls.haveRepeats(list.crawls))
        draft.progress.unprovedRun = mayBeProved ? log.run : nil
    }

    /// Saves that a crawl has ended without everything.
    private mutating func endIncomplete(_ reason: IncompleteReason) throws {
        guard let round = draft.progress.round else {
            if reason == .cap, let head = draft.progress.synced.ranges.first {
                draft.progress.synced.update(head.crawl) { $0.end = .last(reason) }
            }
            return
        }
        if round.mode == .all { try saveFull(round) }
        draft.progress.endRound(
            reason, generations: try records.crawls.generations(ofRound: round.id), isVerified: false)
    }

    /// Keeps the crawl open at its last page, which the next sync checks again.
    private mutating func lookAgain(at met: Int) throws {
        draft.progress.suspectEnd = met
        // Pages before the end may say that the list goes on.
        try records.storedPages.forgetValidators()
        let tail = draft.progress.round?.ranges.ranges.first?.crawl ?? 0
        let pages = try records.crawls.pageCount(of: tail)
        var last: PageCursor?
        if pages > 1 {
            if draft.crawl?.id != tail {
                // The next sync continues with the crawl that read the last page.
                var resumption = CrawlResumption(of: list)
                _ = try resumption.resume(tail, from: nil, isProved: false)
            }
            last = try records.pages.cursor(of: PageOfCrawl(crawl: tail, number: pages))
        }
        guard let last else {
            draft.progress.round = nil
            return
        }
        draft.progress.round?.ranges.update(tail) { $0.end = .open(last) }
    }

    /// Saves the time of the full crawl: now, or the start of the first of several runs that read the list.
    private mutating func saveFull(_ round: CrawlProgress.Round) throws {
        let isOwn = try records.pages.pages(of: list.crawls).allSatisfy(list.reads.has)
        draft.progress.fullPages = try records.pages.requestCount(of: list.crawls)
        try records.state.saveFull(since: isOwn ? nil : round.id, now: now)
    }

    // MARK: - The watermark

    /// Keeps the token on the last page of the list. A full crawl without one leaves none: the changes since an older
    /// one are stored. Nor does one that left rows of which only another full crawl shows if they are gone.
    private func keepToken(_ round: CrawlProgress.Round, _ isSettled: Bool) throws {
        guard let tail = round.ranges.ranges.first?.crawl else { return }
        let token = isSettled ? try records.crawls.furthest(of: tail) : nil
        guard token != nil || round.mode == .all else { return }
        try records.state.save(watermark: token)
    }

    /// Moves the watermark to the furthest item, or to the end of a window, but not beyond the start of the crawl, nor
    /// past a window that is incomplete.
    private func moveWatermark(_ round: CrawlProgress.Round) throws {
        guard window?.walk.missed == nil else { return }
        let isTime = shape.plan.watermarkIsTime
        let (furthest, start) = try records.crawls.furthest(ofRound: round.id, isTime: isTime)
        // Items ahead of the newest one of the last window may still come.
        let isByItems = window.map { $0.window.isLast && shape.plan.hasWatermark } ?? true
        let reached = isByItems ? furthest : window.flatMap { Watermark(second: $0.window.to) }
        guard let mark = reached?.notAfter(start) else { return }
        let stored = try records.state.watermark().flatMap { Watermark(json: $0, isTime: isTime) }
        if stored.map({ mark.isFurther(than: $0) }) ?? true { try records.state.save(watermark: mark.json) }
    }
}

extension CrawlClosing {
    /// True if the crawl met everything that it was meant to meet.
    fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }
}
