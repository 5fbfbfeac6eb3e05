internal import FeedSync

/// A feed's health, and the reason, in words.
struct HealthRow: Sendable {
    let feed: KnownFeed
    let health: FeedHealth
    private let plan: Plan?
    private let now: Int64
    /// How many of the reported items the upstream has served; nil if all.
    private let served: String?
    private let reach: LoadingReach?

    /// - Parameters:
    ///   - history: What the store knows about its syncs.
    ///   - now: In milliseconds since 1970.
    init(_ feed: KnownFeed, _ history: FeedHistory, now: Int64) {
        self.feed = feed
        self.now = now
        reach = feed.record.map { LoadingReach($0, history) }
        served = history.expectedCount.flatMap { expected in
            guard expected > history.seenCount else { return nil }
            return "\(NumberFormat.count(history.seenCount)) of \(NumberFormat.count(expected, "item"))"
        }
        plan = feed.definition.map { Planner.plan(history, every: $0.every) }
        health = feed.record.map { [plan] in FeedHealth($0, history, plan, now: now) } ?? .new
    }

    /// When it is due; empty for a feed that is not in the configuration.
    var due: String {
        guard let plan else { return "" }
        guard let dueAt = plan.dueAt, dueAt > now else { return "now" }
        return "in \(RelativeTime.until(dueAt, now: now))"
    }

    /// Why it is not fresh; nil if it is, or is new.
    var why: String? {
        switch health {
        case .new, .fresh: nil
        case .stale(let since): "due \(RelativeTime.ago(since, now: now)), and not synced since"
        case .limited(let until): "the server asked us to wait for another \(RelativeTime.until(until, now: now))"
        case .loading: reach.map { "\($0.count), \($0.next)" }
        case .incomplete(let reason): reason.map(words) ?? "there are more pages"
        case .failing(let times, let since):
            (times > 1
                ? "\(times) failures in a row" + (since.map { ", first \(RelativeTime.ago($0, now: now))" } ?? "")
                    + ": " : "")
                + (feed.record?.error?.message ?? "the reason was not kept")
        }
    }

    /// The feed's row of the table `feed`, with its health.
    var json: String {
        var health = JSONObjectText()
        health.add("health", self.health.word)
        health.add("why", why)
        // Members of one object: the row's, then these.
        return feed.json.dropLast() + "," + health.text.dropFirst()
    }

    private func words(_ reason: IncompleteReason) -> String {
        switch reason {
        case .cutOff: "it was cut off; the next sync continues"
        case .failed: "a page failed"
        case .cap:
            served.map { "the upstream has served \($0): narrow the query, or use `partition`" }
                ?? "the upstream has more items, but serves no further pages"
        case .maxPages: "stopped at max_pages"
        case .skipped: "some items were skipped"
        case .upstreamIncomplete: "the upstream says the list is incomplete"
        case .drift: "the list moved while it was read"
        }
    }
}
