internal import FeedSync
internal import HTTP
internal import HTTPServer
internal import Web

/// The settings of `serve`, from its command line and the configuration.
struct ServeSetup {
    let session: Session

    private var invocation: Invocation { session.invocation }
    private var environment: [String: String] { session.environment }

    /// The settings of the server on the command line.
    ///
    /// - Throws: `Failure` with exit code 64 for an address that cannot be served, 78 for an invalid configuration.
    func settings() throws(Failure) -> WebSettings {
        let text = invocation.options[.listen] ?? "127.0.0.1:8420"
        guard let address = ListenAddress(text) else {
            throw .usage(
                "--listen must be HOST:PORT or unix:PATH, not \(text)", advice: "for example --listen 127.0.0.1:8421")
        }
        let access = try access(at: address, text)
        try invocation.check(.dueSync, without: .readOnly)
        let file = try session.configurationFile()
        let configuration = try session.configurationIfAny()
        var options = try session.engineOptions(folder: configuration?.folder ?? ".")
        options.wait = try invocation.duration(.wait) ?? .zero
        var settings = WebSettings(
            address: address, options: options,
            configuration: { [session] () throws(ConfigurationProblem) in
                do throws(Failure) { return try session.configurationIfAny() } catch {
                    throw ConfigurationProblem(lines: error.messages)
                }
            }, storePath: { [session] in session.storePath($0) })
        settings.access = access
        settings.isReadOnly = invocation.has(.readOnly)
        let path = file?.path ?? invocation.options[.config] ?? "feedsync.yaml"
        settings.newFeedsFile = { [session] () throws(ConfigurationProblem) in
            do throws(Failure) {
                // A file may have been made since the start; otherwise the new file gets this path.
                return try session.configurationFile() ?? ConfigurationFile(path: path)
            } catch {
                throw ConfigurationProblem(lines: error.messages)
            }
        }
        settings.reportHook = { [console = session.console] error, feed in
            guard error.kind != .cancelled else { return }
            console.reportBriefly(Failure(error, feed: feed), always: true)
        }
        settings.configurationFiles = [path]
        settings.pictureFolder = UserFolder.cache(environment).map { "\($0)/pictures" }
        return settings
    }

    /// The conditions for the users of the server.
    ///
    /// - Throws: `Failure` with exit code 64 for options that let strangers in.
    private func access(at address: ListenAddress, _ text: String) throws(Failure) -> Access {
        var access = Access()
        access.hosts = invocation.values[.host] ?? []
        access.proxies = invocation.values[.proxy] ?? []
        access.origins = try origins()
        access.report = { [console = session.console] line in console.warn(line) }
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
        if let folder = environment["STATE_DIRECTORY"] ?? UserFolder.state(environment) {
            let path = "\(folder)/serve.signed-out"
            let signOuts = SignOutFile(path: path) { [console = session.console] line in console.warn(line) }
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
    func noteSignIn(_ server: WebServer, _ access: Access) {
        guard !invocation.has(.noToken) else {
            let deeds = invocation.has(.readOnly) ? "read the store" : "send commands and add feeds"
            return session.console.warn("--no-token: everybody on this machine can \(deeds)")
        }
        guard let path = server.signInPath() else { return }
        let link = access.hosts.first.map { "https://\($0)/" } ?? server.address.link
        if case .unix = server.address, access.hosts.isEmpty { return }
        session.console.note("to send commands from its pages, sign in once at \(link)\(path)")
    }
}

extension ListenAddress {
    /// The address to open in a browser.
    var link: String {
        switch self {
        case .tcp: "http://\(self)/"
        case .unix: "\(self)"
        }
    }
}
