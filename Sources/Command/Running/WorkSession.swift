internal import FeedSync
internal import Fleet
internal import HTTP
internal import HTTPServer
internal import Platform
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

    /// Works until its task is cancelled, with each configuration until there is another one.
    ///
    /// - Parameter folder: For the files of groups.
    /// - Throws: `Failure` if the store cannot be used from the beginning, or if a newer feedsync changes it.
    static func run(_ session: Session, _ order: WorkOrder, folder: String) async throws(Failure) -> ExitCode {
        var order = order
        while true {
            let command = try await begin(session, order)
            let server = try command.serveMetrics()
            defer { server?.stop() }
            session.console.note("working; Ctrl-C ends it")
            ServiceNotice.ready(session.environment)
            guard let next = try await command.work(by: order, folder: folder) else { return .done }
            order = next
        }
    }

    private static func begin(_ session: Session, _ order: WorkOrder) async throws(Failure) -> WorkSession {
        let options = try session.engineOptions(folder: order.configuration.folder)
        let configuration = order.configuration
        let groups = GroupLayout(FeedGroup.all(of: configuration.feeds), configuredAt: configuration.changedAt)
        let worker = try await session.read(
            try Worker(uri: order.uri, name: "\(ProcessName.own) (work)", groups: groups, takesOver: true))
        try await session.read(try await worker.begin())
        return WorkSession(session, options, worker)
    }

    /// Works until its task is cancelled, or until another configuration can be used.
    ///
    /// - Returns: The other configuration; nil if there is none.
    /// - Throws: `Failure` if a newer feedsync has changed the store.
    private func work(by order: WorkOrder, folder: String) async throws(Failure) -> WorkOrder? {
        let stores = WorkingStores(
            uri: order.uri, folder: folder, jobs: order.jobs, keep: order.configuration.retention)
        let crew = WorkCrew(worker, stores, order.configuration, jobs: order.jobs, for: self)
        let (next, refusal) = await withTaskGroup(of: Result<WorkOrder?, FeedSyncError>.self) { group in
            group.addTask {
                let refusal = await crew.run()
                await stores.close()
                return refusal.map(Result.failure) ?? .success(nil)
            }
            group.addTask { .success(await nextOrder()) }
            var next: WorkOrder?
            var refusal: FeedSyncError?
            for await found in group {
                switch found {
                case .success(let order): next = next ?? order
                case .failure(let error): refusal = error
                }
                group.cancelAll()
            }
            return (next, refusal)
        }
        if let refusal { throw Failure(refusal) }
        return next
    }

    /// The next configuration that can be used; nil once the task is cancelled.
    private func nextOrder() async -> WorkOrder? {
        for await _ in session.rereads {
            do throws(Failure) {
                let order = try WorkOrder(session)
                session.console.note("the configuration was read again")
                return order
            } catch {
                session.console.reportBriefly(error, always: true)
                session.console.note("the configuration before holds on")
            }
        }
        return nil
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
        let runner = FeedRunner(console: session.console, store: store, options: options)
        let report = await runner.run("sync", on: feed, progress: line) {
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
        session.console.reportBriefly(Failure(error, feed: feed), always: true)
    }

    func beginJob() { metrics.begin() }

    func endJob() { metrics.end() }
}

/// The configuration that a worker works by.
struct WorkOrder: Sendable {
    let configuration: Configuration
    /// The store's URI.
    let uri: String
    /// The most groups at a time.
    let jobs: Int

    /// Reads the configuration.
    ///
    /// - Throws: `Failure` with exit code 78 if it cannot be used, or 64 if its store is not in PostgreSQL.
    init(_ session: Session) throws(Failure) {
        configuration = try session.configuration()
        guard let uri = session.sharedStore(configuration) else {
            throw .usage(
                "work needs a store in PostgreSQL",
                advice: "feedsync work --store postgres://USER@HOST/DATABASE  # feedsync sync works on a file")
        }
        self.uri = uri
        jobs = min(try session.invocation.count(.jobs) ?? 4, 256)
    }
}

/// The messages to systemd of a service of `Type=notify`.
///
/// Source: https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
enum ServiceNotice {
    /// It works now.
    static func ready(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a zero byte.
        let bytes = path.hasPrefix("@") ? [0] + path.utf8.dropFirst() : Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = platform_socket(AF_UNIX, platform_datagram, 0, 1)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = Array("READY=1".utf8)
        let length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + bytes.count)
        withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(descriptor, text, text.count, platform_send_quietly, address, length)
            }
        }
    }
}
