/// Computes the time at which a feed is next due, from its history alone.
///
/// | term | counts from | |
/// | --- | --- | --- |
/// | `every`, 15 minutes if not given | the last round's start | |
/// | freshness of the last answer, only without `every` | its start | raises the interval, a day at most |
/// | back-off | its start | the interval doubled for each failure after the first, a day at most |
/// | jitter | | up to a tenth of the interval, added |
/// | `X-Poll-Interval` | the last round's end | raises the interval, a day at most |
/// | `Retry-After`, a spent quota | | never before that time |
///
/// Jitter is derived from the feed's name and the last round, so that the result is repeatable.
package enum Planner {
    /// The default interval, in milliseconds.
    package static let standardInterval: Int64 = 15 * 60_000
    /// The longest interval that a single term of the host or of failures may give, in milliseconds.
    static let longestInterval: Int64 = 86_400_000

    /// The plan of a definition's feed. A paused one is never due, whatever else is known of it.
    package static func plan(_ history: FeedHistory, of definition: FeedDefinition) -> Plan {
        let plan = plan(history, every: definition.every)
        guard definition.isPaused else { return plan }
        return Plan(
            feed: plan.feed, dueAt: .max, takenFrom: .max, interval: plan.interval,
            terms: [term(.paused, nil, "the definition has `paused: true`")])
    }

    /// The plan of a feed that is not paused; `every` is the definition's.
    package static func plan(_ history: FeedHistory, every: Duration?) -> Plan {
        guard !history.isSetByHand || history.nextDueAt == nil else { return planSetByHand(history, every) }
        guard let startedAt = history.lastSyncStartedAt, !history.isAheadOfClock,
            history.nextDueAt != nil || !history.isSetByHand
        else {
            return planAtOnce(history, every)
        }
        var (interval, terms) = ownInterval(history, every)
        let own = interval
        let endedAt = max(history.lastSyncEndedAt ?? startedAt, startedAt)
        var floor = Int64.min
        if let seconds = history.pollInterval, seconds > 0 {
            let poll = min(milliseconds(seconds), longestInterval)
            floor = endedAt.clampedSum(poll)
            interval = max(interval, poll)
            terms.append(term(.pollInterval, poll, "the server's X-Poll-Interval, from the end of the last sync"))
        }
        let jitter = share(of: interval / 10, for: history.feed, startedAt)
        terms.append(term(.jitter, jitter, "a per-feed offset that spreads the load"))
        var dueAt = max(startedAt.clampedSum(interval.clampedSum(jitter)), floor)
        if let blockedUntil = history.blockedUntil, blockedUntil > dueAt {
            dueAt = blockedUntil
            floor = blockedUntil
            terms.append(blocked(blockedUntil))
        }
        let takenFrom = max(startedAt.clampedSum(own - own / 10), floor, history.blockedUntil ?? .min)
        return Plan(
            feed: history.feed, dueAt: dueAt, takenFrom: min(takenFrom, dueAt), interval: interval, terms: terms)
    }

    /// The interval without the host's terms.
    private static func ownInterval(_ history: FeedHistory, _ every: Duration?) -> (Int64, [Plan.Term]) {
        var (interval, terms) = base(every)
        if every == nil, let seconds = history.freshFor {
            let freshness = min(milliseconds(seconds), longestInterval)
            if freshness > interval {
                interval = freshness
                terms.append(term(.freshness, freshness, "how long the server calls its answer fresh"))
            }
        }
        guard history.failures > 1 else { return (interval, terms) }
        let cap = max(interval, longestInterval)
        var backOff = interval
        for _ in 1..<min(history.failures, 64) where backOff < cap { backOff = min(cap, backOff.clampedSum(backOff)) }
        let since = history.failingSince.flatMap { Timestamp(milliseconds: $0)?.text }.map { " since \($0)" } ?? ""
        terms.append(term(.backOff, backOff, "\(history.failures) failures in a row\(since)"))
        return (max(interval, backOff), terms)
    }

    /// The time from one sync to the next in a definition, in milliseconds.
    package static func interval(_ every: Duration?) -> Int64 { base(every).0 }

    private static func base(_ every: Duration?) -> (Int64, [Plan.Term]) {
        guard let every else {
            return (standardInterval, [term(.every, standardInterval, "the default: the definition has no `every`")])
        }
        let (seconds, attoseconds) = every.components
        let interval = max(1, milliseconds(seconds).clampedSum(attoseconds / 1_000_000_000_000_000))
        return (interval, [term(.every, interval, "the definition's `every`")])
    }

    /// The plan of a feed that is due at once: it is new, its `next_due_at` was cleared by hand, or the clock was set
    /// back. Only the host can delay it.
    private static func planAtOnce(_ history: FeedHistory, _ every: Duration?) -> Plan {
        let startedAt = history.lastSyncStartedAt ?? 0
        let isNew = history.lastSyncStartedAt == nil
        let reason =
            !isNew
            ? history.isAheadOfClock
                ? "the last sync is dated \(Timestamp(milliseconds: startedAt)?.text ?? "later"): the clock went back"
                : "next_due_at was cleared in the store"
            : history.isLoaded ? "no sync has finished yet" : "the feed was never synced"
        var terms = [term(isNew ? .never : .nextDueAt, nil, reason)]
        if let blockedUntil = history.blockedUntil { terms.append(blocked(blockedUntil)) }
        return Plan(
            feed: history.feed, dueAt: history.blockedUntil, takenFrom: history.blockedUntil,
            interval: base(every).0, terms: terms)
    }

    private static func planSetByHand(_ history: FeedHistory, _ every: Duration?) -> Plan {
        var dueAt = history.nextDueAt ?? .min
        let text = Timestamp(milliseconds: dueAt)?.text
        var terms = [Plan.Term(name: .nextDueAt, value: text, reason: "next_due_at was set in the store")]
        if let blockedUntil = history.blockedUntil, blockedUntil > dueAt {
            dueAt = blockedUntil
            terms.append(blocked(blockedUntil))
        }
        return Plan(
            feed: history.feed, dueAt: dueAt, takenFrom: dueAt, interval: ownInterval(history, every).0, terms: terms)
    }

    private static func term(_ name: Plan.Term.Name, _ length: Int64?, _ reason: String) -> Plan.Term {
        Plan.Term(name: name, value: length.map { DurationText.text(.milliseconds($0)) }, reason: reason)
    }

    private static func blocked(_ until: Int64) -> Plan.Term {
        Plan.Term(
            name: .blockedUntil, value: Timestamp(milliseconds: until)?.text,
            reason: "the server asked us to wait until then")
    }

    private static func milliseconds(_ seconds: Int64) -> Int64 {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// A pseudo-random number from 0 to `limit`, always the same for the same feed and round.
    ///
    /// FNV-1a, then SplitMix64's finalizer, as FNV alone hardly moves its high bits for names that differ at the end:
    /// https://prng.di.unimi.it/splitmix64.c
    private static func share(of limit: Int64, for feed: String, _ round: Int64) -> Int64 {
        guard limit > 0 else { return 0 }
        var hash = FNV1a(feed).hash &+ UInt64(bitPattern: round)
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        hash ^= hash >> 31
        return Int64(hash % (UInt64(limit) + 1))
    }
}

extension Int64 {
    /// The sum with `other`, limited to the range.
    package func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
