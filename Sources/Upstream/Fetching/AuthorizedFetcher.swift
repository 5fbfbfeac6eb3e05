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
