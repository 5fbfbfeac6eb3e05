internal import FeedSync
internal import HTTP

extension Command {
    /// `sync [FEED...] [--due]`
    static let sync = Command(
        name: "sync", operands: "[FEED...]", count: 0...anyNumber,
        options: [.due, .jobs, .maxTime, .maxRequests] + Option.requesting, store: .writes(),
        endsGracefully: true,
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

/// The options of `sync`.
struct SyncRequest: Sendable {
    let isDueOnly: Bool
    /// The number of feeds to sync at once.
    let jobs: Int
    let maxTime: Duration?
    let maxRequests: Int?

    /// Reads them from the command line.
    ///
    /// - Throws: `Failure` with exit code 64.
    init(_ invocation: Invocation) throws(Failure) {
        isDueOnly = invocation.has(.due)
        jobs = min(try invocation.count(.jobs) ?? 4, 256)
        maxTime = try invocation.duration(.maxTime)
        maxRequests = try invocation.count(.maxRequests)
    }

    /// The limit as written on the command line.
    func words(for limit: RequestBudget.Limit) -> String {
        switch limit {
        case .time: "\(Option.maxTime.written) \(maxTime.map(DurationText.text) ?? "")"
        case .requests: "\(Option.maxRequests.written) \(maxRequests ?? 0)"
        }
    }
}
