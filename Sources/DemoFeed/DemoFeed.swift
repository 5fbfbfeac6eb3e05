package import HTTPServer
internal import JSON
internal import Platform
internal import Text

/// The upstream of `feedsync demo`: made-up lists that are the same on every machine.
///
/// | path | answer |
/// | --- | --- |
/// | `/search/repositories` | repositories in GitHub's shape: `q`, `page`, `per_page` (30, to 100), `sort`, `order` |
/// | `/repos/feedsync/demo`, `/orgs/feedsync` | single objects in GitHub's shape |
/// | `/pictures/7.png` | the picture of an owner or a host |
/// | `/anchors` | hosts of a live-streaming site in an envelope: `index`, `size` (20, at most 100) |
///
/// Lists have an empty page past their end. Every 200 has an `ETag`; GitHub's have `X-RateLimit-…` as well.
///
/// - Isolation: any thread.
package struct DemoFeed: Sendable {
    /// The number of repositories that a search without words finds.
    package var repositoryCount: Int { catalogue.count }

    /// The number of anchors.
    package static let anchorCount = 137

    private let catalogue = Catalogue(count: 1_000)
    private let anchors = Anchors(count: Self.anchorCount)
    private let quota: Quota

    /// Makes up the lists.
    package init() {
        self.init(now: { time(nil) })
    }

    /// - Parameter now: seconds since 1970; decides when the quota is full again.
    init(now: @escaping @Sendable () -> Int) {
        quota = Quota(now: now)
    }

    /// Starts a server of the lists on a free port of 127.0.0.1.
    ///
    /// - Throws: `ServerError` if nothing can listen there.
    package static func start() throws(ServerError) -> Server {
        let feed = DemoFeed()
        return try Server { feed.answer($0) }
    }

    /// Answers one request.
    ///
    /// - Parameter url: The URL at which clients reach the demo; nil for the root of the requested host.
    package func answer(_ request: ServerRequest, at url: String? = nil) -> ServerResponse {
        let url = url ?? "http://\(request.header("Host") ?? "127.0.0.1")"
        guard request.method == "GET" || request.method == "HEAD" else {
            return failure(405, "Method Not Allowed", headers: [(name: "Allow", value: "GET, HEAD")])
        }
        switch request.path {
        case "/search/repositories": return search(request, at: url)
        case "/repos/feedsync/demo": return metered(SingleObjects.repository, request)
        case "/orgs/feedsync": return metered(SingleObjects.organization, request)
        case "/anchors":
            guard let page = RequestedPage(request, page: "index", size: "size", defaultSize: 20) else {
                return failure(400, "index is not a number from 1")
            }
            return conditional(anchors.page(page, at: url), request)
        default: return Picture.answer(request.path) ?? failure(404, "Not Found")
        }
    }

    private func search(_ request: ServerRequest, at url: String) -> ServerResponse {
        guard let page = RequestedPage(request, page: "page", size: "per_page", defaultSize: 30) else {
            return failure(422, "Validation Failed: page is not a number from 1")
        }
        let found = catalogue.search(request)
        var response = metered(catalogue.page(page, of: found, at: url), request)
        if let links = page.links(request, at: url, parameter: "page", count: found.count), response.status == 200 {
            response.headers.append((name: "Link", value: links))
        }
        return response
    }

    /// A conditional answer that counts towards the quota, or a refusal when none is left.
    private func metered(_ document: JSONFields, _ request: ServerRequest) -> ServerResponse {
        var response = conditional(document, request)
        let (isGranted, figures) = quota.spend(response.status == 304 ? 0 : 1)
        if !isGranted { response = failure(403, "API rate limit exceeded") }
        response.headers += figures
        return response
    }

    private func conditional(_ document: JSONFields, _ request: ServerRequest) -> ServerResponse {
        let text = document.json
        // A weak tag, as GitHub's are.
        let tag = "W/\"\(FNV1a(text).digits)\""
        let headers = [(name: "ETag", value: tag), (name: "Cache-Control", value: "no-cache")]
        return request.knows(tag: tag) ? .status(304, headers: headers) : .json(text, headers: headers)
    }

    private func failure(
        _ status: Int, _ message: String, headers: [(name: String, value: String)] = []
    ) -> ServerResponse {
        let document: JSONFields = ["message": message, "status": String(status)]
        return .json(document.json, status: status, headers: headers)
    }
}
