internal import Concurrency
internal import HTTP

/// One run: pages fetched, decoded and committed one after the other, as `RunRules` says.
///
/// - Isolation: the engine's.
final class FeedRun {
    let feed: String
    let store: Store
    var loader: PageLoader
    let now: @Sendable () -> String
    let publish: @Sendable (StatusEvent) -> Void
    let launch: Launch

    private let command: RequestCommand
    private let mode: CrawlMode
    private(set) var rules: CrawlRules
    private var isBegun = false
    /// The first page of a feed in partitions; nil for others, which are asked for as they are.
    private var start: PageCursor?
    /// How many items of a partition the upstream served to the crawl before.
    private(set) var cap: Int?
    private var notices: [String] = []
    private var crawlNotices = CrawlNotices()
    private var skipped = SkippedItems()
    /// The pages without items that came last, one after the other.
    private var emptyPages = 0
    /// The next pages, requested while the ones before are decoded and committed.
    var prefetches = PrefetchQueue()
    /// Shut when a request had to be tried again, was redirected, or failed: from then on there is one at a time.
    let gate = CircuitBreaker()
    /// Whether the pages came so far that were told before.
    var isPredictable = true
    /// Whether a range may be met, at which the crawl goes on elsewhere.
    private(set) var mayMeetRange = true
    /// The pages that the crawl had read before it went back to one of them.
    private var pagesBefore = 0
    /// The pages before one that did not begin with the last item of the page before.
    private var brokenPage: Int?
    /// How long the last page was waited for.
    private var waited = Duration.zero
    /// Whether the next page is the first that `more` asks for behind a range.
    private var isBehindRange = false

    init(
        _ command: RequestCommand, of feed: String, opening: Store.Opening, store: Store, loader: PageLoader,
        now: @escaping @Sendable () -> String, publish: @escaping @Sendable (StatusEvent) -> Void,
        launch: @escaping Launch
    ) {
        self.command = command
        self.feed = feed
        self.store = store
        self.loader = loader.through(gate)
        self.now = now
        self.publish = publish
        self.launch = launch
        let definition = loader.definition
        mode =
            command == .sync
            ? CrawlMode(definition, opening.resumePoint, now: Timestamp.milliseconds(of: now())) : .reload
        rules = CrawlRules(command, CrawlRules.Feed(definition, mode, overlaps: loader.requests.overlap > 0))
    }

    /// Goes on with what a page told of the feed.
    func follow(_ shape: ResolvedFeed?) {
        guard let shape else { return }
        loader = loader.following(shape)
        rules.learn(CrawlRules.Feed(shape.definition, mode, overlaps: loader.requests.overlap > 0))
    }

    /// Works through the run that `opening` began.
    ///
    /// - Throws: `FeedError`; the log's begin is closed and the run ended then, as far as the store can be written.
    func perform(
        _ opening: Store.Opening, isolation: isolated (any Actor)? = #isolation
    ) async throws(FeedError) -> RunSummary {
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
        do throws(FetchFailure) {
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
        let cost = await costOfDropped()
        try await store.spend(cost, on: feed)
        guard case .end(let outcome, let closing) = step else {
            throw FeedError(.bug, "a run ended without an outcome")
        }
        let (itemCount, seen) = try await store.finish(feed, outcome: outcome, closing: closing, now: now())
        let (crawl, figures) = try await store.progress(of: feed)
        let reason = try await store.reason(of: feed)
        return RunSummary(
            run: opening.run, outcome: outcome, figures: figures, isAtEnd: outcome == .noMoreData || isAtEnd,
            reason: reason, itemCount: itemCount, expectedCount: crawl?.total, seenCount: seen,
            notices: notices + skippedNotice + crawlNotices.texts(crawl, seen: seen, of: loader.definition))
    }

    private func take(
        _ step: CrawlRules.Step, isolation: isolated (any Actor)? = #isolation
    ) async throws(FetchFailure) -> CrawlRules.Step {
        switch step {
        case .fetch(let direction, let cursor): return try await page(direction, cursor)
        case .goOn(let crawl, let number):
            let place = try await storing { () async throws(FeedError) in
                try await store.goOn(crawl, from: number, isProved: command == .sync, of: feed)
            }
            pagesBefore = max(number == nil ? 0 : place.pages, pagesBefore)
            isBehindRange = number == nil
            // What the range's end leads to was read by nobody.
            mayMeetRange = try await storing { () async throws(FeedError) in try await store.mayMeetRange(of: feed) }
            return try await page(.footer, place.cursor)
        case .readHeadAgain: return try await readHeadAgain()
        case .examine:
            let facts = try await storing { () async throws(FeedError) in try await store.examine(feed) }
            return rules.examined(facts)
        case .findMissing:
            let pages = try await storing { () async throws(FeedError) in
                try await store.pagesBesideMissing(of: feed)
            }
            return rules.found(missingBeside: pages)
        case .check(let page):
            let result = try await check(page)
            if rules.isRemoving {
                try await storing { () async throws(FeedError) in try await store.markAskedAgain(page, of: feed) }
            }
            return rules.checked(page, result)
        case .end: return step
        }
    }

    private var isAtEnd = false

    private func page(
        _ direction: PageDirection, _ cursor: PageCursor?, isolation: isolated (any Actor)? = #isolation
    ) async throws(FetchFailure) -> CrawlRules.Step {
        try await storing { () async throws(FeedError) in try await loader.requests.runCommands() }
        let crawl =
            direction == .header
            ? nil
            : try await storing { () async throws(FeedError) in
                try await store.progress(of: feed).crawl
            }
        // A mistake in the definition is found before anything begins.
        var prepared = try failing { () throws(FeedError) in
            if let asked = prefetches.next(cursor) { return asked }
            return try loader.requests.page(for: cursor ?? start)
        }
        if let most = crawl?.mostElements, loader.isTooShort(most) {
            // It gives fewer than it is asked for: one of them again would be a large share.
            loader = loader.withoutOverlap()
            prepared = try failing { () throws(FeedError) in try loader.requests.page(for: cursor ?? start) }
        }
        if !isBegun {
            publish(
                try await storing { () async throws(FeedError) in
                    try await store.begin(direction, on: feed, now: now())
                })
            isBegun = true
        }
        var loaded = try await load(prepared, after: crawl)
        let isBroken = loaded.overlap(behind: crawl?.lastKeys) == .broken
        let isBrokenAgain = isBroken && (command != .sync || brokenPage == crawl?.pages)
        if isBroken { brokenPage = crawl?.pages }
        if loaded.isOverlapRefused || isBrokenAgain {
            // Not every upstream begins a page anywhere, or gives one item more.
            try await spend(loaded)
            prefetches.drop()
            loader = loader.withoutOverlap()
            prepared = try failing { () throws(FeedError) in try loader.requests.page(for: cursor ?? start) }
            loaded = try await load(prepared, after: crawl)
        }
        // A partition with more than the upstream serves is not stored: its halves are.
        while loaded.end.part == .tooMany, let half = loaded.end.next {
            try await spend(loaded)
            try await storing { () async throws(FeedError) in
                try await store.narrow(feed, to: half, isFirst: direction == .header)
            }
            prepared = try failing { () throws(FeedError) in try loader.requests.page(for: half) }
            loaded = try await load(prepared, after: crawl)
        }
        follow(loaded.shape)
        if crawl == nil, loader.isTooShort(loaded.elementCount) { loader = loader.withoutOverlap() }
        let overlap = loaded.overlap(behind: crawl?.lastKeys)
        let border = CrawlRules.Border(
            number: (crawl?.pages ?? 0) + 1, total: loaded.isNotModified || start != nil ? nil : loaded.end.total,
            totalBefore: crawl?.total, overlaps: overlap.map { $0 != .broken }, crawl: crawl?.id ?? 0)
        if let step = rules.came(border) {
            try await spend(loaded)
            return step
        }
        emptyPages = loaded.isEmpty ? emptyPages + 1 : 0
        let wantsNext = rules.wantsNext
        // Nothing is asked of the upstream that a range may make needless.
        if wantsNext, !mayMeetRange {
            try await storing { () async throws(FeedError) in
                try await prefetch(behind: loaded, pages: crawl?.pages ?? 0)
            }
        } else {
            prefetches.drop()
        }
        var commit = pageCommit(loaded, direction, end: loaded.end, wantsNext: wantsNext)
        commit.overlap = overlap == .exact ? 1 : 0
        commit.showsPageBefore = overlap == .exact || overlap == .shifted
        commit.isAgain = (crawl?.pages ?? 0) < pagesBefore || direction == .header && rules.isReadingHeadAgain
        commit.isLoose =
            command != .sync && isBehindRange && loader.definition.pagination.isShifting && overlap == nil
            && (border.total == nil || border.total != border.totalBefore)
        isBehindRange = false
        return try await self.commit(commit, loaded)
    }

    private func spend(
        _ loaded: LoadedPage, isolation: isolated (any Actor)? = #isolation
    ) async throws(FetchFailure) {
        try await storing { () async throws(FeedError) in try await store.spend(loaded.fetched, on: feed) }
    }

    private func load(
        _ page: PreparedPage, after crawl: CrawlState?, isolation: isolated (any Actor)? = #isolation
    ) async throws(FetchFailure) -> LoadedPage {
        let start = ContinuousClock.now
        let fetch = try await fetched(page)
        waited = .now - start
        return try await loader.load(fetch, after: loader.soFar(crawl, page, emptyPages: emptyPages, cap: cap))
    }

    /// Asks for the first page again, in silence; a new crawl begins with it if it is not as it was.
    private func readHeadAgain(isolation: isolated (any Actor)? = #isolation) async throws(FetchFailure)
        -> CrawlRules.Step
    {
        let prepared = try failing { () throws(FeedError) in try loader.requests.page(for: start) }
        let fetch = try await storing { () async throws(FeedError) in try await loader.fetch(prepared) }
        let loaded = try await loader.load(fetch, after: loader.soFar(nil, prepared, emptyPages: 0, cap: cap))
        follow(loaded.shape)
        let page: DecodedPage? = if case .decoded(let decoded) = loaded.content { decoded } else { nil }
        let isSame =
            loaded.isNotModified
            ? true
            : try await storing { () async throws(FeedError) in
                try await store.holds(page, as: fetch.stored, of: feed)
            }
        if isSame {
            try await storing { () async throws(FeedError) in try await store.keep(fetch.stored, loaded, of: feed) }
            return rules.headIsSame()
        }
        publish(
            try await storing { () async throws(FeedError) in try await store.begin(.header, on: feed, now: now()) })
        mayMeetRange = true
        var commit = pageCommit(loaded, .header, end: loaded.end, wantsNext: true)
        commit.isAgain = true
        return try await self.commit(commit, loaded)
    }

    /// What a sync by watermark asks from.
    private func watermark(_ resumePoint: ResumePoint, resuming: Bool) -> PageRequest.Parameter? {
        guard case .since(let rule) = loader.definition.sync else { return nil }
        let isTime = if case .time = rule.overlap { true } else { false }
        let fresh = resumePoint.watermark.flatMap { Watermark(json: $0, isTime: isTime) }?.parameterText(
            less: rule.overlap)
        let text = resuming ? resumePoint.crawlWatermark : fresh
        return text.map { PageRequest.Parameter(name: rule.parameter, value: $0) }
    }

    func pageCommit(
        _ loaded: LoadedPage, _ direction: PageDirection, end: NextPage, wantsNext: Bool
    ) -> PageCommit {
        let fetched = loaded.fetched
        var commit = PageCommit(
            direction: direction, content: loaded.content, request: loaded.page.identity,
            credential: loaded.page.credentialFingerprint, validators: loaded.validators, end: end,
            upstreamNext: loaded.upstreamNext, httpStatus: fetched.response.status,
            requestCount: fetched.requestCount, byteCount: fetched.byteCount, quota: fetched.quota,
            serverDate: fetched.serverDate, incompleteReason: loaded.incompleteReason, skipped: loaded.skipped,
            shape: loaded.shape, beginsNext: wantsNext,
            cursorParameters: loader.definition.pagination.cursorParameters,
            // What other pages say is not asked for.
            advice: direction == .header ? PollingAdvice(fetched.response) : PollingAdvice())
        commit.waited = waited
        commit.part = loader.part(of: loaded.page)
        commit.asked = loaded.page.cursor
        commit.watermark = loader.requests.watermark?.value
        if case .decoded(let page) = loaded.content { commit.furthest = page.furthest?.json }
        commit.mode = mode
        return commit
    }

    private func commit(
        _ commit: PageCommit, _ loaded: LoadedPage, isolation: isolated (any Actor)? = #isolation
    ) async throws(FetchFailure) -> CrawlRules.Step {
        let fetched = loaded.fetched
        // The store follows the latest intent: a page that came too late is not committed.
        guard !Task.isCancelled else { throw FetchFailure(.cancelled, after: fetched) }
        let outcome: PageOutcome
        do throws(FeedError) {
            outcome = try await store.commit(commit, to: feed, now: now(), publish: publish)
        } catch {
            throw FetchFailure(error, after: fetched)
        }
        isAtEnd = outcome.isEnd
        isBegun = outcome.beginsNext
        note(loaded)
        return rules.committed(
            CrawlRules.Committed(
                crawl: outcome.crawl, number: outcome.number, isUnchanged: outcome.isUnchanged,
                isInPlace: outcome.isInPlace, hasOverlap: outcome.hasOverlap, onward: outcome.onward,
                pagesOfRange: outcome.pagesOfRange))
    }

    private func fail(
        _ failure: FetchFailure, isolation: isolated (any Actor)? = #isolation
    ) async throws(FeedError) -> Never {
        let dropped = await costOfDropped()
        var spent = RunMetrics()
        spent.requests = failure.requestCount + dropped.requestCount
        spent.bytes = failure.byteCount + dropped.byteCount
        let outcome = rules.failed(failure.error)
        let event = try await store.fail(
            feed, failure.error, outcome: outcome, spent: spent, quota: failure.quota, now: now())
        if let event { publish(event) }
        throw failure.error
    }

    /// What the requests cost that were dropped: they end as soon as they are cancelled.
    private func costOfDropped(isolation: isolated (any Actor)? = #isolation) async -> FetchCost {
        var cost = FetchCost()
        for pending in prefetches.takeDropped() {
            switch await pending.value().result {
            case .success(let fetched):
                cost.requestCount += fetched.requestCount
                cost.byteCount += fetched.byteCount
                cost.quota += fetched.quota
            case .failure(let failure): cost.add(failure)
            }
        }
        return cost
    }

    func note(_ loaded: LoadedPage) {
        if let notice = loaded.end.notice, !notices.contains(notice) { notices.append(notice) }
        crawlNotices.note(loaded)
        skipped.first = skipped.first ?? loaded.skipped.first
        skipped.count += loaded.skipped.count
    }

    private var skippedNotice: [String] {
        guard skipped.count > 0 else { return [] }
        let items = skipped.count == 1 ? "1 item was" : "\(skipped.count) items were"
        return ["\(items) skipped" + (skipped.first.map { ": \($0)" } ?? ", as before")]
    }

    func failing<Result>(_ body: () throws(FeedError) -> Result) throws(FetchFailure) -> Result {
        do throws(FeedError) { return try body() } catch { throw FetchFailure(error) }
    }

    func storing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(FeedError) -> Result
    ) async throws(FetchFailure) -> Result {
        do throws(FeedError) { return try await body() } catch { throw FetchFailure(error) }
    }
}

extension CrawlRules.Feed {
    /// What the rules have to know of a definition.
    fileprivate init(_ definition: FeedDefinition, _ mode: CrawlMode, overlaps: Bool) {
        self.init(
            mode: mode, verify: definition.verify, isShifting: definition.pagination.isShifting, overlaps: overlaps,
            hasTotals: definition.pagination.hasTotal, isPartitioned: definition.partitioning != nil)
    }
}
