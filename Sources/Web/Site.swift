internal import Concurrency
internal import FeedSync
internal import HTTPServer
internal import Reports
internal import Text

/// Answers requests: checks access, finds the handler and sends its response.
struct Site: Sendable {
    let settings: WebSettings
    let shelf: Shelf
    let hub: EventHub
    let door: Doorkeeper
    let cache = ResponseCache()
    let searches: Searches
    let forms: Forms
    let pictures: Pictures
    /// The server's own address, for its requests to itself.
    let address: ListenAddress
    let shapes = RowShapes()
    let orders = FeedOrders()
    let counters = RunCounters()
    let bodies = EncodedBodies()
    let removals = Removals()
    /// The client whose request is answered; nil before there is one.
    var visitor: Visitor?

    /// The answer to any request, as its client takes it.
    func answer(_ request: ServerRequest) async -> SharedAnswer {
        if let preflight = door.sharing.preflight(request) { return finished(preflight) }
        switch await content(request) {
        case .whole(let response):
            let response = Responses.described(response)
            return .whole(bodies.encoded(door.sharing.shared(response, with: request), for: request))
        case .stream(let head, let stream):
            return .stream(door.sharing.shared(Responses.described(head), with: request), stream)
        }
    }

    private func content(_ request: ServerRequest) async -> SharedAnswer {
        let visitor: Visitor
        switch door.verdict(request) {
        case .welcome(let welcome): visitor = welcome
        case .foreignHost:
            return finished(
                Responses.problem(
                    421, .refused, "this server is not called by that name",
                    advice: "open it by the address that feedsync serve printed, or name it with --host"))
        case .foreignSite: return finished(foreignSite(request))
        case .foreignOrigin:
            return finished(
                Responses.problem(
                    403, .refused, "the request does not come from a page of this server",
                    advice: "send the token of GET /session as X-FeedSync-Token, or load the page again"))
        case .unknown: return finished(signInFirst(request))
        case .wrongToken(let caller):
            await door.pay(caller)
            return finished(tokenNeeded())
        }
        var site = self
        site.visitor = visitor
        return await site.limited(request)
    }

    /// The answer within the limit of work.
    private func limited(_ request: ServerRequest) async -> SharedAnswer {
        let isPage = Self.wantsPage(request)
        let limit = WorkLimit(isPage ? settings.work.page : settings.work.answer)
        return await WorkLimit.$current.withValue(limit) {
            do throws(FeedSyncError) {
                return try await route(request)
            } catch {
                guard limit.isExceeded else {
                    return finished(Responses.problem(Responses.status(of: error), error))
                }
                return finished(tooMuchWork(isPage: isPage))
            }
        }
    }

    private func tooMuchWork(isPage: Bool) -> ServerResponse {
        let (title, text) = ("This takes too long", "It was given up, so that others do not wait. Ask for less.")
        guard isPage else { return Responses.problem(503, .limited, title.lowercased(), advice: "ask for less") }
        return messagePage(title, text, status: 503)
    }

    /// True if whoever asks may change something.
    var mayChange: Bool { !settings.isReadOnly && visitor?.mayChange == true }

    private func tokenNeeded() -> ServerResponse {
        var refusal = Responses.problem(
            401, .refused, "a token is needed", advice: "send it as Authorization: Bearer TOKEN")
        refusal.headers.append(("WWW-Authenticate", "Bearer"))
        return refusal
    }

    /// A browser is led to the page for the token, and from there to where it was going.
    private func signInFirst(_ request: ServerRequest) -> ServerResponse {
        guard Self.wantsPage(request), request.header("X-FeedSync-Token") == nil else { return tokenNeeded() }
        let target = request.method == "POST" ? "" : request.target
        return .status(303, headers: [("Location", signInLink(to: target).text)])
    }

    static func wantsPage(_ request: ServerRequest) -> Bool {
        request.header("Accept")?.contains("text/html") == true
    }

    /// A link on a page of another site costs nothing until somebody follows it here, too.
    private func foreignSite(_ request: ServerRequest) -> ServerResponse {
        guard Self.wantsPage(request), let link = Link(ownTarget: request.target) else {
            return Responses.problem(
                403, .refused, "another site asked for this", advice: "open it from a page of this server")
        }
        return messagePage(
            "This link stands on another site", "It asks this server to search.", status: 403, link: (link, "Open it"))
    }

    func finished(_ response: ServerResponse) -> SharedAnswer { .whole(Responses.finished(response)) }

    /// A response to a GET, or 304 if the client has it.
    func shown(_ response: ServerResponse, _ request: ServerRequest) -> SharedAnswer {
        finished(Responses.conditional(response, request))
    }

    private func route(_ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer {
        let parts = Self.parts(of: request)
        switch request.method {
        case "GET", "HEAD":
            if let problem = Self.parameterProblem(parts, request) {
                return finished(Responses.problem(400, .rejected, problem, advice: "see /openapi.json"))
            }
            // There are hundreds of these at once.
            if parts == ["events"] { return try await events(request) }
            return try await read(parts, request)
        case "POST": return try await change(parts, request)
        default: return wrongMethod(OpenAPI.methods(at: parts))
        }
    }

    @inline(never)
    private func change(_ parts: [String], _ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer {
        switch (parts.first ?? "", parts.count) {
        case ("feeds", 3):
            if let action = FeedAction(rawValue: parts[2]) { return try await perform(action, on: parts[1], request) }
            return try await perform(parts[2], on: parts[1], request)
        case ("search", 2): return try await search(parts[1], request, isMore: false)
        case ("search", 3) where parts[2] == "more": return try await search(parts[1], request, isMore: true)
        case ("search", 3) where parts[2] == "keep": return try await keep(parts[1], request)
        case ("add", 1): return try await add(request)
        case ("add", 2) where parts[1] == "check": return try await checkForm(request)
        case ("add", 2) where parts[1] == "look": return try await lookForm(request)
        case ("add", 2) where parts[1] == "demo": return try await addDemo(request)
        case ("login", 1): return finished(await login(request))
        case ("logout", 1): return finished(logout())
        default: return notFound(request)
        }
    }

    /// The parts of the path; those of a list of a feed are the feed's, with the name of the list.
    private static func parts(of request: ServerRequest) -> [String] {
        let raw = request.rawPath.split(separator: "/")
        let parts = raw.map { PercentCoding.decoded($0.utf8, plus: "+") }
        guard parts.count > 3, parts[0] == "feeds", parts[2] == "parts" else { return parts }
        let key = raw[3].split(separator: ",", omittingEmptySubsequences: false)
            .map { PercentCoding.encoded(PercentCoding.decoded($0.utf8, plus: "+")) }
        return ["feeds", ([parts[1]] + key).joined(separator: "/")] + parts[4...]
    }

    private func wrongMethod(_ methods: [String]) -> SharedAnswer {
        let words = (methods.isEmpty ? ["GET", "HEAD", "POST"] : methods).joined(separator: ", ")
        var refusal = Responses.problem(405, .rejected, "this path takes another method", advice: words)
        refusal.headers.append(("Allow", words))
        return finished(refusal)
    }

    /// Not inlined: each request that waits in it takes 12 KB for its cases.
    @inline(never)
    private func read(_ parts: [String], _ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer {
        let served = await shelf.served
        switch (parts.first ?? "", parts.count) {
        case ("", _): return shown(try await overviewPage(served, request), request)
        case ("list", 2): return try await listPage(parts[1], served, request)
        case ("list", 3) where parts[2] == "rows": return try await rowsFragment(parts[1], served, request)
        case ("list", 3) where parts[2] == "state": return try await stateFragment(parts[1], served, request)
        case ("find", 1): return try await findPage(served, request)
        case ("keys", 1): return shown(keysPage(), request)
        case ("changes", 1): return try await changes(nil, served, request)
        case ("changes", 2): return try await changesPage(parts[1], served, request)
        case ("settings", 2): return try await settingsPage(parts[1], served, request)
        case ("table", 2): return try await tablePage(parts[1], served, request)
        case ("search", 2):
            return searchPage(parts[1], served, request, text: request.parameter("q") ?? "")
        case ("item", 2): return try await itemPage(parts[1], served, request)
        case ("add", 1): return try await addPage(served, request)
        case ("demo", _): return demo(request)
        case ("picture", 2): return try await picture(parts[1], served, request)
        case ("status", 1): return shown(try await statusPage(served), request)
        case ("login", 1): return shown(loginPage(to: request.parameter("to") ?? pageBefore(request)), request)
        case ("open", 1): return finished(await open(request))
        case ("assets", 2): return asset(parts[1], isPinned: false, request)
        case ("assets", 3) where parts[1] == Asset.version: return asset(parts[2], isPinned: true, request)
        case ("feeds", 1): return shown(try await feedsDocument(served), request)
        case ("feeds", 2): return try await feedDocument(parts[1], served, request)
        case ("feeds", 3) where parts[2] == "export": return try await export(parts[1], served, request)
        case ("feeds", 3) where parts[2] == "parts": return try await partsDocument(parts[1], served, request)
        case ("feeds", 3) where parts[2] == "definition": return try await definitionDocument(parts[1], served, request)
        case ("feeds", 3) where parts[2] == "sections": return try await sectionsDocument(parts[1], served, request)
        case ("feeds", 3) where parts[2] == "items": return try await itemsDocument(parts[1], served, request)
        case ("feeds", 4) where parts[2] == "items": return try await itemDocument(parts[1], parts[3], served, request)
        case ("feeds", 3) where parts[2] == "changes": return try await changesDocument(parts[1], served, request)
        case ("feeds", 3) where parts[2] == "runs": return try await runsDocument(parts[1], served, request)
        case ("feeds", 3) where parts[2] == "schema": return try await schemaDocument(parts[1], served, request)
        case ("runs", 1): return try await runsDocument(nil, served, request)
        case ("quota", 1): return shown(try await quotaDocument(served), request)
        case ("session", 1): return shown(sessionDocument(), request)
        case ("openapi.json", 1): return shown(OpenAPI.response, request)
        case ("metrics", 1): return shown(try await metrics(served), request)
        case ("health", 1): return shown(try await health(served), request)
        default: return notFound(request)
        }
    }

    func notFound(_ request: ServerRequest) -> SharedAnswer {
        let methods = OpenAPI.methods(at: Self.parts(of: request))
        guard methods.isEmpty || methods.contains(request.method) else { return wrongMethod(methods) }
        guard request.header("Accept")?.contains("text/html") == true else {
            return finished(
                Responses.problem(404, .rejected, "there is nothing at this path", advice: "see /openapi.json"))
        }
        return finished(
            messagePage(
                "There is nothing here", "What was here may have another name now, or may have been removed.",
                status: 404))
    }

    /// A feed by its name.
    func feed(_ name: String, _ served: Served) async throws(FeedSyncError) -> KnownFeed? {
        try await served.feed(named: name)
    }

    /// The maximum number of items that a request wants.
    static func limit(of request: ServerRequest) -> Int {
        request.parameter("limit").flatMap { Int($0) }.map { min(max($0, 1), mostItems) } ?? 100
    }

    private static let mostItems = 1_000

    /// The problem with a parameter of the API; nil if there is none. Pages ignore invalid parameters.
    private static func parameterProblem(_ parts: [String], _ request: ServerRequest) -> String? {
        let path = parts.first ?? ""
        guard ["feeds", "runs", "events", "changes", "quota"].contains(path) || path == "list" && parts.count == 3
        else {
            return nil
        }
        if let unknown = unknownParameter(parts, request) { return unknown }
        func isWrong(_ name: String, _ isRight: (String) -> Bool) -> Bool {
            request.parameter(name).map { !isRight($0) } ?? false
        }
        if isWrong("limit", { Int($0).map { (1...mostItems).contains($0) } ?? false }) {
            return "`limit` is a whole number from 1 to \(mostItems)"
        }
        if path == "events" { return isWrong("after", { Int($0) != nil }) ? "`after` is the number of an event" : nil }
        let isOfChanges = parts.last == "changes"
        if isWrong("before", { isOfChanges ? ChangeMoment(text: $0) != nil : Int($0).map { $0 > 0 } ?? false }) {
            return
                "`before` is no place \(isOfChanges ? "among changes" : "among runs"): follow the Link of the page before"
        }
        if isWrong("kind", { ItemChange.Kind(rawValue: $0) != nil }) {
            return "`kind` is `new`, `changed`, `removed` or `returned`"
        }
        if parts.last != "parts", isWrong("after", { Place(text: $0) != nil }) {
            return "`after` is no place in a feed: follow the Link of the page before"
        }
        if isWrong("offset", { Int($0).map { $0 >= 0 } ?? false }) { return "`offset` is a whole number from 0" }
        let formats = ["items", "export"].contains(parts.last) ? ["csv", "ndjson"] : ["ndjson"]
        if isWrong("format", formats.contains) {
            return "`format` is \(formats.map { "`\($0)`" }.joined(separator: " or ")), or not there"
        }
        if isWrong("total", { $0 == "true" }) { return "`total` is `true`, or not there" }
        if isWrong("order", { $0 == "place" }) { return "`order` is `place`, or not there" }
        return nil
    }

    /// The problem with a parameter that a path of the API does not take. Without it, `sort=stars` at a path that sorts
    /// nothing would look as if it did.
    private static func unknownParameter(_ parts: [String], _ request: ServerRequest) -> String? {
        guard !request.query.isEmpty, !wantsPage(request), let names = OpenAPI.queryParameters(at: parts),
            let unknown = request.query.map(\.name).first(where: { !names.contains($0) })
        else { return nil }
        let nearest = NearestWord.suggestion(for: unknown, among: names).map { "; did you mean `\($0)`?" } ?? ""
        return "there is no parameter \(Excerpt.quoted(unknown, limit: 60)) here\(nearest)"
    }

    /// A cached response, valid as long as the store does not change.
    func kept(
        _ request: ServerRequest, _ served: Served,
        make: (Store) async throws(FeedSyncError) -> ServerResponse
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard let store = served.pages else {
            return shown(Responses.json("[]"), request)
        }
        let mark = try await store.mark()
        let key = ResponseCache.Key(request, version: served.version)
        if let hit = cache.response(key, mark: mark) {
            return finished(Responses.conditional(hit.response, request, tag: hit.tag))
        }
        let response = try await make(store)
        let tag = Responses.tag(of: response.body)
        cache.keep(response, tag: tag, key, mark: mark)
        return finished(Responses.conditional(response, request, tag: tag))
    }
}
