internal import FeedSync
internal import HTTPServer
internal import Reports
internal import Text

/// Items of a feed for programs.
struct ItemsDocument {
    private let name: String
    private let visit: Visit

    init(_ name: String, _ visit: Visit) { (self.name, self.visit) = (name, visit) }

    /// A page of items in feed order; or the items with the words of a text, ranked or in feed order.
    func answer() async throws(FeedSyncError) -> SharedAnswer {
        if let store = visit.served.search, try await visit.served.feed(named: name) != nil,
            let table = try await table(in: store)
        {
            return visit.shown(table)
        }
        let limit = visit.request.limit
        let text = SearchText(visit.request.parameter("q") ?? "")
        let isInFeedOrder = ["section", "after"].contains { visit.request.parameter($0) != nil }
        guard text.isEmpty || isInFeedOrder || visit.request.parameter("order") == "place" else {
            return try await kept { _ async throws(FeedSyncError) in
                let listing = try await FeedSearch.listingText(text, in: name, visit.served, limit: limit)
                var headers: [(name: String, value: String)] = []
                if visit.request.wantsTotal, let feed = try await visit.served.feed(named: name) {
                    let query = ItemQuery(feed: name, limit: 0)
                    let count = try await FeedSearch(text, in: feed, visit.served).found(like: query, isRanked: false)
                        .count
                    headers.append((Responses.totalHeader, String(count)))
                }
                return listing.map { Responses.list($0, for: visit.request, headers: headers) }
            }
        }
        var query = ItemQuery(feed: name, limit: limit)
        if let section = visit.request.parameter("section") { query.section = .some(section.isEmpty ? nil : section) }
        query.after = visit.request.parameter("after").flatMap(Place.init(text:))
        let wanted = query
        return try await kept { store async throws(FeedSyncError) in
            var query = wanted
            if !text.isEmpty {
                if try await store.isSearchable(name) {
                    query.indexedWords = text
                } else {
                    guard let feed = try await visit.served.feed(named: name) else { return nil }
                    query.words = (text, try await visit.served.shape(of: feed, in: store).rule.columns)
                }
            }
            // A search that has to look at each row holds up no page.
            let reader = text.isEmpty ? store : visit.served.search ?? store
            let listing = try await visit.served.listingText(query, of: reader)
            guard !listing.isOfNothing else { return nil }
            let words = [(name: "limit", value: String(limit))]
            let kept = visit.request.kept("section", "q", "order", "format", "total")
            // Not the path of the request: one that begins with two slashes would point to another host.
            func link(_ place: [(name: String, value: String)]) -> Link {
                .feed(name, "items", query: words + place + kept)
            }
            let last = listing.hasMore ? listing.lastPlace : nil
            var headers = Responses.links(
                next: last.map { link([(name: "after", value: $0.text)]) }, first: query.after.map { _ in link([]) })
            if visit.request.wantsTotal {
                query.after = nil
                headers.append((Responses.totalHeader, String(try await reader.count(query))))
            }
            return Responses.list(listing, for: visit.request, headers: headers)
        }
    }

    /// A cached response, valid as long as the store does not change.
    ///
    /// - Parameter make: Returns nil if nothing of the feed is stored. Only then is the feed itself looked up.
    private func kept(
        make: (Store) async throws(FeedSyncError) -> ServerResponse?
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard visit.served.pages != nil || visit.served.configuration?.feed(named: name) != nil else {
            return visit.unknownFeed(name)
        }
        return try await visit.kept { store async throws(FeedSyncError) in
            if let response = try await make(store) { return response }
            guard try await visit.served.feed(named: name) != nil else { return Responses.unknownFeed(name) }
            return Responses.list([], for: visit.request)
        }
    }

    /// The items of a view as JSON or CSV, for programs; nil if the address has none of its parameters.
    private func table(in store: Store) async throws(FeedSyncError) -> ServerResponse? {
        let isCSV = visit.request.parameter("format") == "csv"
        guard isCSV || visit.request.query.contains(where: { TableView.parameters.contains($0.name) }) else {
            return nil
        }
        let view = TableView(visit.request, known: try await TableView.columns(of: name, in: store))
        if let problem = view.problem { return Responses.problem(400, .rejected, problem, advice: "see /openapi.json") }
        let limit = visit.request.limit
        var query = view.query(name, limit: limit)
        query.byteLimit = ItemQuery.mostBytesOfAnswer
        func link(_ offset: Int) -> Link {
            let place = [(name: "limit", value: String(limit)), (name: "offset", value: String(offset))]
            return .feed(name, "items", query: view.words + visit.request.kept("format", "total") + place)
        }
        func links(_ hasMore: Bool, _ count: Int) -> [(name: String, value: String)] {
            Responses.links(
                next: hasMore && count > 0 ? link(view.offset + count) : nil, first: view.offset > 0 ? link(0) : nil)
        }
        var headers: [(name: String, value: String)] = []
        if visit.request.wantsTotal { headers.append((Responses.totalHeader, String(try await store.count(query)))) }
        guard isCSV else {
            let listing = try await store.listingText(query)
            return Responses.list(listing, for: visit.request, headers: headers + links(listing.hasMore, listing.count))
        }
        let listing = try await store.listing(query)
        headers += links(listing.hasMore, listing.items.count)
        headers.append(("Content-Type", "text/csv; charset=utf-8"))
        headers.append(("Content-Disposition", "attachment; filename=\"\(name.replacing("/", with: "-")).csv\""))
        return ServerResponse(headers: headers, body: CommaSeparated.document(listing, view.ordered(listing)))
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
