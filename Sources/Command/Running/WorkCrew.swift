internal import Concurrency
internal import FeedSync
internal import HTTP
internal import HTTPServer
internal import Reports
internal import SharedStore

/// The jobs of one worker: each claims a group, syncs its due feeds, and releases it.
struct WorkCrew: Sendable {
    private let session: Session
    private let configuration: Configuration
    private let options: EngineOptions
    private let jobs: Int
    /// The jobs under way by their groups.
    private let tasks = Lock<[String: Task<Void, Never>]>([:])
    private let worker: Worker
    private let metrics: WorkMetrics
    private let stores: WorkingStores

    /// The shortest sleep, and the longest, after which a time that a user sets in the store takes effect.
    private static let shortestPause = Duration.milliseconds(200)
    private static let longestPause = Duration.seconds(5)
    /// The shortest and the longest wait for a database that cannot be reached.
    private static let retries = Duration.seconds(1)...Duration.seconds(30)

    init(_ session: Session, _ configuration: Configuration, uri: String, folder: String) throws(Failure) {
        self.session = session
        self.configuration = configuration
        options = try session.engineOptions(folder: configuration.folder)
        jobs = min(try session.invocation.count(.jobs) ?? 4, 256)
        do throws(FeedSyncError) {
            worker = try Worker(
                uri: uri, name: "\(ProcessName.own) (work)",
                groups: GroupLayout(FeedGroup.all(of: configuration.feeds)),
                takesOver: true)
        } catch {
            throw Failure(error)
        }
        metrics = WorkMetrics(worker)
        stores = WorkingStores(uri: uri, folder: folder, keep: configuration.keep)
    }

    /// An event during the crew's wait.
    private enum Event: Sendable {
        case done
        /// The time to look for due groups has come.
        case alarm
    }

    /// Works until its task is cancelled.
    ///
    /// - Throws: `Failure` if the store cannot be used from the beginning.
    func run() async throws(Failure) -> ExitCode {
        do throws(FeedSyncError) { try await worker.begin() } catch { throw Failure(error) }
        let server = try serveMetrics()
        defer { server?.stop() }
        session.console.note("working; Ctrl-C ends it")
        ServiceNotice.ready(session.environment)
        let pulse = Task { await live() }
        defer { pulse.cancel() }
        await work()
        await worker.end()
        return .done
    }

    /// Answers for figures, where the command line asks for that.
    private func serveMetrics() throws(Failure) -> SharedServer? {
        guard let text = session.invocation.options[.listen] else { return nil }
        guard let address = ListenAddress(text) else {
            throw .usage(
                "--listen must be HOST:PORT or unix:PATH, not \(text)", advice: "for example --listen 127.0.0.1:9420")
        }
        do throws(ServerError) { return try metrics.serve(on: address) } catch {
            throw Failure(.unavailable, ["\(error)"], advice: "choose another address with --listen")
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
            let failure = Failure(
                .configuration, ["another worker's configuration has other feeds of \(lost.joined(separator: ", "))"],
                advice: "start this one again with that configuration")
            session.console.reportBriefly(failure, always: true)
        }
    }

    private func work() async {
        await withTaskGroup(of: Event.self) { group in
            var running = 0
            var hasAlarm = false
            var wait = Self.retries.lowerBound
            while !Task.isCancelled || running > 0 {
                if !Task.isCancelled, running < jobs {
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
                        session.console.reportBriefly(Failure(error), always: true)
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
        metrics.begin()
        defer { metrics.end() }
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
            (count, last) = await sync(claim, store, but: turn.refused)
            turn.count += count
        } catch {
            session.console.reportBriefly(Failure(error, feed: claim.group.name), always: true)
        }
        guard let failure = await stores.end(claim) else { return }
        turn.count = 0
        guard failure.isOfFeed, let last else {
            return session.console.reportBriefly(Failure(failure.error, feed: claim.group.name), always: true)
        }
        // Its run has reported this.
        turn.refused.insert(last.name)
        turn.refusal = (last, failure.error)
    }

    /// - Returns: How many feeds were due, and the one that was synced last.
    private func sync(_ claim: Claim, _ store: Store, but refused: Set<String>) async -> (Int, FeedDefinition?) {
        let feeds = claim.group.feeds.compactMap { refused.contains($0) ? nil : configuration.feed(named: $0) }
        guard let plans = try? await session.plans(of: feeds, in: store) else { return (0, nil) }
        let now = WallClock.system.milliseconds
        let due = zip(feeds, plans).filter { $0.1.isDue(at: now) }.sorted {
            ($0.1.dueAt ?? .min) < ($1.1.dueAt ?? .min)
        }.map(\.0)
        var last: FeedDefinition?
        // Which lists there are shows when the feed above is up to date.
        for depth in Set(due.map { $0.forEach?.depth ?? 0 }).sorted() {
            for feed in due where (feed.forEach?.depth ?? 0) == depth {
                guard !Task.isCancelled, await !stores.hasFailed(claim) else { return (due.count, last) }
                last = feed
                await sync(feed, store)
            }
        }
        return (due.count, last)
    }

    private func sync(_ feed: FeedDefinition, _ store: Store) async {
        let line = ProgressLine(feed: feed.name, console: session.console, isShown: false)
        let report = await session.run("sync", on: feed, store: store, options: options, progress: line) {
            engine throws(FeedSyncError) in try await engine.syncDue()
        }
        metrics.count(report)
        if !session.console.isQuiet, let line = report.line(session.console.palette, nameWidth: feed.name.count) {
            session.console.print(line)
        }
        for failure in [report.failure, report.hookFailure].compactMap(\.self) where !Task.isCancelled {
            session.console.reportBriefly(failure, always: true)
        }
    }
}
