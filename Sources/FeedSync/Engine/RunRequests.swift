internal import Concurrency
internal import HTTP

/// The requests of a run. Some are sent before the turn of their pages, while earlier pages are decoded and committed:
/// they publish no events and use the validators stored when they are sent. If a row of a page was written meanwhile,
/// the page is requested again.
///
/// - Isolation: the store's.
final class RunRequests {
    /// Starts a task in the store's isolation, which runs at once until its first suspension. The operation receives
    /// the store.
    typealias Launch = (@escaping @Sendable (isolated any Actor) async -> Void) -> Task<Void, Never>

    private let writer: FeedWriter
    private let launch: Launch
    private let now: @Sendable () -> String
    /// Shut once a request was retried, redirected or failed. From then on the run sends one request at a time.
    let gate: CircuitBreaker
    /// Counts the run's requests.
    let meter = RequestMeter()
    /// The requests for the next pages.
    private var prefetches = PrefetchQueue()
    /// The first page, if it was requested before the run began.
    private var early: PageFetch?
    /// True if all predicted pages were correct so far.
    private var isPredictable = true
    /// The time that the run waited for the last page.
    private(set) var waited = Duration.zero
    /// True if the last response said that less than a quarter of a quota is left.
    private(set) var isQuotaLow = false

    init(
        of writer: FeedWriter, gate: CircuitBreaker, now: @escaping @Sendable () -> String, launch: @escaping Launch
    ) {
        (self.writer, self.gate, self.now, self.launch) = (writer, gate, now, launch)
    }

    /// Begins with a page that was already fetched.
    func begin(with page: PageFetch) {
        early = page
        meter.add(page.cost)
    }

    /// The page at a cursor, if its request is the next of those that were sent.
    func next(_ cursor: PageCursor?) -> PreparedPage? { prefetches.next(cursor) }

    /// Drops the requests that were sent before the turn of their pages.
    func drop() { prefetches.drop() }

    /// Waits for the dropped requests, so that they are counted. They end as soon as they are cancelled.
    func awaitDropped() async {
        for pending in prefetches.takeDropped() { _ = await pending.value() }
    }

    /// The response for a page whose turn has come, from a request that was sent before or a new one.
    func response(
        for page: PreparedPage, by loader: PageLoader, isolation: isolated (any Actor)? = #isolation
    ) async throws(FeedSyncError) -> PageFetch {
        let start = ContinuousClock.now
        let fetch = try await fetched(page, by: loader)
        waited = .now - start
        if case .success(let fetched) = fetch.result { isQuotaLow = fetched.quota.contains(where: \.isLow) }
        return fetch
    }

    private func fetched(
        _ page: PreparedPage, by loader: PageLoader, isolation: isolated (any Actor)? = #isolation
    ) async throws(FeedSyncError) -> PageFetch {
        guard let ahead = prefetches.take(page.cursor) else {
            defer { early = nil }
            if let early, page.cursor == nil, early.page.key == page.key { return early }
            return try await fetch(page, by: loader)
        }
        let fetch = await withTaskCancellationHandler {
            // The closure names the isolation; otherwise it would run through the global pool.
            _ = isolation
            return await ahead.response.value()
        } onCancel: { [gate, task = ahead.task] in
            // Requests that wait behind it are not sent either.
            gate.shut()
            task.cancel()
        }
        // The page's turn has come.
        guard fetch.isHeldBack else { return fetch }
        return try await self.fetch(page, by: loader)
    }

    /// Requests a page, with the validators of the stored page if there are any. Stores and logs nothing.
    func fetch(_ page: PreparedPage, by loader: PageLoader) async throws(FeedSyncError) -> PageFetch {
        // The host may have demanded it in response to an earlier request, perhaps of another process.
        if let until = try blockedUntil(page, loader) { try await loader.wait(until: until, toRequest: page) }
        return await loader.fetch(page, stored: try storedPage(page))
    }

    /// Reads a page from a response.
    ///
    /// - Parameter isContinuing: True if the page continues the crawl, so that a 304 has to confirm rows that the crawl
    ///   has not met yet.
    func read(
        _ fetch: PageFetch, after soFar: CrawlSoFar, continuing isContinuing: Bool = false, by loader: PageLoader
    ) async throws(FeedSyncError) -> LoadedPage {
        try await loader.load(fetch, after: soFar) { [self] () throws(FeedSyncError) in
            guard isContinuing else { return try storedPage(fetch.page) }
            return try writer.pending { try writer.list.storedPageToContinue(fetch.page.key) }
        }
    }

    /// The newest stored page for a request.
    private func storedPage(_ page: PreparedPage) throws(FeedSyncError) -> StoredPage? {
        try writer.pending { try writer.records.storedPages.newest(page.key) }
    }

    /// The time before which the page's host accepts no request, in seconds since 1970.
    private func blockedUntil(_ page: PreparedPage, _ loader: PageLoader) throws(FeedSyncError) -> Int64? {
        let ends = try writer.pending {
            try writer.quota.blockedUntil(page.quotaOrigin, page.quotaCredentials, now: now())
        }
        guard let choices = page.credentialChoices else { return ends.first ?? nil }
        return choices.blockedUntil(at: loader.options.wallClock.seconds, ends)
    }

    /// True if the page may be requested before the page that led to it is committed: no response of the host, that
    /// page's included, asked us to wait.
    private func mayPrefetch(
        _ page: PreparedPage, after fetched: FetchedPage, by loader: PageLoader
    ) throws(FeedSyncError) -> Bool {
        guard page.credentialChoices != nil || fetched.quota.allSatisfy({ $0.blockedUntil == nil }) else {
            return false
        }
        return try blockedUntil(page, loader) == nil
    }

    /// Sends the next requests. Reads what they need from the store first, because the store will be busy in a moment.
    ///
    /// - Parameters:
    ///   - pages: The number of pages of the crawl, without the loaded one.
    ///   - pagesWanted: The number of pages that the command still wants; nil for all.
    func send(
        behind loaded: LoadedPage, pages: Int, pagesWanted: Int?, by loader: PageLoader
    ) async throws(FeedSyncError) {
        guard let next = loaded.end.next else { return prefetches.drop() }
        let wanted = Array(([next] + loaded.further).prefix(mostPages(behind: pages + 1, pagesWanted, loader)))
        if !prefetches.keep(wanted) { isPredictable = false }
        let most = mostAsked(after: loaded.fetched, loader)
        while prefetches.count < min(most, wanted.count), !prefetches.reachEnd {
            let cursor = wanted[prefetches.count]
            // An error of a page that cannot be requested is reported when the page is processed.
            guard let page = try? loader.requests.page(for: cursor) else { break }
            let isAhead = prefetches.count > 0
            guard try mayPrefetch(page, after: loaded.fetched, by: loader) else { break }
            let stored = try storedPage(page)
            let response = PendingFetch()
            let task = launch { (_: isolated any Actor) in
                response.finish(await loader.fetch(page, stored: stored, isAhead: isAhead))
            }
            let isLast = stored.map { $0.cursor == nil } ?? false
            prefetches.add(
                PrefetchQueue.Entry(
                    cursor: cursor, page: page, response: response, task: task, isLast: isLast))
        }
        // Lets the tasks run on the store's thread, so that their requests are sent before it is busy.
        await Task.yield()
    }

    /// The number of pages that the crawl may still read, at least 1.
    private func mostPages(behind pages: Int, _ pagesWanted: Int?, _ loader: PageLoader) -> Int {
        max(min(pagesWanted ?? .max, loader.definition.pageLimit.left(behind: pages)), 1)
    }

    /// The number of pages that may be requested: as many as the feed may prefetch, and one that waits at the host for
    /// its turn. It is 1 if anything speaks against more.
    private func mostAsked(after fetched: FetchedPage, _ loader: PageLoader) -> Int {
        guard !gate.isShut else { return 1 }
        let mayRequestAhead = isPredictable && loader.definition.mayRequestAhead
        let allowed = loader.definition.pagination.prefetch + (mayRequestAhead ? 1 : 0)
        let left = fetched.quota.compactMap(\.remaining).min().map { Int(clamping: $0) } ?? .max
        // An estimate from the size of the last page.
        let fitting = loader.definition.memory.body / max(fetched.response.body.count, 1)
        return max(min(allowed, left, fitting), 1)
    }
}
