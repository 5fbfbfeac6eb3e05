internal import FeedSync
internal import HTTPServer
internal import Reports

/// The runs of a feed, or of all feeds, for programs.
struct RunsDocument {
    /// Nil for all feeds.
    private let name: String?
    private let visit: Visit

    init(_ name: String?, _ visit: Visit) { (self.name, self.visit) = (name, visit) }

    /// Runs, the newest first.
    func answer() async throws(FeedSyncError) -> SharedAnswer {
        if let name, try await visit.served.feed(named: name) == nil { return visit.unknownFeed(name) }
        let limit = visit.request.limit
        return try await visit.kept { store async throws(FeedSyncError) in
            let before = visit.request.parameter("before").flatMap { Int($0) }
            let runs = try await store.runs(of: name, before: before, limit: limit)
            func link(_ place: [(name: String, value: String)]) -> Link {
                let words = [(name: "limit", value: String(limit))] + place + visit.request.kept("format", "total")
                return name.map { .feed($0, "runs", query: words) } ?? .own("runs", query: words)
            }
            let last = runs.count == limit ? runs.last : nil
            var headers = Responses.links(
                next: last.map { link([(name: "before", value: String($0.id))]) },
                first: before.map { _ in link([]) })
            if visit.request.wantsTotal {
                headers.append((Responses.totalHeader, String(try await store.runCount(of: name))))
            }
            return Responses.list(runs.map(\.result), for: visit.request, headers: headers)
        }
    }
}
