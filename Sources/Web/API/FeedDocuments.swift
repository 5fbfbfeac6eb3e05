internal import Concurrency
internal import FeedSync
internal import HTTPServer
internal import JSON
internal import Reports
internal import Text

/// The stored state of a feed as JSON, with the names of the store's tables, for programs.
struct FeedDocuments {
    let name: String
    let visit: Visit

    /// The feed with its state.
    func state() async throws(FeedSyncError) -> SharedAnswer {
        guard let feed = try await visit.served.feed(named: name) else { return visit.unknownFeed(name) }
        let rows = try await StateRow.rows(of: [feed], in: visit.served.pages)
        return visit.shown(Responses.json(rows.first?.result ?? "null"))
    }

    /// The sections with their numbers of items.
    func sections() async throws(FeedSyncError) -> SharedAnswer {
        guard try await visit.served.feed(named: name) != nil else { return visit.unknownFeed(name) }
        return try await visit.kept { store async throws(FeedSyncError) in
            Responses.list(try await store.sections(of: name).map(\.json))
        }
    }

    /// One item by its key: as JSON, or as plain text.
    func item(_ key: String) async throws(FeedSyncError) -> SharedAnswer {
        guard try await visit.served.feed(named: name) != nil else { return visit.unknownFeed(name) }
        guard let store = visit.served.pages else { return visit.notFound() }
        for key in [key, JSONValue.string(key).json] {
            var query = ItemQuery(feed: name, limit: 1)
            (query.keys, query.includesRemoved) = ([key], true)
            let listing = try await store.listingText(query)
            // The document is a list of it.
            if listing.count > 0 { return visit.shown(.json(Array(listing.document.dropFirst().dropLast(2)))) }
        }
        return .problem(
            404, .rejected, "no such item: \(Excerpt.quoted(key, limit: 63))",
            advice: "GET /feeds/\(name)/items lists them")
    }

    /// The lists of a feed that has one for each row of another, with their states.
    func parts() async throws(FeedSyncError) -> SharedAnswer {
        guard try await visit.served.feed(named: name) != nil else { return visit.unknownFeed(name) }
        let limit = visit.request.limit
        let after = visit.request.parameter("after")
        let records = try await visit.served.pages?.parts(of: name, after: after, limit: limit) ?? []
        let rows = try await StateRow.rows(
            of: records.map { KnownFeed(definition: nil, record: $0) }, in: visit.served.pages)
        let last = records.count == limit ? records.last : nil
        let links = visit.links(
            of: "parts", in: name, by: "after", next: last?.name, keeping: visit.request.kept("format"))
        return visit.shown(Responses.list(rows.map(\.result), for: visit.request, headers: links))
    }

    /// The changes of a feed's columns, the newest first.
    func schema() async throws(FeedSyncError) -> SharedAnswer {
        if try await visit.served.feed(named: name) == nil { return visit.unknownFeed(name) }
        let limit = visit.request.limit
        let before = visit.request.parameter("before").flatMap { Int($0) }
        return try await visit.kept { store async throws(FeedSyncError) in
            let changes = try await store.columnChanges(of: name, before: before, last: limit)
            let last = changes.count == limit ? changes.last : nil
            let links = visit.links(
                of: "schema", in: name, by: "before", next: last.map { String($0.id) },
                keeping: visit.request.kept("format"))
            return Responses.list(changes.map(\.result), for: visit.request, headers: links)
        }
    }

    /// All items, as CSV or as a line of JSON for each.
    func export() async throws(FeedSyncError) -> SharedAnswer {
        guard try await visit.served.feed(named: name) != nil else { return visit.unknownFeed(name) }
        let isLines = visit.request.wantsLines
        let fileName = "\(name.replacing("/", with: "-")).\(isLines ? "ndjson" : "csv")"
        let head = Responses.finished(
            ServerResponse(headers: [
                ("Content-Type", isLines ? "application/x-ndjson" : "text/csv; charset=utf-8"),
                ("Content-Disposition", "attachment; filename=\"\(fileName)\""),
            ]))
        guard let store = visit.served.search, visit.request.method == "GET" else { return .whole(head) }
        // Large items make small pages, which must not sort the feed again each time.
        let order = Lock<FeedOrder?>(nil)
        return .stream(
            head,
            ExportStream { [name] place in
                var query = ItemQuery(feed: name, limit: Self.itemsAtOnce)
                (query.after, query.byteLimit) = (place, Self.bytesAtOnce)
                guard !isLines else {
                    let (listing, known) = try await store.listingText(query, knowing: order.withLock { $0 })
                    order.withLock { $0 = known }
                    return (listing.lines, listing.hasMore ? listing.lastPlace : nil)
                }
                let (listing, known) = try await store.listing(query, knowing: order.withLock { $0 })
                order.withLock { $0 = known }
                let columns = listing.columns.enumerated().map { (index: $0.offset, column: $0.element) }
                let text = CommaSeparated.document(listing, columns, hasNames: place == nil)
                return (text, listing.hasMore ? listing.items.last?.place : nil)
            })
    }

    private static let itemsAtOnce = 1_000
    private static let bytesAtOnce = 1 << 20
}
