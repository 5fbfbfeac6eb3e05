internal import FeedSync
internal import Reports

extension Command {
    /// `plan [FEED...]`
    static let plan = Command(
        "plan", operands: "[FEED...]", count: 0...anyNumber,
        isForResults: true,
        summary: "Show when each feed is due, and why",
        explanation: """
            Shows each feed's state, when `feedsync sync --due` will next take it, and why: the interval (`every`),
            what the server asked for, repeated failures, and a fixed per-feed offset that spreads the
            load. Nothing is requested.
            """,
        example: "feedsync plan swift-repos"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let feeds = session.invocation.operands.isEmpty ? configuration.feeds : try session.feeds(of: configuration)
        let known = feeds.map { KnownFeed(definition: $0, record: nil) }
        let states = try await session.states(of: known, in: try await session.storeIfAny(configuration))
        let now = WallClock.system.milliseconds
        if feeds.isEmpty, !session.invocation.has(.json) {
            session.console.note("\(configuration.file) has no feeds yet")
        }
        session.list(states.compactMap { $0.planFields(at: now) }) {
            for state in states {
                session.console.print(state.planLines(session.console.palette, width: session.console.width, now: now))
            }
        }
        return .done
    }
}

extension Session {
    /// When each feed is due.
    ///
    /// - Throws: `Failure` where the store cannot be read.
    func plans(of feeds: [FeedDefinition], in store: Store?) async throws(Failure) -> [Plan] {
        let histories = try await reading { () async throws(FeedSyncError) in try await store?.histories() ?? [:] }
        return feeds.map { Planner.plan(histories[$0.name] ?? FeedHistory(feed: $0.name), every: $0.every) }
    }
}

extension StateRow {
    /// The plan for programs.
    fileprivate func planFields(at now: Int64) -> JSONFields? {
        guard let plan else { return nil }
        let due: JSONFields = [
            "next_due_at": plan.dueText, "due": plan.isDue(at: now), "terms": plan.terms,
        ]
        return ["feed": plan.feed] + stateFields + due
    }

    /// The plan for people.
    fileprivate func planLines(_ palette: Palette, width: Int?, now: Int64) -> [String] {
        guard let plan else { return [] }
        let when =
            if let dueAt = plan.dueAt, dueAt > now {
                "due \(plan.dueText ?? "")\(palette.faint(" (in \(RelativeTime.until(dueAt, now: now)))"))"
            } else if let dueText = plan.dueText {
                palette.attention("due") + " since \(dueText)"
            } else {
                palette.attention("due") + " now"
            }
        var table = Table([
            Table.Column(title: "TERM"), Table.Column(title: "VALUE"),
            Table.Column(title: "REASON") { $0.faint($1) },
        ])
        table.indentation = 4
        table.hasTitles = false
        for term in plan.terms {
            table.add([term.name.rawValue.replacing("_", with: " "), term.value ?? "", term.reason])
        }
        let title = "\(palette.name(plan.feed))  \(StateColour.paint(state.word, with: palette)), \(when)"
        return [title] + table.lines(palette, width: width)
    }
}
