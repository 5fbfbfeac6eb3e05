internal import FeedSync
internal import Fleet
internal import Reports

extension Command {
    /// `plan [FEED...]`
    static let plan = Command(
        name: "plan", operands: "[FEED...]", count: 0...anyNumber,
        store: .any, isForResults: true,
        summary: "Show when each feed is due, and why",
        explanation: """
            Shows each feed's state, when `feedsync sync --due` will next take it, and why: the interval (`every`),
            what the server asked for, repeated failures, and a fixed per-feed offset that spreads the
            load. Of a feed with a list for each row of another, shows which lists come next. Nothing is
            requested.
            """,
        example: "feedsync plan swift-repos"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let feeds =
            session.invocation.operands.isEmpty
            ? configuration.feeds : try session.feeds(of: configuration, partsToo: true)
        var known: [KnownFeed] = []
        var outlooks: [String: PartOutlook] = [:]
        let trees = feeds.filter { $0.forEach != nil }
        let rows = trees.isEmpty ? nil : try await session.storeWithRows(of: trees, configuration)
        for feed in feeds {
            let named = try await session.named(feed, in: rows)
            known.append(KnownFeed(definition: named, record: nil))
            if named.forEach != nil { outlooks[named.name] = try await session.outlook(of: named, in: rows) }
        }
        // Of a store in PostgreSQL, no rows of other feeds are read.
        try await session.shared.end(isLast: false)
        let store = try await session.storeIfAny(configuration, reading: .summary)
        let states = try await session.states(of: known, in: store)
        let now = WallClock.system.milliseconds
        if feeds.isEmpty, !session.invocation.has(.json) {
            session.console.note("\(configuration.file) has no feeds yet")
        }
        let shown = outlooks
        session.list(states.compactMap { $0.planFields(at: now, shown[$0.feed.name]) }) {
            for state in states {
                session.console.print(
                    state.planLines(
                        session.console.palette, width: session.console.width, now: now, shown[state.feed.name]))
            }
        }
        return .done
    }
}

extension Session {
    /// The number of next lists that are named.
    static let shownLists = 5

    /// The store with the rows of feeds that have a list for each row of another, and with those of the feeds above
    /// them. Of a store in PostgreSQL, nothing else is read.
    ///
    /// - Returns: Nil if nothing was stored yet.
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func storeWithRows(of feeds: [FeedDefinition], _ configuration: Configuration) async throws(Failure) -> Store? {
        let rules = feeds.compactMap(\.forEach)
        return try await storeIfAny(
            configuration, reading: .recent, of: feeds.map(\.owner) + rules.map(\.feed) + rules.flatMap(\.ancestors))
    }

    /// The lists of a feed that come next; nil if it has one list, or nothing is stored.
    ///
    /// - Throws: `Failure` if the store cannot be read, or the parent's rows have no such column.
    func outlook(of feed: FeedDefinition, in store: Store?) async throws(Failure) -> PartOutlook? {
        guard let store else { return nil }
        return try await read(try await store.partOutlook(of: feed, limit: Self.shownLists, now: WallClock.system.text))
    }

    /// The time at which each feed is due.
    ///
    /// - Throws: `Failure` if the store cannot be read.
    func plans(of feeds: [FeedDefinition], in store: Store?) async throws(Failure) -> [Plan] {
        let histories = try await read(try await store?.histories() ?? [:])
        return Planner.plans(of: feeds, histories)
    }
}

extension StateRow {
    /// The plan for programs.
    fileprivate func planFields(at now: Int64, _ lists: PartOutlook?) -> JSONFields? {
        guard let plan else { return nil }
        let due: JSONFields = [
            "next_due_at": plan.dueText, "due": plan.isDue(at: now), "terms": plan.terms, "lists": lists,
        ]
        return ["feed": plan.feed] + stateFields + due
    }

    /// The plan for people.
    fileprivate func planLines(_ palette: Palette, width: Int?, now: Int64, _ lists: PartOutlook?) -> [String] {
        guard let plan else { return [] }
        let when =
            if plan.isPaused {
                palette.faint("paused")
            } else if let dueAt = plan.dueAt, dueAt > now {
                "due in \(RelativeTime.until(dueAt, now: now))"
                    + palette.faint(PeopleTimes.clock(dueAt / 1000).map { ", at \($0)" } ?? "")
            } else if let dueAt = plan.dueAt {
                palette.attention("due") + " since \(PeopleTimes.clock(dueAt / 1000) ?? plan.dueText ?? "")"
            } else {
                palette.attention("due") + " now"
            }
        var table = Table(
            ["TERM", "VALUE", .init(title: "REASON") { $0.faint($1) }], hasTitles: false, indentation: 4)
        for term in plan.terms {
            table.add([term.name.rawValue.replacing("_", with: " "), Self.words(of: term), term.reason])
        }
        if let lists {
            table.add(["lists", "", lists.summary])
            for next in lists.next { table.add(["", next.list, next.words(of: lists.parent, now: now)]) }
        }
        let title = "\(palette.name(plan.feed))  \(StateColour.paint(state.word, with: palette)), \(when)"
        return [title] + table.lines(palette, width: width)
    }

    /// The value of a term: milliseconds as seconds, which is all that people see of them, and times where they are.
    private static func words(of term: Plan.Term) -> String {
        guard let value = term.value else { return "" }
        if let milliseconds = Int64(value.replacing("ms", with: "")), value.hasSuffix("ms"), milliseconds >= 1000 {
            return NumberFormat.time(seconds: milliseconds / 1000)
        }
        return PeopleTimes.stamp(value)
    }
}
