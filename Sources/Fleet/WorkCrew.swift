internal import Concurrency
package import Feeds
internal import MirrorReader
internal import MirrorWriter
package import StoreFile
internal import Time

/// The jobs of one worker: each claims a group, syncs its due feeds, and releases it.
package struct WorkCrew: Sendable {
    private let configuration: Configuration
    private let jobs: Int
    /// The jobs under way by their groups.
    private let tasks = Lock<[String: Task<Void, Never>]>([:])
    private let worker: Worker
    private let stores: WorkingStores
    private let command: any WorkCommand

    /// The shortest sleep, and the longest, after which a time that a user sets in the store takes effect.
    private static let shortestPause = Duration.milliseconds(200)
    private static let longestPause = Duration.seconds(5)
    /// The pause between two looks at views that are owed.
    private static let viewPause = Duration.milliseconds(500)
    /// The shortest and the longest wait for a database that cannot be reached.
    private static let retries = Duration.seconds(1)...Duration.seconds(30)

    /// - Parameter jobs: The most groups at a time.
    package init(
        _ worker: Worker, _ stores: WorkingStores, _ configuration: Configuration, jobs: Int,
        for command: any WorkCommand
    ) {
        self.worker = worker
        self.stores = stores
        self.configuration = configuration
        self.jobs = jobs
        self.command = command
    }

    /// An event during the crew's wait.
    private enum Event: Sendable {
        case done
        /// The time to look for due groups has come.
        case alarm
    }

    /// Works until its task is cancelled, or until a newer feedsync changes the store. The worker has begun, and is
    /// ended.
    ///
    /// - Returns: The refusal of a store that is newer; nil if there is none.
    package func run() async -> FeedSyncError? {
        let pulse = Task { await live() }
        let views = Task { await keepViews() }
        defer {
            pulse.cancel()
            views.cancel()
        }
        let refusal = await work()
        await makeViews(isLast: true)
        await worker.end()
        return refusal
    }

    /// Makes the views that groups left to a better time.
    private func keepViews() async {
        while (try? await Task.sleep(for: Self.viewPause)) != nil { await makeViews(isLast: false) }
    }

    private func makeViews(isLast: Bool) async {
        do throws(FeedSyncError) { try await stores.refreshViews(isLast: isLast) } catch {
            command.report(error, of: nil)
        }
    }

    /// Gives a sign of life, and obeys the requests of other workers.
    private func live() async {
        var lost: [String] = []
        while !Task.isCancelled {
            try? await Task.sleep(for: Worker.pulse)
            guard let signs = try? await worker.live() else { continue }
            for group in signs.wanted { tasks.withLock { $0[group] }?.cancel() }
            guard signs.lost != lost else { continue }
            lost = signs.lost
            guard !lost.isEmpty else { continue }
            command.report(held(lost), of: nil)
        }
    }

    /// The error for groups that another worker's configuration holds.
    private func held(_ groups: [String]) -> FeedSyncError {
        let names = groups.prefix(5).joined(separator: ", ") + (groups.count > 5 ? " and others" : "")
        return FeedSyncError(
            .configuration,
            "a newer configuration has other feeds or definitions for \(names); they are left to workers that have it",
            advice:
                "restart this worker with that configuration, or first run touch \(configuration.file) if this one is right"
        )
    }

    private func work() async -> FeedSyncError? {
        await withTaskGroup(of: Event.self) { group in
            var refusal: FeedSyncError?
            var running = 0
            var hasAlarm = false
            var wait = Self.retries.lowerBound
            while refusal == nil && !Task.isCancelled || running > 0 {
                if refusal == nil, !Task.isCancelled, running < jobs {
                    let pause: Duration
                    do throws(FeedSyncError) {
                        let claims = try await worker.claim(limit: jobs - running)
                        running += claims.count
                        for claim in claims {
                            group.addTask {
                                await job(claim)
                                return .done
                            }
                        }
                        wait = Self.retries.lowerBound
                        pause =
                            running < jobs
                            ? min(max(try await worker.timeUntilDue(), Self.shortestPause), Self.longestPause)
                            : Self.longestPause
                    } catch {
                        if await worker.isOutdated {
                            refusal = error
                            // PostgreSQL takes nothing of the jobs under way any more.
                            group.cancelAll()
                            continue
                        }
                        command.report(error, of: nil)
                        // Not all workers at once.
                        pause = wait * Double.random(in: 0.5...1)
                        wait = min(wait * 2, Self.retries.upperBound)
                    }
                    if !hasAlarm {
                        hasAlarm = true
                        group.addTask {
                            try? await Task.sleep(for: pause)
                            return .alarm
                        }
                    }
                }
                switch await group.next() {
                case .done?: running -= 1
                case .alarm?, nil: hasAlarm = false
                }
            }
            return refusal
        }
    }

    /// Syncs the due feeds of a group, unless a reload wants it first.
    private func job(_ claim: Claim) async {
        let task = Task { await sync(claim) }
        tasks.withLock { $0[claim.group.name] = task }
        defer { tasks.withLock { $0[claim.group.name] = nil } }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Syncs the feeds of a group that are due. If PostgreSQL refuses the rows of one, only that one fails.
    private func sync(_ claim: Claim) async {
        command.beginJob()
        defer { command.endJob() }
        var turn = Turn()
        repeat {
            await take(&turn, claim)
        } while turn.refusal != nil && !Task.isCancelled
        await worker.release(claim, rests: turn.count == 0)
    }

    /// The progress of a claim.
    private struct Turn {
        /// The number of feeds that made progress with the latest file.
        var count = 0
        /// The feeds of which PostgreSQL refused data.
        var refused: Set<String> = []
        /// The latest of them, and why; it is not in the store yet.
        var refusal: (feed: FeedDefinition, error: FeedSyncError)?
    }

    /// Syncs the due feeds, in one working file.
    private func take(_ turn: inout Turn, _ claim: Claim) async {
        let before = turn.refusal
        turn = Turn(refused: turn.refused)
        var last: FeedDefinition?
        do throws(FeedSyncError) {
            let store = try await stores.begin(claim)
            if let (feed, error) = before {
                let now = WallClock.system.text
                if try await store.logRefusal(error, of: feed, command: "sync", now: now) { turn.count = 1 }
            }
            let count: Int
            (count, last) = try await sync(claim, store, but: turn.refused)
            turn.count += count
        } catch {
            command.report(error, of: claim.group.name)
        }
        guard let failure = await stores.end(claim) else { return }
        turn.count = 0
        guard failure.isOfFeed, let last else {
            return command.report(failure.error, of: claim.group.name)
        }
        // Its run has reported this.
        turn.refused.insert(last.name)
        turn.refusal = (last, failure.error)
    }

    /// - Returns: The number of feeds that were due, and the one that was synced last.
    private func sync(
        _ claim: Claim, _ store: Store, but refused: Set<String>
    ) async throws(FeedSyncError) -> (Int, FeedDefinition?) {
        let feeds = claim.group.feeds.compactMap { refused.contains($0) ? nil : configuration.feed(named: $0) }
        let due = SyncOrder.due(feeds, try await store.histories(), at: WallClock.system.milliseconds)
        var last: FeedDefinition?
        for feed in SyncOrder.levels(due).joined() {
            guard !Task.isCancelled, await !stores.hasFailed(claim) else { break }
            last = feed
            await command.sync(feed, in: store)
        }
        return (due.count, last)
    }
}

/// The command that a crew works for: it syncs a feed, and shows what happens.
package protocol WorkCommand: Sendable {
    /// Syncs a feed that is due.
    func sync(_ feed: FeedDefinition, in store: Store) async
    /// Shows an error of a feed, of a group, or of the whole store.
    func report(_ error: FeedSyncError, of feed: String?)
    /// A job on a group has begun.
    func beginJob()
    /// A job on a group has ended.
    func endJob()
}
