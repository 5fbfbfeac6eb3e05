internal import YAML

/// An OAuth 2 client.
///
/// Source: https://www.rfc-editor.org/rfc/rfc6749#section-4
package struct OAuthClient: Sendable, Hashable {
    /// The way in which the client sends its credentials.
    package enum Sending: String, Sendable, Hashable, CaseIterable {
        /// By HTTP Basic authentication, which every token endpoint must support.
        case header
        /// By `client_id` and `client_secret` in the form.
        case body
    }

    /// The proof that a token may be given.
    package enum Grant: Sendable, Hashable {
        /// The client's own credentials.
        case clientCredentials
        /// A user's name and password.
        case password(user: Template, password: Template)
        /// A refresh token, which the upstream may replace at each use.
        case refreshToken(Template)
        /// A user who signs in by `feedsync login`, with a code that is shown; its tokens are kept.
        ///
        /// Source: https://www.rfc-editor.org/rfc/rfc8628
        case deviceCode(url: Template)
        /// A user who signs in by `feedsync login`, in a browser on this machine; its tokens are kept. The port is the
        /// one that the browser comes back to; nil for any.
        ///
        /// Source: https://www.rfc-editor.org/rfc/rfc8252
        case authorizationCode(url: Template, port: UInt16?)
    }

    /// The words for the grants.
    enum GrantWord: String, CaseIterable {
        case clientCredentials = "client_credentials"
        case password
        case refreshToken = "refresh_token"
        case deviceCode = "device_code"
        case authorizationCode = "authorization_code"
    }

    /// The token endpoint.
    package let tokenURL: Template
    /// The client's identifier.
    package let id: Template
    /// The client's secret; nil for a public client, which has none.
    package let secret: Template?
    /// The scope of the token, words separated by spaces; nil for the server's default.
    package let scope: Template?
    /// The audience of the token, for servers that require one.
    package let audience: Template?
    /// The way in which the client sends its credentials.
    package let sending: Sending
    /// The proof that a token may be given.
    package let grant: Grant
    /// Further parameters of the form.
    package let parameters: [NamedTemplate]
    /// The file that keeps the refresh tokens that replace the written one.
    package let tokensFile: String

    /// The name of the file, beside the configuration, if the definition has none.
    static let standardFile = "feedsync.tokens"

    /// Everything that may refer to a value elsewhere.
    var templates: [Template] {
        [tokenURL, id] + secrets + [scope, audience].compactMap(\.self) + parameters.map(\.value)
            + [user, deviceURL, signInPage?.url].compactMap(\.self)
    }

    /// The parts that must not be known to others.
    var secrets: [Template] {
        let own: [Template?] =
            switch grant {
            case .clientCredentials, .deviceCode, .authorizationCode: []
            case .password(_, let password): [password]
            case .refreshToken(let token): [token]
            }
        return ([secret] + own).compactMap(\.self) + parameters.filter { SecretName.matches($0.name) }.map(\.value)
    }

    /// The endpoint that gives codes to sign in with; nil for other grants.
    package var deviceURL: Template? { if case .deviceCode(let url) = grant { url } else { nil } }

    /// The page at which a user signs in, and the port to come back to; nil for other grants.
    package var signInPage: (url: Template, port: UInt16?)? {
        if case .authorizationCode(let url, let port) = grant { (url, port) } else { nil }
    }

    private var user: Template? { if case .password(let user, _) = grant { user } else { nil } }

    func canonicalMembers(_ hashed: (String) -> String, url: String) -> [(name: String, value: String)] {
        var members = [
            ("token_url", url), ("client_id", id.written(hashed)), ("client_secret", secret?.written(hashed) ?? ""),
            ("scope", scope?.description ?? ""), ("audience", audience?.description ?? ""), ("send", sending.rawValue),
        ]
        switch grant {
        // As before there were other grants.
        case .clientCredentials: break
        case .password(let user, let password):
            members += [("user", user.written(hashed)), ("password", password.written(hashed))]
        case .refreshToken(let token): members.append(("refresh_token", token.written(hashed)))
        case .deviceCode(let url): members.append(("device_url", url.written(hashed)))
        case .authorizationCode(let url, _): members.append(("authorize_url", url.written(hashed)))
        }
        members += parameters.map { ("parameters.\($0.name)", $0.value.written(hashed)) }
        return members.map { ("auth.oauth2.\($0.0)", $0.1) }
    }
}

extension MappingDecoder {
    /// The members of `oauth2`.
    func oauthClient(_ name: String) -> OAuthClient? {
        guard let members = reader(name) else { return nil }
        defer { members.finish() }
        members.require("token_url", "name the URL that gives access tokens")
        members.require("client_id", "it comes with the registration at the API")
        let word = members.choice("grant", OAuthClient.GrantWord.self) ?? .clientCredentials
        if word == .clientCredentials {
            members.require("client_secret", "it comes with the registration at the API")
        }
        let sending = members.choice("send", OAuthClient.Sending.self)
        let (scope, audience) = (members.template("scope"), members.template("audience"))
        let (secret, parameters) = (members.template("client_secret"), members.parameters("parameters"))
        let grant = members.grant(word)
        let file = members.file("tokens")
        for parameter in parameters where OAuthClient.ownParameters.contains(parameter.name) {
            members.report("`parameters` has `\(parameter.name)`, which has a member of its own", at: "parameters")
        }
        guard let url = members.url("token_url"), let id = members.template("client_id"), let grant else { return nil }
        return OAuthClient(
            tokenURL: url, id: id, secret: secret, scope: scope, audience: audience, sending: sending ?? .header,
            grant: grant, parameters: parameters,
            tokensFile: file?.path ?? OAuthClient.standardFile)
    }

    /// The members of the grant; those of another one are reported as such.
    private func grant(_ word: OAuthClient.GrantWord) -> OAuthClient.Grant? {
        let own: [OAuthClient.GrantWord: [String]] = [
            .password: ["user", "password"], .refreshToken: ["refresh_token"], .deviceCode: ["device_url"],
            .authorizationCode: ["authorize_url", "port"],
        ]
        let keeping: [OAuthClient.GrantWord] = [.refreshToken, .deviceCode, .authorizationCode]
        if has("tokens"), !keeping.contains(word) {
            let words = Self.list(keeping.map { "grant: \($0.rawValue)" })
            report("`tokens` of \(subject) needs \(words)", at: "tokens")
        }
        for (other, names) in own.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where other != word {
            for name in names where has(name) {
                report("`\(name)` of \(subject) needs `grant: \(other.rawValue)`", at: name)
            }
        }
        switch word {
        case .clientCredentials: return .clientCredentials
        case .password:
            require("user", "the password grant needs one")
            require("password", "the password grant needs one")
            guard let user = template("user"), let password = template("password") else { return nil }
            return .password(user: user, password: password)
        case .refreshToken:
            require("refresh_token", "it comes from the API's page for apps, or from a sign-in elsewhere")
            return template("refresh_token").map { .refreshToken($0) }
        case .deviceCode:
            require("device_url", "name the URL that gives codes to sign in with")
            return url("device_url").map { .deviceCode(url: $0) }
        case .authorizationCode:
            require("authorize_url", "name the page where users sign in")
            let port = integer("port", in: 1...65_535).map { UInt16($0) }
            return url("authorize_url").map { .authorizationCode(url: $0, port: port) }
        }
    }
}

extension OAuthClient {
    /// The parameters of the form that other members set.
    fileprivate static let ownParameters: Set<String> = [
        "response_type", "redirect_uri", "state", "code_challenge", "code_challenge_method", "code_verifier", "code",
        "grant_type", "client_id", "client_secret", "scope", "audience", "refresh_token", "username", "password",
    ]
}
