internal import HTTP
internal import Threading

/// One run: pages fetched, decoded and committed one after the other, as `RunRules` says.
///
/// - Isolation: the engine's.
final class FeedRun {
    let feed: String
    let store: Store
    var loader: PageLoader
    let now: @Sendable () -> String
    let publish: (StatusEvent) -> Void
    let launch: Launch

    private let command: RequestCommand
    private(set) var rules: RunRules
    private var isBegun = false
    /// The first page of a feed in parts; nil for others, which are asked for as they are.
    private var start: Continuation?
    /// How many items of a part the upstream served to the walk before.
    private(set) var cap: Int?
    private var notices: [String] = []
    private var walkNotices = WalkNotices()
    private var leftOut = LeftOut()
    /// The pages without items that came last, one after the other.
    private var emptyPages = 0
    /// The next pages, requested while the ones before are decoded and committed.
    var lookAheads = LookAheads()
    /// Shut when a request had to be tried again, was redirected, or failed: from then on there is one at a time.
    let gate = SendGate()
    /// Whether the pages came so far that were told before.
    var isPredictable = true
    /// Whether the store has had no page of the feed.
    private(set) var isFirstLoad = false

    init(
        _ command: RequestCommand, of feed: String, store: Store, loader: PageLoader,
        now: @escaping @Sendable () -> String, publish: @escaping (StatusEvent) -> Void, launch: @escaping Launch
    ) {
        self.command = command
        self.feed = feed
        self.store = store
        self.loader = loader.through(gate)
        self.now = now
        self.publish = publish
        self.launch = launch
        rules = RunRules(
            command, mode: loader.definition.sync, isShifting: loader.definition.pagination.isShifting)
    }

    /// Works through the run that `opening` began.
    ///
    /// - Throws: `FeedError`; the log's begin is closed and the run ended then, as far as the store can be written.
    func perform(
        _ opening: Store.Opening, isolation: isolated (any Actor)? = #isolation
    ) async throws(FeedError) -> RunSummary {
        opening.events.forEach(publish)
        start = loader.start(of: opening.standing)
        cap = opening.standing.cap
        isFirstLoad = !opening.standing.isLoaded
        var step = rules.opened(opening.standing)
        let isHeader = step == .fetch(.header, nil)
        // A walk by watermark stays one, whoever goes on with it.
        if command == .sync || !isHeader {
            loader = loader.asking(from: watermark(opening.standing, resuming: !isHeader))
        }
        do throws(FetchFailure) {
            steps: while true {
                switch step {
                case .fetch(let direction, let continuation): step = try await page(direction, continuation)
                case .findMissing:
                    let pages = try await storing { () async throws(FeedError) in
                        try await store.pagesBesideMissing(of: feed)
                    }
                    step = rules.found(missingBeside: pages)
                case .check(let number): step = rules.checked(number, try await check(number))
                case .end: break steps
                }
                if case .fetch = step { continue }
                lookAheads.drop()
            }
        } catch {
            lookAheads.drop()
            try await fail(error)
        }
        guard case .end(let outcome, let closing) = step else {
            throw FeedError(.bug, "a run ended without an outcome")
        }
        let (itemCount, seen) = try await store.finish(feed, outcome: outcome, closing: closing, now: now())
        let (walk, figures) = try await store.progress(of: feed)
        return RunSummary(
            run: opening.run, outcome: outcome, figures: figures, isAtEnd: outcome == .noMoreData || isAtEnd,
            reason: walk?.reason, itemCount: itemCount, expectedCount: walk?.total, seenCount: seen,
            notices: notices + leftOutNotice + walkNotices.texts(walk, seen: seen, of: loader.definition))
    }

    private var isAtEnd = false

    private func page(
        _ direction: PageDirection, _ continuation: Continuation?, isolation: isolated (any Actor)? = #isolation
    ) async throws(FetchFailure) -> RunRules.Step {
        try await storing { () async throws(FeedError) in try await loader.requests.runCommands() }
        // A mistake in the definition is found before anything begins.
        var prepared = try failing { () throws(FeedError) in
            if let asked = lookAheads.next(continuation) { return asked }
            return try loader.requests.page(for: continuation ?? start)
        }
        if !isBegun {
            publish(
                try await storing { () async throws(FeedError) in
                    try await store.begin(direction, on: feed, now: now())
                })
            isBegun = true
        }
        let walk =
            direction == .header
            ? nil
            : try await storing { () async throws(FeedError) in
                try await store.progress(of: feed).walk
            }
        var loaded = try await load(prepared, after: walk)
        // A part with more than the upstream serves is not stored: its halves are.
        while loaded.end.part == .tooMany, let half = loaded.end.next {
            let cost = loaded.fetched
            try await storing { () async throws(FeedError) in try await store.spend(cost, on: feed) }
            prepared = try failing { () throws(FeedError) in try loader.requests.page(for: half) }
            loaded = try await load(prepared, after: walk)
        }
        if let shape = loaded.shape { loader = loader.following(shape) }
        emptyPages = loaded.isEmpty ? emptyPages + 1 : 0
        let wantsNext = rules.wantsNext
        // Nothing is asked of the upstream that known ground makes needless.
        let mayStop = rules.stopsAtKnownGround && loaded.isNotModified
        if wantsNext, !mayStop {
            try await storing { () async throws(FeedError) in
                try await lookAhead(behind: loaded, pages: walk?.pages ?? 0)
            }
        } else {
            lookAheads.drop()
        }
        return try await commit(loaded, direction, wantsNext: wantsNext)
    }

    private func load(
        _ page: PreparedPage, after walk: WalkState?, isolation: isolated (any Actor)? = #isolation
    ) async throws(FetchFailure) -> LoadedPage {
        let fetch = try await fetched(page)
        return try await loader.load(fetch, after: loader.soFar(walk, page, emptyPages: emptyPages, cap: cap))
    }

    /// What a sync by watermark asks from.
    private func watermark(_ standing: FeedStanding, resuming: Bool) -> PageRequest.Parameter? {
        guard case .since(let rule) = loader.definition.sync else { return nil }
        let isTime = if case .time = rule.overlap { true } else { false }
        let fresh = standing.watermark.flatMap { Watermark(json: $0, isTime: isTime) }?.parameterText(
            less: rule.overlap)
        let text = resuming ? standing.walkWatermark : fresh
        return text.map { PageRequest.Parameter(name: rule.parameter, value: $0) }
    }

    func pageCommit(
        _ loaded: LoadedPage, _ direction: PageDirection, end: PageEnd, wantsNext: Bool
    ) -> PageCommit {
        let fetched = loaded.fetched
        var commit = PageCommit(
            direction: direction, content: loaded.content, request: loaded.page.identity,
            credential: loaded.page.credentialFingerprint, validators: loaded.validators, end: end,
            upstreamNext: loaded.upstreamNext, httpStatus: fetched.response.status,
            requestCount: fetched.requestCount, byteCount: fetched.byteCount, quota: fetched.quota,
            serverDate: fetched.serverDate, incompleteReason: loaded.incompleteReason, leftOut: loaded.leftOut,
            shape: loaded.shape, beginsNext: wantsNext,
            continuationParameters: loader.definition.pagination.continuationParameters,
            advice: PollingAdvice(fetched.response))
        commit.part = loader.part(of: loaded.page)
        guard command == .sync else { return commit }
        commit.mode = loader.definition.sync.mode
        commit.stopsAtKnownGround = rules.stopsAtKnownGround
        commit.watermark = loader.requests.watermark?.value
        if case .decoded(let page) = loaded.content { commit.furthest = page.furthest?.json }
        return commit
    }

    private func commit(
        _ loaded: LoadedPage, _ direction: PageDirection, wantsNext: Bool, isolation: isolated (any Actor)? = #isolation
    ) async throws(FetchFailure) -> RunRules.Step {
        let fetched = loaded.fetched
        // The store follows the latest intent: a page that came too late is not committed.
        guard !Task.isCancelled else { throw FetchFailure(.cancelled, after: fetched) }
        let commit = pageCommit(loaded, direction, end: loaded.end, wantsNext: wantsNext)
        let outcome: PageOutcome
        do throws(FeedError) {
            outcome = try await store.commit(commit, to: feed, now: now())
        } catch {
            throw FetchFailure(error, after: fetched)
        }
        outcome.events.forEach(publish)
        isAtEnd = outcome.isEnd
        isBegun = outcome.beginsNext
        note(loaded)
        return rules.committed(
            RunRules.Committed(
                number: outcome.number, isUnchanged: outcome.isUnchanged, isInPlace: outcome.isInPlace,
                isKnownGround: outcome.ground != nil, adjoins: outcome.adjoins, next: loaded.end.next,
                reason: outcome.reason))
    }

    private func fail(
        _ failure: FetchFailure, isolation: isolated (any Actor)? = #isolation
    ) async throws(FeedError) -> Never {
        var spent = RunFigures()
        spent.requests = failure.requestCount
        spent.bytes = failure.byteCount
        let outcome = rules.failed(failure.error)
        let event = try await store.fail(
            feed, failure.error, outcome: outcome, spent: spent, quota: failure.quota, now: now())
        if let event { publish(event) }
        throw failure.error
    }

    func note(_ loaded: LoadedPage) {
        if let notice = loaded.end.notice, !notices.contains(notice) { notices.append(notice) }
        walkNotices.note(loaded)
        leftOut.first = leftOut.first ?? loaded.leftOut.first
        leftOut.count += loaded.leftOut.count
    }

    private var leftOutNotice: [String] {
        guard leftOut.count > 0 else { return [] }
        let items = leftOut.count == 1 ? "1 item was" : "\(leftOut.count) items were"
        return ["\(items) left out" + (leftOut.first.map { ": \($0)" } ?? ", as before")]
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
