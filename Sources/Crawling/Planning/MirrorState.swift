/// The facts that decide a feed's state. Times are in milliseconds since 1970.
package struct FeedFacts: Sendable, Hashable {
    /// True if a live process works on the feed.
    package var isRunning = false
    /// The number of its last runs that failed in a row; runs that were cut off do not count.
    package var failures = 0
    /// The end of the first of them.
    package var failingSince: Int64?
    /// The time before which the host accepts no request.
    package var blockedUntil: Int64?
    /// True if a first page was ever loaded.
    package var isLoaded = false
    /// True if every page was ever crawled.
    package var wasCrawled = false
    /// True if the rows are all of the upstream's, as far as known.
    package var isComplete = false
    /// The reason why they are not; nil if they are, or if the crawl can continue.
    package var incompleteReason: IncompleteReason?
    /// The time at which a sync is due; nil for a feed that cannot be late.
    package var dueAt: Int64?
    /// The time from one sync to the next, in milliseconds.
    package var interval: Int64 = 0

    /// Creates the facts of a feed that was never loaded.
    package init() {}

    /// True if a wait until this time is an obstacle. A complete feed that is due later can wait.
    fileprivate func areHeldUp(_ until: Int64) -> Bool { !isComplete || (dueAt ?? .min) <= until }
}

/// The state of a feed's mirror in one word: the first of these that applies.
package enum MirrorState: Sendable, Hashable {
    /// A process works on it.
    case running
    /// The last runs failed: their number, and the end of the first one (milliseconds since 1970).
    case failing(times: Int, since: Int64?)
    /// The host accepts no request before that time (milliseconds since 1970), and there is something to request.
    case limited(until: Int64)
    /// It was never loaded.
    case new
    /// The first load is not finished; the next sync continues.
    case loading
    /// It has been due for longer than an interval, since that time (milliseconds since 1970).
    case stale(since: Int64)
    /// The rows are not all of the upstream's; the reason is nil if the crawl can continue.
    case incomplete(IncompleteReason?)
    /// The rows are all of the upstream's, and the next sync is not overdue.
    case fresh

    /// The state that follows from the facts.
    ///
    /// - Parameter now: In milliseconds since 1970.
    package init(_ facts: FeedFacts, now: Int64) {
        self =
            if facts.isRunning {
                .running
            } else if facts.failures > 0 {
                .failing(times: facts.failures, since: facts.failingSince)
            } else if let until = facts.blockedUntil, until > now, facts.areHeldUp(until) {
                .limited(until: until)
            } else if !facts.isLoaded {
                .new
            } else if !facts.isComplete, !facts.wasCrawled, [nil, .cutOff].contains(facts.incompleteReason) {
                .loading
            } else if let dueAt = facts.dueAt, dueAt.clampedSum(facts.interval) < now {
                .stale(since: dueAt)
            } else if !facts.isComplete {
                .incomplete(facts.incompleteReason)
            } else {
                .fresh
            }
    }

    /// Its word, in every command and in JSON.
    package var word: String {
        switch self {
        case .running: "running"
        case .failing: "failing"
        case .limited: "limited"
        case .new: "new"
        case .loading: "loading"
        case .stale: "stale"
        case .incomplete: "incomplete"
        case .fresh: "fresh"
        }
    }
}
