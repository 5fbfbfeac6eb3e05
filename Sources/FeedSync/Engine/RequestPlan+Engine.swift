extension RequestPlan {
    /// The requests of an engine with these options for the pages of a feed.
    init(_ definition: FeedDefinition, salt: String, options: EngineOptions) {
        self.init(
            definition, environment: options.environment, folder: options.folder, salt: salt,
            commands: options.commands, tokens: options.tokens, quotas: options.credentialQuotas,
            now: options.wallClock.seconds)
        overlap = definition.pagination.overlappingSize == nil ? 0 : 1
    }
}

extension PreparedPage {
    /// The key under which the page is stored.
    var key: RequestKey { RequestKey(request: identity, credential: credentialFingerprint) }
}
