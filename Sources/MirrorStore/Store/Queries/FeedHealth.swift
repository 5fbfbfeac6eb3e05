/// How a feed's mirror does, at a glance.
public enum FeedHealth: Sendable, Hashable {
    /// It was never synced.
    case new
    /// The last round went well, and the next is not overdue.
    case fresh
    /// It has been due for longer than an interval, since that time (milliseconds since 1970).
    case stale(since: Int64)
    /// The last rounds failed: how many, and when the first of them ended (milliseconds since 1970).
    case failing(times: Int, since: Int64?)
    /// The host wants no request before that time (milliseconds since 1970).
    case limited(until: Int64)
    /// The first load is not finished; the next sync continues.
    case loading
    /// The rows are not all of the upstream's; the reason is nil where the crawl can go on.
    case incomplete(IncompleteReason?)

    /// The gravest that is true of a feed.
    ///
    /// - Parameters:
    ///   - record: What the store says of it.
    ///   - history: What its plan was made from.
    ///   - plan: When it is due; nil where the configuration does not have it.
    ///   - now: In milliseconds since 1970.
    public init(_ record: FeedRecord, _ history: FeedHistory, _ plan: Plan?, now: Int64) {
        // Failures of `more` do not count for the plan; they are failures all the same.
        let failures = max(history.failures, record.error?.isFailure == true ? 1 : 0)
        self =
            if failures > 0 {
                .failing(times: failures, since: history.failingSince)
            } else if let until = history.blockedUntil, until > now {
                .limited(until: until)
            } else if history.roundStartedAt == nil, record.generation == 0 {
                .new
            } else if let plan, let dueAt = plan.dueAt, dueAt.clampedSum(plan.interval) < now {
                .stale(since: dueAt)
            } else if !record.isComplete {
                record.fullAt == nil && record.nextPage != nil && history.incompleteReason == nil
                    ? .loading : .incomplete(history.incompleteReason)
            } else {
                .fresh
            }
    }

    /// Its word in `status`.
    public var word: String {
        switch self {
        case .new: "new"
        case .fresh: "fresh"
        case .stale: "stale"
        case .failing: "failing"
        case .limited: "limited"
        case .loading: "loading"
        case .incomplete: "incomplete"
        }
    }
}

extension FeedError {
    /// Whether it tells of something wrong, rather than of a run that was only cut off.
    fileprivate var isFailure: Bool {
        switch kind {
        case .cancelled, .interrupted, .limited, .locked: false
        default: true
        }
    }
}
