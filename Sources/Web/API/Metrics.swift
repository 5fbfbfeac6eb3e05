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
    }

    private struct State {
        var sums: [Key: Sums] = [:]
        /// The newest run that was seen. Older runs are counted, except for the open ones.
        var last = 0
        var open: Set<Int> = []
    }

    private let state = Lock(State())

    /// Counts the runs that have ended since the last call.
    private func take(_ runs: [RunRecord]) -> [Key: Sums] {
        state.withLock { state in
            let before = state.last
            for run in runs {
                let isNew = run.id > before
                guard let outcome = run.outcome else {
                    if isNew { state.open.insert(run.id) }
                    state.last = max(state.last, run.id)
                    continue
                }
                state.last = max(state.last, run.id)
                guard isNew || state.open.remove(run.id) != nil else { continue }
                var sums = state.sums[Key(feed: run.feed, outcome: outcome.rawValue)] ?? Sums()
                sums.runs &+= 1
                sums.pages &+= run.pages
                sums.requests &+= run.requests
                sums.bytes &+= run.bytes
                let items = run.items
                for (kind, count) in [
                    ("inserted", items.inserted), ("updated", items.updated), ("unchanged", items.unchanged),
                    ("removed", items.removed),
                ] { sums.items[kind, default: 0] &+= count }
                state.sums[Key(feed: run.feed, outcome: outcome.rawValue)] = sums
            }
            return state.sums
        }
    }

    /// The run from which to read: the oldest one that had not ended.
    private var firstUncounted: Int { state.withLock { min($0.open.min() ?? .max, $0.last &+ 1) } }

    /// The metrics in Prometheus' text format.
    ///
    /// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
    func metrics(of served: Served, listeners: Int) async throws(FeedSyncError) -> ServerResponse {
        let feeds = try await StateRow.rows(of: try await served.feeds(), in: served.pages)
        let first = firstUncounted
        let runs = try await served.pages?.runs(from: first) ?? []
        let sums = take(runs).sorted { ($0.key.feed, $0.key.outcome) < ($1.key.feed, $1.key.outcome) }
        var text = MetricText()
        text.begin("feedsync_runs_total", "counter", "Runs that have ended.")
        for (key, sum) in sums { text.add([("feed", key.feed), ("outcome", key.outcome)], sum.runs) }
        text.begin("feedsync_pages_total", "counter", "Pages stored.")
        for (key, sum) in sums { text.add([("feed", key.feed), ("outcome", key.outcome)], sum.pages) }
        text.begin("feedsync_requests_total", "counter", "Requests made.")
        for (key, sum) in sums { text.add([("feed", key.feed), ("outcome", key.outcome)], sum.requests) }
        text.begin("feedsync_received_bytes_total", "counter", "Bytes received, as transferred.")
        for (key, sum) in sums { text.add([("feed", key.feed), ("outcome", key.outcome)], sum.bytes) }
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
        let now = WallClock.system.milliseconds
        text.begin("feedsync_seconds_since_full_sync", "gauge", "Seconds since every page was looked at.")
        for feed in feeds {
            guard let at = feed.feed.record?.fullAt?.seconds else { continue }
            text.add([("feed", feed.feed.name)], Int(clamping: max(0, now / 1_000 - at)))
        }
        text.begin("feedsync_seconds_since_complete_sync", "gauge", "Seconds since a sync last ended well.")
        for feed in feeds {
            guard let at = feed.feed.record?.syncedAt?.seconds else { continue }
            text.add([("feed", feed.feed.name)], Int(clamping: max(0, now / 1_000 - at)))
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
        text.begin("feedsync_listeners", "gauge", "Clients that listen to events.")
        text.add([], listeners)
        let type = (name: "Content-Type", value: "text/plain; version=0.0.4; charset=utf-8")
        return ServerResponse(headers: [type], body: Array(text.text.utf8))
    }
}
