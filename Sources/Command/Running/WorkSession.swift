internal import FeedSync
internal import Fleet
internal import HTTP
internal import HTTPServer
internal import Reports

/// The command `work`: a crew that syncs due feeds, with a line for each and figures for Prometheus.
struct WorkSession: WorkCommand {
    private let session: Session
    private let options: EngineOptions
    private let metrics: WorkMetrics
    private let worker: Worker

    private init(_ session: Session, _ options: EngineOptions, _ worker: Worker) {
        (self.session, self.options, self.worker) = (session, options, worker)
        metrics = WorkMetrics(worker)
    }

    /// Works until its task is cancelled.
    ///
    /// - Parameter folder: For the files of groups.
    /// - Throws: `Failure` if the store cannot be used from the beginning.
    static func run(
        _ session: Session, _ configuration: Configuration, uri: String, folder: String
    ) async throws(Failure) -> ExitCode {
        let options = try session.engineOptions(folder: configuration.folder)
        let jobs = min(try session.invocation.count(.jobs) ?? 4, 256)
        let worker: Worker
        do throws(FeedSyncError) {
            worker = try Worker(
                uri: uri, name: "\(ProcessName.own) (work)",
                groups: GroupLayout(
                    FeedGroup.all(of: configuration.feeds), configuredAt: configuration.changedAt()),
                takesOver: true)
            try await worker.begin()
        } catch {
            throw Failure(error)
        }
        let command = WorkSession(session, options, worker)
        let server = try command.serveMetrics()
        defer { server?.stop() }
        session.console.note("working; Ctrl-C ends it")
        ServiceNotice.ready(session.environment)
        let stores = WorkingStores(uri: uri, folder: folder, keep: configuration.retention)
        await WorkCrew(worker, stores, configuration, jobs: jobs, for: command).run()
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

    func sync(_ feed: FeedDefinition, in store: Store) async {
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

    func report(_ error: FeedSyncError, of feed: String?) {
        session.console.reportBriefly(feed.map { Failure(error, feed: $0) } ?? Failure(error), always: true)
    }

    func beginJob() { metrics.begin() }

    func endJob() { metrics.end() }
}
