internal import FeedSync

extension Command {
    /// `login FEED`
    static let login = Command(
        "login", operands: "FEED", count: 1...1,
        summary: "Sign in for a feed, with a code that you enter in a browser",
        explanation: """
            For feeds whose `auth` has `oauth2` with `grant: device_code`. Shows a page and a code. Once you
            have entered the code there and allowed the access, the tokens are stored beside the configuration,
            in a file that only you can read. Later runs renew them.
            """,
        example: "feedsync login notes"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        let feed = try session.feeds(of: configuration)[0]
        let signIn = DeviceSignIn(feed, options: try session.engineOptions(folder: configuration.folder))
        let file = try await session.reading { () async throws(FeedSyncError) in
            let prompt = try await signIn.begin()
            session.console.warn("open \(prompt.url) and enter the code \(prompt.code)")
            if let complete = prompt.completeURL { session.console.warn("or open \(complete)") }
            try await signIn.finish(prompt)
            return try signIn.file()
        }
        if session.invocation.has(.json) {
            let document: JSONFields = ["feed": feed.name, "file": file]
            session.print(result: document)
        } else {
            session.console.print(
                "\(session.console.palette.name(feed.name))  signed in; the tokens are kept in \(file)")
        }
        return .done
    }
}
