internal import BodyFormats
internal import Concurrency
internal import HTTP

/// Fetches pages, with an access token where their requests need one.
///
/// The token is fetched when a page first needs it and when it is about to expire, and once more after a 401.
package struct AuthorizedFetcher: Sendable {
    package let requests: RequestPlan
    package let fetcher: Fetcher

    package init(requests: RequestPlan, fetcher: Fetcher) {
        self.requests = requests
        self.fetcher = fetcher
    }

    /// Fetches a page, conditionally if there are validators.
    ///
    /// - Parameter isAhead: True if it is not yet the page's turn.
    /// - Returns: Besides the result, the page as it was requested: an access token is among its secrets.
    package func fetch(
        _ page: PreparedPage, validators: Validators?, isAhead: Bool = false
    ) async -> (page: PreparedPage, result: Result<FetchedPage, FeedSyncError>) {
        guard let token = page.tokenRequest else { return (page, await attempt(page, validators, isAhead)) }
        var page = page
        do throws(FeedSyncError) {
            page = try await authorized(page, token)
            let result = await attempt(page, validators, isAhead)
            guard case .failure(let error) = result, error.httpStatus == 401 else { return (page, result) }
            requests.tokens.expire(page.accessToken, of: token)
            page = try await authorized(page, token)
            return (page, await attempt(page, validators, false))
        } catch {
            return (page, .failure(error))
        }
    }

    private func attempt(
        _ page: PreparedPage, _ validators: Validators?, _ isAhead: Bool
    ) async -> Result<FetchedPage, FeedSyncError> {
        await Result { () async throws(FeedSyncError) in
            try read(try await fetcher.fetch(page, validators: validators, isAhead: isAhead), page)
        }
    }

    /// The page with its body as JSON.
    private func read(_ fetched: FetchedPage, _ page: PreparedPage) throws(FeedSyncError) -> FetchedPage {
        let response = fetched.response
        guard fetched.kind == .content else { return fetched }
        do throws(FeedSyncError) {
            guard let read = try requests.bodies.read(response, secrets: page.secrets) else { return fetched }
            return FetchedPage(
                kind: fetched.kind, response: response.replacing(body: read.body), quota: fetched.quota,
                format: read.format)
        } catch {
            throw FeedSyncError(
                error.kind, page.secrets.mask(error.message), advice: error.advice, httpStatus: response.status,
                url: page.shown(response.url)
            ).keeping(response, to: page)
        }
    }

    /// The page with a fresh token.
    private func authorized(_ page: PreparedPage, _ token: TokenRequest) async throws(FeedSyncError) -> PreparedPage {
        let fresh = try await requests.tokens.renew(token, now: fetcher.seconds) {
            await fetchToken(token, for: page)
        }.get()
        guard page.accessToken != fresh else { return page }
        return try requests.page(for: page.cursor)
    }
}

extension AuthorizedFetcher {
    /// The refusals of a token endpoint, which get messages of our own.
    private static let refusals = [400, 401].map { ResponseRule(status: $0, body: [], action: .end) }

    /// Gets a token: a new one, or one that another process has kept.
    func fetchToken(_ token: TokenRequest, for page: PreparedPage) async -> Result<AccessToken, FeedSyncError> {
        do throws(FeedSyncError) {
            if case .signature(let signed) = token.grant {
                return .success(try signed.accessToken(at: fetcher.seconds))
            }
            return .success(
                token.kept == nil ? try await request(token, for: page) : try await refreshed(token, for: page))
        } catch {
            return .failure(error)
        }
    }

    /// Gets a token by the last refresh token that was kept, and keeps the next one before the token is used.
    private func refreshed(_ token: TokenRequest, for page: PreparedPage) async throws(FeedSyncError) -> AccessToken {
        guard let (tokens, client, first) = token.kept else { return try await request(token, for: page) }
        let turn = try await turn(at: tokens)
        defer { turn.end() }
        let entry = try tokens.entry(of: client)
        // Unless it is the one that was just refused, or has expired.
        let last = requests.tokens.current(token)?.text
        if let access = entry?.access, access.isFresh(at: fetcher.seconds), access.text != last { return access }
        guard let present = entry?.refresh ?? first else {
            let isOver = entry == nil ? "nobody has signed in" : "the sign-in is over"
            throw FeedSyncError(.refused, isOver, advice: "feedsync login FEED  # with the feed's name")
        }
        var fresh = try await request(token, by: present, for: page)
        try tokens.keep(KeptTokens.Entry(refresh: fresh.refresh ?? present, access: fresh), of: client)
        fresh.refresh = nil
        return fresh
    }

    /// Waits until no other process renews a token that is kept in the same file.
    func turn(at tokens: KeptTokens) async throws(FeedSyncError) -> KeptTokens.Turn {
        // Longer than a request takes, with its retries.
        for _ in 0..<2_400 {
            if let turn = try KeptTokens.Turn(tokens) { return turn }
            try await fetcher.sleep(for: .milliseconds(50))
        }
        throw FeedSyncError(
            .locked, "another process has been renewing a token in \(tokens.path) for two minutes",
            advice: "run it again when that is done")
    }

    private func request(
        _ token: TokenRequest, by refresh: String? = nil, for page: PreparedPage
    ) async throws(FeedSyncError) -> AccessToken {
        let now = fetcher.seconds
        let request = try token.page(
            refresh: refresh, now: now, timeouts: page.request.timeouts, connection: page.request.connection,
            secrets: page.secrets)
        let url = request.shown(token.url)
        let fetched: FetchedPage
        do throws(FeedSyncError) {
            fetched = try await fetcher.with(rules: Self.refusals).fetch(request)
        } catch {
            guard error.kind != .cancelled else { throw error }
            let advice =
                switch error.kind {
                case .rejected, .unfollowable: "check `\(token.urlName)` in `auth`"
                case .refused: token.advice
                default: error.advice
                }
            throw FeedSyncError(
                error.kind, "cannot get an access token: \(error.message)", advice: advice,
                httpStatus: error.httpStatus, url: error.url ?? url)
        }
        if case .end = fetched.kind { throw refusal(fetched.response, of: token, request, url: url) }
        do throws(FeedSyncError) {
            return try AccessToken(fetched.response, as: token.reading, now: now)
        } catch {
            throw FeedSyncError(
                error.kind, error.message, advice: error.advice, httpStatus: fetched.response.status, url: url)
        }
    }

    /// Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
    private func refusal(
        _ response: Response, of token: TokenRequest, _ page: PreparedPage, url: String
    ) -> FeedSyncError {
        let word = { (name: String) -> String? in
            guard case .text(let text)? = BodyProbe.value(of: response.body, at: Path([.member(name)])) else {
                return nil
            }
            return UpstreamText.excerpt(text, page.secrets)
        }
        let words = [word("error"), word("error_description").map { "\"\($0)\"" }].compactMap(\.self)
        let said = words.isEmpty ? "" : ": \(words.joined(separator: ", "))"
        return FeedSyncError(
            .refused, "cannot get an access token: the upstream answered \(StatusText.text(response.status))\(said)",
            advice: token.advice, httpStatus: response.status, url: url)
    }

    /// Asks the token endpoint of a sign-in, which may answer with an error while the user has not decided. RFC 6749 has
    /// the statuses 400 and 401 for errors, and Google also 403 and 428:
    /// https://developers.google.com/identity/protocols/oauth2/limited-input-device#step-6:-handle-responses-to-polling-requests
    func ask(_ request: PreparedPage) async throws(FeedSyncError) -> Response {
        let others = [403, 428].map { ResponseRule(status: $0, body: [], action: .end) }
        return try await fetcher.with(rules: Self.refusals + others).fetch(request).response
    }
}

extension TokenRequest {
    /// The member of `auth` that names its URL.
    fileprivate var urlName: String { if case .session = grant { "url" } else { "token_url" } }

    /// Advice for a refusal.
    fileprivate var advice: String {
        switch grant {
        case .clientCredentials:
            "check `client_id`, `client_secret` and `scope` in `auth`, and whether `send: body` is needed"
        case .password: "check `user`, `password` and the client in `auth`, and whether `send: body` is needed"
        case .refreshToken:
            deviceURL == nil && signInURL == nil
                ? "the refresh token may be used up or withdrawn: get a new one from the API, and put it in `auth`"
                : "sign in again: feedsync login FEED, with the feed's name"
        case .assertion, .bearer, .signature:
            "check `key`, `claims` and `algorithm` in `auth`, and this machine's clock"
        case .session: "check `body` and `send` in `auth`"
        }
    }
}
