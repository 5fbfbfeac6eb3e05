internal import FeedSync
internal import HTTPServer
internal import JSON
internal import Reports
internal import Text

/// The store's tables as JSON, with their names, for programs.
extension Site {
    /// All feeds with their states.
    func feedsDocument(_ served: Served) async throws(FeedSyncError) -> ServerResponse {
        let rows = try await StateRow.rows(of: try await served.feeds(), in: served.pages)
        return Responses.list(rows.map(\.result))
    }

    func feedDocument(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard let feed = try await feed(name, served) else { return unknownFeed(name) }
        let rows = try await StateRow.rows(of: [feed], in: served.pages)
        return shown(Responses.json(rows.first?.result ?? "null"), request)
    }

    func sectionsDocument(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard try await feed(name, served) != nil else { return unknownFeed(name) }
        return try await kept(request, served) { store async throws(FeedSyncError) in
            Responses.list(try await store.sections(of: name).map(\.json))
        }
    }

    /// A page of items in feed order; or the items with the words of a text, ranked or in feed order.
    func itemsDocument(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        if let store = served.search, try await feed(name, served) != nil,
            let table = try await tableDocument(name, in: store, request)
        {
            return shown(table, request)
        }
        let limit = Self.limit(of: request)
        let text = SearchText(request.parameter("q") ?? "")
        let isInFeedOrder = ["section", "after"].contains { request.parameter($0) != nil }
        guard text.isEmpty || isInFeedOrder || request.parameter("order") == "place" else {
            return try await kept(request, served, of: name) { _ async throws(FeedSyncError) in
                let listing = try await foundText(text, in: name, served, limit: limit)
                var headers: [(name: String, value: String)] = []
                if request.wantsTotal, let feed = try await feed(name, served) {
                    let query = ListingQuery(feed: name, limit: 0)
                    let count = try await found(text, in: feed, served, like: query, isRanked: false).count
                    headers.append((Responses.totalHeader, String(count)))
                }
                return listing.map { Responses.list($0, for: request, headers: headers) }
            }
        }
        var query = ListingQuery(feed: name, limit: limit)
        if let section = request.parameter("section") { query.section = .some(section.isEmpty ? nil : section) }
        query.after = request.parameter("after").flatMap(Place.init(text:))
        let wanted = query
        return try await kept(request, served, of: name) { store async throws(FeedSyncError) in
            var query = wanted
            if !text.isEmpty {
                if try await store.isSearchable(name) {
                    query.indexedWords = text
                } else {
                    guard let feed = try await feed(name, served) else { return nil }
                    query.words = (text, try await shape(of: feed, in: store, served).rule.columns)
                }
            }
            // A search that has to look at each row holds up no page.
            let reader = text.isEmpty ? store : served.search ?? store
            let listing = try await listingText(query, of: reader, served)
            guard !listing.isOfNothing else { return nil }
            let words = [(name: "limit", value: String(limit))]
            let kept = request.kept("section", "q", "order", "format", "total")
            // Not the path of the request: one that begins with two slashes would point to another host.
            func link(_ place: [(name: String, value: String)]) -> Link {
                .feed(name, "items", query: words + place + kept)
            }
            let last = listing.hasMore ? listing.lastPlace : nil
            var headers = Responses.links(
                next: last.map { link([(name: "after", value: $0.text)]) }, first: query.after.map { _ in link([]) })
            if request.wantsTotal {
                query.after = nil
                headers.append((Responses.totalHeader, String(try await reader.count(query))))
            }
            return Responses.list(listing, for: request, headers: headers)
        }
    }

    /// One item by its key: as JSON, or as plain text.
    func itemDocument(
        _ name: String, _ key: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard try await feed(name, served) != nil else { return unknownFeed(name) }
        guard let store = served.pages else { return notFound(request) }
        for key in [key, JSONValue.string(key).json] {
            var query = ListingQuery(feed: name, limit: 1)
            (query.keys, query.includesRemoved) = ([key], true)
            let listing = try await store.listingText(query)
            // The document is a list of it.
            if listing.count > 0 { return shown(.json(Array(listing.document.dropFirst().dropLast(2))), request) }
        }
        return finished(
            Responses.problem(
                404, .rejected, "no such item: \(Excerpt.quoted(key, limit: 63))",
                advice: "GET /feeds/\(name)/items lists them"))
    }

    /// A cached response about a feed, valid as long as the store does not change.
    ///
    /// - Parameter make: Returns nil if nothing of the feed is stored. Only then is the feed itself looked up.
    private func kept(
        _ request: ServerRequest, _ served: Served, of name: String,
        make: (Store) async throws(FeedSyncError) -> ServerResponse?
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard served.pages != nil || served.configuration?.feed(named: name) != nil else { return unknownFeed(name) }
        return try await kept(request, served) { store async throws(FeedSyncError) in
            if let response = try await make(store) { return response }
            guard try await feed(name, served) != nil else { return unknownFeedResponse(name) }
            return Responses.list([], for: request)
        }
    }

    /// Runs, the newest first.
    func runsDocument(
        _ name: String?, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        if let name, try await feed(name, served) == nil { return unknownFeed(name) }
        let limit = Self.limit(of: request)
        return try await kept(request, served) { store async throws(FeedSyncError) in
            let before = request.parameter("before").flatMap { Int($0) }
            let runs = try await store.runs(of: name, before: before, limit: limit)
            func link(_ place: [(name: String, value: String)]) -> Link {
                let words = [(name: "limit", value: String(limit))] + place + request.kept("format", "total")
                return name.map { .feed($0, "runs", query: words) } ?? .own("runs", query: words)
            }
            let last = runs.count == limit ? runs.last : nil
            var headers = Responses.links(
                next: last.map { link([(name: "before", value: String($0.id))]) },
                first: before.map { _ in link([]) })
            if request.wantsTotal {
                headers.append((Responses.totalHeader, String(try await store.runCount(of: name))))
            }
            return Responses.list(runs.map(\.result), for: request, headers: headers)
        }
    }

    /// The lists of a feed that has one for each row of another, with their states.
    func partsDocument(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard try await feed(name, served) != nil else { return unknownFeed(name) }
        let limit = Self.limit(of: request)
        let after = request.parameter("after")
        let records = try await served.pages?.parts(of: name, after: after, limit: limit) ?? []
        let rows = try await StateRow.rows(
            of: records.map { KnownFeed(definition: nil, record: $0) }, in: served.pages)
        func link(_ place: [(name: String, value: String)]) -> Link {
            .feed(name, "parts", query: [(name: "limit", value: String(limit))] + place + request.kept("format"))
        }
        let last = records.count == limit ? records.last : nil
        let links = Responses.links(
            next: last.map { link([(name: "after", value: $0.name)]) }, first: after.map { _ in link([]) })
        return shown(Responses.list(rows.map(\.result), for: request, headers: links), request)
    }

    /// The changes of a feed's columns, the newest first.
    func schemaDocument(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        if try await feed(name, served) == nil { return unknownFeed(name) }
        let limit = Self.limit(of: request)
        let before = request.parameter("before").flatMap { Int($0) }
        return try await kept(request, served) { store async throws(FeedSyncError) in
            let changes = try await store.columnChanges(of: name, before: before, last: limit)
            func link(_ place: [(name: String, value: String)]) -> Link {
                .feed(name, "schema", query: [(name: "limit", value: String(limit))] + place + request.kept("format"))
            }
            let last = changes.count == limit ? changes.last : nil
            let links = Responses.links(
                next: last.map { link([(name: "before", value: String($0.id))]) },
                first: before.map { _ in link([]) })
            return Responses.list(changes.map(\.result), for: request, headers: links)
        }
    }

    func quotaDocument(_ served: Served) async throws(FeedSyncError) -> ServerResponse {
        Responses.list(try await served.pages?.quota().map(\.json) ?? [])
    }

    /// The token that a program sends with a change.
    func sessionDocument() -> ServerResponse {
        let fields: JSONFields = ["token": visitor?.pageToken, "read_only": settings.isReadOnly]
        return Responses.json(fields.json)
    }

    /// The event log as a stream, from the listener's last event on.
    func events(_ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer {
        let served = await shelf.served
        let name = request.parameter("feed")
        if let name, try await feed(name, served) == nil { return unknownFeed(name) }
        let known = request.header("Last-Event-ID") ?? request.parameter("after")
        // Without an event id the stream begins now: events that are committed but not published yet are skipped.
        let newest = try await served.pages?.events(last: 1).last?.id ?? 0
        let last = known.flatMap { Int($0) }.map { min(max($0, 0), newest) } ?? max(newest, hub.last)
        let headers = [(name: "Content-Type", value: "text/event-stream; charset=utf-8")]
        let head = Responses.finished(ServerResponse(headers: headers))
        guard request.method == "GET" else { return .whole(head) }
        return .stream(head, EventStream(hub, feed: name, after: last) { [shelf] in await shelf.served.pages })
    }

    func unknownFeed(_ name: String) -> SharedAnswer { finished(unknownFeedResponse(name)) }

    private func unknownFeedResponse(_ name: String) -> ServerResponse {
        Responses.problem(
            404, .rejected, "no such feed: \(Excerpt.quoted(name, limit: 63))", advice: "GET /feeds lists them")
    }

    /// The health of the store and the configuration.
    func health(_ served: Served) async throws(FeedSyncError) -> ServerResponse {
        let count = try await served.feeds().count
        let store = await served.pages?.fileProblem
        let isOK = served.problem == nil && store == nil
        let fields: JSONFields = [
            "ok": isOK, "feeds": count, "listeners": hub.listenerCount,
            "configuration": served.problem?.joined(separator: "; "),
            "store": store.map { "\($0); start `feedsync serve` again" }, "feedsync": FeedSyncVersion.text,
        ]
        return Responses.json(fields.json, status: isOK ? 200 : 503)
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
