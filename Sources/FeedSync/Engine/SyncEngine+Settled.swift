internal import HTTP

/// Lists that have not changed since their last sync: each takes one request, and many are stored together.
extension SyncEngine {
    /// A page that was requested before the run on its list began.
    struct EarlyPage: Sendable {
        let fetch: PageLoader.Fetch
        let cost: FetchCost
    }

    /// The result of a request for a list.
    enum ListLook: Sendable {
        /// The whole list is unchanged.
        case unchanged(RunMetrics)
        /// The list was not requested, because of the host's previous response.
        case heldBack
        /// A run has to read the list; it begins with the fetched page.
        case open(EarlyPage?)
    }

    /// Requests the only page of a list that has not changed since its last sync.
    ///
    /// - Parameters:
    ///   - findings: The discovered settings of the feed.
    ///   - gate: Shut if the response speaks against more requests to the host.
    ///   - isAhead: True if the request waits for a previous one at the host, and is held back if the gate is shut
    ///     first.
    /// - Throws: `FeedSyncError` of kind `cancelled`, `store`.
    func look(
        at list: List, _ findings: Findings, gate: CircuitBreaker, isAhead: Bool
    ) async throws(FeedSyncError) -> ListLook {
        // A trace also shows pages, and only a run has them.
        guard options.onTrace == nil, let definition = try? list.definition.settled(by: findings), definition.maySettle
        else { return .open(nil) }
        let startedAt = now()
        let requests = RequestPlan(definition, salt: store.salt, options: options)
        try await requests.runCommands()
        // If no request can be made, a run reports why.
        guard let page = try? requests.page(for: nil), page.mayBeConditional,
            let settled = try await store.settledList(
                list.definition.name, fingerprint: list.definition.fingerprint(salt: store.salt, common: list.common),
                key: page.key, origin: page.quotaOrigin, quotaCredentials: page.quotaCredentials, now: startedAt)
        else { return .open(nil) }
        let meter = RequestMeter()
        let fetcher = AuthorizedFetcher(
            requests: requests, fetcher: fetcher(for: definition).counting(in: meter).through(gate))
        let (asked, result) = await fetcher.fetch(page, validators: settled.page.validators, isAhead: isAhead)
        guard !Task.isCancelled else { throw .cancelled }
        let cost = meter.take()
        let early = EarlyPage(
            fetch: PageLoader.Fetch(page: asked, result: result, stored: settled.page), cost: cost)
        switch result {
        case .failure(.heldBack): return .heldBack
        case .failure(let error) where error.kind == .cancelled: throw error
        case .success(let fetched) where fetched.kind == .notModified && settled.mayTake(cost.quota):
            let validators = settled.page.validators.refreshed(by: fetched.response).without(asked.secrets)
            guard validators == settled.page.validators else { return .open(early) }
            let confirmed = ConfirmedList(
                settled, list.part, seen: list.seen, startedAt: startedAt, at: now(), cost: cost,
                serverDate: fetched.serverDate, advice: PollingAdvice(fetched.response), every: definition.every,
                publish: publish(of: definition))
            try await store.confirm(confirmed)
            return .unchanged(confirmed.figures)
        default: return .open(early)
        }
    }
}
