internal import BodyFormats
internal import HTTP

/// The requests of a sign-in to the upstream's endpoints, and the file that keeps its tokens.
struct SignInClient: Sendable {
    let feed: FeedDefinition
    let fetcher: AuthorizedFetcher

    /// The sign-in of a feed.
    init(_ feed: FeedDefinition, options: EngineOptions) {
        self.feed = feed
        let requests = RequestPlan(
            feed, environment: options.environment, folder: options.folder, salt: "", commands: options.commands,
            tokens: options.tokens, now: options.wallClock.seconds)
        fetcher = AuthorizedFetcher(requests: requests, fetcher: options.fetcher(for: feed).with(rules: []))
    }

    typealias Source = (
        request: TokenRequest, kept: (tokens: KeptTokens, client: KeptTokens.Client, first: String?)
    )

    /// The feed's request for tokens.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration`; for a feed that nobody signs in for, too.
    func source() throws(FeedSyncError) -> Source {
        guard let request = try fetcher.requests.tokenRequest()?.request, let kept = request.kept else {
            throw noSignIn
        }
        return (request, kept)
    }

    /// The error for a feed that nobody signs in for.
    var noSignIn: FeedSyncError {
        FeedSyncError(
            .configuration, "feed `\(feed.name)` has no `auth` that needs a sign-in by a person",
            advice:
                "give its `oauth2` the members `grant: device_code` and `device_url`, or `grant: authorization_code` and `authorize_url`"
        )
    }

    /// Sends a form to an endpoint; a refusal (400, 401) is a response like others.
    func ask(
        _ url: WebURL, _ proof: [(name: String, value: String)]
    ) async throws(FeedSyncError) -> Response {
        guard let source = try fetcher.requests.tokenRequest() else { throw .cancelled }
        return try await fetcher.ask(
            try source.request.page(
                to: url, proof: proof, now: fetcher.fetcher.seconds, timeouts: source.timeouts,
                connection: source.connection, secrets: source.secrets))
    }

    /// Keeps the tokens of a user who has signed in.
    func keep(_ token: AccessToken) async throws(FeedSyncError) {
        var token = token
        let refresh = token.refresh
        token.refresh = nil
        let kept = try source().kept
        let turn = try await fetcher.turn(at: kept.tokens)
        defer { turn.end() }
        try kept.tokens.keep(.init(refresh: refresh, access: token), of: kept.client)
    }

    /// The members of a response; none where it is no object.
    static func members(_ response: Response) -> JSONObject {
        String(validating: response.body.bytes, as: UTF8.self).flatMap { try? JSONValue(parsing: $0) }?.members
            ?? JSONObject()
    }

    /// The error for a refusal in a response.
    func refusal(_ answer: JSONObject, _ problem: String) -> FeedSyncError {
        refusal(["error", "error_description"].compactMap { answer[$0]?.text }, problem)
    }

    /// The error for a refusal in the upstream's words.
    func refusal(_ words: [String], _ problem: String) -> FeedSyncError {
        let secrets = (try? fetcher.requests.tokenRequest())?.secrets ?? Secrets()
        let shown = words.compactMap { UpstreamText.excerpt($0, secrets) }
        let urlName = feed.authentication?.signsInByCode == true ? "authorize_url" : "device_url"
        return FeedSyncError(
            .refused, shown.isEmpty ? problem : "\(problem): \(shown.joined(separator: ", "))",
            advice: "check `client_id`, `scope` and `\(urlName)` in `auth`, then feedsync login \(feed.name)")
    }
}
