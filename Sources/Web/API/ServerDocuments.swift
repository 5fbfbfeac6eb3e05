internal import FeedSync
internal import HTTPServer
internal import Reports

/// The documents about all feeds and the server itself, for programs.
struct ServerDocuments {
    let visit: Visit

    /// All feeds with their states.
    func feeds() async throws(FeedSyncError) -> SharedAnswer {
        let served = visit.served
        let rows = try await StateRow.rows(of: try await served.feeds(), in: served.pages)
        return visit.shown(Responses.list(rows.map(\.result)))
    }

    func quota() async throws(FeedSyncError) -> SharedAnswer {
        visit.shown(Responses.list(try await visit.served.pages?.quota().map(\.json) ?? []))
    }

    /// The token that a program sends with a change.
    func session() -> SharedAnswer {
        let fields: JSONFields = ["token": visit.visitor.pageToken, "read_only": visit.site.settings.isReadOnly]
        return visit.shown(Responses.json(fields.json))
    }

    /// The health of the store and the configuration.
    func health() async throws(FeedSyncError) -> SharedAnswer {
        let count = try await visit.served.feeds().count
        let store = await visit.served.pages?.fileProblem
        let isOK = visit.served.problem == nil && store == nil
        let fields: JSONFields = [
            "ok": isOK, "feeds": count, "listeners": visit.site.hub.listenerCount,
            "configuration": visit.served.problem?.joined(separator: "; "),
            "store": store.map { "\($0); start `feedsync serve` again" }, "feedsync": FeedSyncVersion.text,
        ]
        return visit.shown(Responses.json(fields.json, status: isOK ? 200 : 503))
    }

    func metrics() async throws(FeedSyncError) -> SharedAnswer {
        visit.shown(try await visit.site.counters.metrics(of: visit.served, listeners: visit.site.hub.listenerCount))
    }
}
