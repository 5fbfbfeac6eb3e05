extension Command {
    /// `sync [FEED...] [--due]`
    static let sync = Command(
        "sync", operands: "[FEED...]", count: 0...anyNumber,
        options: [.due, .jobs, .maxTime, .maxRequests] + Option.requesting, endsGracefully: true,
        summary: "Bring feeds up to date, several at a time",
        explanation: """
            Brings the named feeds up to date, or all of them. With --due, only those that are due: feeds
            that were never synced first, then the one that has been due longest.

            Several feeds are synced at a time, with one request at a time to each host. A feed that a
            limit cuts off stays due.

            For cron, use `feedsync sync --due --quiet`: it prints only failures, in one line each.
            """,
        example: "feedsync sync --due --quiet"
    ) { session throws(Failure) in
        var runs = try SyncRuns(session)
        return try await runs.perform()
    }
}
