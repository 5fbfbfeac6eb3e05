internal import SQLite

/// The end of a run, or of the crawl of one of its windows: the last event, the outcome, the changes of columns, and
/// the time at which the feed is due again.
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
    ///   - headBefore: The range at the head when the run began; nil if there was none.
    /// - Returns: The run's outcome.
    mutating func finish(
        _ outcome: RunOutcome, closing: CrawlClosing?, window: WindowEnd?, headBefore: SyncedRange?
    ) throws -> RunOutcome {
        guard let closing else {
            try finishRun(outcome, error: nil)
            // It may be that no page cleared the error of an earlier run.
            try records.state.clearError()
            return outcome
        }
        var end = CrawlEnd(
            of: list, log: log, changes: table.log, headBefore: headBefore, window: window, now: now)
        // A removed row is a change, though no page has changed.
        let outcome = try end.close(closing) > 0 ? .ok : outcome
        draft = end.draft
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
        if list.state.open == .footer, let crawl = draft.crawl, !error.kind.isOfUser {
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
        draft.open = nil
        guard let direction = list.state.open else { return nil }
        return try log.note(direction.end, page: list.state.number(of: direction), error: error.json, now: now)
    }

    private func finishRun(_ outcome: RunOutcome, error: String?) throws {
        // People may query the table of a feed whose first request failed.
        if let shape = table.shapeOfNewTable { _ = try table.adopt(shape) }
        try log.finish(outcome, Completeness.of(outcome, draft), draft.metrics, error: error, now: now)
        try log.add(try table.findColumnChanges(), of: definition.owner, now: now)
        try FeedSchedule.follow(log.run, of: list.feed, every: definition.every, on: log.connection)
    }
}
