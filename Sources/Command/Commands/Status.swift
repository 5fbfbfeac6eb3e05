internal import FeedSync

extension Command {
    /// `status [FEED...]`
    static let status = Command(
        "status", operands: "[FEED...]", count: 0...anyNumber, summary: "Tell where feeds stand",
        explanation: """
            For each feed: what happened last, how many items the upstream has, how often its order was renewed, which
            page is next, when the first page was last asked for, and why the last command failed if it did.
            """,
        example: "feedsync status --json"
    ) { session throws(Failure) in
        let configuration = try session.configurationForReading()
        let store = try await session.storeIfAny(configuration)
        let feeds = try await session.knownFeeds(configuration, store)
        if session.invocation.has(.json) {
            session.console.print(json: JSONLines.array(feeds.map(\.json)))
            return .done
        }
        if feeds.isEmpty { session.console.note("no feeds yet") }
        let table = StatusTable.make(feeds)
        session.console.print(
            feeds.isEmpty ? [] : table.lines(session.console.palette, width: session.console.width))
        session.console.noteLeftOut(feeds.isEmpty ? [] : table.leftOut(width: session.console.width))
        return .done
    }
}

/// Where feeds stand, as a table.
private enum StatusTable {
    static func make(_ feeds: [KnownFeed]) -> Table {
        var table = Table([
            Table.Column(title: "FEED") { $0.name($1) }, Table.Column(title: "STATUS", paint: paint),
            Table.Column(title: "ITEMS", isNumber: true), Table.Column(title: "GENERATION", isNumber: true),
            Table.Column(title: "NEXT PAGE", limit: 24), Table.Column(title: "LOADED"),
            Table.Column(title: "ERROR") { $0.failure($1) },
        ])
        for feed in feeds { table.add(cells(feed)) }
        return table
    }

    private static func cells(_ feed: KnownFeed) -> [String] {
        guard let record = feed.record else { return [feed.name, RefreshStatus.none.rawValue, "0", "0", "", "never"] }
        return [
            feed.name, record.status.rawValue, Figures.count(record.itemCount), Figures.count(record.generation),
            record.nextPage ?? "", record.reloadedAt == nil ? "never" : Moment.ago(record.reloadedAt),
            record.error?.message ?? "",
        ]
    }

    @Sendable private static func paint(_ palette: Palette, _ status: String) -> String {
        switch RefreshStatus(rawValue: status) {
        case .beginHeader, .beginFooter: palette.attention(status)
        case .noMoreData: palette.success(status)
        default: status
        }
    }
}
