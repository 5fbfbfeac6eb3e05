internal import Editing
internal import FeedSync
internal import HTTP

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
        var found: ConfigurationSearch.Found?
        do throws(ConfigurationError) {
            found = try search.found(option: invocation.options[.config])
            guard let file = found else { return nil }
            configuration = try load(file, runsFeeds: invocation.command.makesRequests)
        } catch {
            let nearest = invocation.options[.config].flatMap(MissingPath.init)?.nearest
            throw Failure(error, advice: nearest.map { "--config \($0)" } ?? found.flatMap(adviceOnTrust))
        }
        if configuration.writtenStore != nil, namedStore == nil {
            do throws(ConfigurationError) { try configuration.resolveStore(environment: environment) } catch {
                throw Failure(error)
            }
            try SharedStoreUse.check(invocation, .configuration)
        }
        return configuration
    }

    private func load(
        _ file: ConfigurationSearch.Found, runsFeeds: Bool
    ) throws(ConfigurationError) -> Configuration {
        try Configuration.load(
            file.path, environment: environment, allowsCommands: file.mayRunCommands, runsFeeds: runsFeeds)
    }

    /// The command line that names the file, if the file's commands are its only fault; nil for other faults.
    private func adviceOnTrust(_ file: ConfigurationSearch.Found) -> String? {
        guard !file.mayRunCommands, (try? load(file, runsFeeds: false)) != nil else { return nil }
        let words = ["feedsync", invocation.command.name] + invocation.operands + ["--config", file.path]
        return "\(words.joined(separator: " "))  # if you trust that file"
    }

    /// The configuration.
    ///
    /// - Throws: `Failure` with exit code 78 if there is none, or it cannot be used.
    func configuration() throws(Failure) -> Configuration {
        if let configuration = try configurationIfAny() { return configuration }
        throw Failure(.configuration, [missing], explanation: Self.beginning)
    }

    /// The configuration file, found as for every command; nil if there is none.
    ///
    /// - Throws: `Failure` with exit code 78 for a file that must not be used.
    func configurationFile() throws(Failure) -> ConfigurationFile? {
        do throws(ConfigurationError) {
            return try search.found(option: invocation.options[.config]).map {
                ConfigurationFile(path: $0.path, mayRunCommands: $0.mayRunCommands)
            }
        } catch {
            throw Failure(error)
        }
    }

    /// A feed's lines in the configuration file, or in one that it includes; nil if there is none.
    ///
    /// - Throws: `Failure` with exit code 64 for a feed that has no lines of its own.
    func lines(of name: String) throws(Failure) -> FeedLines? {
        guard let file = try configurationFile() else { return nil }
        return try editing { () throws(EditingError) in
            try FeedLines(of: name, from: file, environment: environment)
        }
    }

    private var search: ConfigurationSearch { ConfigurationSearch(environment: environment) }

    private var missing: String {
        let personal = search.personalFile.map { " or \($0)" } ?? ""
        return """
            no configuration: --config and $FEEDSYNC_CONFIG are not given, and there is no ./feedsync.yaml\(personal)
            """
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
    ///   needs a file.
    func checkStore() throws(Failure) {
        guard invocation.command.takes(.store), sharedStore(nil) != nil else { return }
        try SharedStoreUse.check(invocation, .store)
    }

    /// The feeds that the operands name, by a name or a pattern, in order, each once.
    ///
    /// - Parameter partsToo: Whether an operand may be the name of a part of a feed, which `forEach.only` then has.
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
}
