internal import BodyFormats
internal import HTTP

/// A user's sign-in with a code, which is entered on another device or in a browser; the tokens are kept.
///
/// Source: https://www.rfc-editor.org/rfc/rfc8628
package struct DeviceSignIn: Sendable {
    /// The words for the user.
    package struct Prompt: Sendable, Hashable {
        /// The page to open.
        package let url: String
        /// The code to enter there.
        package let code: String
        /// The page with the code in it, if there is one.
        package let completeURL: String?
        fileprivate let deviceCode: String
        fileprivate let interval: Int64
        fileprivate let expiry: Int64
    }

    private let feed: FeedDefinition
    private let fetcher: AuthorizedFetcher

    /// The sign-in of a feed.
    package init(_ feed: FeedDefinition, options: EngineOptions) {
        self.feed = feed
        let wallClock = options.wallClock
        let requests = RequestPlan(
            feed, environment: options.environment, folder: options.folder, salt: "", commands: options.commands,
            tokens: options.tokens, now: wallClock.seconds)
        fetcher = AuthorizedFetcher(
            requests: requests,
            fetcher: Fetcher(
                client: options.client, rules: [],
                policy: RetryPolicy(retries: feed.retries, maxWait: options.maxWait), clock: options.clock,
                random: options.random, now: { wallClock.seconds }, bodyValue: BodyProbe.value, pacer: options.pacer,
                trace: options.trace(of: feed.name)))
    }

    /// The file that keeps the tokens.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration`.
    package func file() throws(FeedSyncError) -> String { try source().kept.tokens.path }

    /// Asks for a code.
    ///
    /// - Throws: `FeedSyncError`; of kind `configuration` for a feed with another way to sign in.
    package func begin() async throws(FeedSyncError) -> Prompt {
        try await fetcher.requests.runCommands()
        let now = fetcher.fetcher.seconds
        let answer = try await ask(try source().device, [])
        guard let url = (answer["verification_uri"] ?? answer["verification_url"])?.text,
            let code = answer["user_code"]?.text,
            let deviceCode = answer["device_code"]?.text, !code.isEmpty, !deviceCode.isEmpty
        else { throw refusal(answer, "the response to `device_url` has no code to sign in with") }
        let complete = answer["verification_uri_complete"]?.text
        for text in [url, complete].compactMap(\.self) where (try? WebURL(text)) == nil {
            throw FeedSyncError(.undecodable, "the page to sign in at is no web page")
        }
        let seconds = { (name: String, usual: Int64, range: ClosedRange<Int64>) -> Int64 in
            guard let text = answer[name]?.json, let number = Double(text), number.isFinite else { return usual }
            return Int64(max(Double(range.lowerBound), min(number, Double(range.upperBound))))
        }
        return Prompt(
            url: url, code: code, completeURL: complete, deviceCode: deviceCode,
            interval: seconds("interval", 5, 1...60), expiry: now + seconds("expires_in", 600, 1...3_600))
    }

    /// Waits until the user has entered the code, and keeps the tokens.
    ///
    /// - Throws: `FeedSyncError`; of kind `refused` if the user did not allow it in time.
    package func finish(_ prompt: Prompt) async throws(FeedSyncError) {
        var interval = prompt.interval
        let source = try source()
        while fetcher.fetcher.seconds < prompt.expiry {
            try await fetcher.fetcher.sleep(for: .seconds(interval))
            let now = fetcher.fetcher.seconds
            let proof = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", prompt.deviceCode),
            ]
            let response = try await fetcher.ask(try page(source.request.url, proof))
            let answer = Self.members(response)
            switch answer["error"]?.text {
            case nil:
                var token = try AccessToken(response, as: .oauth, now: now)
                let refresh = token.refresh
                token.refresh = nil
                let turn = try await fetcher.turn(at: source.kept.tokens)
                defer { turn.end() }
                return try source.kept.tokens.keep(.init(refresh: refresh, access: token), of: source.kept.client)
            case "authorization_pending": continue
            // https://www.rfc-editor.org/rfc/rfc8628#section-3.5
            case "slow_down": interval = min(interval + 5, 60)
            default: throw refusal(answer, "the sign-in was refused")
            }
        }
        throw FeedSyncError(.refused, "the code was not entered in time", advice: "feedsync login \(feed.name)")
    }

    private typealias Source = (
        request: TokenRequest, device: WebURL,
        kept: (tokens: KeptTokens, client: KeptTokens.Client, first: String?)
    )

    private func source() throws(FeedSyncError) -> Source {
        guard let request = try fetcher.requests.tokenRequest()?.request, let device = request.deviceURL,
            let kept = request.kept
        else {
            throw FeedSyncError(
                .configuration, "feed `\(feed.name)` has no `auth` that anybody signs in for",
                advice: "give its `oauth2` the members `grant: device_code` and `device_url`")
        }
        return (request, device, kept)
    }

    private func page(
        _ url: WebURL, _ proof: [(name: String, value: String)]
    ) throws(FeedSyncError) -> PreparedPage {
        guard let source = try fetcher.requests.tokenRequest() else { throw .cancelled }
        return try source.request.page(
            to: url, proof: proof, now: fetcher.fetcher.seconds, timeouts: source.timeouts,
            connection: source.connection, secrets: source.secrets)
    }

    private func ask(
        _ url: WebURL, _ proof: [(name: String, value: String)]
    ) async throws(FeedSyncError) -> JSONObject {
        Self.members(try await fetcher.ask(try page(url, proof)))
    }

    private static func members(_ response: Response) -> JSONObject {
        String(validating: response.body.bytes, as: UTF8.self).flatMap { try? JSONValue(parsing: $0) }?.members
            ?? JSONObject()
    }

    private func refusal(_ answer: JSONObject, _ problem: String) -> FeedSyncError {
        let secrets = (try? fetcher.requests.tokenRequest())?.secrets ?? Secrets()
        let words = ["error", "error_description"].compactMap { answer[$0]?.text }
            .compactMap { UpstreamText.excerpt($0, secrets) }
        return FeedSyncError(
            .refused, words.isEmpty ? problem : "\(problem): \(words.joined(separator: ", "))",
            advice: "check `client_id`, `scope` and `device_url` in `auth`, then feedsync login \(feed.name)")
    }
}
