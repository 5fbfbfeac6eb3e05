internal import FeedSync
internal import HTTPServer
internal import Reports
internal import Text

/// Items of a feed for programs: in feed order by their places, or as a table.
struct ItemsDocument {
    private let name: String
    private let visit: Visit
    private let text: SearchText

    /// The two ways to page through items, each with its own parameters.
    private static let ways = [["after", "order"], ["where", "sort", "columns", "column", "offset"]]

    init(_ name: String, _ visit: Visit) {
        (self.name, self.visit) = (name, visit)
        text = SearchText(visit.request.parameter("q") ?? "")
    }

    /// The problem with parameters that do not go together; nil if there is none.
    static func mixture(in request: ServerRequest) -> String? {
        let given = ways.compactMap { way in request.query.first { way.contains($0.name) }?.name }
        guard given.count == ways.count else { return nil }
        let names = ways.map { $0.map { "`\($0)`" } }
        return "`\(given[0])` and `\(given[1])` do not go together: \(names[0].joined(separator: " and ")) are for the "
            + "feed's order, \(names[1].dropLast().joined(separator: ", ")) and \(names[1].last ?? "") for a table"
    }

    /// A page of items in feed order, or of a table; or the best items with the words of a text.
    func answer() async throws(FeedSyncError) -> SharedAnswer {
        let isTable = visit.request.query.contains { Self.ways[1].contains($0.name) }
        if isTable, let store = visit.served.search, try await visit.served.feed(named: name) != nil {
            return visit.shown(try await table(in: store))
        }
        let isInFeedOrder = ["section", "after"].contains { visit.request.parameter($0) != nil }
        guard text.isEmpty || isInFeedOrder || visit.request.parameter("order") == "place" else {
            return try await best()
        }
        let limit = visit.request.limit
        return try await kept { store async throws(FeedSyncError) in
            guard var query = try await narrowed(ItemQuery(feed: name, limit: limit), in: store) else { return nil }
            query.after = visit.request.parameter("after").flatMap(Place.init(text:))
            // A search that has to look at each row holds up no page.
            let reader = text.isEmpty ? store : visit.served.search ?? store
            let page =
                visit.request.wantsCSV
                ? ItemsPage(try await visit.served.listing(query, of: reader), of: name)
                : ItemsPage(try await visit.served.listingText(query, of: reader), for: visit.request)
            guard !page.isOfNothing else { return nil }
            // Not the path of the request: one that begins with two slashes would point to another host.
            var headers = visit.links(
                of: "items", in: name, by: "after", next: page.hasMore ? page.lastPlace?.text : nil,
                keeping: visit.request.kept("section", "q", "order", "format", "total"))
            if visit.request.wantsTotal {
                query.after = nil
                headers.append((Responses.totalHeader, String(try await reader.count(query))))
            }
            return page.response(headers)
        }
    }

    /// The best items with the words of the text.
    private func best() async throws(FeedSyncError) -> SharedAnswer {
        let limit = visit.request.limit
        return try await kept { _ async throws(FeedSyncError) in
            let page =
                visit.request.wantsCSV
                ? try await FeedSearch.listing(text, in: name, visit.served, limit: limit)
                    .map { ItemsPage($0, of: name) }
                : try await FeedSearch.listingText(text, in: name, visit.served, limit: limit)
                    .map { ItemsPage($0, for: visit.request) }
            var headers: [(name: String, value: String)] = []
            if visit.request.wantsTotal, let feed = try await visit.served.feed(named: name) {
                let query = ItemQuery(feed: name, limit: 0)
                let count = try await FeedSearch(text, in: feed, visit.served).found(like: query, isRanked: false)
                    .count
                headers.append((Responses.totalHeader, String(count)))
            }
            return page?.response(headers)
        }
    }

    /// The query with the section and the words that are asked for; nil if the feed does not exist.
    private func narrowed(_ query: ItemQuery, in store: Store) async throws(FeedSyncError) -> ItemQuery? {
        var query = query
        query.byteLimit = ItemQuery.mostBytesOfAnswer
        if let section = visit.request.parameter("section") { query.section = .some(section.isEmpty ? nil : section) }
        guard !text.isEmpty else { return query }
        if try await store.isSearchable(name) {
            query.indexedWords = text
        } else {
            guard let feed = try await visit.served.feed(named: name) else { return nil }
            query.words = (text, try await visit.served.shape(of: feed, in: store).rule.columns)
        }
        return query
    }

    /// A cached response, valid as long as the store does not change.
    ///
    /// - Parameter make: Returns nil if nothing of the feed is stored. Only then is the feed itself looked up.
    private func kept(
        make: (Store) async throws(FeedSyncError) -> ServerResponse?
    ) async throws(FeedSyncError) -> SharedAnswer {
        let nothing =
            visit.request.wantsCSV
            ? ItemsPage(Listing(), of: name).response([]) : Responses.list([], for: visit.request)
        guard visit.served.pages != nil else {
            return visit.served.configuration?.feed(named: name) == nil ? visit.unknownFeed(name) : visit.shown(nothing)
        }
        return try await visit.kept { store async throws(FeedSyncError) in
            if let response = try await make(store) { return response }
            guard try await visit.served.feed(named: name) != nil else { return Responses.unknownFeed(name) }
            return nothing
        }
    }

    /// A page of a table.
    private func table(in store: Store) async throws(FeedSyncError) -> ServerResponse {
        let view = TableView(visit.request, known: try await TableView.columns(of: name, in: store))
        if let problem = view.problem { return Responses.problem(400, .rejected, problem, advice: "see /openapi.json") }
        let limit = visit.request.limit
        guard let query = try await narrowed(view.query(name, limit: limit), in: store) else {
            return Responses.unknownFeed(name)
        }
        var headers: [(name: String, value: String)] = []
        if visit.request.wantsTotal { headers.append((Responses.totalHeader, String(try await store.count(query)))) }
        let page =
            visit.request.wantsCSV
            ? ItemsPage(try await store.listing(query), of: name, view)
            : ItemsPage(try await store.listingText(query), for: visit.request)
        func link(_ offset: Int) -> Link {
            let place = [(name: "limit", value: String(limit)), (name: "offset", value: String(offset))]
            let kept = visit.request.kept("section", "q", "format", "total")
            return .feed(name, "items", query: view.words + kept + place)
        }
        headers += Responses.links(
            next: page.hasMore && page.count > 0 ? link(view.offset + page.count) : nil,
            first: view.offset > 0 ? link(0) : nil)
        return page.response(headers)
    }
}

/// A page of items in the form that was asked for.
private struct ItemsPage {
    let count: Int
    let lastPlace: Place?
    let hasMore: Bool
    /// True if nothing of the feed is stored.
    let isOfNothing: Bool
    private let form: ServerResponse

    /// Items as JSON.
    init(_ listing: ListingText, for request: ServerRequest) {
        (count, lastPlace, hasMore) = (listing.count, listing.lastPlace, listing.hasMore)
        isOfNothing = listing.isOfNothing
        form = Responses.list(listing, for: request)
    }

    /// Items as CSV.
    init(_ listing: Listing, of feed: String, _ view: TableView = TableView()) {
        (count, lastPlace, hasMore) = (listing.items.count, listing.items.last?.place, listing.hasMore)
        isOfNothing = listing.columns.isEmpty
        form = ServerResponse(
            headers: [
                ("Content-Type", "text/csv; charset=utf-8"),
                ("Content-Disposition", "attachment; filename=\"\(feed.replacing("/", with: "-")).csv\""),
            ], body: CommaSeparated.document(listing, view.ordered(listing)))
    }

    /// The page with further fields.
    func response(_ headers: [(name: String, value: String)]) -> ServerResponse {
        var response = form
        response.headers = headers + response.headers
        return response
    }
}

extension Place {
    /// The place in the form that requests use.
    var text: String { "\(generation).\(position)" }

    init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let generation = Int64(parts[0]), let position = Int64(parts[1]) else { return nil }
        self.init(generation: generation, position: position)
    }
}
