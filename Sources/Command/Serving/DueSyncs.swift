internal import FeedSync
internal import Web

/// Syncs feeds when they are due, as `sync --due` does from cron, for as long as the server runs.
struct DueSyncs: Sendable {
    let server: WebServer
    let session: Session

    /// The number of feeds at a time, as in `sync`.
    private static let jobs = 4
    /// The longest sleep: so soon, a feed that was added is taken.
    private static let longestPause: Int64 = 30_000

    /// Runs until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await syncDue()
            let now = WallClock.system.milliseconds
            let next = await nextDue() ?? .max
            let pause = min(max(next.subtractingReportingOverflow(now).partialValue, 1_000), Self.longestPause)
            try? await Task.sleep(for: .milliseconds(pause))
        }
    }

    private func syncDue() async {
        guard let (feeds, store) = await server.work,
            let plans = try? await session.plans(of: feeds, in: store)
        else { return }
        let due = SyncOrder.due(feeds, plans, at: WallClock.system.milliseconds)
        for level in SyncOrder.levels(due) { await sync(level) }
    }

    private func sync(_ feeds: [FeedDefinition]) async {
        var queue = JobQueue(feeds) { $0.url.host }
        await queue.perform(atOnce: Self.jobs) { await sync($0) }
    }

    private func sync(_ feed: FeedDefinition) async {
        do throws(FeedSyncError) {
            try await server.syncDue(feed)
        } catch {
            // Another process works on the feed, or the sync was stopped: the log of events has it.
            guard error.kind != .locked, error.kind != .cancelled else { return }
            session.console.reportBriefly(Failure(error, feed: feed.name), always: true)
        }
    }

    private func nextDue() async -> Int64? {
        guard let (feeds, store) = await server.work, let plans = try? await session.plans(of: feeds, in: store) else {
            return nil
        }
        return plans.map { $0.takenFrom ?? .min }.min()
    }
}
