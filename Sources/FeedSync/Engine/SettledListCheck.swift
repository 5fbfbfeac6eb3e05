internal import HTTP

/// The request for the only page of a feed, or of one of its lists, that may be unchanged since its last sync.
///
/// Such a list takes one request and no run: see `SettledList`.
struct SettledListCheck: Sendable {
    /// The result of the request.
    enum End: Sendable {
        /// The list is unchanged.
        case unchanged(ConfirmedList)
        /// A run has to read the list; it begins with the fetched page.
        case open(PageFetch?)
        /// The request was not sent, because of the host's previous response.
        case heldBack
    }

    private let engine: SyncEngine
    /// The definition with the findings of earlier runs.
    private let definition: FeedDefinition
    private let source: ConfirmedList.Source

    /// Creates the check of a list; nil if a run has to read it in any case.
    ///
    /// - Parameter definition: The definition with the findings of earlier runs.
    init?(of definition: FeedDefinition, _ source: ConfirmedList.Source, by engine: SyncEngine) {
        // A trace also shows pages, and only a run has them.
        guard engine.options.onTrace == nil, definition.maySettle else { return nil }
        (self.engine, self.definition, self.source) = (engine, definition, source)
    }

    /// Requests the page, if the stored state shows that it may confirm the list.
    ///
    /// - Parameters:
    ///   - stored: The definition as the list's state has it.
    ///   - gate: Shut if the response speaks against more requests to the host.
    ///   - isAhead: True if the request waits for a previous one at the host, and is held back if the gate is shut
    ///     first.
    /// - Throws: `FeedSyncError` of kind `cancelled`, `store`, or that of a command that the definition refers to.
    func perform(
        stored: String, gate: CircuitBreaker, isAhead: Bool = false
    ) async throws(FeedSyncError) -> End {
        let (store, options) = (engine.store, engine.options)
        let startedAt = engine.now()
        let requests = RequestPlan(definition, salt: store.salt, options: options)
        try await requests.runCommands()
        // If no request can be made, a run reports why.
        guard let page = try? requests.page(for: nil), page.mayBeConditional,
            let settled = try await store.settledList(
                definition.name, definition: stored, key: page.key, origin: page.quotaOrigin,
                quotaCredentials: page.quotaCredentials, now: startedAt)
        else { return .open(nil) }
        let meter = RequestMeter()
        let fetcher = AuthorizedFetcher(
            requests: requests, fetcher: engine.fetcher(for: definition).counting(in: meter).through(gate))
        let (asked, result) = await fetcher.fetch(page, validators: settled.page.validators, isAhead: isAhead)
        guard !Task.isCancelled else { throw .cancelled }
        let cost = meter.take()
        let early = PageFetch(page: asked, result: result, stored: settled.page, cost: cost)
        switch result {
        case .failure(.heldBack): return .heldBack
        case .failure(let error) where error.kind == .cancelled: throw error
        case .success(let fetched) where fetched.kind == .notModified && settled.mayTake(cost.quota):
            let validators = settled.page.validators.refreshed(by: fetched.response).without(asked.secrets)
            // A run keeps new validators, reports the address to which a list has moved, and compares it with a total.
            guard validators == settled.page.validators, !fetched.response.isMovedForGood,
                TotalHeaders.total(in: fetched.response.headers) == nil
            else { return .open(early) }
            return .unchanged(
                ConfirmedList(
                    settled, source, startedAt: startedAt, at: engine.now(), cost: cost,
                    serverDate: fetched.serverDate, advice: PollingAdvice(fetched.response), every: definition.every,
                    publish: engine.publish(of: definition)))
        default: return .open(early)
        }
    }
}

extension SyncEngine {
    /// The beginning of a sync of a whole feed: nothing more is to be done if the response to the first request shows
    /// that the feed is unchanged.
    ///
    /// - Throws: `FeedSyncError` of kind `cancelled`, `store`.
    nonisolated func beginSync(
        of feed: FeedDefinition, holding lock: FeedLock, gate: CircuitBreaker
    ) async throws(FeedSyncError) -> RunBeginning {
        let canonical = feed.canonicalText(salt: store.salt)
        guard let definition = try await store.unchangedDefinition(of: feed, canonical: canonical),
            let check = SettledListCheck(of: definition, .feed(lock, model: feed.model), by: self)
        else { return .run(lock, early: nil) }
        let end: SettledListCheck.End
        do throws(FeedSyncError) { end = try await check.perform(stored: canonical, gate: gate) } catch {
            guard [.cancelled, .store].contains(error.kind) else { return .run(lock, early: nil) }
            throw error
        }
        switch end {
        case .open(let page): return .run(lock, early: page)
        case .heldBack: return .run(lock, early: nil)
        case .unchanged(let confirmed):
            guard let run = try await store.confirmFeed(confirmed) else { return .run(lock, early: nil) }
            let count = confirmed.metrics.items.unchanged
            return .ended(
                RunSummary(
                    run: run, outcome: .unchanged, figures: confirmed.metrics, isAtEnd: true, reason: nil,
                    itemCount: count, expectedCount: nil, seenCount: count, notices: []))
        }
    }
}
