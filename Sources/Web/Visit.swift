internal import FeedSync
internal import HTTPServer
internal import Reports

/// A visitor's request, with the content that was served when it came.
struct Visit: Sendable {
    let site: Site
    let visitor: Visitor
    let request: ServerRequest
    /// The number of changes, of the store and of the configuration, that `served` has at least.
    let changes: Int
    let served: Served

    /// True if the visitor may change something.
    var mayChange: Bool { !site.settings.isReadOnly && visitor.mayChange }

    /// True if the visitor may add feeds.
    var mayAdd: Bool { mayChange && site.settings.newFeedsFile != nil }

    /// True if the visitor may send commands to a feed.
    func mayCommand(_ feed: KnownFeed) -> Bool { mayChange && feed.definition != nil }

    /// True if the form of a page sent the request: it is answered with a page, where a program gets a document.
    var isOfForm: Bool { request.header("X-FeedSync-Token") == nil && Doorkeeper.form(request)["token"] != nil }

    /// The frame of this visitor's pages.
    var frame: PageFrame { site.frame(of: visitor, changes: changes) }

    /// The same request, with the content that is served now.
    var later: Visit {
        get async { await site.visit(request, visitor) }
    }

    /// The answer with a page; nil if what it shows does not exist.
    func answer(_ page: (some Page)?) -> SharedAnswer {
        guard let page else { return notFound() }
        return request.method == "POST" ? .finished(page.response) : shown(page.response)
    }

    /// A response to a GET, or 304 if the client has it.
    func shown(_ response: ServerResponse) -> SharedAnswer { .finished(Responses.conditional(response, request)) }

    func notFound() -> SharedAnswer {
        let methods = OpenAPI.methods(at: request.pathParts)
        guard methods.isEmpty || methods.contains(request.method) else {
            return .finished(Responses.wrongMethod(methods))
        }
        guard request.wantsPage else {
            return .problem(404, .rejected, "there is nothing at this path", advice: "see /openapi.json")
        }
        return .finished(
            frame.message(
                "There is nothing here", "What was here may have another name now, or may have been removed.",
                status: 404))
    }

    func unknownFeed(_ name: String) -> SharedAnswer { .finished(Responses.unknownFeed(name)) }

    /// The links from a page of a list of the API to others.
    ///
    /// - Parameters:
    ///   - name: The feed of the list; nil for that of all feeds.
    ///   - place: The parameter that names the place of a page.
    ///   - next: The place of the next page; nil for the last one.
    ///   - kept: The parameters of all pages.
    func links(
        of list: String, in name: String?, by place: String, next: String?,
        keeping kept: [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        func link(_ place: [(name: String, value: String)]) -> Link {
            let words = [(name: "limit", value: String(request.limit))] + place + kept
            return name.map { .feed($0, list, query: words) } ?? .own(list, query: words)
        }
        return Responses.links(
            next: next.map { link([(name: place, value: $0)]) }, first: request.parameter(place).map { _ in link([]) })
    }

    /// A cached response, valid as long as the store does not change.
    func kept(make: (Store) async throws(FeedSyncError) -> ServerResponse) async throws(FeedSyncError) -> SharedAnswer {
        guard let store = served.pages else { return shown(Responses.json("[]")) }
        let mark = try await store.mark()
        let key = ResponseCache.Key(request, version: served.version)
        if let hit = site.cache.response(key, mark: mark) {
            return .finished(Responses.conditional(hit.response, request, tag: hit.tag))
        }
        let response = try await make(store)
        let tag = Responses.tag(of: response.body)
        site.cache.keep(response, tag: tag, key, mark: mark)
        return .finished(Responses.conditional(response, request, tag: tag))
    }
}

extension SharedAnswer {
    /// A whole response with the headers of every response.
    static func finished(_ response: ServerResponse) -> SharedAnswer { .whole(Responses.finished(response)) }

    /// An error as JSON.
    static func problem(
        _ status: Int, _ kind: FeedSyncError.Kind, _ message: String, advice: String? = nil
    ) -> SharedAnswer {
        .finished(Responses.problem(status, kind, message, advice: advice))
    }
}
