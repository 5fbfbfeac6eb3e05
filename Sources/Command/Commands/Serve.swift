internal import Concurrency
internal import FeedSync
internal import Fleet
internal import HTTP
internal import HTTPServer
internal import Platform
internal import Web

extension Command {
    /// `serve`
    static let serve = Command(
        "serve",
        options: [.listen, .tokenFile, .noToken, .host, .proxy, .allowOrigin, .dueSync, .readOnly, .open]
            + Option.requesting,
        general: [.config, .store, .quiet, .help], endsGracefully: true,
        summary: "Show the store as live pages, and as an API",
        explanation: """
            Serves the store on this machine until it is stopped: the list of each feed, which can be reloaded,
            scrolled on and filtered, and follows what any process stores; how feeds do; and all of it for programs, as
            /openapi.json describes. Feeds can be added there, too, as `feedsync add` does.

            Commands need a token, on this machine, too. serve prints an address that signs a browser in, once; --open opens
            it. Programs send the token as `Authorization: Bearer TOKEN`: it is in ~/.local/state/feedsync/serve.token.
            With --token-file, which another address than one of this machine needs, reading needs it as well.

            With --sync, feeds are synced when they are due, as `sync --due` does from cron.

            Of a store in PostgreSQL, a copy in $TMPDIR is served, which follows what workers and other commands store.
            `feedsync work` syncs such a store.
            """,
        example: "feedsync serve --sync --open"
    ) { session throws(Failure) in
        var settings = try session.webSettings()
        let shared = try await session.sharedServing(&settings)
        defer { shared?.folder.remove() }
        DescriptorLimit.raise()
        let server: WebServer
        do {
            server = try await WebServer(settings)
        } catch let error as FeedSyncError {
            throw Failure(error)
        } catch let error as ServerError {
            throw Failure(.unavailable, ["\(error)"], advice: "choose another address with --listen")
        } catch {
            throw Failure(.software, ["\(error)"])
        }
        session.console.note("serving on \(server.address.link); Ctrl-C ends it")
        session.noteSignIn(server, settings.access)
        if session.invocation.has(.open), case .tcp = server.address {
            Browser.open(server.address.link + (server.signInPath() ?? ""), session.environment)
        }
        let following = Task { await shared?.follow(session) { await server.feeds } }
        let due = session.invocation.has(.dueSync) ? DueSyncs(server: server, session: session) : nil
        if let due {
            await due.run()
        } else {
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
        }
        await server.stop()
        following.cancel()
        await following.value
        return .done
    }
}

extension Session {
    /// The settings of the server on the command line.
    ///
    /// - Throws: `Failure` with exit code 64 for an address that cannot be served, 78 for an invalid configuration.
    fileprivate func webSettings() throws(Failure) -> WebSettings {
        let text = invocation.options[.listen] ?? "127.0.0.1:8420"
        guard let address = ListenAddress(text) else {
            throw .usage(
                "--listen must be HOST:PORT or unix:PATH, not \(text)", advice: "for example --listen 127.0.0.1:8421")
        }
        let access = try access(at: address, text)
        if invocation.has(.dueSync), invocation.has(.readOnly) {
            throw .usage("--sync stores, and --read-only does not", advice: invocation.command.helpAdvice)
        }
        let file = try configurationFile()
        let configuration = try configurationIfAny()
        var options = try engineOptions(folder: configuration?.folder ?? ".")
        options.wait = try invocation.duration(.wait) ?? .zero
        var settings = WebSettings(
            address: address, options: options,
            configuration: { () throws(ConfigurationProblem) in
                do throws(Failure) { return try self.configurationIfAny() } catch {
                    throw ConfigurationProblem(lines: error.messages)
                }
            }, storePath: { self.storePath($0) })
        settings.access = access
        settings.isReadOnly = invocation.has(.readOnly)
        let path = file?.path ?? invocation.options[.config] ?? "feedsync.yaml"
        settings.newFeedsFile = { () throws(ConfigurationProblem) in
            do throws(Failure) {
                // One that came since, or else the one that is made.
                return try self.configurationFile() ?? ConfigurationFile(path: path)
            } catch {
                throw ConfigurationProblem(lines: error.messages)
            }
        }
        settings.configurationFiles = [path]
        settings.pictureFolder = pictureFolder
        return settings
    }

    /// The folder of pictures; nil without a home.
    ///
    /// Source: https://specifications.freedesktop.org/basedir-spec/latest/ (relative paths are invalid there).
    private var pictureFolder: String? {
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") { return "\(folder)/feedsync/pictures" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.cache/feedsync/pictures"
    }

    /// The conditions for the users of the server.
    ///
    /// - Throws: `Failure` with exit code 64 for options that let strangers in.
    private func access(at address: ListenAddress, _ text: String) throws(Failure) -> Access {
        var access = Access()
        access.hosts = invocation.values[.host] ?? []
        access.proxies = invocation.values[.proxy] ?? []
        access.origins = try origins()
        access.report = { [console] line in console.warn(line) }
        let file = invocation.options[.tokenFile]
        guard address.isLocal || file != nil else {
            throw .usage(
                "\(text) can be reached by other machines, so a token is needed",
                advice: "name a file that holds one with --token-file, or listen on 127.0.0.1")
        }
        if invocation.has(.noToken) {
            guard file == nil else {
                throw .usage("--no-token and --token-file exclude each other", advice: invocation.command.helpAdvice)
            }
            return access
        }
        access.isPrivate = file != nil
        let token = if let file { try TokenFile(file) } else { try TokenFile.own(environment) }
        access.token = { token.current }
        // A unit of systemd's may have a folder for it, and no home.
        let folder = environment["STATE_DIRECTORY"].map { "\($0)/serve.signed-out" }
        if let path = folder ?? TokenFile.path("serve.signed-out", environment) {
            let signOuts = SignOutFile(path) { [console] line in console.warn(line) }
            access.mergeSignOuts = { signOuts.merge($0, since: $1) }
        }
        return access
    }

    /// The other sites whose scripts may use the API.
    ///
    /// - Throws: `Failure` with exit code 64 for what no browser sends as an origin.
    private func origins() throws(Failure) -> [String] {
        let origins = invocation.values[.allowOrigin] ?? []
        let wrong = origins.first { origin in (try? WebURL(origin))?.origin.description != origin }
        if let wrong {
            throw .usage(
                "--allow-origin must be a scheme and a host, not \(wrong)",
                advice: "for example --allow-origin https://app.example")
        }
        return origins
    }

    /// Says how to sign in, or that nobody needs to.
    fileprivate func noteSignIn(_ server: WebServer, _ access: Access) {
        guard !invocation.has(.noToken) else {
            return console.warn("--no-token: everybody on this machine can send commands and add feeds")
        }
        guard let path = server.signInPath() else { return }
        let link = access.hosts.first.map { "https://\($0)/" } ?? server.address.link
        if case .unix = server.address, access.hosts.isEmpty { return }
        console.note("to send commands from its pages, sign in once at \(link)\(path)")
    }
}

/// The served form of a store in PostgreSQL: a file that follows it.
private struct SharedServing: Sendable {
    let folder: TemporaryFolder
    let copy: FollowingCopy

    func follow(_ session: Session, _ feeds: @Sendable () async -> [FeedDefinition]) async {
        await copy.follow(feeds) { session.console.reportBriefly(Failure($0), always: true) }
    }
}

extension Session {
    /// Has the server show a copy of the store, if that is in PostgreSQL, and send commands to it.
    ///
    /// - Throws: `Failure` with exit code 64 if the server is to sync it, 73 if it cannot be read.
    fileprivate func sharedServing(_ settings: inout WebSettings) async throws(Failure) -> SharedServing? {
        let configuration = try configurationIfAny()
        guard let uri = sharedStore(configuration) else { return nil }
        guard !invocation.has(.dueSync) else {
            throw .usage("the store is in PostgreSQL, which serve does not sync", advice: "feedsync work syncs it")
        }
        let folder = try TemporaryFolder(environment, for: "serve")
        let path = "\(folder.path)/store.db"
        let copy = try await reading { () async throws(FeedSyncError) in
            let copy = try await FollowingCopy(path: path, uri: uri, feeds: nil, extent: .latest)
            try await copy.look(configuration?.feeds ?? [])
            return copy
        }
        settings.storePath = { _ in path }
        settings.runner = SharedCommands(
            uri: uri, folder: folder.path, keep: configuration?.retention ?? .standard, options: settings.options,
            copy: copy)
        return SharedServing(folder: folder, copy: copy)
    }
}

extension ListenAddress {
    /// The address to open in a browser.
    fileprivate var link: String {
        switch self {
        case .tcp: "http://\(self)/"
        case .unix: "\(self)"
        }
    }
}

/// The number of files and connections that the process may have open.
private enum DescriptorLimit {
    /// As many as the system allows: each listener is one.
    static func raise() {
        var limit = rlimit()
        guard platform_get_limit(platform_files, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 8_192)
        _ = platform_set_limit(platform_files, &limit)
    }
}

/// The user's browser.
private enum Browser {
    static func open(_ link: String, _ environment: [String: String]) {
        let command = environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 } ?? PLATFORM_OPENER
        // The shell finds it on the path and leaves it to itself; only the shell's own end is waited for.
        let words = ["/bin/sh", "-c", #""$0" "$1" >&2 &"#, command, link]
        guard let shell = try? ChildProcess.start(words, environment: environment) else { return }
        var status: Int32 = 0
        while waitpid(shell, &status, 0) < 0, errno == EINTR {}
    }
}
