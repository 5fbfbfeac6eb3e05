internal import HTTP

/// A user's sign-in with a code, which is entered on another device or in a browser; the tokens are kept.
///
/// Source: https://www.rfc-editor.org/rfc/rfc8628
package struct DeviceSignIn: Sendable {
    /// The words for the user.
    package struct Prompt: Sendable, Hashable {
        /// The page to open.
        package let url: String
        /// The code to enter there.
        package let code: String
        /// The page with the code in it, if there is one.
        package let completeURL: String?
        fileprivate let deviceCode: String
        fileprivate let interval: Int64
        fileprivate let expiry: Int64
    }

    private let client: SignInClient

    /// The sign-in of a feed.
    package init(_ feed: FeedDefinition, options: EngineOptions) { client = SignInClient(feed, options: options) }

    /// The file that keeps the tokens.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration`.
    package func file() throws(FeedSyncError) -> String { try client.source().kept.tokens.path }

    /// Asks for a code.
    ///
    /// - Throws: `FeedSyncError`; of kind `configuration` for a feed with another way to sign in.
    package func begin() async throws(FeedSyncError) -> Prompt {
        try await client.fetcher.requests.runCommands()
        let now = client.fetcher.fetcher.seconds
        guard let device = try client.source().request.deviceURL else { throw client.noSignIn }
        let answer = SignInClient.members(try await client.ask(device, []))
        guard let url = (answer["verification_uri"] ?? answer["verification_url"])?.text,
            let code = answer["user_code"]?.text,
            let deviceCode = answer["device_code"]?.text, !code.isEmpty, !deviceCode.isEmpty
        else { throw client.refusal(answer, "the response to `device_url` has no code to sign in with") }
        let complete = answer["verification_uri_complete"]?.text
        for text in [url, complete].compactMap(\.self) where (try? WebURL(text)) == nil {
            throw FeedSyncError(.undecodable, "the address of the sign-in page is not a web address")
        }
        let seconds = { (name: String, usual: Int64, range: ClosedRange<Int64>) -> Int64 in
            guard let text = answer[name]?.json, let number = Double(text), number.isFinite else { return usual }
            return Int64(max(Double(range.lowerBound), min(number, Double(range.upperBound))))
        }
        return Prompt(
            url: url, code: code, completeURL: complete, deviceCode: deviceCode,
            interval: seconds("interval", 5, 1...60), expiry: now + seconds("expires_in", 600, 1...3_600))
    }

    /// Waits until the user has entered the code, and keeps the tokens.
    ///
    /// - Throws: `FeedSyncError`; of kind `refused` if the user did not allow it in time.
    package func finish(_ prompt: Prompt) async throws(FeedSyncError) {
        var interval = prompt.interval
        let source = try client.source()
        while client.fetcher.fetcher.seconds < prompt.expiry {
            try await client.fetcher.fetcher.sleep(for: .seconds(interval))
            let now = client.fetcher.fetcher.seconds
            let proof = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", prompt.deviceCode),
            ]
            let response = try await client.ask(source.request.url, proof)
            let answer = SignInClient.members(response)
            switch answer["error"]?.text {
            case nil:
                return try await client.keep(try AccessToken(response, as: .oauth, now: now))
            case "authorization_pending": continue
            // https://www.rfc-editor.org/rfc/rfc8628#section-3.5
            case "slow_down": interval = min(interval + 5, 60)
            default: throw client.refusal(answer, "the sign-in was refused")
            }
        }
        throw FeedSyncError(.refused, "the code was not entered in time", advice: "feedsync login \(client.feed.name)")
    }
}
