extension Command {
    /// `sync [FEED...] [--due]`
    static let sync = Command(
        "sync", operands: "[FEED...]", count: 0...anyNumber,
        options: [.due, .jobs, .maxTime, .maxRequests] + Option.requesting, endsGracefully: true,
        summary: "Make the mirrors of feeds true, several at once",
        explanation: """
            Brings each feed up to date, all of them if none is named; for cron, with --due --quiet. With --due only the
            feeds whose time has come: those that were never synced first, then the one that has been due for longest.
            Feeds are worked on side by side, with one request at a time to each host. What is cut off goes on the next
            time; with --quiet only failures are told, in one line each.
            """,
        example: "feedsync sync --due --quiet"
    ) { session throws(Failure) in
        try await session.sync()
    }
}
