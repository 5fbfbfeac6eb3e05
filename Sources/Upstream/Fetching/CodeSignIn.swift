internal import HTTP

/// A user's sign-in in a browser on this machine, which comes back to an address of this process with a code.
///
/// The code is worth nothing without the verifier, which stays here, and is taken only with the state that went out.
/// Source: https://www.rfc-editor.org/rfc/rfc8252 and https://www.rfc-editor.org/rfc/rfc7636
package struct CodeSignIn: Sendable {
    /// The page to open, and the secrets of the sign-in that it begins.
    package struct Prompt: Sendable {
        /// The page to open in a browser.
        package let url: String
        fileprivate let redirect: String
        fileprivate let state: String
        fileprivate let verifier: String

        /// The answer in the request with which the browser comes back.
        package func answer(in query: [(name: String, value: String)]) -> Answer {
            let value = { (name: String) in query.first { $0.name == name }?.value }
            guard let state = value("state"), state == self.state else { return .foreign }
            if let error = value("error") { return .refused([error, value("error_description")].compactMap(\.self)) }
            guard let code = value("code"), !code.isEmpty else { return .foreign }
            return .code(code)
        }
    }

    /// The upstream's answer to a sign-in.
    package enum Answer: Sendable, Hashable {
        case code(String)
        /// A refusal, with the upstream's words.
        case refused([String])
        /// A request that does not belong to this sign-in.
        case foreign
    }

    private let client: SignInClient

    /// The sign-in of a feed; nil for a feed with another way to sign in.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration`.
    package init?(_ feed: FeedDefinition, options: EngineOptions) throws(FeedSyncError) {
        guard feed.authentication?.signsInByCode == true else { return nil }
        client = SignInClient(feed, options: options)
    }

    /// The port that the definition gives; 0 for any.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration`.
    package func port() throws(FeedSyncError) -> UInt16 { try client.source().request.redirectPort ?? 0 }

    /// The file that keeps the tokens.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration`.
    package func file() throws(FeedSyncError) -> String { try client.source().kept.tokens.path }

    /// The page to open.
    ///
    /// - Parameter redirect: The address to which the browser comes back.
    /// - Throws: `FeedSyncError` of kind `configuration`.
    package func begin(redirect: String) async throws(FeedSyncError) -> Prompt {
        try await client.fetcher.requests.runCommands()
        let request = try client.source().request
        guard let page = request.signInURL else { throw client.noSignIn }
        let (state, verifier) = (Self.randomWord(), Self.randomWord())
        var parameters: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", request.client?.id ?? ""), ("redirect_uri", redirect),
            ("state", state), ("code_challenge", Self.challenge(of: verifier)), ("code_challenge_method", "S256"),
        ]
        if let scope = request.scope { parameters.append(("scope", scope)) }
        if let audience = request.audience { parameters.append(("audience", audience)) }
        parameters += request.parameters.map { ($0.name, $0.value) }
        let url = page.replacingQuery(page.queryItems + parameters.map { NamedValue(name: $0, value: $1) })
        return Prompt(url: url.text, redirect: redirect, state: state, verifier: verifier)
    }

    /// Exchanges the code for tokens, and keeps them.
    ///
    /// - Throws: `FeedSyncError`; of kind `refused` if the upstream does not take the code.
    package func finish(_ prompt: Prompt, code: String) async throws(FeedSyncError) {
        let proof = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", prompt.redirect),
            ("code_verifier", prompt.verifier),
        ]
        let now = client.fetcher.fetcher.seconds
        let response = try await client.ask(try client.source().request.url, proof)
        let answer = SignInClient.members(response)
        guard answer["error"] == nil, (200..<300).contains(response.status) else {
            throw client.refusal(answer, "the sign-in was refused")
        }
        try await client.keep(try AccessToken(response, as: .oauth, now: now))
    }

    /// The error for a sign-in that the user or the upstream did not allow.
    package func refusal(_ words: [String]) -> FeedSyncError { client.refusal(words, "the sign-in was refused") }

    /// 256 random bits, as text for a URL.
    private static func randomWord() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64.encodedForURL((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Source: https://www.rfc-editor.org/rfc/rfc7636#section-4.2
    static func challenge(of verifier: String) -> String {
        Base64.encodedForURL(SHA256.hash(Array(verifier.utf8)))
    }
}
