internal import FeedSync
internal import Web

/// Syncs feeds when they are due, as `sync --due` does from cron, for as long as the server runs.
struct DueSyncs: Sendable {
    let server: WebServer
    let session: Session

    /// The number of feeds at a time, as in `sync`.
    private static let jobs = 4
    /// The longest time until the next look at what is due: so soon, a feed that was added is taken.
    private static let longestPause: Int64 = 30_000
    /// The same while feeds are synced: those that have ended may soon be due again.
    private static let longestPauseOfWork: Int64 = 5_000

    /// Runs until its task is cancelled.
    func run() async {
        await withTaskGroup(of: FeedDefinition?.self) { group in
            var turns = DueTurns(atOnce: Self.jobs)
            var isPausing = false
            while !Task.isCancelled {
                let plans = isPausing ? nil : await plans
                if let plans { turns.wait(SyncOrder.due(plans.feeds, plans.plans, at: WallClock.system.milliseconds)) }
                while let feed = turns.next() {
                    group.addTask {
                        await sync(feed)
                        return feed
                    }
                }
                if !isPausing {
                    isPausing = true
                    let pause = Self.pause(until: plans?.plans ?? [], isIdle: turns.isIdle)
                    group.addTask {
                        try? await Task.sleep(for: pause)
                        return nil
                    }
                }
                guard let ended = await group.next() else { return }
                if let feed = ended { turns.end(feed) } else { isPausing = false }
            }
            group.cancelAll()
        }
    }

    /// The plans of all feeds; nil if the store or the configuration cannot be read.
    private var plans: (feeds: [FeedDefinition], plans: [Plan])? {
        get async {
            guard let (feeds, store) = await server.work, let plans = try? await session.plans(of: feeds, in: store)
            else { return nil }
            return (feeds, plans)
        }
    }

    /// The time until the first feed is due that is not due yet.
    private static func pause(until plans: [Plan], isIdle: Bool) -> Duration {
        let now = WallClock.system.milliseconds
        let next = plans.compactMap(\.takenFrom).filter { $0 > now }.min() ?? .max
        let left = next.subtractingReportingOverflow(now).partialValue
        return .milliseconds(min(max(left, 1_000), isIdle ? longestPause : longestPauseOfWork))
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
}

/// The feeds that are due in a server, and the next one to sync.
///
/// A feed comes after the one that it has lists for. Feeds of idle hosts come first, and the last place is theirs: a
/// host that is slow holds up no other.
struct DueTurns {
    private let most: Int
    private var waiting: [FeedDefinition] = []
    private var running: [FeedDefinition] = []

    /// - Parameter most: The number of feeds at a time, at least 1.
    init(atOnce most: Int) { self.most = most }

    /// True if no feed is being synced.
    var isIdle: Bool { running.isEmpty }

    /// Replaces the feeds that wait.
    ///
    /// - Parameter due: The feeds that are due, in their order; those that are being synced may be among them.
    mutating func wait(_ due: [FeedDefinition]) {
        waiting = due.filter { feed in !running.contains { $0.name == feed.name } }
    }

    /// Takes the next feed; nil if none may begin.
    mutating func next() -> FeedDefinition? {
        guard running.count < most else { return nil }
        let hosts = Set(running.map(\.url.host))
        let above = Set((waiting + running).map(\.name))
        let free = waiting.indices.filter { !above.contains(waiting[$0].forEach?.feed ?? "") }
        let mayShare = running.count < most - 1
        guard let index = free.first(where: { !hosts.contains(waiting[$0].url.host) }) ?? (mayShare ? free.first : nil)
        else { return nil }
        let feed = waiting.remove(at: index)
        running.append(feed)
        return feed
    }

    /// The sync of a feed has ended.
    mutating func end(_ feed: FeedDefinition) { running.removeAll { $0.name == feed.name } }
}
