internal import FeedSync
internal import HTTP

extension Session {
    /// Sends the command to each feed that the operands name, one after another, and prints the outcome.
    ///
    /// - Throws: `Failure` if no feed can be tried at all.
    func perform(_ command: RequestCommand) async throws(Failure) -> ExitCode {
        let configuration = try configuration()
        let feeds = try feeds(of: configuration, partsToo: true)
        let options = try engineOptions(folder: configuration.folder)
        let store = try await storeForWriting(configuration, feeds)
        options.client.run(on: store.executor)
        var codes: [ExitCode] = []
        var documents: [String] = []
        for feed in feeds {
            // After Ctrl-C no further feed is started.
            if Task.isCancelled { break }
            let report = await run(command, on: feed, store: store, options: options)
            codes += report.codes
            if invocation.has(.json) {
                documents.append(await report.json(from: store))
            } else if let line = report.line(console.palette, nameWidth: Self.width(of: feeds)) {
                console.print(line)
            }
            for notice in report.notices { console.note("\(feed.name): note: \(notice)") }
            for failure in [report.failure, report.hookFailure].compactMap(\.self) { console.report(failure) }
        }
        if invocation.has(.json) { console.print(json: JSONLines.array(documents)) }
        return codes.combined
    }

    /// The store, created if it does not exist.
    ///
    /// - Parameter feeds: Those that are written.
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func storeForWriting(_ configuration: Configuration, _ feeds: [FeedDefinition]) async throws(Failure) -> Store {
        if let uri = sharedStore(configuration) {
            return try await shared.open(uri, for: self, configuration, feeds: feeds.map(\.name))
        }
        let wait = try invocation.duration(.wait) ?? .zero
        let path = storePath(configuration) ?? configuration.store
        if let failure = Failure.missingFolder(of: path) { throw failure }
        let nearest = MissingPath(path)?.nearest
        let store = try await reading { () async throws(FeedSyncError) in
            try await Store(
                path: path,
                options: Store.Options(isDurable: configuration.isDurable, keep: configuration.retention, wait: wait))
        }
        // A link that led nowhere is not another one.
        if let nearest, nearest != path, invocation.has(.store) {
            console.note("note: \(path) is a new store; there is also \(nearest)")
        }
        return store
    }

    /// Sends the command to one feed; `onEvent` gets each status transition, on the engine's thread.
    func run(
        _ command: RequestCommand, on feed: FeedDefinition, store: Store, options: EngineOptions,
        onEvent: @escaping @Sendable (StatusEvent) -> Void = { _ in }
    ) async -> RunReport {
        await run(
            command == .reload ? "reload" : "more", on: feed, store: store, options: options, onEvent: onEvent
        ) { engine throws(FeedSyncError) in try await engine.perform(command) }
    }

    /// Runs `perform` on one feed, and returns the outcome.
    ///
    /// - Parameter progress: Where the run shows its progress; nil for a line of its own.
    func run(
        _ name: String, on feed: FeedDefinition, store: Store, options: EngineOptions, progress: ProgressLine? = nil,
        onEvent: @escaping @Sendable (StatusEvent) -> Void = { _ in },
        perform: (SyncEngine) async throws(FeedSyncError) -> RunSummary
    ) async -> RunReport {
        var report = RunReport(feed: feed.name, command: name)
        do throws(FeedSyncError) {
            let watch = RunWatch(
                progress: progress ?? ProgressLine(feed: feed.name, console: console), onEvent: onEvent)
            var options = options
            options.onActivity = { watch.follow($0) }
            let engine = try await SyncEngine(feed: feed, store: store, options: options)
            do throws(FeedSyncError) {
                report.summary = try await perform(engine)
                report.run = await watch.end().run ?? report.summary?.run
            } catch {
                report.follow(await watch.end())
                throw error
            }
        } catch {
            report.error = error
        }
        // The changes of a failed run are delivered, too, and those that an earlier run could not deliver.
        if !Task.isCancelled, let delivery = ChangeDelivery(of: feed, in: store, options: options) {
            do throws(FeedSyncError) { try await delivery.deliver(mayBegin: report.summary != nil) } catch {
                report.hookError = error
            }
        }
        return report
    }

    /// The width of the longest name.
    static func width(of feeds: [FeedDefinition]) -> Int { feeds.map(\.name.count).max() ?? 0 }
}
