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
        name: "serve",
        options: [.listen, .tokenFile, .noToken, .host, .proxy, .allowOrigin, .dueSync, .readOnly, .open]
            + Option.requesting,
        general: [.config, .store, .quiet, .help], store: .any, endsGracefully: true,
        summary: "Show the store as live pages, and as an API",
        explanation: """
            Serves the store on this machine until it is stopped: the list of each feed, which can be reloaded,
            scrolled on and filtered, and follows what any process stores; how feeds do; and all of it for programs, as
            /openapi.json describes. Feeds can be added there, too, as `feedsync add` does.

            Commands need a token, on this machine, too. serve prints an address that signs a browser in, once; --open opens
            it. Programs send the token as `Authorization: Bearer TOKEN`: it is in ~/.local/state/feedsync/serve.token.
            With --token-file, reading needs the token, too. An address that other machines can reach requires
            --token-file.

            With --sync, feeds are synced when they are due, as `sync --due` does from cron.

            Of a store in PostgreSQL, a copy in $TMPDIR is served, which follows what workers and other commands store.
            `feedsync work` syncs such a store.
            """,
        example: "feedsync serve --sync --open"
    ) { session throws(Failure) in
        let setup = ServeSetup(session: session)
        var settings = try setup.settings()
        let shared = try await SharedServing(session, &settings)
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
        setup.noteSignIn(server, settings.access)
        if session.invocation.has(.open), case .tcp = server.address {
            Browser.open(server.address.link + (server.signInPath() ?? ""), session.environment)
        }
        let following = Task { await shared?.follow { await server.feeds } }
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
        ChildProcess.waitForEnd(of: shell)
    }
}
