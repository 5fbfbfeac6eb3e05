internal import Concurrency
internal import HTTP

/// Requests that go out before it is their pages' turn. They are silent, and asked with the validators that are stored
/// when they go out; a page of which a row was written meanwhile is asked again.
extension FeedRun {
    /// Begins a task of the engine's, at once as far as it gets by itself; the operation is given the engine.
    typealias Launch = (@escaping @Sendable (isolated any Actor) async -> Void) -> Task<Void, Never>

    /// The response for a page: the one that is on its way already, or a new one.
    func fetched(
        _ page: PreparedPage, isolation: isolated (any Actor)? = #isolation
    ) async throws(FeedSyncError) -> PageLoader.Fetch {
        guard let ahead = prefetches.take(page.cursor) else {
            if let early = takeEarly(page) { return early }
            return try await loader.fetch(page)
        }
        let fetch = await withTaskCancellationHandler {
            // Names the isolation, or the closure would go by way of the global pool.
            _ = isolation
            return await ahead.response.value()
        } onCancel: { [gate, task = ahead.task] in
            // Nor is sent what waits behind it.
            gate.shut()
            task.cancel()
        }
        // It is the page's turn now.
        guard fetch.isHeldBack else { return fetch }
        return try await loader.fetch(page)
    }

    /// Puts the next requests on the wire. What they need of the store is read first: the store is busy in a moment.
    ///
    /// - Parameter pages: The crawl's pages, the loaded one not counted.
    func prefetch(
        behind loaded: LoadedPage, pages: Int
    ) async throws(FeedSyncError) {
        guard let next = loaded.end.next else { return prefetches.drop() }
        let wanted = Array(([next] + loaded.further).prefix(mostPages(behind: pages + 1)))
        if !prefetches.keep(wanted) { isPredictable = false }
        let most = mostAsked(after: loaded.fetched)
        while prefetches.count < min(most, wanted.count), !prefetches.reachEnd {
            let cursor = wanted[prefetches.count]
            // A page that cannot be requested is told of when it is its turn.
            guard let page = try? loader.requests.page(for: cursor) else { break }
            let isAhead = prefetches.count > 0
            // The token of one that waits at the host may have expired by its turn.
            if prefetches.count >= loader.definition.pagination.prefetch, page.tokenRequest != nil { break }
            guard try await loader.mayPrefetch(page, after: loaded.fetched) else { break }
            let stored = try await store.storedPage(page, of: feed)
            let response = PendingFetch()
            let task = launch { [loader] (_: isolated any Actor) in
                response.finish(await loader.fetch(page, stored: stored, isAhead: isAhead))
            }
            let isLast = stored.map { $0.cursor == nil } ?? false
            prefetches.add(
                PrefetchQueue.Entry(
                    cursor: cursor, page: page, response: response, task: task, isLast: isLast))
        }
        // Their turn on the engine's thread: they are on the wire before it is busy.
        await Task.yield()
    }

    /// How many pages the crawl may still have, at least 1.
    private func mostPages(behind pages: Int) -> Int {
        let limits = [rules.pagesWanted, loader.definition.maxPages.map { $0 - pages }].compactMap(\.self)
        return max(limits.min() ?? .max, 1)
    }

    /// How many pages may be asked for: as many as the feed allows to be under way, and one that waits at the host for its
    /// turn. One in all where anything speaks against it.
    private func mostAsked(after fetched: FetchedPage) -> Int {
        guard !gate.isShut else { return 1 }
        // What a rule makes of a response is known when it is read, and the waiting one is out by then.
        let isPlain = isPredictable && !loader.definition.responses.contains(where: \.doubtsSuccess)
        let allowed = loader.definition.pagination.prefetch + (isPlain ? 1 : 0)
        let left = fetched.quota.compactMap(\.remaining).min().map { Int(clamping: $0) } ?? .max
        // As far as the last page's size foretells it.
        let fitting = loader.definition.memory.body / max(fetched.response.body.count, 1)
        return max(min(allowed, left, fitting), 1)
    }
}
