/// The validators of the next request.
extension Store {
    /// The validators for a request of the page; nil if the request would be unconditional.
    func conditions(for page: PreparedPage, of definition: FeedDefinition) throws(FeedSyncError) -> Validators? {
        try conditions(for: page.identity, page.credentialFingerprint, at: page.cursor, of: definition)
    }
}

extension RequestPlan {
    /// The requests of an engine with these options for the pages of a feed.
    init(_ definition: FeedDefinition, salt: String, options: EngineOptions) {
        self.init(
            definition, environment: options.environment, folder: options.folder, salt: salt,
            commands: options.commands, tokens: options.tokens, quotas: options.credentialQuotas,
            now: options.wallClock.seconds)
    }
}
