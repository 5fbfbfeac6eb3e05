internal import FeedSync
internal import Fleet
internal import Reports

extension Command {
    /// `status [FEED...]`
    static let status = Command(
        name: "status", operands: "[FEED...]", count: 0...anyNumber, options: [.fail],
        store: .any, isForResults: true,
        summary: "Show the state of each feed",
        explanation: """
            Shows each feed's state and the reason for it, how many items are stored, the next page, when
            the first page was last fetched, and when the feed is due.

            The state of a feed is the first of these that is true:

              running  a process is working on it
              failing  the last run failed
              limited  the server asked us to wait with the next request
              new  never loaded
              loading  the first load is not finished; the next sync continues
              stale  overdue by more than its interval
              incomplete  not all items of the list are stored
              fresh  all is well; what was looked at, and when

            With --fail, exits with 1 unless each feed is fresh, and its `on_change` took what changed; a feed that
            is running counts as what it would be otherwise.

            `feedsync help words` explains the other words.
            """,
        example: "feedsync status --json"
    ) { session throws(Failure) in
        let configuration = try session.configurationForReading()
        let store = try await session.storeIfAny(configuration, reading: .summary)
        let feeds = try await session.states(
            of: try await session.knownFeeds(configuration, store, includesRemoved: false), in: store)
        session.nameFiles(configuration)
        if feeds.isEmpty, !session.invocation.has(.json) { session.console.note("no feeds yet") }
        session.list(feeds) {
            let table = StatusTable.make(feeds)
            session.console.print(
                feeds.isEmpty ? [] : table.lines(session.console.palette, width: session.console.width))
            session.console.noteSkipped(feeds.isEmpty ? [] : table.skipped(width: session.console.width))
        }
        return session.code(of: feeds)
    }
}

extension Session {
    /// With `--fail`, whether all is well: for monitoring.
    fileprivate func code(of feeds: [StateRow]) -> ExitCode {
        invocation.has(.fail) && !feeds.allSatisfy(\.isWell) ? .notWell : .done
    }
}

/// The states of feeds, as a table.
private enum StatusTable {
    static func make(_ feeds: [StateRow]) -> Table {
        var table = Table([
            .init(title: "FEED") { $0.name($1) }, .init(title: "STATE") { StateColour.paint($1, with: $0) },
            .init(title: "ITEMS", isNumber: true), .init(title: "NEXT PAGE", limit: 24), "LOADED", "DUE", "WHY",
        ])
        for feed in feeds { table.add(cells(feed)) }
        return table
    }

    private static func cells(_ shown: StateRow) -> [String] {
        let record = shown.feed.record
        return [
            shown.feed.name, shown.state.word, NumberFormat.count(record?.itemCount ?? 0), record?.nextPage ?? "",
            record?.reloadedAtText == nil ? "never" : RelativeTime.ago(record?.reloadedAtText), shown.due,
            shown.why ?? "",
        ]
    }
}

/// The colours of states.
enum StateColour {
    static func paint(_ word: String, with palette: Palette) -> String {
        switch word {
        case "fresh": palette.success(word)
        case "failing": palette.failure(word)
        case "stale", "limited", "loading", "incomplete": palette.attention(word)
        default: word
        }
    }
}
