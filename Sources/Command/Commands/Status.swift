internal import FeedSync

extension Command {
    /// `status [FEED...]`
    static let status = Command(
        "status", operands: "[FEED...]", count: 0...anyNumber, options: [.fail],
        summary: "Show the status of each feed",
        explanation: """
            Shows each feed's health and the reason for it, its last event, how many items and generations
            it has, the next page, when the first page was last fetched, and when the feed is due.

            The health of a feed is one of these:

              fresh  up to date
              stale  overdue by more than its interval
              failing  the last sync failed
              limited  the server asked us to wait
              loading  the first load is not finished; the next sync continues
              incomplete  not all items of the list are stored
              new  never loaded

            `feedsync help words` explains the other words.
            """,
        example: "feedsync status --json"
    ) { session throws(Failure) in
        let configuration = try session.configurationForReading()
        let store = try await session.storeIfAny(configuration)
        let feeds = try await session.health(of: try await session.knownFeeds(configuration, store), in: store)
        if session.invocation.has(.json) {
            session.console.print(json: JSONLines.array(feeds.map(\.json)))
            return session.code(of: feeds)
        }
        if feeds.isEmpty { session.console.note("no feeds yet") }
        let table = StatusTable.make(feeds)
        session.console.print(
            feeds.isEmpty ? [] : table.lines(session.console.palette, width: session.console.width))
        session.console.noteSkipped(feeds.isEmpty ? [] : table.skipped(width: session.console.width))
        return session.code(of: feeds)
    }
}

extension Session {
    /// With `--fail`, whether all is well: for monitoring.
    fileprivate func code(of feeds: [HealthRow]) -> ExitCode {
        invocation.has(.fail) && feeds.contains { $0.health != .fresh } ? .notFresh : .done
    }

    /// The health of each feed.
    ///
    /// - Throws: `Failure` where the store cannot be read.
    fileprivate func health(of feeds: [KnownFeed], in store: Store?) async throws(Failure) -> [HealthRow] {
        let histories = try await reading { () async throws(FeedError) in try await store?.histories() ?? [:] }
        let now = WallClock.system.milliseconds
        return feeds.map { HealthRow($0, histories[$0.name] ?? FeedHistory(feed: $0.name), now: now) }
    }
}

/// The status of feeds, as a table.
private enum StatusTable {
    static func make(_ feeds: [HealthRow]) -> Table {
        var table = Table([
            Table.Column(title: "FEED") { $0.name($1) }, Table.Column(title: "HEALTH", paint: paint),
            Table.Column(title: "STATUS"),
            Table.Column(title: "ITEMS", isNumber: true), Table.Column(title: "GENERATION", isNumber: true),
            Table.Column(title: "NEXT PAGE", limit: 24), Table.Column(title: "LOADED"), Table.Column(title: "DUE"),
            Table.Column(title: "WHY"),
        ])
        for feed in feeds { table.add(cells(feed)) }
        return table
    }

    private static func cells(_ shown: HealthRow) -> [String] {
        let record = shown.feed.record
        return [
            shown.feed.name, shown.health.word, (record?.status ?? .none).rawValue,
            NumberFormat.count(record?.itemCount ?? 0), NumberFormat.count(record?.generation ?? 0),
            record?.nextPage ?? "",
            record?.reloadedAt == nil ? "never" : RelativeTime.ago(record?.reloadedAt), shown.due, shown.why ?? "",
        ]
    }

    @Sendable private static func paint(_ palette: Palette, _ health: String) -> String {
        switch health {
        case "fresh": palette.success(health)
        case "failing": palette.failure(health)
        case "stale", "limited", "loading", "incomplete": palette.attention(health)
        default: health
        }
    }
}
