internal import Concurrency
internal import FeedSync
internal import Fleet
internal import HTTPServer
internal import Reports

/// A worker's counts since it began, and the state of the fleet, for Prometheus.
final class WorkMetrics: Sendable {
    private let sums = Lock(Sums())
    private let worker: Worker

    private struct Sums: Sendable {
        var runs: [String: Int] = [:]
        var figures = RunMetrics()
        var groups = 0
        var jobs = 0
    }

    init(_ worker: Worker) { self.worker = worker }

    /// Counts a run that has ended.
    func count(_ report: RunReport) {
        sums.withLock { sums in
            guard let summary = report.summary else {
                sums.runs["failed", default: 0] += 1
                return
            }
            sums.runs[summary.outcome.rawValue, default: 0] += 1
            sums.figures.add(summary.figures)
        }
    }

    /// A job has begun.
    func begin() { sums.withLock { $0.jobs += 1 } }

    /// A job has ended.
    func end() {
        sums.withLock { sums in
            sums.jobs -= 1
            sums.groups += 1
        }
    }

    /// Begins to answer.
    ///
    /// - Throws: `ServerError` if nothing can listen there.
    func serve(on address: ListenAddress) throws(ServerError) -> SharedServer {
        try SharedServer(address) { [self] request in
            switch request.path {
            case "/metrics": .whole(await metrics())
            case "/health": .whole(ServerResponse(headers: [MetricText.type], body: Array("ok\n".utf8)))
            default: .whole(.status(404))
            }
        }
    }

    /// Figures in Prometheus' text format; 503 where the database cannot be asked.
    ///
    /// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
    private func metrics() async -> ServerResponse {
        let fleet: Worker.Fleet
        do throws(FeedSyncError) { fleet = try await worker.fleet() } catch { return .status(503) }
        let sums = sums.withLock { $0 }
        var text = MetricText()
        text.begin("feedsync_runs_total", "counter", "Runs of this worker that have ended.")
        for (outcome, count) in sums.runs.sorted(by: { $0.key < $1.key }) { text.add([("outcome", outcome)], count) }
        text.add("feedsync_pages_total", "counter", "Pages stored by this worker.", sums.figures.pages)
        text.add("feedsync_requests_total", "counter", "Requests made by this worker.", sums.figures.requests)
        text.add(
            "feedsync_received_bytes_total", "counter", "Bytes received by this worker, as transferred.",
            sums.figures.bytes)
        text.begin("feedsync_run_items_total", "counter", "Items of this worker's runs, by result.")
        for (kind, count) in sums.figures.items.kinds { text.add([("kind", kind)], count) }
        text.add("feedsync_claims_total", "counter", "Claims that this worker has ended.", sums.groups)
        text.add("feedsync_jobs", "gauge", "Jobs of this worker under way.", sums.jobs)
        text.add("feedsync_workers", "gauge", "Workers of the store that live.", fleet.workers)
        text.begin("feedsync_groups", "gauge", "Groups of feeds, by what becomes of them now.")
        for (state, count) in [("claimed", fleet.claimed), ("due", fleet.due), ("resting", fleet.resting)] {
            text.add([("state", state)], count)
        }
        text.add(
            "feedsync_oldest_due_seconds", "gauge", "Seconds for which the longest-waiting group has been due.",
            fleet.oldestDueSeconds)
        return ServerResponse(headers: [MetricText.type], body: Array(text.text.utf8))
    }
}
