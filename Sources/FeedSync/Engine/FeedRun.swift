internal import Concurrency
internal import HTTP

/// One run: pages fetched, decoded and committed one after the other, in the order that `CrawlRules` gives.
///
/// - Isolation: the store's.
final class FeedRun {
    let feed: String
    /// The feed's table and crawl in the store.
    let writer: FeedWriter
    let requests: RunRequests
    var loader: PageLoader
    let now: @Sendable () -> String
    let publish: @Sendable (StatusEvent) -> Void

    let command: RequestCommand
    let mode: CrawlMode
    var rules: CrawlRules
    /// The first page of a feed with partitions; nil for other feeds.
    var start: PageCursor?
    /// The number of items of one partition that the upstream served to the previous crawl.
    private(set) var cap: Int?
    var notices: [String] = []
    /// The notice of a first page that has moved for good.
    private var moved: (address: String, text: String)?
    var crawlNotices = CrawlNotices()
    /// The skipped items by request, because a run requests some pages twice.
    var skipped: [String: SkippedItems] = [:]
    /// The number of the last pages in a row that had no items.
    var emptyPages = 0
    /// True if the crawl may meet a synced range, after which it continues elsewhere.
    var mayMeetRange = true
    /// The number of pages that the crawl had read before it went back to an earlier one.
    var pagesBefore = 0
    /// The previous page, if the next one may not exist.
    var before: LoadedPage?
    /// The number of pages before the page that did not begin with the last item of the previous page.
    var brokenPage: Int?
    /// True if the next page is the first that `more` requests behind a synced range.
    var isBehindRange = false
    /// The state of the feed when the crawl began.
    private let resumePoint: ResumePoint
    /// True once the crawl of a window has ended and another window follows, or once a token was too old for its crawl.
    private(set) var hasNextCrawl = false
    /// True if an earlier window of the run changed anything.
    private var hasChangedBefore = false

    init(
        _ command: RequestCommand, by writer: FeedWriter, loader: PageLoader, gate: CircuitBreaker,
        now: @escaping @Sendable () -> String, publish: @escaping @Sendable (StatusEvent) -> Void,
        launch: @escaping RunRequests.Launch
    ) {
        self.command = command
        feed = writer.feed
        self.writer = writer
        requests = RunRequests(of: writer, gate: gate, now: now, launch: launch)
        self.loader = loader.through(gate, countingIn: requests.meter)
        self.now = now
        self.publish = publish
        let definition = loader.definition
        let milliseconds = Timestamp.milliseconds(of: now())
        var resumePoint = writer.resumePoint
        resumePoint.isFullDue = definition.isFullCrawlDue(after: resumePoint.fullAt, now: milliseconds)
        self.resumePoint = resumePoint
        mode = command == .sync ? CrawlMode(definition, resumePoint, now: milliseconds) : .reload
        rules = CrawlRules(command, CrawlRules.Feed(definition, mode, overlaps: loader.requests.overlap > 0))
    }

    /// Goes on with the run of an earlier window.
    func goOn(after run: FeedRun) {
        (notices, crawlNotices, skipped) = (run.notices, run.crawlNotices, run.skipped)
        hasChangedBefore = run.hasChangedBefore || run.writer.state.hasChanged
    }

    /// Continues with the shape of the feed that a page revealed.
    func follow(_ shape: ResolvedFeed?) {
        guard let shape else { return }
        loader = loader.following(shape)
        rules.learn(CrawlRules.Feed(shape.definition, mode, overlaps: loader.requests.overlap > 0))
    }

    /// Performs the run, or its part that asks for one window: then `hasNextCrawl` is true if another part follows.
    ///
    /// - Throws: `FeedSyncError`. The begun event is closed and the run ended by then, if the store can be written.
    func perform() async throws(FeedSyncError) -> RunSummary {
        start = loader.start(of: resumePoint)
        cap = resumePoint.cap
        let progress = resumePoint.progress
        mayMeetRange = mode == .all || mode == .since ? progress.round != nil : !progress.synced.isEmpty
        var step = rules.opened(resumePoint)
        let isHeader = step == .fetch(.header, nil)
        let span = span(resumePoint, isHeader: isHeader)
        if let span { loader = loader.asking(for: span) }
        // The next page may be one too many.
        if case .newest? = span { mayMeetRange = true }
        do throws(FeedSyncError) {
            while true {
                if case .end = step { break }
                step = try await take(step)
                if case .fetch = step { continue }
                requests.drop()
            }
        } catch {
            requests.drop()
            guard error.isOfOldToken, case .delta? = span else { try await fail(error) }
            return try await leaveToken(error)
        }
        await requests.awaitDropped()
        let rest = requests.meter.take()
        if !rest.isEmpty { try spend(rest) }
        guard case .end(var outcome, let closing) = step else {
            throw FeedSyncError(.bug, "a run ended without an outcome")
        }
        if outcome == .unchanged, hasChangedBefore { outcome = .ok }
        if let moved, try committed({ try $0.records.state.isNew(address: moved.address) }) {
            notices.append(moved.text)
        }
        if rules.keepsUnmetRows {
            notices.append("rows that the list may have no more are kept: with more requests, a run can check them")
        }
        let window = closing == nil ? nil : windowEnd(span)
        hasNextCrawl = window?.window.isLast == false
        let (ending, itemCount, seen): (RunOutcome, Int, Int)
        do throws(FeedSyncError) {
            (ending, itemCount, seen) = try writer.finish(
                outcome: outcome, closing: closing, window: window, now: now())
        } catch {
            // The last page was to be committed together with it.
            try await fail(error)
        }
        let (crawl, metrics) = (writer.state.crawl, writer.state.metrics)
        let reason = Completeness.reason(of: writer.state)
        return RunSummary(
            run: Int(writer.run), outcome: ending, figures: metrics, isAtEnd: outcome == .noMoreData || isAtEnd,
            reason: reason, itemCount: itemCount, expectedCount: crawl?.total, seenCount: seen,
            notices: notices + writer.table.notices + SkippedItems.notices(of: skipped)
                + crawlNotices.texts(crawl, seen: seen, of: loader.definition))
    }

    /// Ends a crawl whose token is too old. The run goes on with a full crawl.
    private func leaveToken(_ error: FeedSyncError) async throws(FeedSyncError) -> RunSummary {
        await requests.awaitDropped()
        if let event = try writer.leaveToken(error, cost: requests.meter.take(), now: now()) { publish(event) }
        hasNextCrawl = true
        notices.append(
            "the upstream no longer knows the token of the last sync, so every page was read: \(error.message)")
        return RunSummary(
            run: Int(writer.run), outcome: .ok, figures: writer.state.metrics, isAtEnd: false, reason: nil,
            itemCount: 0,
            expectedCount: nil, seenCount: 0, notices: [])
    }

    private func windowEnd(_ span: SyncSpan?) -> WindowEnd? {
        guard case .since(let rule) = loader.definition.sync, let window = span?.window else { return nil }
        return WindowEnd(window, of: rule, resumePoint)
    }

    func take(
        _ step: CrawlRules.Step
    ) async throws(FeedSyncError) -> CrawlRules.Step {
        switch step {
        case .fetch(let direction, let cursor): return try await page(direction, cursor)
        case .goOn(let crawl, let number):
            let place = try committed { try $0.goOn(crawl, from: number, isProved: command == .sync) }
            pagesBefore = max(number == nil ? 0 : place.pages, pagesBefore)
            isBehindRange = number == nil
            before = nil
            // The page that the end of the range leads to has not been read yet.
            mayMeetRange = writer.state.mayMeetRange
            return try await page(.footer, place.cursor)
        case .readHeadAgain: return try await readHeadAgain()
        case .readThrough:
            mayMeetRange = true
            return try await page(.header, nil)
        case .examine:
            var facts = try committed { try $0.examine() }
            facts.requestsLeft = loader.requestsLeft
            facts.isQuotaLow = requests.isQuotaLow
            return rules.examined(facts)
        case .findMissing:
            let (pages, isUnclear) = try committed { try $0.list.pagesBesideMissing() }
            return rules.found(missingBeside: pages, isUnclear: isUnclear)
        case .check(let page):
            let result = try await check(page)
            // A page whose items moved further down proves nothing about the missing items.
            if rules.isRemoving || result == .same || result == .changed {
                writer.reads.readAgain(page)
            }
            guard rules.isRemoving else { return rules.checked(page, result) }
            guard case .shifted(let items, _) = result else { return rules.checked(page, result) }
            return rules.checked(
                page, result, pushedTo: try committed { try $0.list.pages(behind: page, holding: items) })
        case .end: return step
        }
    }

    var isAtEnd = false

    func fail(
        _ error: FeedSyncError
    ) async throws(FeedSyncError) -> Never {
        await requests.awaitDropped()
        let event = try writer.fail(error, outcome: rules.failed(error), cost: requests.meter.take(), now: now())
        if let event { publish(event) }
        throw error
    }

    /// Runs `body` on committed data.
    func committed<Result>(_ body: (FeedWriter) throws -> Result) throws(FeedSyncError) -> Result {
        try writer.committed { try body(writer) }
    }

    /// Runs `body` while pages may wait for their commit.
    func pending<Result>(_ body: (FeedWriter) throws -> Result) throws(FeedSyncError) -> Result {
        try writer.pending { try body(writer) }
    }

    /// Adds the cost of requests to the run.
    func spend(_ cost: FetchCost) throws(FeedSyncError) { try committed { try $0.spend(cost) } }

    func note(_ loaded: LoadedPage) {
        if let notice = loaded.end.notice, !notices.contains(notice) { notices.append(notice) }
        moved = moved ?? loaded.movedNotice(of: loader.definition)
        crawlNotices.note(loaded)
        if loaded.content.skipped != SkippedItems() { skipped[loaded.page.identity] = loaded.content.skipped }
    }
}

extension Store {
    /// Runs a command on a feed, in the store's isolation.
    ///
    /// - Parameters:
    ///   - early: The first page, if it was already fetched.
    ///   - gate: Shut if a response speaks against more requests to the host.
    ///   - takeLock: Locks the feed for the run.
    /// - Throws: `FeedSyncError`; of kind `configuration` if the run cannot begin, which counts as a failed run.
    func run(
        _ command: RequestCommand, on definition: FeedDefinition, early: PageFetch?,
        through gate: CircuitBreaker, fetcher: Fetcher, options: EngineOptions,
        publish: @escaping @Sendable (StatusEvent) -> Void,
        takeLock: @Sendable () async throws(FeedSyncError) -> FeedLock
    ) async throws(FeedSyncError) -> RunSummary {
        let now: @Sendable () -> String = { [clock = options.wallClock] in clock.text }
        let lock: FeedLock
        var writer: FeedWriter
        do throws(FeedSyncError) {
            lock = try await takeLock()
            try await RequestPlan(definition, salt: salt, options: options).checkReferences()
            let events: [StatusEvent]
            (writer, events) = try open(definition, lock: lock, command: command.name, now: now())
            events.forEach(publish)
        } catch {
            // The run fails again until the definition is corrected.
            if error.kind == .configuration {
                try? logFailure(error, of: definition, command: command.name, now: now())
            }
            throw error
        }
        defer { withExtendedLifetime(lock) { close(writer) } }
        var before: FeedRun?
        while true {
            let loader = PageLoader(writer.table.shape, fetcher: fetcher, salt: salt, options: options)
            let run = FeedRun(
                command, by: writer, loader: loader, gate: gate, now: now, publish: publish,
                // The task uses the store's isolation, so that no other thread is woken to begin or continue it.
                launch: { [self] operation in Task(executorPreference: executor) { await operation(self) } })
            if let before { run.goOn(after: before) } else if let early { run.requests.begin(with: early) }
            let summary = try await run.perform()
            guard run.hasNextCrawl else { return summary }
            writer = try goOn(after: writer)
            before = run
        }
    }
}

extension CrawlRules.Feed {
    /// The facts of a definition that the rules depend on.
    fileprivate init(_ definition: FeedDefinition, _ mode: CrawlMode, overlaps: Bool) {
        self.init(
            // A token follows the changes one by one, so another request for the same changes proves nothing.
            mode: mode, verify: mode == .since && definition.sync.delta != nil ? .never : definition.verify,
            isShifting: definition.pagination.isShifting, overlaps: overlaps,
            isPartitioned: definition.partitioning != nil,
            isOpen: definition.hasOpenPagination,
            pageLimit: definition.pageLimit)
    }
}
