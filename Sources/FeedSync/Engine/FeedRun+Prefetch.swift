internal import Concurrency
internal import HTTP

/// Requests that are sent before the turn of their pages. They publish no events and use the validators stored when
/// they are sent. If a row of a page was written meanwhile, the page is requested again.
extension FeedRun {
    /// Starts a task in the store's isolation, which runs at once until its first suspension. The operation receives
    /// the store.
    typealias Launch = (@escaping @Sendable (isolated any Actor) async -> Void) -> Task<Void, Never>

    /// The response for a page, from a prefetch or a new request.
    func fetched(
        _ page: PreparedPage, isolation: isolated (any Actor)? = #isolation
    ) async throws(FeedSyncError) -> PageLoader.Fetch {
        guard let ahead = prefetches.take(page.cursor) else {
            if let early = takeEarly(page) { return early }
            return try await fetch(page)
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
        return try await self.fetch(page)
    }

    /// Requests a page, with the validators of the stored page if there are any. Stores and logs nothing.
    func fetch(_ page: PreparedPage) async throws(FeedSyncError) -> PageLoader.Fetch {
        // The host may have demanded it in response to an earlier request, perhaps of another process.
        if let until = try blockedUntil(page) { try await loader.wait(until: until, toRequest: page) }
        return await loader.fetch(page, stored: try storedPage(page))
    }

    /// The newest stored page for a request.
    func storedPage(_ page: PreparedPage) throws(FeedSyncError) -> StoredPage? {
        try pending { try $0.records.storedPages.newest(page.key) }
    }

    /// The time before which the page's host accepts no request, in seconds since 1970.
    private func blockedUntil(_ page: PreparedPage) throws(FeedSyncError) -> Int64? {
        let ends = try pending { try $0.quota.blockedUntil(page.quotaOrigin, page.quotaCredentials, now: now()) }
        guard let choices = page.credentialChoices else { return ends.first ?? nil }
        return choices.blockedUntil(at: loader.options.wallClock.seconds, ends)
    }

    /// True if the page may be requested before the page that led to it is committed: no response of the host, that
    /// page's included, asked us to wait.
    private func mayPrefetch(_ page: PreparedPage, after fetched: FetchedPage) throws(FeedSyncError) -> Bool {
        guard page.credentialChoices != nil || fetched.quota.allSatisfy({ $0.blockedUntil == nil }) else {
            return false
        }
        return try blockedUntil(page) == nil
    }

    /// Records the cost and the validators of a page that came again unchanged.
    func keep(_ page: StoredPage?, _ loaded: LoadedPage) throws(FeedSyncError) {
        try spend(meter.take())
        // The rest of the body may have changed, and a 304 would confirm the stored version of it.
        guard let page, let decoded = loaded.content.decoded, decoded.elementCount == page.elements,
            loaded.content.skipped.count == page.skipped, loaded.content.skipped.sameKey == page.sameKey,
            loaded.upstreamNext == page.cursor, loaded.end.total == page.total
        else { return }
        try committed { try $0.records.storedPages.refresh(page, loaded.validators) }
    }

    /// Sends the next requests. Reads what they need from the store first, because the store will be busy in a moment.
    ///
    /// - Parameter pages: The number of pages of the crawl, without the loaded one.
    func prefetch(
        behind loaded: LoadedPage, pages: Int
    ) async throws(FeedSyncError) {
        guard let next = loaded.end.next else { return prefetches.drop() }
        let wanted = Array(([next] + loaded.further).prefix(mostPages(behind: pages + 1)))
        if !prefetches.keep(wanted) { isPredictable = false }
        let most = mostAsked(after: loaded.fetched)
        while prefetches.count < min(most, wanted.count), !prefetches.reachEnd {
            let cursor = wanted[prefetches.count]
            // An error of a page that cannot be requested is reported when the page is processed.
            guard let page = try? loader.requests.page(for: cursor) else { break }
            let isAhead = prefetches.count > 0
            // The token of a request that waits at the host may have expired by its turn.
            if prefetches.count >= loader.definition.pagination.prefetch, page.tokenRequest != nil { break }
            guard try mayPrefetch(page, after: loaded.fetched) else { break }
            let stored = try storedPage(page)
            let response = PendingFetch()
            let task = launch { [loader] (_: isolated any Actor) in
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
    private func mostPages(behind pages: Int) -> Int {
        let limits = [rules.pagesWanted, loader.definition.maxPages.map { $0 - pages }].compactMap(\.self)
        return max(limits.min() ?? .max, 1)
    }

    /// The number of pages that may be requested: as many as the feed may prefetch, and one that waits at the host for
    /// its turn. It is 1 if anything speaks against more.
    private func mostAsked(after fetched: FetchedPage) -> Int {
        guard !gate.isShut else { return 1 }
        // A response rule takes effect when the response is read, and the waiting request has been sent by then.
        let isPlain = isPredictable && !loader.definition.responses.contains(where: \.doubtsSuccess)
        let allowed = loader.definition.pagination.prefetch + (isPlain ? 1 : 0)
        let left = fetched.quota.compactMap(\.remaining).min().map { Int(clamping: $0) } ?? .max
        // An estimate from the size of the last page.
        let fitting = loader.definition.memory.body / max(fetched.response.body.count, 1)
        return max(min(allowed, left, fitting), 1)
    }
}
