internal import Concurrency
internal import DemoFeed
internal import Editing
internal import FeedSync
internal import HTTPServer
internal import Platform

extension Command {
    /// `demo`
    static let demo = Command(
        name: "demo", options: [.hell], general: [.help], endsGracefully: true,
        summary: "Mirror two made-up feeds; needs no network",
        explanation: """
            Starts a server on this machine with a list of repositories and a list of anchors, mirrors
            both into a store in a new temporary folder, and shows each step. The server stops with the
            command; the folder stays.

            With --hell, serves lists that are broken in every way that we know, each with a feed in a
            configuration, and mirrors nothing. Ctrl-C stops the server.
            """,
        example: "feedsync demo"
    ) { session throws(Failure) in
        if session.invocation.has(.hell) { return try await session.serveHell() }
        let server = try started { () throws(ServerError) in try DemoFeed.start() }
        defer { server.stop() }
        let folder = try DemoFolder(
            in: session.environment["TMPDIR"], configuration: Demo.configuration(url: server.url))
        let demo = try await Demo(session: session, folder: folder)
        try await demo.run()
        return Task.isCancelled ? .signal(SIGINT) : .done
    }
}

/// The server that `start` starts.
private func started(_ start: () throws(ServerError) -> Server) throws(Failure) -> Server {
    do throws(ServerError) { return try start() } catch {
        throw Failure(.unavailable, ["the demo server cannot start: \(error)"])
    }
}

/// The demonstration: commands as a user would type them, with their effects.
private struct Demo: Sendable {
    let session: Session
    let folder: DemoFolder
    let configuration: Configuration
    let store: Store
    let options: EngineOptions

    init(session: Session, folder: DemoFolder) async throws(Failure) {
        self.session = session
        self.folder = folder
        let environment = session.environment
        configuration = try configuring(try Configuration.load(folder.configurationPath, environment: environment))
        store = try await session.openStore(at: folder.storePath)
        options = try session.engineOptions(folder: folder.path)
    }

    /// The feeds of a server.
    static func configuration(url: String) -> String {
        let lines = DemoEntries.all(url: url).flatMap(\.lines).joined(separator: "\n")
        return
            "# The feeds of `feedsync demo`. Its server has stopped; the store is beside this file.\nfeeds:\n\(lines)\n"
    }

    private var console: Console { session.console }
    private var palette: Palette { session.console.palette }

    func run() async throws(Failure) {
        console.print([
            "Two made-up feeds are served on this machine: 1,000 repositories and \(DemoFeed.anchorCount) anchors.",
            "feedsync mirrors them, page by page, into \(folder.storePath)", "",
        ])
        try await command("reload repositories", .reload, "repositories")
        try await command("more repositories --pages 3", .nextPages(3), "repositories")
        try await command("reload repositories", .reload, "repositories")
        try await command("more anchors --all", .allPages, "anchors")
        try await sections()
        console.print([
            "Your turn. The store is still there:", "", "  \(palette.hint(folder.query))",
            "  \(palette.hint("\(Self.program) status --config \(folder.configurationPath)"))",
        ])
    }

    /// feedsync as it was called, so that the line works even if it is not on the path.
    private static var program: String { CommandLine.arguments.first ?? "feedsync" }

    private func command(_ words: String, _ command: RequestCommand, _ name: String) async throws(Failure) {
        guard !Task.isCancelled, let feed = configuration.feed(named: name) else { return }
        prompt(words)
        let lines = EventLines(form: .people, nameWidth: 0, palette: palette)
        let runner = FeedRunner(console: console, store: store, options: options)
        let report = await runner.run(command, on: feed) { [console] event in
            console.print("  \(lines.transition(event))")
        }
        if let failure = report.failure { throw failure }
        console.print([report.line(palette, nameWidth: 0) ?? "", ""])
    }

    private func sections() async throws(Failure) {
        guard !Task.isCancelled else { return }
        prompt("show repositories")
        let sections = try await session.read(try await store.sections(of: "repositories"))
        for section in sections {
            let page = try await session.read(
                try await store.rows(of: "repositories", section: .some(section.name), limit: 2))
            let shown = SectionTable(section: section, page: page, columns: ["full_name", "stars", "description"])
            console.print(shown.lines(hasTitle: true, hasColumnTitles: false, palette, width: console.width))
        }
        console.print("")
    }

    private func prompt(_ words: String) { console.print("\(palette.faint("$")) \(palette.name("feedsync \(words)"))") }
}

extension Session {
    /// Serves broken lists, with a configuration of a feed for each, until it is stopped.
    fileprivate func serveHell() async throws(Failure) -> ExitCode {
        let server = try started { () throws(ServerError) in try Hell().start() }
        defer { server.stop() }
        let folder = try DemoFolder(in: environment["TMPDIR"], configuration: Hell.configuration(url: server.url))
        console.print([
            "\(HellKind.all.count) lists are served on this machine, each broken in another way. \(server.url) lists them.",
            "", "  feedsync sync redirect-self --config \(folder.configurationPath) --store /tmp/redirect-self.db", "",
            "Use a store for each: a wait that one list asks for holds up the others. Ctrl-C stops the server.",
        ])
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
        return .signal(SIGINT)
    }
}

/// The temporary folder of a demonstration.
private struct DemoFolder: Sendable {
    let path: String

    var configurationPath: String { "\(path)/feedsync.yaml" }
    var storePath: String { "\(path)/feedsync.db" }

    /// The next command to type.
    var query: String {
        let sql = "SELECT full_name, stars FROM repositories ORDER BY _generation DESC, _position LIMIT 5"
        return "sqlite3 -box \(storePath) \"\(sql)\""
    }

    /// Makes the folder, with a configuration for the feeds of a server.
    ///
    /// - Throws: `Failure` with exit code 73.
    init(in parent: String?, configuration: String) throws(Failure) {
        // The path is part of lines that are copied into a shell.
        let isPlain = parent.map { $0.hasPrefix("/") && $0.utf8.allSatisfy(Self.isPlain) } ?? false
        let parent = isPlain ? parent ?? "/tmp" : "/tmp"
        guard let folder = PrivateFolder.make(beginning: "\(parent)/feedsync-demo-") else {
            throw Self.failure("create a folder in \(parent)")
        }
        path = folder
        try Self.write(Array(configuration.utf8), to: configurationPath)
    }

    /// Letters, digits, `-`, `.`, `/` and `_`.
    @Sendable private static func isPlain(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (65...90).contains(byte) || (45...57).contains(byte) || byte == 95
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure("write \(path)") }
        defer { close(descriptor) }
        guard Descriptor.write(bytes, to: descriptor) else { throw failure("write \(path)") }
    }

    private static func failure(_ what: String) -> Failure {
        Failure(.store, ["cannot \(what): \(String(cString: strerror(errno)))"])
    }
}
