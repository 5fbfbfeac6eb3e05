internal import FeedSync
internal import Reports
internal import Text

extension Command {
    /// `changes [FEED...]`
    static let changes = Command(
        name: "changes", operands: "[FEED...]", count: 0...anyNumber,
        options: [.sinceRun, .ofKey, .follow, .ack, .schema],
        store: .any, isForResults: true,
        summary: "Print the items that are new, changed, removed or back",
        explanation: """
            Prints one line for each item that is new, has changed, was removed or came back, oldest first. For a
            changed item, the line has each column that changed, with its old and new value. With --json, each
            line is a JSON object with the item's columns in `after`.

            --ack NAME is for programs: each run prints what happened since the previous run with that name, feed
            by feed. Once everything is written, it records how far it got. If it is stopped before that, the
            next run prints the same again. The first run prints everything that is kept.

            --key KEY is the history of one item. A key of several columns is a JSON array, as in '["acme", 7]'.

            --schema prints a line for each column that is new, that no item has any more, or whose type is
            another one.
            """,
        example: "feedsync changes --since yesterday"
    ) { session throws(Failure) in
        try session.invocation.check(.ack, without: .sinceRun)
        try session.invocation.check(.schema, without: .ack, .follow, .ofKey)
        try session.invocation.check(.ack, without: .ofKey)
        let configuration = try session.configurationForReading()
        guard let store = try await session.storeIfAny(configuration) else {
            session.console.note("no changes yet")
            return .done
        }
        if session.invocation.has(.follow) { try store.checkFollowing() } else { session.console.startPager() }
        let feeds = try await session.knownFeeds(configuration, store, includesRemoved: false)
        // A copy of a part of a store has only that part's runs.
        if session.sharedStore(configuration) == nil { try await session.checkRun(in: store) }
        if session.invocation.has(.schema) {
            try await session.printColumnChanges(of: feeds, in: store)
        } else {
            try await session.printChanges(of: feeds, in: store)
        }
        return .done
    }
}

extension Session {
    /// - Throws: `Failure` with exit code 64 where --since has the number of a run that there is not.
    fileprivate func checkRun(in store: Store) async throws(Failure) {
        guard let run = invocation.options[.sinceRun].flatMap({ Int($0) }) else { return }
        let last = try await reading { () async throws(FeedSyncError) in try await store.greatestRun() }
        guard run < 1 || run > last ?? 0 else { return }
        throw .usage(
            "no such run: \(run)" + (last.map { "; the last one is \($0)" } ?? ""),
            advice: "feedsync events  # shows the runs")
    }

    fileprivate func printColumnChanges(of feeds: [KnownFeed], in store: Store) async throws(Failure) {
        let changes = try await columnChanges(of: feeds, in: store).sorted { ($0.at, $0.feed) < ($1.at, $1.feed) }
        if listingForm == .people {
            console.print(changes.map(line))
        } else {
            var lines = RecordLines(listingForm)
            console.write(changes.map { lines.text(of: $0) }.joined(), isGuarded: false)
        }
        if changes.isEmpty { console.note("no changes\(nothingSince)") }
    }

    private func line(_ record: ColumnChangeRecord) -> String {
        let change = record.change
        let column = console.palette.name(DisplayWidth.printable(change.column))
        let text =
            switch change.kind {
            case .new: "new      \(column)\(change.after.map { "  \($0.rawValue)" } ?? "")"
            case .gone: "gone     \(column)  no item has it any more"
            case .type: "changed  \(column)  \(change.before?.rawValue ?? "null") → \(change.after?.rawValue ?? "null")"
            }
        return "\(console.palette.faint(PeopleTimes.stamp(record.at)))  \(console.palette.name(record.feed))  \(text)"
    }

    fileprivate func printChanges(of feeds: [KnownFeed], in opened: Store) async throws(Failure) {
        var store = opened
        let isFollowing = invocation.has(.follow)
        var queries = try await changeQueries(feeds, in: store)
        let printer = ChangePrinter(
            console, listingForm, nameWidth: feeds.map(\.name.count).max() ?? 0)
        var place: ChangePlace?
        while console.failure == nil, !console.isClosed {
            let wanted = queries
            let last = try await read(try await store.placeOfLastChange())
            if last != place {
                let end = try await read(try await store.changes(wanted) { printer.take($0) })
                printer.flush()
                guard console.failure == nil, !console.isClosed else { return }
                try await acknowledge(wanted, upTo: end, in: store)
                for index in queries.indices { queries[index].after = end }
                place = end
            }
            guard isFollowing else { break }
            await Command.pause()
            store = try await current(store)
        }
        guard !isFollowing, !console.isClosed else { return }
        if printer.count == 0 { console.note("no changes\(nothingSince)") }
        if !invocation.has(.ack), !invocation.has(.ofKey) { try await noteColumnChanges(of: feeds, in: store) }
    }

    /// Says that columns changed, too, and how to see it.
    private func noteColumnChanges(of feeds: [KnownFeed], in store: Store) async throws(Failure) {
        let count = try await columnChanges(of: feeds, in: store).count
        guard count > 0 else { return }
        let since = invocation.options[.sinceRun].map { " --since \(ShellWord.quoted($0))" } ?? ""
        let names = invocation.operands.map { " \($0)" }.joined()
        console.note(
            "note: \(NumberFormat.count(count, "change")) of columns: feedsync changes --schema\(since)\(names)\(invocation.storeOptions)"
        )
    }

    private func columnChanges(
        of feeds: [KnownFeed], in store: Store
    ) async throws(Failure) -> [ColumnChangeRecord] {
        var changes: [ColumnChangeRecord] = []
        for feed in feeds {
            let (since, run) = try await sinceWhen(feed.name, in: store)
            changes += try await read(try await store.columnChanges(of: feed.name, since: since, run: run))
        }
        return changes
    }

    private var nothingSince: String {
        if let name = invocation.options[.ack] { return " since the last run for \(name)" }
        let since = invocation.options[.sinceRun] ?? (invocation.has(.ofKey) ? nil : Self.standardSince)
        let item = invocation.options[.ofKey].map { " to the item \($0)" } ?? ""
        return item + (since.map(Self.words) ?? "")
    }

    private static func words(since text: String) -> String {
        switch text {
        case "last": " in the last run"
        case "1d": " in the last day"
        case _ where Int(text) != nil: " since run \(text)"
        case _ where DurationText.parse(text) != nil: " in the last \(text)"
        default: " since \(text)"
        }
    }

    private static let standardSince = "1d"

    /// The queries of the command line, one for each feed.
    private func changeQueries(_ feeds: [KnownFeed], in store: Store) async throws(Failure) -> [ChangeQuery] {
        var queries = feeds.map { feed in
            var query = ChangeQuery(feed: feed.name)
            query.title = feed.definition?.show?.title
            query.key = invocation.options[.ofKey]
            return query
        }
        if let name = invocation.options[.ack] {
            let places = try await read(try await store.places(of: name))
            for index in queries.indices { queries[index].after = places[queries[index].feed] ?? ChangePlace() }
            return queries
        }
        let since = invocation.options[.sinceRun]
        if since == nil, invocation.has(.follow) {
            let place = try await read(try await store.placeOfLastChange())
            for index in queries.indices { queries[index].after = place }
            return queries
        }
        for index in queries.indices {
            (queries[index].since, queries[index].run) = try await sinceWhen(queries[index].feed, in: store)
        }
        return queries
    }

    /// The earliest time, or the earliest run, that --since asks for.
    private func sinceWhen(_ feed: String, in store: Store) async throws(Failure) -> (time: String?, run: Int?) {
        switch invocation.options[.sinceRun] {
        case "last":
            (nil, try await read(try await store.lastRun(of: feed)))
        case let text? where Int(text) != nil: (nil, Int(text))
        case nil where invocation.has(.ofKey): (nil, nil)
        case let text: (try time(text ?? Self.standardSince), nil)
        }
    }

    private func time(_ text: String) throws(Failure) -> String {
        if let time = PointInTime.stored(text) { return time }
        throw .usage(
            "--since must be `last`, the number of a run, or a time such as 90m, 7d, 2w, 1mo, yesterday or 2026-11-21, not \(text)",
            advice: "feedsync help changes")
    }

    /// Records that all changes up to a place were written, if there is a consumer.
    private func acknowledge(
        _ queries: [ChangeQuery], upTo end: ChangePlace, in store: Store
    ) async throws(Failure) {
        guard let name = invocation.options[.ack] else { return }
        let path = store.path
        let known = Dictionary(queries.map { ($0.feed, $0.after) }) { first, _ in first }
        try await reading { () async throws(FeedSyncError) in
            let writer = try await Store(path: path, options: Store.Options(access: .existing))
            try await writer.move(name, in: queries.map(\.feed), from: known, to: end)
        }
    }
}
