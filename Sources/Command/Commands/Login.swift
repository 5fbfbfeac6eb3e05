internal import FeedSync
internal import HTTPServer

extension Command {
    /// `login FEED`
    static let login = Command(
        name: "login", operands: "FEED", count: 1...1, store: .any,
        summary: "Sign in for a feed, in a browser",
        explanation: """
            For feeds whose `auth` has `oauth2` with `grant: device_code` or `grant: authorization_code`. With the
            first, login shows a page and a code to enter there, in a browser on any machine. With the second, it
            shows a page to open on this machine, and waits until the browser comes back to it. Once you have allowed
            the access, the tokens are stored beside the configuration, in a file that only you can read. Later runs
            renew them.
            """,
        example: "feedsync login notes"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let feed = try session.feeds(of: configuration)[0]
        let options = try session.engineOptions(folder: configuration.folder)
        let file = try await session.reading { () async throws(FeedSyncError) in
            if let signIn = try CodeSignIn(feed, options: options) { return try await session.signIn(by: signIn) }
            let signIn = DeviceSignIn(feed, options: options)
            let prompt = try await signIn.begin()
            session.console.warn("open \(prompt.url) and enter the code \(prompt.code)")
            if let complete = prompt.completeURL { session.console.warn("or open \(complete)") }
            try await signIn.finish(prompt)
            return try signIn.file()
        }
        session.print(
            result: ["feed": feed.name, "file": file],
            orLine: "\(session.console.palette.name(feed.name))  signed in; the tokens are kept in \(file)")
        return .done
    }
}

extension Session {
    /// The time for which the browser is waited for.
    private static let longestSignIn = Duration.seconds(600)

    /// Waits until a browser on this machine brings the code, and keeps the tokens.
    ///
    /// - Returns: The file that keeps them.
    fileprivate func signIn(by signIn: CodeSignIn) async throws(FeedSyncError) -> String {
        let port = try signIn.port()
        let listener: LoopbackListener
        do throws(ServerError) {
            listener = try LoopbackListener(port: port)
        } catch {
            throw FeedSyncError(
                .configuration, "cannot wait for the browser: \(error)", advice: "give `port` in `auth` another number")
        }
        defer { listener.stop() }
        let prompt = try await signIn.begin(redirect: listener.url)
        console.warn("sign in with a browser on this machine, at \(prompt.url)")
        switch await listener.answer(to: prompt, within: Self.longestSignIn) {
        case .code(let code): try await signIn.finish(prompt, code: code)
        case .refused(let words): throw signIn.refusal(words)
        case .foreign, nil:
            if Task.isCancelled { throw .cancelled }
            throw signIn.refusal(["the browser did not come back in time"])
        }
        return try signIn.file()
    }
}
