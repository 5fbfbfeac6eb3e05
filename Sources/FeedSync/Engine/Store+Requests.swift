/// What the store has on a request, and what it notes of its answer.
extension Store {
    /// The newest stored page for a request.
    func storedPage(_ page: PreparedPage, of feed: String) throws(FeedSyncError) -> StoredPage? {
        try storedPage(page.identity, page.credentialFingerprint, of: feed)
    }

    /// What a page would be asked for with; nil where it would be asked unconditionally.
    func conditions(for page: PreparedPage, of definition: FeedDefinition) throws(FeedSyncError) -> Validators? {
        try conditions(for: page.identity, page.credentialFingerprint, at: page.cursor, of: definition)
    }

    /// Until when the page's host wants no request, in seconds since 1970.
    func blockedUntil(_ page: PreparedPage, of feed: String, now: String) throws(FeedSyncError) -> Int64? {
        try blockedUntil(page.quotaOrigin, page.credentialFingerprint, of: feed, now: now)
    }

    /// Takes note of a page that came again as it is stored: of what it cost, and of its validators.
    func keep(_ page: StoredPage?, _ loaded: LoadedPage, cost: FetchCost, of feed: String) throws(FeedSyncError) {
        try spend(cost, on: feed)
        // What else stands in the body may have changed, and would be taken from the store after a 304.
        guard let page, case .decoded(let decoded) = loaded.content, decoded.elementCount == page.elements,
            loaded.skipped.count == page.skipped, loaded.skipped.sameKey == page.sameKey,
            loaded.upstreamNext == page.cursor, loaded.end.total == page.total
        else { return }
        try refresh(page, loaded.validators, of: feed)
    }
}

extension RequestPlan {
    /// How an engine with these options requests the pages of a feed of the store.
    init(_ definition: FeedDefinition, store: Store, options: EngineOptions) {
        self.init(
            definition, environment: options.environment, folder: options.folder, salt: store.salt,
            commands: options.commands, tokens: options.tokens, now: options.wallClock.seconds)
    }
}
