internal import FeedSync

extension Command {
    /// `plan [FEED...]`
    static let plan = Command(
        "plan", operands: "[FEED...]", count: 0...anyNumber,
        summary: "Show when each feed is due, and why",
        explanation: """
            Shows when `feedsync sync --due` will next take each feed, and why: the interval (`every`),
            what the server asked for, repeated failures, and a fixed per-feed offset that spreads the
            load. Nothing is requested.
            """,
        example: "feedsync plan swift-repos"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let feeds = session.invocation.operands.isEmpty ? configuration.feeds : try session.feeds(of: configuration)
        let plans = try await session.plans(of: feeds, in: try await session.storeIfAny(configuration))
        let now = WallClock.system.milliseconds
        if session.invocation.has(.json) {
            session.console.print(json: JSONLines.array(plans.map { $0.json(at: now) }))
            return .done
        }
        if feeds.isEmpty { session.console.note("\(configuration.file) has no feeds yet") }
        for plan in plans {
            session.console.print(plan.lines(session.console.palette, width: session.console.width, now: now))
        }
        return .done
    }
}

extension Session {
    /// When each feed is due.
    ///
    /// - Throws: `Failure` where the store cannot be read.
    func plans(of feeds: [FeedDefinition], in store: Store?) async throws(Failure) -> [Plan] {
        let histories = try await reading { () async throws(FeedError) in try await store?.histories() ?? [:] }
        return feeds.map { Planner.plan(histories[$0.name] ?? FeedHistory(feed: $0.name), every: $0.every) }
    }
}

extension Plan {
    /// The plan for people.
    fileprivate func lines(_ palette: Palette, width: Int?, now: Int64) -> [String] {
        let when =
            if let dueAt, dueAt > now {
                "\(dueText ?? "")\(palette.faint(" (in \(RelativeTime.until(dueAt, now: now)))"))"
            } else if let dueText {
                palette.attention("due") + " since \(dueText)"
            } else {
                palette.attention("due")
            }
        var table = Table([
            Table.Column(title: "TERM"), Table.Column(title: "VALUE"),
            Table.Column(title: "REASON") { $0.faint($1) },
        ])
        table.indentation = 4
        table.hasTitles = false
        for term in terms {
            table.add([term.name.rawValue.replacing("_", with: " "), term.value ?? "", term.reason])
        }
        return ["\(palette.name(feed))  \(when)"] + table.lines(palette, width: width)
    }
}
