internal import Concurrency
internal import FeedSync
internal import HTTPServer
internal import Reports
internal import Text

/// Answers requests: checks access, finds the page or the document, and sends its response.
final class Site: Sendable {
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
    let counters = RunCounters()
    let bodies = EncodedBodies()
    let removals = Removals()

    init(_ settings: WebSettings, _ shelf: Shelf, _ hub: EventHub, _ pictures: Pictures, address: ListenAddress) {
        (self.settings, self.shelf, self.hub, self.pictures, self.address) = (settings, shelf, hub, pictures, address)
        door = Doorkeeper(address, settings.access)
        searches = Searches(options: settings.options)
        forms = Forms(options: settings.options) { [shelf] in await shelf.served.pages }
    }

    /// The answer to any request, as its client takes it.
    func answer(_ request: ServerRequest) async -> SharedAnswer {
        if let preflight = door.sharing.preflight(request) { return .finished(preflight) }
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
            return .problem(
                421, .refused, "this server is not called by that name",
                advice: "open it by the address that feedsync serve printed, or name it with --host")
        case .foreignSite: return .finished(foreignSite(request))
        case .foreignOrigin:
            return .problem(
                403, .refused, "the request does not come from a page of this server",
                advice: "send the token of GET /session as X-FeedSync-Token, or load the page again")
        case .unknown: return .finished(signInFirst(request))
        case .wrongToken(let caller):
            await door.pay(caller)
            return .finished(Responses.tokenNeeded)
        }
        return await limited(request, visitor)
    }

    /// The answer within the limit of work.
    private func limited(_ request: ServerRequest, _ visitor: Visitor) async -> SharedAnswer {
        let isPage = request.wantsPage
        let limit = WorkLimit(isPage ? settings.work.page : settings.work.answer)
        return await WorkLimit.$current.withValue(limit) {
            do throws(FeedSyncError) {
                return try await route(request, visitor)
            } catch {
                guard limit.isExceeded else {
                    return .finished(Responses.problem(Responses.status(of: error), error))
                }
                return .finished(tooMuchWork(isPage: isPage, visitor))
            }
        }
    }

    private func tooMuchWork(isPage: Bool, _ visitor: Visitor) -> ServerResponse {
        let (title, text) = ("This takes too long", "It was given up, so that others do not wait. Ask for less.")
        guard isPage else { return Responses.problem(503, .limited, title.lowercased(), advice: "ask for less") }
        return frame(of: visitor).message(title, text, status: 503)
    }

    /// The frame of pages.
    ///
    /// - Parameters:
    ///   - visitor: Nil for a client that was not let in.
    ///   - changes: The number of changes that a page knows; nil for a page that hears of none.
    func frame(of visitor: Visitor?, changes: Int? = nil) -> PageFrame {
        PageFrame(visitor: visitor, changes: changes, isReadOnly: settings.isReadOnly)
    }

    /// A browser is led to the page for the token, and from there to where it was going.
    private func signInFirst(_ request: ServerRequest) -> ServerResponse {
        guard request.wantsPage, request.header("X-FeedSync-Token") == nil else { return Responses.tokenNeeded }
        let target = request.method == "POST" ? "" : request.target
        return .status(303, headers: [("Location", SignInPage.link(to: target).text)])
    }

    /// A link on a page of another site costs nothing until somebody follows it here, too.
    private func foreignSite(_ request: ServerRequest) -> ServerResponse {
        guard request.wantsPage, let link = Link(ownTarget: request.target) else {
            return Responses.problem(
                403, .refused, "another site asked for this", advice: "open it from a page of this server")
        }
        return frame(of: nil).message(
            "This link stands on another site", "It asks this server to search.", status: 403, link: (link, "Open it"))
    }

    private func route(_ request: ServerRequest, _ visitor: Visitor) async throws(FeedSyncError) -> SharedAnswer {
        let parts = request.pathParts
        switch request.method {
        case "GET", "HEAD":
            if let problem = Self.parameterProblem(parts, request) {
                return .problem(400, .rejected, problem, advice: "see /openapi.json")
            }
            let visit = await visit(request, visitor)
            // There are hundreds of these at once.
            if parts == ["events"] { return try await EventStream.answer(visit) }
            if let problem = visit.served.storeProblem, !Self.isWithoutStore(parts) {
                return .finished(withoutStore(problem, visit))
            }
            return try await read(parts, visit)
        case "POST":
            if parts.first == "feeds", let problem = Self.unknownParameter(parts, request) {
                return .problem(400, .rejected, problem, advice: "see /openapi.json")
            }
            return try await change(parts, await visit(request, visitor))
        default: return .finished(Responses.wrongMethod(OpenAPI.methods(at: parts)))
        }
    }

    /// True for what shows nothing of the store.
    private static func isWithoutStore(_ parts: [String]) -> Bool {
        ["assets", "demo", "health", "keys", "login", "open", "openapi.json", "session"].contains(parts.first)
    }

    /// The answer where the store's file was replaced: the open one has old rows, which nobody should take for new.
    private func withoutStore(_ problem: String, _ visit: Visit) -> ServerResponse {
        let advice = "start `feedsync serve` again"
        // A script of a page reads the reason from a document.
        guard visit.request.wantsPage, visit.request.header("Sec-Fetch-Dest") ?? "document" == "document" else {
            return Responses.problem(503, .store, problem, advice: advice)
        }
        return visit.frame.message(
            "The store was replaced", "\(problem). To show what is there now, \(advice).", status: 503, kind: "trouble")
    }

    /// A visitor's request, with the content that is served now.
    func visit(_ request: ServerRequest, _ visitor: Visitor) async -> Visit {
        // Read first: a page hears of every later change.
        let changes = hub.changes
        return Visit(site: self, visitor: visitor, request: request, changes: changes, served: await shelf.served)
    }

    @inline(never)
    private func change(_ parts: [String], _ visit: Visit) async throws(FeedSyncError) -> SharedAnswer {
        switch (parts.first ?? "", parts.count) {
        case ("feeds", 3):
            if let action = FeedAction(rawValue: parts[2]) {
                return try await FeedEditing(parts[1], visit).perform(action)
            }
            return try await FeedCommand(feed: parts[1], visit: visit).perform(parts[2])
        case ("search", 2): return try await UpstreamSearch(feed: parts[1], visit: visit).answer()
        case ("search", 3) where parts[2] == "more":
            return try await UpstreamSearch(feed: parts[1], visit: visit).more()
        case ("search", 3) where parts[2] == "keep": return try await FeedAdding(visit).keep(searchOf: parts[1])
        case ("add", 1): return try await FeedAdding(visit).add()
        case ("add", 2) where parts[1] == "check": return try await FeedAdding(visit).check()
        case ("add", 2) where parts[1] == "look": return try await FeedAdding(visit).look()
        case ("add", 2) where parts[1] == "demo": return try await FeedAdding(visit).addDemo()
        case ("login", 1): return await SignIn(visit: visit).begin()
        case ("logout", 1): return SignIn(visit: visit).end()
        default: return visit.notFound()
        }
    }

    /// Not inlined: each request that waits in it takes 12 KB for its cases.
    @inline(never)
    private func read(_ parts: [String], _ visit: Visit) async throws(FeedSyncError) -> SharedAnswer {
        switch (parts.first ?? "", parts.count) {
        case ("", _): return visit.answer(try await OverviewPage(visit))
        case ("list", 2): return visit.answer(try await ListPage(parts[1], visit))
        case ("list", 3) where parts[2] == "rows": return try await ListPage.rows(of: parts[1], visit)
        case ("list", 3) where parts[2] == "state": return try await ListPage.state(of: parts[1], visit)
        case ("find", 1): return visit.answer(try await FindPage(visit))
        case ("keys", 1): return visit.answer(KeysPage(frame: visit.frame))
        case ("changes", 1) where !visit.request.wantsPage:
            return try await HistoryDocuments(name: nil, visit: visit).changes()
        case ("changes", 1): return visit.answer(try await ChangesPage(nil, visit))
        case ("changes", 2): return visit.answer(try await ChangesPage(parts[1], visit))
        case ("settings", 2): return visit.answer(try await SettingsPage(parts[1], visit))
        case ("table", 2): return visit.answer(try await TablePage(parts[1], visit))
        case ("search", 2):
            return visit.answer(SearchPage(parts[1], visit, text: visit.request.parameter("q") ?? ""))
        case ("item", 2): return visit.answer(try await ItemPage(parts[1], visit))
        case ("add", 1): return visit.answer(try await AddPage(visit))
        case ("demo", _): return DemoUpstream(visit.site).answer(visit)
        case ("picture", 2): return try await ItemPicture(feed: parts[1], visit: visit).answer()
        case ("status", 1): return visit.answer(try await StatusPage(visit))
        case ("login", 1): return visit.answer(SignInPage(visit))
        case ("open", 1): return await SignIn(visit: visit).open()
        case ("assets", 2): return visit.answer(Asset.named(parts[1]), isPinned: false)
        case ("assets", 3) where parts[1] == Asset.version: return visit.answer(Asset.named(parts[2]), isPinned: true)
        case ("feeds", 1): return try await ServerDocuments(visit: visit).feeds()
        case ("feeds", 2): return try await FeedDocuments(name: parts[1], visit: visit).state()
        case ("feeds", 3): return try await read(parts[2], of: parts[1], visit)
        case ("feeds", 4) where parts[2] == "items":
            return try await FeedDocuments(name: parts[1], visit: visit).item(parts[3])
        case ("runs", 1): return try await HistoryDocuments(name: nil, visit: visit).runs()
        case ("quota", 1): return try await ServerDocuments(visit: visit).quota()
        case ("session", 1): return ServerDocuments(visit: visit).session()
        case ("openapi.json", 1): return visit.shown(OpenAPI.response)
        case ("metrics", 1): return try await ServerDocuments(visit: visit).metrics()
        case ("health", 1): return try await ServerDocuments(visit: visit).health()
        default: return visit.notFound()
        }
    }

    /// Something of a feed, for programs.
    @inline(never)
    private func read(_ part: String, of feed: String, _ visit: Visit) async throws(FeedSyncError) -> SharedAnswer {
        let documents = FeedDocuments(name: feed, visit: visit)
        let history = HistoryDocuments(name: feed, visit: visit)
        switch part {
        case "export": return try await documents.export()
        case "parts": return try await documents.parts()
        case "definition": return try await FeedEditing(feed, visit).definition()
        case "sections": return try await documents.sections()
        case "items": return try await ItemsDocument(feed, visit).answer()
        case "changes": return try await history.changes()
        case "runs": return try await history.runs()
        case "schema": return try await documents.schema()
        default: return visit.notFound()
        }
    }

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
        if isWrong("limit", { Int($0).map { (1...ServerRequest.mostItems).contains($0) } ?? false }) {
            return "`limit` is a whole number from 1 to \(ServerRequest.mostItems)"
        }
        if path == "events" {
            if isWrong("changes", { Int($0) != nil }) { return "`changes` is a number of changes" }
            return isWrong("after", { Int($0) != nil }) ? "`after` is the number of an event" : nil
        }
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
        if isWrong("offset", { Int($0).map { (0...TableView.mostOffset).contains($0) } ?? false }) {
            return "`offset` is a whole number from 0 to \(TableView.mostOffset)"
        }
        let formats = ["items", "export"].contains(parts.last) ? ["csv", "ndjson"] : ["ndjson"]
        if isWrong("format", formats.contains) {
            return "`format` is \(formats.inBackticks(joinedBy: " or ")), or not there"
        }
        if isWrong("total", { $0 == "true" }) { return "`total` is `true`, or not there" }
        if isWrong("order", { $0 == "place" }) { return "`order` is `place`, or not there" }
        return parts.last == "items" ? ItemsDocument.mixture(in: request) : nil
    }

    /// The problem with a parameter that a path of the API does not take. Without it, `sort=stars` at a path that sorts
    /// nothing would look as if it did.
    private static func unknownParameter(_ parts: [String], _ request: ServerRequest) -> String? {
        guard !request.query.isEmpty, !request.wantsPage,
            let names = OpenAPI.queryParameters(at: parts, of: request.method),
            let unknown = request.query.map(\.name).first(where: { !names.contains($0) })
        else { return nil }
        let nearest = NearestWord.suggestion(for: unknown, among: names).map { "; did you mean `\($0)`?" } ?? ""
        return "there is no parameter \(Excerpt.quoted(unknown, limit: 60)) here\(nearest)"
    }
}
