/// The time at which a feed is next due, with every term that led to it.
///
/// Times are in milliseconds since 1970.
package struct Plan: Sendable, Hashable {
    /// One of the terms that decide the time.
    package struct Term: Sendable, Hashable, JSONRecord {
        /// Its name in `plan --json`.
        package enum Name: String, Sendable, Hashable, CaseIterable {
            /// There was no round yet.
            case never
            /// The definition's `every`, or its default.
            case every
            /// The time for which the answer stays fresh.
            case freshness
            /// The host's `X-Poll-Interval`.
            case pollInterval = "poll_interval"
            /// The interval after repeated failure.
            case backOff = "back_off"
            /// A share of the interval, so that feeds do not come all at once.
            case jitter
            /// The time before which the host wants no request.
            case blockedUntil = "blocked_until"
            /// A time that was written into the store by hand.
            case nextDueAt = "next_due_at"
            /// The definition's `paused`.
            case paused
        }

        /// The kind of term.
        package let name: Name
        /// A length of time (`15m`) or a moment in ISO 8601; nil if it has neither.
        package let value: String?
        /// Its origin, in a few words.
        package let reason: String

        package var fields: JSONFields {
            [
                "term": name.rawValue,
                "value": value,
                "reason": reason,
            ]
        }
    }

    /// The feed's name.
    package let feed: String
    /// The time at which it is due; nil for at once, because it cannot be late for anything. The largest number is
    /// never.
    package let dueAt: Int64?
    /// The time from which a sync of due feeds takes it.
    ///
    /// Up to a tenth of our own interval before `dueAt`, never before the time that the host demanded: cron comes at
    /// the full quarter of an hour, and a feed that is due a second later would otherwise wait for the next one.
    package let takenFrom: Int64?
    /// The time from one round to the next, in milliseconds.
    package let interval: Int64
    /// The terms that led to it, in the order of their evaluation.
    package let terms: [Term]

    /// True if a sync of due feeds takes the feed at this time.
    package func isDue(at now: Int64) -> Bool { takenFrom.map { $0 <= now } ?? true }

    /// True if the feed is never due.
    package var isPaused: Bool { dueAt == .max }

    /// `dueAt` as the store writes it.
    package var dueText: String? { dueAt.flatMap { Timestamp(milliseconds: $0)?.text } }
}
