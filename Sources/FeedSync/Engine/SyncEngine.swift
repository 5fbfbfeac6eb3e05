internal import Concurrency
internal import HTTP

/// Keeps one feed's mirror: request commands go in, refresh status and sections come out.
///
///     let engine = try await SyncEngine(feed: definition, store: store, options: options)
///     engine.requestCommand.send(.reload)
///     for await status in engine.refreshStatus { … }
///
/// Commands that meet follow the latest intent: one that asks for no more than the run in flight joins it, and a reload
/// stops a next page.
///
/// - Isolation: an actor on its store's thread, so that a page goes from decoding to commit without a change of thread.
public actor SyncEngine {
    /// The feed.
    public nonisolated let definition: FeedDefinition
    /// Where its items go.
    public nonisolated let store: Store

    private nonisolated let options: EngineOptions
    private nonisolated let statuses: Broadcast<RefreshStatus>
    private nonisolated let changes = Broadcast<Void>((), buffering: .bufferingNewest(1))
    private nonisolated let activities = Broadcast<EngineActivity>(nil)
    fileprivate nonisolated let inbox = Lock<[RequestCommand]>([])
    private let fetcher: Fetcher

    private var rules = CommandRules()
    private var waiting: [CommandRules.Ticket: CheckedContinuation<Result<RunSummary, FeedError>, Never>] = [:]
    private var lastTicket = 0
    private var run: Task<Void, Never>?

    /// Runs the actor's code on the store's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { store.unownedExecutor }

    /// An engine for a feed of the store; nothing is requested or stored yet.
    ///
    /// - Throws: `FeedError` of kind `configuration` if the definition contradicts itself, `store` if the store cannot be
    ///   read.
    public init(feed definition: FeedDefinition, store: Store, options: EngineOptions = EngineOptions())
        async throws(FeedError)
    {
        self.definition = definition
        self.store = store
        self.options = options
        // What contradicts itself is told before anything is begun.
        _ = try ResolvedFeed(definition)
        statuses = Broadcast(try await store.feed(named: definition.name)?.status.settled ?? RefreshStatus.none)
        let (activities, onActivity) = (activities, options.onActivity)
        let wallClock = options.wallClock
        fetcher = Fetcher(
            client: options.client, rules: definition.responses,
            policy: RetryPolicy(retries: definition.retries, maxWait: options.maxWait), clock: options.clock,
            random: options.random, now: { wallClock.seconds }, bodyValue: BodyProbe.value,
            progress: { progress in
                onActivity(.fetching(progress))
                activities.send(.fetching(progress))
            })
    }

    /// Where commands go in.
    public nonisolated var requestCommand: RequestCommandInput { RequestCommandInput(engine: self) }

    /// The refresh status: the current one first, then each as it changes.
    public nonisolated var refreshStatus: AsyncStream<RefreshStatus> { statuses.values }

    /// What the engine is at: events of the log as they are written, and waits; for progress displays.
    public nonisolated var activity: AsyncStream<EngineActivity> { activities.values }

    /// The feed's sections: the stored ones first, then anew after each page that is committed.
    ///
    /// A listener that is slower than the pages gets the newest. Where the store cannot be read, nothing comes.
    public nonisolated var sections: AsyncStream<[Section]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [Section].self, bufferingPolicy: .bufferingNewest(1))
        let task = Task { [changes, store, definition] in
            for await _ in changes.values {
                if let sections = try? await store.sections(of: definition.name) { continuation.yield(sections) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Sends a command and waits for its end. If the task is cancelled, so is the run, after the last committed page,
    /// unless somebody else waits for it too.
    ///
    /// - Throws: `FeedError`; of kind `cancelled` where a reload took the command's place.
    public func perform(_ command: RequestCommand) async throws(FeedError) -> RunSummary {
        lastTicket += 1
        let ticket = lastTicket
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting[ticket] = continuation
                follow(rules.send(command, ticket))
                if Task.isCancelled { follow(rules.cancel(ticket)) }
            }
        } onCancel: {
            Task { await self.cancel(ticket) }
        }
        return try result.get()
    }

    /// How many callers wait for an answer.
    var waitingCount: Int { waiting.count }

    private func cancel(_ ticket: CommandRules.Ticket) {
        guard waiting[ticket] != nil else { return }
        follow(rules.cancel(ticket))
    }

    /// Takes the commands that were sent, in the order in which they were.
    fileprivate func takeCommands() {
        for command in inbox.withLock({ commands in
            defer { commands = [] }
            return commands
        }) {
            lastTicket += 1
            follow(rules.send(command, lastTicket))
        }
    }

    private func follow(_ effects: [CommandRules.Effect], result: Result<RunSummary, FeedError>? = nil) {
        for effect in effects {
            switch effect {
            case .start(let command):
                run = Task(executorPreference: store.executor) { await self.ended(with: self.result(of: command)) }
            case .stop:
                run?.cancel()
            case .cancel(let ticket):
                waiting.removeValue(forKey: ticket)?.resume(returning: .failure(.cancelled))
            case .answer(let tickets), .drop(let tickets):
                guard let result else { continue }
                for ticket in tickets { waiting.removeValue(forKey: ticket)?.resume(returning: result) }
            }
        }
    }

    private func ended(with result: Result<RunSummary, FeedError>) {
        let isFailure = if case .failure = result { true } else { false }
        follow(rules.ended(failed: isFailure), result: result)
    }

    private func result(of command: RequestCommand) async -> Result<RunSummary, FeedError> {
        do throws(FeedError) {
            return .success(try await execute(command))
        } catch {
            return .failure(error)
        }
    }

    private func execute(_ command: RequestCommand) async throws(FeedError) -> RunSummary {
        let now: @Sendable () -> String = { [options] in options.wallClock.text }
        let held: FeedLock
        let opening: Store.Opening
        do throws(FeedError) {
            held = try await takeLock(command)
            try await RequestPlan(definition, store: store, options: options).checkReferences()
            opening = try await store.open(definition, lock: held, command: command.name, now: now())
        } catch {
            // A run that cannot begin has failed all the same, and will until the definition is corrected.
            if error.kind == .configuration {
                try? await store.logFailure(error, of: definition, command: command.name, now: now())
            }
            throw error
        }
        defer { withExtendedLifetime(held) {} }
        let run = FeedRun(
            command, of: definition.name, opening: opening, store: store,
            loader: PageLoader(opening.shape, fetcher: fetcher, store: store, options: options), now: now,
            publish: { [statuses, changes, activities, options] event in
                options.onActivity(.event(event))
                statuses.send(event.status)
                activities.send(.event(event))
                if [.endHeader, .endFooter, .noMoreData].contains(event.status), event.error == nil {
                    changes.send(())
                }
            },
            // The task is the engine's, so that no other thread is woken to begin it or to go on with it.
            launch: { [self] operation in
                Task(executorPreference: store.executor) { await operation(self) }
            })
        do throws(FeedError) {
            let summary = try await run.perform(opening)
            await store.close(definition.name)
            return summary
        } catch {
            await store.close(definition.name)
            // Where the store could not take the end, whoever watches must not wait for it.
            if let status = statuses.current, status != status.settled { statuses.send(status.settled) }
            throw error
        }
    }

    /// Waits for the feed to be free, up to the limit, asking ten times a second.
    private func takeLock(_ command: RequestCommand) async throws(FeedError) -> FeedLock {
        let number = try await store.feedNumber(definition)
        var waited = Duration.zero
        let pause = Duration.milliseconds(100)
        while true {
            if let held = try FeedLock(on: number, of: store.path, command: command.name) { return held }
            guard waited < options.wait else {
                let holder = FeedLock.holder(of: number, of: store.path)
                throw FeedError(
                    .locked, "\(holder?.text ?? "another feedsync") is using this feed",
                    advice: "run it again when that is done, or wait with --wait")
            }
            do { try await options.clock.sleep(for: pause) } catch { throw .cancelled }
            waited += pause
        }
    }
}

extension FeedHolder {
    /// It in words.
    fileprivate var text: String {
        guard let process, let command else { return "another feedsync" }
        return "another feedsync (pid \(process), \(command))"
    }
}

/// Where an engine's commands go in.
public struct RequestCommandInput: Sendable {
    fileprivate let engine: SyncEngine

    /// Sends a command; what becomes of it shows in the engine's status and sections.
    public func send(_ command: RequestCommand) {
        engine.inbox.withLock { $0.append(command) }
        Task { [engine] in await engine.takeCommands() }
    }
}
