internal import BodyFormats
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
    /// - Parameter isAhead: Whether it is not yet the page's turn.
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
        do throws(FeedSyncError) {
            return .success(
                try read(try await fetcher.fetch(page, validators: validators, isAhead: isAhead), page))
        } catch {
            return .failure(error)
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

    private func fetchToken(
        _ token: TokenRequest, for page: PreparedPage
    ) async -> Result<AccessToken, FeedSyncError> {
        let request = token.page(
            timeouts: page.request.timeouts, connection: page.request.connection, secrets: page.secrets)
        let url = request.shown(token.url)
        let now = fetcher.seconds
        let fetched: FetchedPage
        do throws(FeedSyncError) {
            fetched = try await fetcher.with(rules: Self.refusals).fetch(request)
        } catch {
            guard error.kind != .cancelled else { return .failure(error) }
            let advice =
                switch error.kind {
                case .rejected, .unfollowable: "check `token_url` in `auth`"
                case .refused: Self.advice
                default: error.advice
                }
            return .failure(
                FeedSyncError(
                    error.kind, "cannot get an access token: \(error.message)", advice: advice,
                    httpStatus: error.httpStatus, url: error.url ?? url))
        }
        if case .end = fetched.kind { return .failure(refusal(fetched.response, request, url: url)) }
        do throws(FeedSyncError) {
            return .success(try AccessToken(fetched.response.body, now: now))
        } catch {
            return .failure(
                FeedSyncError(
                    error.kind, error.message, advice: error.advice, httpStatus: fetched.response.status, url: url))
        }
    }

    /// Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
    private func refusal(_ response: Response, _ page: PreparedPage, url: String) -> FeedSyncError {
        let word = { (name: String) -> String? in
            guard case .text(let text)? = fetcher.bodyValue(response.body, Path([.member(name)])) else { return nil }
            return UpstreamText.excerpt(text, page.secrets)
        }
        let words = [word("error"), word("error_description").map { "\"\($0)\"" }].compactMap(\.self)
        let said = words.isEmpty ? "" : ": \(words.joined(separator: ", "))"
        return FeedSyncError(
            .refused, "cannot get an access token: the upstream answered \(StatusText.text(response.status))\(said)",
            advice: Self.advice, httpStatus: response.status, url: url)
    }

    private static let advice =
        "check `client_id`, `client_secret` and `scope` in `auth`, and whether `send: body` is needed"
}
