internal import FeedSync
internal import Fleet
internal import Reports

extension Command {
    /// `feeds`
    static let feeds = Command(
        name: "feeds", store: .any, isForResults: true, summary: "List the feeds in the configuration",
        explanation: """
            Lists each feed with its model, the number of items stored, and its URL.
            """,
        example: "feedsync feeds"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let store = try await session.storeIfAny(configuration, reading: .summary)
        let feeds = try await session.knownFeeds(configuration, store, includesRemoved: false)
        session.nameFiles(configuration)
        var table = Table([
            .init(title: "FEED") { $0.name($1) }, "MODEL", .init(title: "ITEMS", isNumber: true), "URL",
        ])
        for feed in feeds {
            table.add([feed.name, feed.model ?? "-", NumberFormat.count(feed.record?.itemCount ?? 0), feed.url])
        }
        if feeds.isEmpty, !session.invocation.has(.json) {
            session.console.note("\(configuration.file) has no feeds yet")
        }
        session.list(feeds) { if !feeds.isEmpty { session.console.print(table) } }
        return .done
    }
}
