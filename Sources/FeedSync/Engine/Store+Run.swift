internal import Concurrency
internal import HTTP

/// The beginning of a run.
enum RunBeginning: Sendable {
    /// The feed is locked. Its first page may already be fetched.
    case run(FeedLock, early: PageFetch?)
    /// The run has ended: the feed is unchanged.
    case ended(RunSummary)
}

extension Store {
    /// Runs a command on a feed, in the store's isolation.
    ///
    /// - Parameters:
    ///   - gate: Shut if a response speaks against more requests to the host.
    ///   - begin: Locks the feed for the run.
    /// - Throws: `FeedSyncError`; of kind `configuration` if the run cannot begin, which counts as a failed run.
    func run(
        _ command: RequestCommand, on definition: FeedDefinition, through gate: CircuitBreaker, fetcher: Fetcher,
        options: EngineOptions, publish: @escaping @Sendable (StatusEvent) -> Void,
        begin: @Sendable () async throws(FeedSyncError) -> RunBeginning
    ) async throws(FeedSyncError) -> RunSummary {
        let now: @Sendable () -> String = { [clock = options.wallClock] in clock.text }
        let lock: FeedLock
        let early: PageFetch?
        var writer: FeedWriter
        do throws(FeedSyncError) {
            switch try await begin() {
            case .ended(let summary): return summary
            case .run(let held, let page): (lock, early) = (held, page)
            }
            try await RequestPlan(definition, salt: salt, options: options).checkReferences()
            let events: [StatusEvent]
            (writer, events) = try open(definition, lock: lock, command: command.name, now: now())
            events.forEach(publish)
        } catch {
            // The run fails again until the definition is corrected.
            if error.kind == .configuration {
                try? logFailure(error, of: definition, command: command.name, now: now())
            }
            throw error
        }
        defer { withExtendedLifetime(lock) { close(writer) } }
        var before: FeedRun?
        while true {
            let loader = PageLoader(writer.table.shape, fetcher: fetcher, salt: salt, options: options)
            let run = FeedRun(
                command, by: writer, loader: loader, gate: gate, now: now, publish: publish,
                // The task uses the store's isolation, so that no other thread is woken to begin or continue it.
                launch: { [self] operation in Task(executorPreference: executor) { await operation(self) } })
            if let before { run.goOn(after: before) } else if let early { run.requests.begin(with: early) }
            do throws(FeedSyncError) {
                if let summary = try await run.perform() { return summary }
                writer = try goOn(after: writer)
            } catch {
                try await run.fail(error)
            }
            before = run
        }
    }
}
