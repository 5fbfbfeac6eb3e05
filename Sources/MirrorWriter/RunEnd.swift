internal import SQLite

/// The end of a run, or of the crawl of one of its windows: the verdict on a sync's crawl, the last event, the outcome,
/// the changes of columns, and the time at which the feed is due again.
///
/// - Isolation: the store's, inside the transaction that ends the run.
struct RunEnd {
    private let list: CrawledList
    private let table: ListTable
    private let log: RunLog
    private let quota: RunQuota
    private let now: String
    /// The feed's state, as the end leaves it.
    private(set) var draft: FeedState

    private var records: ListRecords { list.records }
    private var definition: FeedDefinition { list.shape.definition }

    init(of list: CrawledList, _ table: ListTable, _ log: RunLog, _ quota: RunQuota, now: String) {
        (self.list, self.table, self.log, self.quota, self.now) = (list, table, log, quota, now)
        draft = list.state
    }

    /// Ends a run that succeeded, or the crawl of a window if another one follows.
    ///
    /// - Parameters:
    ///   - closing: The end of a sync's crawl; nil if the run leaves its crawl open.
    ///   - window: The window that the crawl asked for; nil without windows.
    ///   - beginsAtStart: True if a crawl by watermark asked for everything since the `start`.
    ///   - mayReadAgain: True if the next sync may read the same again.
    ///   - headBefore: The range at the head when the run began; nil if there was none.
    /// - Returns: The run's outcome.
    mutating func finish(
        _ outcome: RunOutcome, closing: CrawlClosing?, window: WindowEnd?, beginsAtStart: Bool, mayReadAgain: Bool,
        headBefore: SyncedRange?
    ) throws -> RunOutcome {
        guard let closing else {
            try finishRun(outcome, error: nil)
            // It may be that no page cleared the error of an earlier run.
            try records.state.clearError()
            return outcome
        }
        // A removed row is a change, though no page has changed.
        let removed = try close(
            closing, window, beginsAtStart: beginsAtStart, mayReadAgain: mayReadAgain, headBefore)
        let outcome = removed > 0 ? .ok : outcome
        try saveProgress()
        if window?.window.isLast == false {
            try log.save(draft.metrics)
        } else {
            try finishRun(outcome, error: nil)
        }
        return outcome
    }

    /// Ends a run because its page failed.
    ///
    /// - Parameter cost: The cost of the requests since the last commit.
    /// - Returns: The event that closes the open begin event; nil if none was open.
    mutating func fail(_ error: FeedSyncError, outcome: RunOutcome, cost: FetchCost) throws -> StatusEvent? {
        let event = try closeOpenEvent(error, cost)
        try records.state.save(error: error.json)
        // A failed first page says nothing about the place where the list continues.
        if list.state.openDirection == .footer, let crawl = draft.crawl, !error.kind.isOfUser {
            // The page before it may lead elsewhere by now: a 304 may leave out the header that says so.
            let ranges = draft.progress.round?.ranges ?? draft.progress.synced
            if error.kind.isOfAnswer, let cursor = ranges[crawl.id]?.cursor {
                try records.storedPages.forgetValidators(before: cursor)
            }
            draft.progress.fail(
                crawl.id, isLost: error.kind.isOfAnswer, mayPass: definition.pagination.mayAskBeyondEnd)
            try saveProgress()
        }
        if let response = error.response { try log.keep(response, of: error, now: now) }
        try quota.record(cost.quota)
        try quota.recordBlock()
        try finishRun(outcome, error: error.json)
        return event
    }

    /// Ends a crawl whose token is too old, and forgets the token. The run goes on.
    ///
    /// - Returns: The event that closes the open begin event; nil if none was open.
    mutating func leaveToken(_ error: FeedSyncError, cost: FetchCost) throws -> StatusEvent? {
        let event = try closeOpenEvent(error, cost)
        draft.progress.round = nil
        try records.state.save(watermark: nil)
        try saveProgress()
        try quota.record(cost.quota)
        try log.save(draft.metrics)
        return event
    }

    private func saveProgress() throws { try records.state.save(draft.progress, over: list.state.progress) }

    /// Closes the open begin event with the error of its page, and counts the requests. Returns nil if none is open.
    private mutating func closeOpenEvent(_ error: FeedSyncError, _ cost: FetchCost) throws -> StatusEvent? {
        draft.metrics.add(cost)
        draft.openDirection = nil
        guard let direction = list.state.openDirection else { return nil }
        return try log.note(direction.end, page: list.state.number(of: direction), error: error.json, now: now)
    }

    private func finishRun(_ outcome: RunOutcome, error: String?) throws {
        // People may query the table of a feed whose first request failed.
        if let shape = table.shapeOfNewTable { _ = try table.adopt(shape) }
        try records.storedPages.dropReplaced()
        try log.finish(outcome, Completeness.of(outcome, draft), draft.metrics, error: error, now: now)
        try log.add(try table.findColumnChanges(), of: definition.owner, now: now)
        try FeedSchedule.follow(log.run, of: log.feed, every: definition.every, on: log.connection)
    }

    // MARK: - The end of a crawl

    /// Closes a sync's crawl: loads the facts for `Completeness`, and saves its verdict.
    ///
    /// - Returns: The number of removed rows.
    private mutating func close(
        _ closing: CrawlClosing, _ window: WindowEnd?, beginsAtStart: Bool, mayReadAgain: Bool,
        _ headBefore: SyncedRange?
    ) throws -> Int {
        let (missing, isUnclear) =
            try closing.isComplete && draft.progress.round?.mode == .all
            ? list.missingRows(isProved: closing.isVerified) : ([], false)
        let rows = try list.rowCounts(missing)
        let verdict = Completeness.verdict(
            closing, draft.crawl, draft.progress, isPartitioned: definition.partitioning != nil,
            isNewestFirst: definition.isNewestFirst, rows)
        let after = Completeness.after(verdict, window: window, draft.progress)
        var removed = 0
        switch verdict {
        case .complete(let isVerified, let keepsUnmetRows):
            let gone = keepsUnmetRows ? [] : missing.filter(\.isGone)
            try records.remove(gone, of: definition, log: table.log, longest: draft.longestPage, now: now)
            removed = gone.count
            draft.metrics.items.removed += removed
            try prove(isVerified: isVerified, isWhole: missing.isEmpty && !isUnclear)
            try records.crawls.complete(draft.crawl?.id, now: now)
            draft.crawl?.reason = nil
            if draft.progress.round?.mode != .since {
                draft.progress.otherElements = try list.elementsWithoutRow()
            }
            let isSettled = !isUnclear && gone.count == missing.count
            try moveWatermark(window, closing, isSettled: isSettled, mayReadAgain: mayReadAgain)
            try saveFull(beginsAtStart: beginsAtStart)
            try draft.progress.complete(
                draft.crawl, isVerified: isVerified, generations: try generations(), isSettled: isSettled
            ) { [list] in try list.growsAtEnd(since: headBefore) }
        case .endedEarly(let met, _):
            // A later run may not find it any more.
            if let next = try list.nextBehindEnd(rows) { draft.progress.lose(next) }
            try lookAgain(at: list.earlyEnd(rows, met: met))
        case .incomplete(let reason):
            try saveFull()
            draft.progress.leave(reason, generations: try generations())
            try reviewEarlyEnd()
        case .unknown:
            draft.progress.forgetRanges()
            try reviewEarlyEnd()
        }
        // A list that repeats items may do so in each crawl.
        if draft.crawl != nil, verdict.reason == .drift || draft.progress.driftKeys != nil {
            let keys = try list.keyHash()
            let isKept = verdict.reason == .drift || keys == draft.progress.driftKeys
            draft.progress.driftKeys = isKept ? keys : nil
        }
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

    /// The generations of the rows on the pages of a full crawl; none for other crawls.
    private func generations() throws -> Set<Int64> {
        try draft.progress.round.map { try records.crawls.generations(ofRound: $0.id) } ?? []
    }

    /// Saves that the full crawl before this one is proved, if this one proves it.
    private mutating func prove(isVerified: Bool, isWhole: Bool) throws {
        guard draft.progress.round?.mode == .all, definition.partitioning == nil else { return }
        // Two counts that could not be checked prove each other no better.
        guard !list.reads.hasUncheckedEnd else {
            draft.progress.unprovedRun = nil
            return
        }
        if let before = draft.progress.unprovedRun,
            Completeness.provesBefore(draft.crawl, isWhole: isWhole, crawls: list.crawls.count)
        {
            try log.prove(before)
        }
        let mayBeProved = Completeness.mayBeProvedLater(
            draft.crawl, isVerified: isVerified, hasRepeats: try records.crawls.haveRepeats(list.crawls))
        draft.progress.unprovedRun = mayBeProved ? log.run : nil
    }

    /// Keeps the crawl open at its last page, which the next sync checks again. In partitions, any may have ended too
    /// soon, so that the round is dropped.
    private mutating func lookAgain(at end: CrawlProgress.EarlyEnd) throws {
        draft.progress.suspectEnd = end
        // Pages before the end may say that the list goes on.
        try records.storedPages.forgetValidators()
        let tail = draft.progress.round?.ranges.ranges.first?.crawl ?? 0
        let pages = try records.crawls.pageCount(of: tail)
        var last: PageCursor?
        if pages > 1, definition.partitioning == nil {
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

    /// Forgets an end that came too soon if the crawl has met what is behind it.
    private mutating func reviewEarlyEnd() throws {
        guard let first = draft.progress.suspectEnd?.firstMissing else { return }
        if try !records.pages.pages(having: first, of: list.crawls).isEmpty { draft.progress.suspectEnd = nil }
    }

    /// Saves the time of a crawl of every page: now, or the start of the first of several runs that read the list.
    ///
    /// - Parameter beginsAtStart: True if a crawl by watermark began at the `start`.
    private mutating func saveFull(beginsAtStart: Bool = false) throws {
        guard let round = draft.progress.round, round.mode == .all || beginsAtStart else { return }
        let isOwn = try records.pages.pages(of: list.crawls).allSatisfy(list.reads.has)
        if round.mode == .all { draft.progress.fullPages = try records.pages.requestCount(of: list.crawls) }
        try records.state.saveFull(since: isOwn ? nil : round.id, now: now)
    }

    /// Moves the watermark after a round, or keeps the token on the last page of the list.
    ///
    /// A full crawl without a token leaves none: the changes since an older token are stored. A crawl that left rows in
    /// doubt leaves none either, because only another full crawl can decide on them.
    ///
    /// - Parameters:
    ///   - isSettled: True if all rows that the crawl did not meet are shown to be gone.
    ///   - mayReadAgain: True if the next sync may read the same again.
    private mutating func moveWatermark(
        _ window: WindowEnd?, _ closing: CrawlClosing, isSettled: Bool, mayReadAgain: Bool
    ) throws {
        guard let round = draft.progress.round else { return }
        guard definition.sync.delta == nil else {
            guard let tail = round.ranges.ranges.first?.crawl else { return }
            let token = isSettled ? try records.crawls.furthest(of: tail) : nil
            if token != nil || round.mode == .all { try records.state.save(watermark: token) }
            return
        }
        let isTime = list.shape.plan.watermarkIsTime
        let (furthest, start) = try records.crawls.furthest(ofRound: round.id, isTime: isTime)
        let stored = try records.state.watermark().flatMap { Watermark(json: $0, isTime: isTime) }
        let moved = Watermark.moved(
            from: stored, to: furthest, start: start, window: window, hasItemMarks: list.shape.plan.hasWatermark)
        // The windows up to the last one are read on the way to it.
        guard window?.window.isLast != false else {
            if let moved { try records.state.save(watermark: moved.json) }
            return
        }
        let mayHavePassed =
            mayReadAgain && stored != nil && round.mode == .since
            && Completeness.watermarkMayHavePassedItems(closing, draft.crawl, draft.metrics.items)
        let before = draft.progress.reached.flatMap { Watermark(json: $0, isTime: isTime) }
        let onward = window?.walk.missed == nil ? Watermark.moved(from: stored, to: before)?.json : nil
        // Pages that are unchanged show no marks.
        let reached = Watermark.further(moved?.json, onward, isTime: isTime)
        draft.progress.reached = mayHavePassed ? reached : nil
        if let next = mayHavePassed ? onward : reached { try records.state.save(watermark: next) }
    }
}

extension CrawlClosing {
    /// True if the crawl met everything that it was meant to meet.
    fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }
    /// True if that is proved.
    fileprivate var isVerified: Bool { if case .complete(isVerified: true, _) = self { true } else { false } }
}
