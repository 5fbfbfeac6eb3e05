internal import Editing
internal import FeedSync
internal import Fleet
internal import HTTP
internal import Platform
internal import Reports
internal import Text

/// The context of a command: the command line, the configuration, the store.
struct Session: Sendable {
    let invocation: Invocation
    let environment: [String: String]
    let console: Console
    /// An element for each request to read the configuration again; for commands that do so.
    let rereads: AsyncStream<Void>
    /// The command's use of a store in PostgreSQL.
    let shared = SharedStoreUse()

    /// The configuration; nil if there is none.
    ///
    /// - Throws: `Failure` with exit code 78 if it cannot be used.
    func configurationIfAny() throws(Failure) -> Configuration? {
        var configuration: Configuration
        var found: ConfigurationFile?
        do throws(ConfigurationError) {
            found = try search.found(option: invocation.options[.config])
            guard let file = found else { return nil }
            configuration = try load(file, runsFeeds: invocation.command.makesRequests)
        } catch {
            let nearest = invocation.options[.config].flatMap(MissingPath.init)?.nearest
            throw Failure(error, advice: nearest.map { "--config \($0)" } ?? found.flatMap(adviceOnTrust))
        }
        if configuration.writtenStore != nil, namedStore == nil {
            try configuring(try configuration.resolveStore(environment: environment))
            try SharedStoreUse.check(invocation, .configuration)
        }
        return configuration
    }

    private func load(_ file: ConfigurationFile, runsFeeds: Bool) throws(ConfigurationError) -> Configuration {
        try Configuration.load(
            file.path, environment: environment, allowsCommands: file.mayRunCommands, runsFeeds: runsFeeds)
    }

    /// The command line that names the file, if the file's commands are its only fault; nil for other faults.
    private func adviceOnTrust(_ file: ConfigurationFile) -> String? {
        guard !file.mayRunCommands, (try? load(file, runsFeeds: false)) != nil else { return nil }
        let words =
            ["feedsync", invocation.command.name]
            + (invocation.operands + ["--config", file.path]).map(ShellWord.quoted)
        return "\(words.joined(separator: " "))  # if you trust that file"
    }

    /// The configuration.
    ///
    /// - Throws: `Failure` with exit code 78 if there is none, or it cannot be used.
    func configuration() throws(Failure) -> Configuration {
        if let configuration = try configurationIfAny() { return configuration }
        throw missing
    }

    /// The configuration file, found as for every command; nil if there is none.
    ///
    /// - Throws: `Failure` with exit code 78 for a file that must not be used.
    func configurationFile() throws(Failure) -> ConfigurationFile? {
        try configuring(try search.found(option: invocation.options[.config]))
    }

    /// The configuration file to which feeds are added; ./feedsync.yaml if there is none yet.
    ///
    /// - Throws: `Failure` with exit code 78 for a file that must not be used.
    func fileForFeeds() throws(Failure) -> ConfigurationFile {
        try configurationFile() ?? ConfigurationFile(path: "feedsync.yaml")
    }

    /// A feed's lines in the configuration file, or in one that it includes.
    ///
    /// - Throws: `Failure` with exit code 64 for a feed that comes from an `each`, 78 if there is no file.
    func lines(of name: String) throws(Failure) -> FeedLines {
        guard let file = try configurationFile() else { throw missing }
        return try editing(try FeedLines(of: name, from: file, environment: environment))
    }

    private var search: ConfigurationSearch { ConfigurationSearch(environment: environment) }

    private var missing: Failure {
        let personal = search.personalFile.map { " or \($0)" } ?? ""
        let problem = """
            no configuration: --config and $FEEDSYNC_CONFIG are not given, and there is no ./feedsync.yaml\(personal)
            """
        return Failure(.configuration, [problem], explanation: Self.beginning)
    }

    private static let beginning = """
        To create one, add a feed from a preset or a URL:

            feedsync add swift-repos github.search 'q=language:swift stars:>=2000'
            feedsync add things https://api.example.com/things

        """

    /// The path of the store; nil if nothing defines it.
    func storePath(_ configuration: Configuration?) -> String? { namedStore ?? configuration?.store }

    /// The store that the command line or the environment names.
    var namedStore: String? {
        if let path = invocation.options[.store] { return path }
        if let path = environment["FEEDSYNC_STORE"], !path.isEmpty { return path }
        return nil
    }

    /// - Throws: `Failure` with exit code 73 where the command line names a store in PostgreSQL for a command that
    ///   needs a file, 64 for one in another database.
    func checkStore() throws(Failure) {
        guard invocation.command.takes(.store) else { return }
        if let named = namedStore { try check(address: named) }
        guard sharedStore(nil) != nil else { return }
        try SharedStoreUse.check(invocation, .store)
    }

    /// - Throws: `Failure` with exit code 64 if the address is not one of a store.
    func check(address: String) throws(Failure) {
        if let fault = StoreScheme.fault(of: address) {
            throw .usage(fault, advice: "feedsync help \(invocation.command.name)")
        }
    }

    /// The feeds that the operands name, by a name or a pattern, in order, each once.
    ///
    /// - Parameter partsToo: True if an operand may be the name of a part of a feed, which `forEach.only` then has.
    /// - Throws: `Failure` with exit code 64 for an unknown name.
    func feeds(of configuration: Configuration, partsToo: Bool = false) throws(Failure) -> [FeedDefinition] {
        let all = configuration.feeds.map(\.name)
        var feeds: [FeedDefinition] = []
        for word in invocation.operands {
            if partsToo, let name = FeedPart.feed(ofPart: word), var feed = configuration.feed(named: name),
                feed.forEach != nil
            {
                feed.forEach?.only = word
                feeds.append(feed)
                continue
            }
            let (names, unknown) = NamePattern.names([word], among: all)
            if let unknown {
                throw .unknown(
                    "feed", unknown, among: all, advice: "feedsync feeds  # lists those of \(configuration.file)")
            }
            feeds += names.filter { name in !feeds.contains { $0.name == name } }.compactMap(configuration.feed)
        }
        return feeds
    }

    /// The engine options of the command line.
    ///
    /// - Throws: `Failure` with exit code 64 for an invalid time, 74 where the requests cannot be recorded.
    func engineOptions(folder: String, budget: RequestBudget? = nil) throws(Failure) -> EngineOptions {
        if let warning = KeyLog.follow(environment) { console.warn(warning) }
        var options = EngineOptions(
            client: Client(
                userAgent: "feedsync/\(FeedSyncVersion.text)", caFile: Client.caFile(in: environment),
                budget: budget),
            environment: environment, folder: folder)
        if let tracing = try Tracing(invocation, console: console) {
            options.onTrace = { tracing.follow($0, $1) }
        }
        options.wait = try invocation.duration(.wait) ?? options.wait
        options.maxWait = try invocation.duration(.maxWait) ?? options.maxWait
        return options
    }

    /// The store, for reading; nil if nothing was stored yet.
    ///
    /// - Parameters:
    ///   - extent: The part of it that is read if it is in PostgreSQL.
    ///   - names: The feeds that are read then, by names and patterns; none for all. By default the operands.
    ///   - searched: The feeds whose full-text index is read then.
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func storeIfAny(
        _ configuration: Configuration?, reading extent: CopyExtent = .all, of names: [String]? = nil,
        searched: [FeedDefinition] = []
    ) async throws(Failure) -> Store? {
        if let uri = sharedStore(configuration) {
            return try await shared.read(
                extent, of: names ?? invocation.operands, searched: searched, in: uri, for: self)
        }
        guard let path = storePath(configuration) else { return nil }
        // A store that cannot be reached is not one that is not there.
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            // A store that the user named must exist.
            if invocation.has(.store) { throw .noStore(at: path, invocation.storeOptions) }
            return nil
        }
        return try await openStore(at: path, readOptions)
    }

    /// A command that ends at once reads no further when it is interrupted.
    private var readOptions: Store.Options {
        var options = Store.Options(access: .readOnly)
        options.heedsWorkLimits = !invocation.command.endsGracefully
        return options
    }

    /// The store, for writing; nil if nothing was stored yet.
    ///
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func existingStore(_ configuration: Configuration?) async throws(Failure) -> Store? {
        guard let path = storePath(configuration), access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        let options =
            configuration.map { Store.Options(access: .existing, keep: $0.retention) } ?? .init(access: .existing)
        return try await openStore(at: path, options)
    }

    /// The store, created if it does not exist.
    ///
    /// - Parameters:
    ///   - feeds: The feeds that are written.
    ///   - groups: The configuration's groups, if they are known.
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func storeForWriting(
        _ configuration: Configuration, _ feeds: [FeedDefinition], of groups: [FeedGroup]? = nil
    ) async throws(Failure) -> Store {
        if let uri = sharedStore(configuration) {
            return try await shared.open(uri, for: self, configuration, feeds: feeds.map(\.name), of: groups)
        }
        let wait = try invocation.duration(.wait) ?? .zero
        guard let path = storePath(configuration) else {
            throw Failure(FeedSyncError(.bug, "a store in PostgreSQL has no path"))
        }
        if let failure = Failure.missingFolder(of: path) { throw failure }
        let nearest = MissingPath(path)?.nearest
        let store = try await openStore(
            at: path, Store.Options(isDurable: configuration.isDurable, keep: configuration.retention, wait: wait))
        // A link that led nowhere is not another one.
        if let nearest, nearest != path, invocation.has(.store) {
            console.note("note: \(path) is a new store; there is also \(nearest)")
        }
        return store
    }

    /// A store in a file.
    ///
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func openStore(at path: String, _ options: Store.Options = Store.Options()) async throws(Failure) -> Store {
        try await read(try await Store(path: path, options: options))
    }

    /// The store with feeds that the command changes; nil if nothing was stored yet. In PostgreSQL they are claimed, so
    /// that no worker changes them until the command ends.
    ///
    /// - Parameter feeds: Their names. The configuration may lack some of them.
    /// - Throws: `Failure` with exit code 73 if it cannot be opened, or 75 if a worker does not let go of a feed.
    func store(
        _ configuration: Configuration?, changing feeds: [String]
    ) async throws(Failure) -> Store? {
        guard let uri = sharedStore(configuration) else { return try await existingStore(configuration) }
        return try await shared.open(uri, for: self, configuration, feeds: feeds)
    }

    /// The store, opened again if it was opened in a mode that hides later writes.
    ///
    /// - Throws: `Failure` with exit code 73 if it cannot be opened.
    func current(_ store: Store) async throws(Failure) -> Store {
        guard store.reading?.followsFile == false else { return store }
        return try await openStore(at: store.path, readOptions)
    }

    /// The configuration; it may be missing only if the store is named.
    ///
    /// - Throws: `Failure` with exit code 78.
    func configurationForReading() throws(Failure) -> Configuration? {
        if invocation.has(.store), !invocation.has(.config) {
            // A user who names a store may read it, even beside another user's ./feedsync.yaml.
            do throws(Failure) { _ = try configurationFile() } catch { return nil }
        }
        let configuration = try configurationIfAny()
        if configuration == nil, storePath(nil) == nil { return try self.configuration() }
        return configuration
    }

    /// Runs `body`, which uses the store.
    ///
    /// - Throws: `Failure` for the store's error.
    func reading<Result>(_ body: () async throws(FeedSyncError) -> Result) async throws(Failure) -> Result {
        do throws(FeedSyncError) { return try await body() } catch { throw Failure(error) }
    }

    /// The value of an expression that uses the store, as `reading(_:)`.
    func read<Value>(_ value: @autoclosure () async throws(FeedSyncError) -> Value) async throws(Failure) -> Value {
        try await reading(value)
    }

    /// The feeds that are configured or stored, configured ones first, with their records.
    ///
    /// - Parameters:
    ///   - names: The names of those that are wanted; none for all. By default the operands.
    ///   - includesRemoved: True if feeds that the configuration no longer has are among them.
    /// - Throws: `Failure` with exit code 64 for an unknown feed.
    func knownFeeds(
        _ configuration: Configuration?, _ store: Store?, names: [String]? = nil, includesRemoved: Bool = true
    ) async throws(Failure) -> [KnownFeed] {
        var records: [FeedRecord] = []
        if let store { records = try await read(try await store.feeds()) }
        let definitions = configuration?.feeds ?? []
        if configuration != nil, !includesRemoved {
            let names = Set(definitions.map(\.name))
            records.removeAll { !names.contains($0.name) }
        }
        let all = KnownFeed.all(definitions, records)
        let names = names ?? invocation.operands
        guard !names.isEmpty else { return all }
        var parts: [KnownFeed] = []
        for name in names {
            guard let part = try await knownPart(named: name, configuration, store) else { continue }
            parts.append(part)
        }
        let others = names.filter { !Set(parts.map(\.name)).contains($0) }
        let (matching, unknown) = NamePattern.names(others, among: all.map(\.name))
        if let unknown {
            throw .unknown("feed", unknown, among: all.map(\.name), advice: "feedsync status  # lists them")
        }
        let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        return matching.compactMap { byName[$0] } + parts
    }

    /// The feed, or the list that an operand names.
    ///
    /// - Throws: `Failure` with exit code 64 for a list that was never requested.
    func named(_ feed: FeedDefinition, in store: Store?) async throws(Failure) -> FeedDefinition {
        guard let name = feed.forEach?.only else { return feed }
        let part = try await read(try await store?.part(named: name, of: feed))
        if let part = part.flatMap(\.self) { return part }
        throw Failure(
            .usage, ["no list `\(name)` was asked for yet"],
            advice: FeedSyncError.adviceOnLists)
    }

    /// The part of a feed that has a list for each row of another; nil where the name is that of none.
    private func knownPart(
        named name: String, _ configuration: Configuration?, _ store: Store?
    ) async throws(Failure) -> KnownFeed? {
        guard let store, let owner = FeedPart.feed(ofPart: name), let feed = configuration?.feed(named: owner) else {
            return nil
        }
        return try await reading { () async throws(FeedSyncError) in
            guard let record = try await store.feed(named: name) else { return nil }
            return KnownFeed(definition: try await store.part(named: name, of: feed), record: record)
        }
    }

    /// The state of each feed.
    ///
    /// - Throws: `Failure` where the store cannot be read.
    func states(of feeds: [KnownFeed], in store: Store?) async throws(Failure) -> [StateRow] {
        try await read(try await StateRow.rows(of: feeds, in: store))
    }

    /// True if the user agrees: by `--yes`, or by an answer on the terminal.
    ///
    /// - Parameter reason: The reason for the question, if the command does not show it.
    /// - Throws: `Failure` with exit code 64 without `--yes` and without a terminal.
    func isSure(of question: String, because reason: String? = nil) throws(Failure) -> Bool {
        if invocation.has(.yes) { return true }
        guard console.canAsk else {
            throw .usage(
                (reason.map { "\($0); " } ?? "")
                    + "\(invocation.command.name) needs a confirmation, and there is no terminal to ask on",
                advice: "run the same command with --yes")
        }
        return console.isConfirmed(reason.map { "\($0); \(question)" } ?? question)
    }
}

extension Store {
    /// True if an older feedsync wrote the store, and an updated copy of it is read.
    nonisolated var isReadFromCopy: Bool { reading?.isCopy == true }

    /// - Throws: `Failure` with exit code 73 if the store cannot be followed, because it is read from a copy.
    nonisolated func checkFollowing() throws(Failure) {
        guard isReadFromCopy else { return }
        throw Failure(
            .store, ["\(path) was written by an older feedsync, and cannot be followed"],
            advice: "run feedsync sync once, which brings it up to date")
    }
}
