/// The known history of a feed, from which its next due time follows.
///
/// Times are in milliseconds since 1970. Only a `sync` that succeeded or failed counts: one that was stopped, or had to
/// wait for the host, has not done its work.
package struct FeedHistory: Sendable, Hashable {
    /// The feed's name.
    package var feed: String
    /// The start of the last sync; nil before the first.
    package var lastSyncStartedAt: Int64?
    /// True if the last sync began after `horizon`: the clock was wrong then, or is now.
    package var isAheadOfClock = false
    /// The end of the last sync; nil before the first.
    package var lastSyncEndedAt: Int64?
    /// The number of the last syncs in a row that failed.
    package var failures = 0
    /// The end of the first of them.
    package var failingSince: Int64?
    /// True if a first page was ever loaded.
    package var isLoaded = false
    /// The seconds between polls that the host insists on.
    package var pollInterval: Int64?
    /// The seconds for which the host's last answer is fresh.
    package var freshFor: Int64?
    /// The time before which the host accepts no request.
    package var blockedUntil: Int64?
    /// The value of `feed.next_due_at`.
    package var nextDueAt: Int64?
    /// The value that the last run wrote there. Another value was written by the user.
    package var plannedDueAt: Int64?
    /// The reason why the crawl is incomplete; nil if it is complete or continues.
    package var incompleteReason: IncompleteReason?
    /// The number of items that the upstream reported in the last crawl; nil if it reported none.
    package var expectedCount: Int?
    /// The number of items that the last crawl has met, and of those known to follow.
    package var seenCount = 0

    /// Creates an empty history.
    package init(feed: String) {
        self.feed = feed
    }

    /// The latest time in a store that is believed: a day from now, in milliseconds since 1970.
    ///
    /// No round begins later than now, and no host's wait counts for more than a day. Later times come from a wrong
    /// clock; if believed, they would stop the mirror until then.
    package static func horizon(at now: Int64) -> Int64 { now.clampedSum(Planner.longestInterval) }

    /// True if `feed.next_due_at` was changed by hand since the last run.
    package var isSetByHand: Bool { nextDueAt != plannedDueAt }
}
