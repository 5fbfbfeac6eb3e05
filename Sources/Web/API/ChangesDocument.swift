internal import FeedSync
internal import HTTPServer
internal import Reports

/// The changes of a feed, or of all feeds, for programs.
struct ChangesDocument {
    /// Nil for all feeds.
    private let name: String?
    private let visit: Visit

    init(_ name: String?, _ visit: Visit) { (self.name, self.visit) = (name, visit) }

    func answer() async throws(FeedSyncError) -> SharedAnswer {
        let (request, served) = (visit.request, visit.served)
        if let name, try await served.feed(named: name) == nil { return visit.unknownFeed(name) }
        let selection = ChangeSelection(name, request)
        let recent = try await selection.recent(in: served, limit: request.limit).recent
        func link(_ place: [(name: String, value: String)]) -> Link {
            let words =
                [(name: "limit", value: String(request.limit))] + selection.kindWords + place
                + request.kept("format", "total")
            return name.map { .feed($0, "changes", query: words) } ?? .own("changes", query: words)
        }
        let links = Responses.links(
            next: recent.next.map { link([(name: "before", value: $0.text)]) },
            first: request.parameter("before").map { _ in link([]) })
        var headers = [(name: "Vary", value: "Accept")] + links
        if request.wantsTotal, let store = served.search {
            let names = if let name { [name] } else { try await served.feeds().map(\.name) }
            let count = try await store.changeCount(names.map { ChangeQuery(feed: $0) }, kinds: selection.kinds)
            headers.append((Responses.totalHeader, String(count)))
        }
        return visit.shown(Responses.list(recent.changes.map(\.result), for: request, headers: headers))
    }
}
