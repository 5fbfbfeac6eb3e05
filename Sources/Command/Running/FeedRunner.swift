internal import FeedSync
internal import HTTP

/// Runs commands on feeds, with a line of progress for each, and reports the outcomes.
struct FeedRunner: Sendable {
    let console: Console
    let store: Store
    let options: EngineOptions

    /// Sends the command to one feed; `onEvent` gets each status transition, on the engine's thread.
    func run(
        _ command: RequestCommand, on feed: FeedDefinition,
        onEvent: @escaping @Sendable (StatusEvent) -> Void = { _ in }
    ) async -> RunReport {
        await run(
            command == .reload ? "reload" : "more", on: feed, onEvent: onEvent
        ) { engine throws(FeedSyncError) in try await engine.perform(command) }
    }

    /// Runs `perform` on one feed, and returns the outcome.
    ///
    /// - Parameter progress: The line with the run's progress; nil for a line of its own.
    func run(
        _ name: String, on feed: FeedDefinition, progress: ProgressLine? = nil,
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
        report.hookError = await ChangeDelivery(of: feed, in: store, options: options)?.deliver(after: report.error)
        return report
    }
}

/// The runs of `reload` and `more`.
struct CommandRuns {
    let session: Session
    let command: RequestCommand

    /// Sends the command to each feed that the operands name, one after another, and prints the outcome.
    ///
    /// - Throws: `Failure` if no feed can be tried at all.
    func perform() async throws(Failure) -> ExitCode {
        let console = session.console
        let configuration = try session.configuration()
        let feeds = try session.feeds(of: configuration, partsToo: true)
        let options = try session.engineOptions(folder: configuration.folder)
        let store = try await session.storeForWriting(configuration, feeds)
        options.client.run(on: store.executor)
        let runner = FeedRunner(console: console, store: store, options: options)
        var codes: [ExitCode] = []
        var documents: [String] = []
        for feed in feeds {
            // After Ctrl-C no further feed is started.
            if Task.isCancelled { break }
            let report = await runner.run(command, on: feed)
            codes += report.codes
            if session.invocation.has(.json) {
                documents.append(await report.json(from: store))
            } else if let line = report.line(console.palette, nameWidth: RunReport.nameWidth(of: feeds)) {
                console.print(line)
            }
            for notice in report.notices { console.note("\(feed.name): note: \(notice)") }
            for failure in [report.failure, report.hookFailure].compactMap(\.self) { console.report(failure) }
        }
        if session.invocation.has(.json) { console.print(json: JSONLines.array(documents)) }
        return codes.combined
    }
}
