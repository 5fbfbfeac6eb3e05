internal import HTTP

/// Lists that stand as their last sync left them: one request each, and many that are as they were are stored together.
extension SyncEngine {
    /// What was asked for before a run was begun on a list.
    struct EarlyPage: Sendable {
        let fetch: PageLoader.Fetch
        let cost: FetchCost
    }

    /// What a request for a list tells.
    enum ListLook: Sendable {
        /// All of it is as it was.
        case unchanged(RunMetrics)
        /// It was not asked for, because of what the host said to the request before.
        case heldBack
        /// A run has to find out; the page that came is the first that it reads.
        case open(EarlyPage?)
    }

    /// Asks for the only page of a list that is as its last sync left it.
    ///
    /// - Parameters:
    ///   - findings: What was found of the feed by now.
    ///   - gate: Shuts when the response speaks against asking the host for more.
    ///   - isAhead: Whether the request waits for one before at the host, and is held back if the gate shuts first.
    /// - Throws: `FeedSyncError` of kind `cancelled`, `store`.
    func look(
        at list: List, _ findings: Findings, gate: CircuitBreaker, isAhead: Bool
    ) async throws(FeedSyncError) -> ListLook {
        // A trace shows pages, too, and only a run has these.
        guard options.onTrace == nil, let definition = try? list.definition.settled(by: findings), definition.maySettle
        else { return .open(nil) }
        let startedAt = now()
        let requests = RequestPlan(definition, store: store, options: options)
        try await requests.runCommands()
        // Where no request can be made, a run says why.
        guard let page = try? requests.page(for: nil), page.mayBeConditional,
            let settled = try await store.settledList(
                list.definition.name, fingerprint: list.definition.fingerprint(salt: store.salt, common: list.common),
                request: page.identity, credential: page.credentialFingerprint,
                origin: page.quotaOrigin, now: startedAt)
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
