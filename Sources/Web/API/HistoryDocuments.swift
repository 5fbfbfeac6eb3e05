internal import FeedSync
internal import HTTPServer
internal import Reports

/// The history of a feed, or of all feeds, for programs.
struct HistoryDocuments {
    /// The name of the feed; nil for all feeds.
    let name: String?
    let visit: Visit

    /// Runs, the newest first.
    func runs() async throws(FeedSyncError) -> SharedAnswer {
        if let name, try await visit.served.feed(named: name) == nil { return visit.unknownFeed(name) }
        let limit = visit.request.limit
        return try await visit.kept { store async throws(FeedSyncError) in
            let before = visit.request.parameter("before").flatMap { Int($0) }
            let runs = try await store.runs(of: name, before: before, limit: limit)
            let last = runs.count == limit ? runs.last : nil
            var headers = visit.links(
                of: "runs", in: name, by: "before", next: last.map { String($0.id) },
                keeping: visit.request.kept("format", "total"))
            if visit.request.wantsTotal {
                headers.append((Responses.totalHeader, String(try await store.runCount(of: name))))
            }
            return Responses.list(runs.map(\.result), for: visit.request, headers: headers)
        }
    }

    /// Changes of items, the newest first.
    func changes() async throws(FeedSyncError) -> SharedAnswer {
        let (request, served) = (visit.request, visit.served)
        if let name, try await served.feed(named: name) == nil { return visit.unknownFeed(name) }
        let selection = ChangeSelection(name, request)
        let recent = try await selection.recent(in: served, limit: request.limit).recent
        let links = visit.links(
            of: "changes", in: name, by: "before", next: recent.next?.text,
            keeping: selection.kindWords + request.kept("format", "total"))
        var headers = [(name: "Vary", value: "Accept")] + links
        if request.wantsTotal, let store = served.search {
            let names = if let name { [name] } else { try await served.feeds().map(\.name) }
            let count = try await store.changeCount(names.map { ChangeQuery(feed: $0) }, kinds: selection.kinds)
            headers.append((Responses.totalHeader, String(count)))
        }
        return visit.shown(Responses.list(recent.changes.map(\.result), for: request, headers: headers))
    }
}
