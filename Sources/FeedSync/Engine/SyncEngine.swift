internal import Concurrency
internal import HTTP
internal import Platform

/// Keeps the mirror of one feed: it takes request commands, and offers its state and its items.
///
///     let feed = try await mirror.feed(definition)
///     feed.requestCommand.send(.reload)
///     for await state in feed.state { … }
///
/// Commands follow the latest intent: a command that wants no more than the current run joins it, and a reload stops a
/// next page or a sync.
///
/// - Isolation: an actor on its store's thread, so that a page goes from decoding to commit without a change of thread.
public actor SyncEngine {
    /// The feed.
    public nonisolated let definition: FeedDefinition
    /// The store of its items.
    package nonisolated let store: Store

    nonisolated let options: EngineOptions
    private nonisolated let statuses: Broadcast<RefreshStatus>
    private nonisolated let states: Broadcast<EngineState>
    nonisolated let watch: StoreWatch
    fileprivate nonisolated let inbox = Lock<[RequestCommand]>([])

    private var rules = CommandRules()
    private var waiting: [CommandRules.Ticket: CheckedContinuation<Result<RunSummary, FeedSyncError>, Never>] = [:]
    private var lastTicket = 0
    private var run: Task<Void, Never>?
    private var isClosed = false
    /// True if a user, not the schedule, sent a command since the last run. The next run then covers all lists.
    private var wantsAllLists = false

    /// Runs the actor's code on the store's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { store.unownedExecutor }

    /// Creates an engine for a feed of the store. Nothing is requested or stored yet.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the definition contradicts itself, `store` if the store
    ///   cannot be read.
    package init(feed definition: FeedDefinition, store: Store, options: EngineOptions = EngineOptions())
        async throws(FeedSyncError)
    {
        try await self.init(
            feed: definition, store: store, options: options, watch: StoreWatch(store, clock: options.clock))
    }

    init(feed definition: FeedDefinition, store: Store, options: EngineOptions, watch: StoreWatch)
        async throws(FeedSyncError)
    {
        self.definition = definition
        self.store = store
        self.options = options
        self.watch = watch
        // Contradictions are reported before anything begins.
        try ResolvedFeed.check(definition)
        let status = try await store.status(of: definition.name)?.settled ?? .none
        statuses = Broadcast(status)
        states = Broadcast(EngineState(status: status), buffering: .bufferingNewest(1))
    }

    /// Creates the fetcher for a feed or a part of it.
    nonisolated func fetcher(for definition: FeedDefinition) -> Fetcher {
        options.fetcher(for: definition) { [options] in options.onActivity(.fetching($0)) }
    }

    /// The input for commands.
    public nonisolated var requestCommand: RequestCommandInput { RequestCommandInput(engine: self) }

    /// The engine's state, with the error of a failed command: the current state first, then each new one.
    ///
    /// A reader that is slower than the changes gets the newest state. The sequence ends when the engine is
    /// released or its mirror is closed.
    public nonisolated var state: some AsyncSequence<EngineState, Never> & Sendable { states.values }

    /// The state now.
    nonisolated var currentState: EngineState? { states.current }

    /// The refresh status alone, with every transition: the current one first. The sequence ends when the engine is
    /// released or its mirror is closed.
    public nonisolated var refreshStatus: some AsyncSequence<RefreshStatus, Never> & Sendable { statuses.values }

    /// The feed's sections; see `FeedMirror.sections(of:)`.
    public nonisolated var sections: some AsyncSequence<[FeedSection], FeedSyncError> & Sendable {
        watch.sections(of: definition.name)
    }

    /// The feed's items as they are stored now; see `FeedMirror.storedItems`.
    ///
    /// - Throws: `FeedSyncError`, as `FeedMirror.storedItems` does.
    public nonisolated func storedItems<Item: Decodable & Sendable>(
        as type: Item.Type = Item.self, section: String?? = nil, where filters: [ColumnFilter] = [],
        sortedBy order: [ItemOrder] = [], offset: Int = 0, limit: Int? = nil
    ) async throws(FeedSyncError) -> [Item] {
        try await store.items(
            of: definition.name, as: type, section: section, where: filters, sortedBy: order, offset: offset,
            limit: limit)
    }

    /// The feed's items decoded as `Item`; see `FeedMirror.items(of:as:section:limit:)`.
    public nonisolated func items<Item: Decodable & Sendable>(
        as type: Item.Type = Item.self, section: String?? = nil, limit: Int? = nil
    ) -> some AsyncSequence<[Item], FeedSyncError> & Sendable {
        watch.items(of: definition.name, as: type, section: section, limit: limit)
    }

    /// Sends a command and waits for its end. If the task is cancelled, the run is cancelled after the last committed
    /// page, unless another caller waits for it.
    ///
    /// - Throws: `FeedSyncError`; of kind `cancelled` if a reload replaced the command.
    @discardableResult
    public func perform(_ command: RequestCommand) async throws(FeedSyncError) -> RunSummary {
        wantsAllLists = true
        return try await answer(to: command)
    }

    /// Syncs the feed on its schedule. For a feed with a list for each row of another, only the lists that are due are
    /// requested, unless another command wants all of them.
    ///
    /// - Throws: The errors of `perform`.
    @discardableResult
    package func syncDue() async throws(FeedSyncError) -> RunSummary { try await answer(to: .sync) }

    private func answer(to command: RequestCommand) async throws(FeedSyncError) -> RunSummary {
        guard !isClosed else { throw .closed }
        states.update { $0.sent() }
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

    /// Stops the current command after its last committed page and drops the waiting ones. Returns once it has ended.
    public func cancel() async {
        takeCommands()
        follow(rules.cancelAll())
        await run?.value
    }

    /// Cancels all commands, refuses further ones, and ends the sequences of states.
    func close() async {
        isClosed = true
        await cancel()
        states.finish()
        statuses.finish()
    }

    /// The number of callers that wait for an answer.
    var waitingCount: Int { waiting.count }

    private func cancel(_ ticket: CommandRules.Ticket) {
        guard waiting[ticket] != nil else { return }
        follow(rules.cancel(ticket))
    }

    /// Takes the sent commands in their order.
    fileprivate func takeCommands() {
        for command in inbox.withLock({ commands in
            defer { commands = [] }
            return commands
        }) {
            guard !isClosed else {
                states.update { $0.ended(.failure(.closed)) }
                continue
            }
            wantsAllLists = true
            lastTicket += 1
            follow(rules.send(command, lastTicket))
        }
        settle()
    }

    /// Updates the state if no command is running or waiting.
    private func settle() {
        guard rules.isIdle else { return }
        states.update { state in
            if inbox.withLock({ $0.isEmpty }) { state.isRunning = false }
        }
    }

    fileprivate nonisolated func put(_ command: RequestCommand) {
        states.update { state in
            inbox.withLock { $0.append(command) }
            state.sent()
        }
    }

    private func follow(_ effects: [CommandRules.Effect], result: Result<RunSummary, FeedSyncError>? = nil) {
        for effect in effects {
            switch effect {
            case .start(let command):
                states.update { $0.began() }
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

    private func ended(with result: Result<RunSummary, FeedSyncError>) {
        let isFailure = if case .failure = result { true } else { false }
        states.update { $0.ended(result) }
        follow(rules.ended(failed: isFailure), result: result)
        settle()
    }

    private func result(of command: RequestCommand) async -> Result<RunSummary, FeedSyncError> {
        await Result { () async throws(FeedSyncError) in try await execute(command) }
    }

    private func execute(_ command: RequestCommand) async throws(FeedSyncError) -> RunSummary {
        guard let rule = definition.forEach else { return try await execute(command, on: definition) }
        let isDueOnly = !wantsAllLists
        wantsAllLists = false
        return try await ListsRun(engine: self, command: command, rule: rule).perform(isDueOnly: isDueOnly)
    }

    /// The current time, as the store writes it.
    nonisolated var now: @Sendable () -> String { { [options] in options.wallClock.text } }

    /// Publishes events of the feed or of a part of it.
    nonisolated func publish(of definition: FeedDefinition) -> @Sendable (StatusEvent) -> Void {
        { [statuses, states, watch, options] event in
            options.onActivity(.event(event))
            // The status of one of many lists is not the status of the feed.
            if event.feed == definition.name, definition.part == nil {
                statuses.send(event.status)
                states.update { $0.follow(event) }
            }
            if [.endHeader, .endFooter, .noMoreData].contains(event.status), event.error == nil { watch.touch() }
        }
    }

    /// Runs a command on the feed or on a part of it.
    ///
    /// - Parameters:
    ///   - early: The page that was already requested.
    ///   - gate: Shut if a response speaks against more requests to the host.
    func execute(
        _ command: RequestCommand, on definition: FeedDefinition, early: PageFetch? = nil, gate: CircuitBreaker? = nil
    ) async throws(FeedSyncError) -> RunSummary {
        let breaker = CircuitBreaker(within: gate)
        do throws(FeedSyncError) {
            return try await store.run(
                command, on: definition, through: breaker, fetcher: fetcher(for: definition), options: options,
                publish: publish(of: definition)
            ) { [self] () throws(FeedSyncError) in
                let lock = try await takeLock(command, on: definition)
                guard command == .sync, definition.part == nil else { return .run(lock, early: early) }
                return try await beginSync(of: definition, holding: lock, gate: breaker)
            }
        } catch {
            // If the store could not take the end, observers must not wait for it.
            if let status = statuses.current, status != status.settled {
                statuses.send(status.settled)
                states.update { $0.status = status.settled }
            }
            throw error
        }
    }

    /// Waits until the feed is free, up to the limit. Tries ten times a second.
    func takeLock(
        _ command: RequestCommand, on definition: FeedDefinition
    ) async throws(FeedSyncError) -> FeedLock {
        let number = try await store.feedNumber(definition)
        var waited = Duration.zero
        let pause = Duration.milliseconds(100)
        while true {
            if let held = try FeedLock(on: number, of: store.path, command: command.name) { return held }
            guard waited < options.wait else {
                throw FeedLock.refusal(
                    of: number, in: store.path, advice: "run it again when that is done, or wait with --wait")
            }
            do { try await options.clock.sleep(for: pause) } catch { throw .cancelled }
            waited += pause
        }
    }
}

extension FeedSyncError {
    fileprivate static var closed: FeedSyncError { FeedSyncError(.store, "the mirror is closed") }
}

/// The input for an engine's commands.
public struct RequestCommandInput: Sendable {
    fileprivate let engine: SyncEngine

    /// Sends a command. Its results and errors appear in the engine's `state`.
    public func send(_ command: RequestCommand) {
        engine.put(command)
        Task { [engine] in await engine.takeCommands() }
    }
}
