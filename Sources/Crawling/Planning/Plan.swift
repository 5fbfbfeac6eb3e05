/// When a feed is next due, and every term that led to it.
///
/// Times are in milliseconds since 1970.
package struct Plan: Sendable, Hashable {
    /// One of the things that decide.
    package struct Term: Sendable, Hashable, JSONRecord {
        /// What it is called in `plan --json`.
        package enum Name: String, Sendable, Hashable, CaseIterable {
            /// There was no round yet.
            case never
            /// The definition's `every`, or what stands for it.
            case every
            /// How long the answer stays fresh.
            case freshness
            /// The host's `X-Poll-Interval`.
            case pollInterval = "poll_interval"
            /// What repeated failure makes of the interval.
            case backOff = "back_off"
            /// A share of the interval, so that feeds do not come all at once.
            case jitter
            /// The time before which the host wants no request.
            case blockedUntil = "blocked_until"
            /// A time that somebody wrote into the store.
            case nextDueAt = "next_due_at"
        }

        /// What it is.
        package let name: Name
        /// A length of time (`15m`) or a moment in ISO 8601; nil where neither says it.
        package let value: String?
        /// Where it comes from, in a few words.
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
    /// When it is due; nil for at once, as nothing is known that it could be late for.
    package let dueAt: Int64?
    /// From when a sync of what is due takes it.
    ///
    /// Up to a tenth of our own interval before `dueAt`, never before what the host asked for: cron comes at the full
    /// quarter of an hour, and what is due a second later would otherwise wait for the next one.
    package let takenFrom: Int64?
    /// The time from one round to the next, in milliseconds.
    package let interval: Int64
    /// What led to it, in the order in which it was weighed.
    package let terms: [Term]

    /// Whether a sync of what is due takes the feed at this time.
    package func isDue(at now: Int64) -> Bool { takenFrom.map { $0 <= now } ?? true }

    /// `dueAt` as the store writes it.
    package var dueText: String? { dueAt.flatMap { Timestamp(milliseconds: $0)?.text } }
}
