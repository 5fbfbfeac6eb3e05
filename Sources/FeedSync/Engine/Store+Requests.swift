/// The store's side of a request: validators, waiting times and costs.
extension Store {
    /// The newest stored page for a request.
    func storedPage(_ page: PreparedPage, of feed: String) throws(FeedSyncError) -> StoredPage? {
        try storedPage(page.identity, page.credentialFingerprint, of: feed)
    }

    /// The validators for a request of the page; nil if the request would be unconditional.
    func conditions(for page: PreparedPage, of definition: FeedDefinition) throws(FeedSyncError) -> Validators? {
        try conditions(for: page.identity, page.credentialFingerprint, at: page.cursor, of: definition)
    }

    /// The time before which the page's host accepts no request, in seconds since 1970.
    func blockedUntil(_ page: PreparedPage, of feed: String, now: String) throws(FeedSyncError) -> Int64? {
        try blockedUntil(page.quotaOrigin, page.credentialFingerprint, of: feed, now: now)
    }

    /// Records the cost and the validators of a page that came again unchanged.
    func keep(_ page: StoredPage?, _ loaded: LoadedPage, cost: FetchCost, of feed: String) throws(FeedSyncError) {
        try spend(cost, on: feed)
        // The rest of the body may have changed, and a 304 would confirm the stored version of it.
        guard let page, case .decoded(let decoded) = loaded.content, decoded.elementCount == page.elements,
            loaded.skipped.count == page.skipped, loaded.skipped.sameKey == page.sameKey,
            loaded.upstreamNext == page.cursor, loaded.end.total == page.total
        else { return }
        try refresh(page, loaded.validators, of: feed)
    }
}

extension RequestPlan {
    /// The requests of a feed of the store, made by an engine with these options.
    init(_ definition: FeedDefinition, store: Store, options: EngineOptions) {
        self.init(
            definition, environment: options.environment, folder: options.folder, salt: store.salt,
            commands: options.commands, tokens: options.tokens, now: options.wallClock.seconds)
    }
}
