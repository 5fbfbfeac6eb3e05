/// The known history of a feed, for its next time.
///
/// Times are in milliseconds since 1970. A round is a run that requested the first page and was not cut off: one that
/// was stopped, or had to wait for the host, has not done its work.
package struct FeedHistory: Sendable, Hashable {
    /// The feed's name.
    package var feed: String
    /// The start of the last round; nil before the first.
    package var roundStartedAt: Int64?
    /// True if the last round began after `horizon`: the clock was wrong then, or is now.
    package var isAheadOfClock = false
    /// The end of the last round; nil before the first.
    package var roundEndedAt: Int64?
    /// Rounds running that failed.
    package var failures = 0
    /// The end of the first of them.
    package var failingSince: Int64?
    /// True if a first page was ever loaded.
    package var isLoaded = false
    /// The seconds between polls that the host insists on.
    package var pollInterval: Int64?
    /// The seconds for which the host called its last answer fresh.
    package var freshFor: Int64?
    /// Until when the host wants no request.
    package var blockedUntil: Int64?
    /// The value of `feed.next_due_at`.
    package var nextDueAt: Int64?
    /// The value that the last run wrote there; another value is the user's.
    package var plannedDueAt: Int64?
    /// The reason for which the crawl is not complete; nil if it is, or goes on.
    package var incompleteReason: IncompleteReason?
    /// The items that the upstream said there are, in the last crawl; nil where it did not say.
    package var expectedCount: Int?
    /// The items that the last crawl has met, and those that it knows behind them.
    package var seenCount = 0

    /// A feed of which nothing is known yet.
    package init(feed: String) {
        self.feed = feed
    }

    /// The furthest moment that a time in a store is believed to name: a day from now, in milliseconds since 1970.
    ///
    /// No round begins later than now, and no host's wait counts for more than a day. What lies further ahead comes
    /// from a clock that was wrong; believed, it would stop the mirror until then.
    package static func horizon(at now: Int64) -> Int64 { now.clampedSum(Planner.longestInterval) }

    /// True if `feed.next_due_at` was changed by hand since the last run.
    package var isSetByHand: Bool { nextDueAt != plannedDueAt }
}
