internal import FeedSync
internal import HTTP

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
