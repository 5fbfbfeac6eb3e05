internal import Concurrency
internal import FeedSync
internal import HTTPServer
internal import Reports

/// The sums of all runs by feed and outcome. They only grow, even if old runs are deleted from the store.
final class RunCounters: Sendable {
    struct Key: Hashable, Sendable {
        let feed: String
        let outcome: String
    }

    struct Sums: Sendable {
        var runs = 0
        var pages = 0
        var requests = 0
        var bytes = 0
        var items: [String: Int] = [:]

        /// Adds a run, or the figures of a list's run to those of its feed.
        mutating func add(_ run: RunRecord, isList: Bool) {
            if !isList { runs &+= 1 }
            pages &+= run.pages
            requests &+= run.requests
            bytes &+= run.bytes
            for (kind, count) in run.items.kinds { items[kind, default: 0] &+= count }
        }
    }

    private struct State {
        var sums: [Key: Sums] = [:]
        /// The ends of the first runs that are not counted for certain, by feed.
        var times: [String: String] = [:]
        /// The time of a feed that was not there before.
        var begin = ""
        /// The counted runs that ended after the time of their feed.
        var counted: [Int: (feed: String, end: String)] = [:]
    }

    /// The time for which an end may be stored later than one after it: clocks of workers differ.
    private static let delay: Int64 = 600_000

    private let state = Lock(State())

    /// The times since which the runs of feeds are read.
    private func times(of feeds: [String]) -> [String: String] {
        state.withLock { state in
            Dictionary(feeds.map { ($0, state.times[$0] ?? state.begin) }) { first, _ in first }
        }
    }

    /// Counts the runs that have ended since the last call.
    private func take(_ runs: [RunRecord], at now: Int64) -> [Key: Sums] {
        let before = Timestamp(milliseconds: now - Self.delay)?.text ?? ""
        return state.withLock { state in
            var latest: [String: String] = [:]
            for run in runs {
                let owner = FeedPart.feed(ofPart: run.feed)
                let feed = owner ?? run.feed
                // Another call may have counted it meanwhile.
                guard let outcome = run.outcome, let end = run.finishedAtText, end >= state.times[feed] ?? state.begin,
                    state.counted.updateValue((feed, end), forKey: run.id) == nil
                else { continue }
                latest[feed] = max(latest[feed] ?? "", end)
                state.sums[Key(feed: feed, outcome: outcome.rawValue), default: Sums()].add(run, isList: owner != nil)
            }
            for (feed, end) in latest {
                let end = Timestamp.milliseconds(of: end).flatMap { Timestamp(milliseconds: $0 - Self.delay)?.text }
                // A clock that was ahead must not hide what comes.
                state.times[feed] = max(state.times[feed] ?? state.begin, min(end ?? before, before))
            }
            state.begin = max(state.begin, before)
            state.counted = state.counted.filter { $0.value.end >= state.times[$0.value.feed] ?? state.begin }
            return state.sums
        }
    }

    /// The metrics in Prometheus' text format.
    ///
    /// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
    func metrics(of served: Served, listeners: Int) async throws(FeedSyncError) -> ServerResponse {
        let feeds = try await StateRow.rows(of: try await served.feeds(), in: served.pages)
        let now = WallClock.system.milliseconds
        let runs = try await served.pages?.endedRuns(since: times(of: feeds.map(\.feed.name))) ?? []
        let sums = take(runs, at: now).sorted { ($0.key.feed, $0.key.outcome) < ($1.key.feed, $1.key.outcome) }
        var text = MetricText()
        for (name, help, count) in [
            ("feedsync_runs_total", "Runs that have ended.", \Sums.runs),
            ("feedsync_pages_total", "Pages stored.", \.pages),
            ("feedsync_requests_total", "Requests made.", \.requests),
            ("feedsync_received_bytes_total", "Bytes received, as transferred.", \.bytes),
        ] {
            text.begin(name, "counter", help)
            for (key, sum) in sums { text.add([("feed", key.feed), ("outcome", key.outcome)], sum[keyPath: count]) }
        }
        text.begin("feedsync_run_items_total", "counter", "Items of runs, by result.")
        for (key, sum) in sums {
            for (kind, count) in sum.items.sorted(by: { $0.key < $1.key }) {
                text.add([("feed", key.feed), ("outcome", key.outcome), ("kind", kind)], count)
            }
        }
        text.begin("feedsync_items", "gauge", "Items stored that the upstream has.")
        for feed in feeds { text.add([("feed", feed.feed.name)], feed.feed.record?.itemCount ?? 0) }
        text.begin("feedsync_well", "gauge", "1 if all is well with the feed.")
        for feed in feeds { text.add([("feed", feed.feed.name), ("state", feed.state.word)], feed.isWell ? 1 : 0) }
        for (name, help, time) in [
            ("feedsync_seconds_since_full_sync", "Seconds since every page was looked at.", \FeedRecord.fullAt),
            ("feedsync_seconds_since_complete_sync", "Seconds since a sync last ended well.", \.syncedAt),
        ] {
            text.begin(name, "gauge", help)
            for feed in feeds {
                guard let at = feed.feed.record?[keyPath: time]?.seconds else { continue }
                text.add([("feed", feed.feed.name)], Int(clamping: max(0, now / 1_000 - at)))
            }
        }
        text.begin("feedsync_due", "gauge", "1 if the feed is due and not under way.")
        for feed in feeds {
            guard let plan = feed.plan else { continue }
            let isDue = plan.isDue(at: now) && feed.state != .running
            text.add([("feed", feed.feed.name)], isDue ? 1 : 0)
        }
        text.begin(
            "feedsync_quota_remaining", "gauge", "Requests that a host still allows; of several credentials, the least."
        )
        var least: [[String]: Int] = [:]
        for quota in try await served.pages?.quota() ?? [] {
            guard let remaining = quota.remaining else { continue }
            let limit = [quota.origin, quota.resource]
            least[limit] = min(least[limit] ?? .max, remaining)
        }
        for (limit, remaining) in least.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            text.add([("origin", limit[0]), ("resource", limit[1])], remaining)
        }
        text.add("feedsync_listeners", "gauge", "Clients that listen to events.", listeners)
        return ServerResponse(headers: [MetricText.type], body: Array(text.text.utf8))
    }
}
