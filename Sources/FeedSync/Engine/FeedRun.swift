internal import Concurrency
internal import HTTP

/// One run: pages fetched, decoded and committed one after the other, as `CrawlRules` says.
///
/// - Isolation: the engine's.
final class FeedRun {
    let feed: String
    let store: Store
    var loader: PageLoader
    let now: @Sendable () -> String
    let publish: @Sendable (StatusEvent) -> Void
    let launch: Launch

    let command: RequestCommand
    let mode: CrawlMode
    var rules: CrawlRules
    var isBegun = false
    /// The first page of a feed in partitions; nil for others, which are asked for as they are.
    var start: PageCursor?
    /// How many items of a partition the upstream served to the crawl before.
    private(set) var cap: Int?
    var notices: [String] = []
    var crawlNotices = CrawlNotices()
    /// What was not stored of each request's page: some are asked for again.
    var skipped: [String: SkippedItems] = [:]
    /// The pages without items that came last, one after the other.
    var emptyPages = 0
    /// The next pages, requested while the ones before are decoded and committed.
    var prefetches = PrefetchQueue()
    /// Shut when a request had to be tried again, was redirected, or failed: from then on there is one at a time.
    let gate: CircuitBreaker
    /// Counts the run's requests.
    let meter = RequestMeter()
    /// The first page, where it was asked for before the run began.
    private(set) var early: PageLoader.Fetch?
    /// Whether the pages came so far that were told before.
    var isPredictable = true
    /// Whether a range may be met, at which the crawl goes on elsewhere.
    var mayMeetRange = true
    /// The pages that the crawl had read before it went back to one of them.
    var pagesBefore = 0
    /// The pages before one that did not begin with the last item of the page before.
    var brokenPage: Int?
    /// How long the last page was waited for.
    var waited = Duration.zero
    /// True if the last response said that less than a quarter of a quota is left.
    var isQuotaLow = false
    /// Whether the next page is the first that `more` asks for behind a range.
    var isBehindRange = false

    init(
        _ command: RequestCommand, of feed: String, opening: Store.Opening, store: Store, loader: PageLoader,
        gate: CircuitBreaker, now: @escaping @Sendable () -> String, publish: @escaping @Sendable (StatusEvent) -> Void,
        launch: @escaping Launch
    ) {
        self.command = command
        self.feed = feed
        self.store = store
        self.gate = gate
        self.loader = loader.through(gate, countingIn: meter)
        self.now = now
        self.publish = publish
        self.launch = launch
        let definition = loader.definition
        mode =
            command == .sync
            ? CrawlMode(definition, opening.resumePoint, now: Timestamp.milliseconds(of: now())) : .reload
        rules = CrawlRules(command, CrawlRules.Feed(definition, mode, overlaps: loader.requests.overlap > 0))
    }

    /// Begins with a page that came already.
    func begin(with page: SyncEngine.EarlyPage) {
        early = page.fetch
        meter.add(page.cost)
    }

    /// The page that came already, if it is this one; once.
    func takeEarly(_ page: PreparedPage) -> PageLoader.Fetch? {
        defer { early = nil }
        guard let early, page.cursor == nil, early.page.identity == page.identity,
            early.page.credentialFingerprint == page.credentialFingerprint
        else { return nil }
        return early
    }

    /// Goes on with what a page told of the feed.
    func follow(_ shape: ResolvedFeed?) {
        guard let shape else { return }
        loader = loader.following(shape)
        rules.learn(CrawlRules.Feed(shape.definition, mode, overlaps: loader.requests.overlap > 0))
    }

    /// Works through the run that `opening` began.
    ///
    /// - Throws: `FeedSyncError`; the log's begin is closed and the run ended then, as far as the store can be written.
    func perform(
        _ opening: Store.Opening
    ) async throws(FeedSyncError) -> RunSummary {
        opening.events.forEach(publish)
        start = loader.start(of: opening.resumePoint)
        cap = opening.resumePoint.cap
        let progress = opening.resumePoint.progress
        mayMeetRange = mode == .all || mode == .since ? progress.round != nil : !progress.synced.isEmpty
        var step = rules.opened(opening.resumePoint)
        let isHeader = step == .fetch(.header, nil)
        // A crawl by watermark stays one, whoever goes on with it.
        if mode == .since || !isHeader {
            loader = loader.asking(from: watermark(opening.resumePoint, resuming: progress.round?.mode == .since))
        }
        do throws(FeedSyncError) {
            while true {
                if case .end = step { break }
                step = try await take(step)
                if case .fetch = step { continue }
                prefetches.drop()
            }
        } catch {
            prefetches.drop()
            try await fail(error)
        }
        await awaitDropped()
        let rest = meter.take()
        if !rest.isEmpty { try await store.spend(rest, on: feed) }
        guard case .end(let outcome, let closing) = step else {
            throw FeedSyncError(.bug, "a run ended without an outcome")
        }
        let (ending, itemCount, seen): (RunOutcome, Int, Int)
        do throws(FeedSyncError) {
            (ending, itemCount, seen) = try await store.finish(feed, outcome: outcome, closing: closing, now: now())
        } catch {
            // The last page was to be committed with it.
            try await fail(error)
        }
        let (crawl, figures) = try await store.progress(of: feed)
        let reason = try await store.reason(of: feed)
        let columnNotices = try await store.columnNotices(of: feed)
        return RunSummary(
            run: opening.run, outcome: ending, figures: figures, isAtEnd: outcome == .noMoreData || isAtEnd,
            reason: reason, itemCount: itemCount, expectedCount: crawl?.total, seenCount: seen,
            notices: notices + columnNotices + SkippedItems.notices(of: skipped)
                + crawlNotices.texts(crawl, seen: seen, of: loader.definition))
    }

    func take(
        _ step: CrawlRules.Step
    ) async throws(FeedSyncError) -> CrawlRules.Step {
        switch step {
        case .fetch(let direction, let cursor): return try await page(direction, cursor)
        case .goOn(let crawl, let number):
            let place = try await store.goOn(crawl, from: number, isProved: command == .sync, of: feed)
            pagesBefore = max(number == nil ? 0 : place.pages, pagesBefore)
            isBehindRange = number == nil
            // What the range's end leads to was read by nobody.
            mayMeetRange = try await store.mayMeetRange(of: feed)
            return try await page(.footer, place.cursor)
        case .readHeadAgain: return try await readHeadAgain()
        case .readThrough:
            mayMeetRange = true
            return try await page(.header, nil)
        case .examine:
            var facts = try await store.examine(feed)
            facts.requestsLeft = loader.requestsLeft
            facts.isQuotaLow = isQuotaLow
            return rules.examined(facts)
        case .findMissing:
            let pages = try await store.pagesBesideMissing(of: feed)
            return rules.found(missingBeside: pages)
        case .check(let page):
            let result = try await check(page)
            // A page whose items stand further down says nothing of those that were not met.
            if rules.isRemoving || result == .same || result == .changed {
                try await store.markAskedAgain(page, of: feed)
            }
            guard rules.isRemoving else { return rules.checked(page, result) }
            guard case .shifted(let items, _) = result else { return rules.checked(page, result) }
            return rules.checked(
                page, result, pushedTo: try await store.pages(behind: page, holding: items, of: feed))
        case .end: return step
        }
    }

    var isAtEnd = false

    func fail(
        _ error: FeedSyncError
    ) async throws(FeedSyncError) -> Never {
        await awaitDropped()
        let event = try await store.fail(
            feed, error, outcome: rules.failed(error), cost: meter.take(), now: now())
        if let event { publish(event) }
        throw error
    }

    /// Waits for the requests that were dropped, so that they are counted: they end as soon as they are cancelled.
    func awaitDropped() async {
        for pending in prefetches.takeDropped() { _ = await pending.value() }
    }

    func note(_ loaded: LoadedPage) {
        if let notice = loaded.end.notice, !notices.contains(notice) { notices.append(notice) }
        crawlNotices.note(loaded)
        if loaded.skipped != SkippedItems() { skipped[loaded.page.identity] = loaded.skipped }
    }
}

extension CrawlRules.Feed {
    /// What the rules have to know of a definition.
    fileprivate init(_ definition: FeedDefinition, _ mode: CrawlMode, overlaps: Bool) {
        self.init(
            mode: mode, verify: definition.verify, isShifting: definition.pagination.isShifting, overlaps: overlaps,
            hasTotals: definition.pagination.hasTotal, isPartitioned: definition.partitioning != nil,
            isOpen: definition.hasOpenPagination,
            maxPages: definition.maxPages)
    }
}
