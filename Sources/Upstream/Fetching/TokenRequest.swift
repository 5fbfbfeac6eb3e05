internal import HTTP

/// A request for an access token, references followed.
package struct TokenRequest: Sendable, Hashable {
    /// The way to a token.
    enum Grant: Sendable, Hashable {
        /// https://www.rfc-editor.org/rfc/rfc6749#section-4.4.2
        case clientCredentials
        /// https://www.rfc-editor.org/rfc/rfc6749#section-4.3.2
        case password(user: String, password: String)
        /// https://www.rfc-editor.org/rfc/rfc6749#section-6. Nil where the first one comes with a sign-in.
        case refreshToken(String?, KeptTokens)
        /// A signed token in the form: https://www.rfc-editor.org/rfc/rfc7523#section-2.1
        case assertion(SignedToken)
        /// A signed token in the header.
        case bearer(SignedToken)
        /// A signed token that is the access token itself: nothing is requested.
        case signature(SignedToken)
        /// A request that opens a session.
        case session(body: String, mediaType: String, headers: [NamedValue])
    }

    /// An OAuth client, whose credentials go with the request.
    struct Client: Sendable, Hashable {
        let id: String
        let secret: String?
        let sending: OAuthClient.Sending

        /// The value for HTTP Basic authentication: id and secret are encoded as in a form before they are joined.
        ///
        /// A space is `%20`: servers that read no plus as one, such as Authlib, understand it, too.
        /// Source: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
        fileprivate var pair: String? {
            secret.map { Base64.encoded("\(PercentCoding.encoded(id)):\(PercentCoding.encoded($0))") }
        }
    }

    /// The token endpoint; for a token that is signed here, the feed's own URL.
    let url: WebURL
    let grant: Grant
    var client: Client?
    /// The endpoint for codes to sign in with.
    var deviceURL: WebURL?
    /// The page where a user signs in.
    var signInURL: WebURL?
    /// The port to which the browser comes back; nil for any.
    var redirectPort: UInt16?
    var scope: String?
    var audience: String?
    var parameters: [NamedValue] = []
    let reading: TokenReading
    let header: TokenHeader

    /// The other values that distinguish tokens of one client.
    var distinction: [String] { [scope, audience].compactMap(\.self) }

    /// True if a token that came must not get lost: the request is not to be cancelled once it is on its way.
    var isIndivisible: Bool { if case .refreshToken = grant { true } else { false } }

    /// The client as the file of kept tokens knows it; nil for grants that keep none.
    var kept: (tokens: KeptTokens, client: KeptTokens.Client, first: String?)? {
        guard case .refreshToken(let first, let tokens) = grant else { return nil }
        let words =
            [url.text, client?.id ?? "", scope ?? "", audience ?? ""] + parameters.flatMap { [$0.name, $0.value] }
        return (tokens, KeptTokens.Client(words, refreshToken: first ?? ""), first)
    }

    /// The request as it is sent; it goes to its own URL or nowhere.
    ///
    /// - Parameters:
    ///   - endpoint: Another URL than the token endpoint's.
    ///   - proof: The form's first parameters, in place of the grant's.
    ///   - refresh: The present refresh token.
    ///   - now: The time in seconds since 1970.
    ///   - timeouts: The time that it may take.
    ///   - connection: The options with which the feed's own requests reach their host.
    ///   - secrets: The texts that its errors must not show.
    /// - Throws: `FeedSyncError` of kind `configuration` for a key that cannot sign.
    func page(
        to endpoint: WebURL? = nil, proof: [(name: String, value: String)]? = nil, refresh: String? = nil, now: Int64,
        timeouts: Timeouts, connection: ConnectionOptions, secrets: Secrets
    ) throws(FeedSyncError) -> PreparedPage {
        var request = Request(
            endpoint ?? url, method: "POST",
            headers: ["Accept": "application/json", "Content-Type": FormBody.mediaType],
            timeouts: timeouts, limits: ResponseLimits(body: 1 << 20))
        var form: [(name: String, value: String)] = []
        switch grant {
        case _ where proof != nil: form = proof ?? []
        case .clientCredentials: form = [("grant_type", "client_credentials")]
        case .password(let user, let password):
            form = [("grant_type", "password"), ("username", user), ("password", password)]
        case .refreshToken: form = [("grant_type", "refresh_token"), ("refresh_token", refresh ?? "")]
        case .assertion(let token):
            form = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", try token.text(at: now)),
            ]
        case .bearer(let token):
            request.credentials = [.header(name: "Authorization", value: "Bearer \(try token.text(at: now))")]
        case .session(let body, let mediaType, let headers):
            request.headers["Content-Type"] = mediaType
            for field in headers { request.headers[field.name] = field.value }
            request.body = Array(body.utf8)
        case .signature: break
        }
        if let client {
            if client.sending == .header, let pair = client.pair {
                request.credentials = [.header(name: "Authorization", value: "Basic \(pair)")]
            } else {
                form.append(("client_id", client.id))
                if let secret = client.secret { form.append(("client_secret", secret)) }
            }
        }
        if let scope { form.append(("scope", scope)) }
        if let audience { form.append(("audience", audience)) }
        form += parameters.map { ($0.name, $0.value) }
        if request.body == nil { request.body = FormEncoding.body(form) }
        request.redirects = .none
        request.connection = connection
        // It is for the feed's origin.
        request.connection.clientCertificate = nil
        // A signed token is as good as a credential, and so is a refresh token.
        let own = form.filter {
            ["assertion", "refresh_token", "device_code", "code", "code_verifier"].contains($0.name)
        }.map(\.value)
        return PreparedPage(
            request: request, identity: "POST \(secrets.key(for: request.url.text))", credentialFingerprint: 0,
            cursor: nil, secrets: secrets.adding(own), isForToken: true, isIndivisible: isIndivisible)
    }
}

extension TokenRequest {
    /// Follows a template; the flag is true for a URL.
    typealias Resolve = (Template, _ isURL: Bool) throws(ConfigurationError) -> Template.Resolved

    /// A token request and its secrets.
    typealias Resolution = (request: TokenRequest, secrets: [String])

    /// The request for the tokens of a feed; nil if it needs none.
    ///
    /// - Parameters:
    ///   - feedURL: The feed's own URL.
    ///   - file: The path of a file that the definition names.
    /// - Throws: the error of `resolve`; `ConfigurationError` for an invalid URL.
    static func resolved(
        _ authentication: Authentication, feedURL: String, file: (String) -> String, _ resolve: Resolve
    ) throws(ConfigurationError) -> Resolution? {
        switch authentication {
        case .oauth2(let client): try resolved(client, file, resolve)
        case .jwt(let rule): try resolved(rule, feedURL, resolve)
        case .session(let rule): try resolved(rule, resolve)
        case .bearer, .basic, .headers, .query, .digest, .negotiate, .aws, .oneOf: nil
        }
    }

    private static func resolved(
        _ client: OAuthClient, _ file: (String) -> String, _ resolve: Resolve
    ) throws(ConfigurationError) -> Resolution {
        let address = try resolve(client.tokenURL, true)
        var secrets: [String] = []
        func value(_ template: Template?) throws(ConfigurationError) -> String? {
            guard let template else { return nil }
            let value = try resolve(template, false)
            secrets += value.secrets
            return value.text
        }
        let (secret, id) = (try value(client.secret), try value(client.id) ?? "")
        let (scope, audience) = (try value(client.scope), try value(client.audience))
        let parameters = try client.parameters.map { parameter throws(ConfigurationError) in
            NamedValue(name: parameter.name, value: try value(parameter.value) ?? "")
        }
        var own = parameters.filter { SecretName.matches($0.name) }.map(\.value)
        let grant: Grant
        switch client.grant {
        case .clientCredentials: grant = .clientCredentials
        case .password(let userTemplate, let passwordTemplate):
            let (user, password) = (try value(userTemplate) ?? "", try value(passwordTemplate) ?? "")
            own += [password, user]
            grant = .password(user: user, password: password)
        case .refreshToken(let template):
            let token = try value(template) ?? ""
            own.append(token)
            grant = .refreshToken(token, KeptTokens(path: file(client.tokensFile)))
        case .deviceCode, .authorizationCode: grant = .refreshToken(nil, KeptTokens(path: file(client.tokensFile)))
        }
        let sent = Client(id: id, secret: secret, sending: client.sending)
        var request = TokenRequest(
            url: try url(address.text, client.tokenURL, "token_url"), grant: grant, client: sent, scope: scope,
            audience: audience, parameters: parameters, reading: .oauth, header: .bearer)
        if let deviceURL = client.deviceURL {
            let device = try resolve(deviceURL, true)
            secrets += device.secrets
            request.deviceURL = try url(device.text, deviceURL, "device_url")
        }
        if let page = client.signInPage {
            let address = try resolve(page.url, true)
            secrets += address.secrets
            request.signInURL = try url(address.text, page.url, "authorize_url")
            request.redirectPort = page.port
        }
        let hidden = [secret, id, sent.pair].compactMap(\.self) + own
        return (request, hidden + secrets + address.secrets + address.secrets.flatMap(URLSecret.otherForms))
    }

    private static func resolved(
        _ rule: SignedTokenRule, _ feedURL: String, _ resolve: Resolve
    ) throws(ConfigurationError) -> Resolution {
        let key = try resolve(rule.key, false)
        let id = try rule.keyID.map { template throws(ConfigurationError) in try resolve(template, false) }
        let address = try rule.exchange.map { exchange throws(ConfigurationError) in try resolve(exchange.url, true) }
        let signingKey = try SigningKey(key.text, rule, id: id?.text)
        var secrets = signingKey.secrets + key.secrets + (id?.secrets ?? [])
        var claims = try rule.claims.resolved { text throws(ConfigurationError) in
            let value = try resolve(text.value, false)
            secrets += value.secrets
            return value.text
        }
        if let address, rule.exchange?.sending == .assertion, claims.members?["aud"] == nil {
            claims.set(["aud"], to: .string(address.text))
        }
        let token = SignedToken(
            algorithm: rule.algorithm, key: signingKey, claims: claims, lifetime: rule.lifetime.components.seconds)
        guard let exchange = rule.exchange, let address else {
            let request = TokenRequest(
                url: try url(feedURL, rule.key, "url"), grant: .signature(token), reading: .oauth, header: rule.header)
            return (request, secrets)
        }
        let request = TokenRequest(
            url: try url(address.text, exchange.url, "token_url"),
            grant: exchange.sending == .assertion ? .assertion(token) : .bearer(token), reading: exchange.reading,
            header: rule.header)
        return (request, secrets + address.secrets + address.secrets.flatMap(URLSecret.otherForms))
    }

    private static func resolved(
        _ rule: SessionRule, _ resolve: Resolve
    ) throws(ConfigurationError) -> Resolution {
        let address = try resolve(rule.url, true)
        var secrets: [String] = []
        func value(_ text: NamedTemplate) throws(ConfigurationError) -> String {
            let value = try resolve(text.value, false)
            secrets += value.secrets
            if SecretName.matches(text.name) { secrets.append(value.text) }
            return value.text
        }
        let body = try rule.body.resolved { text throws(ConfigurationError) in try value(text) }
        let headers = try rule.headers.map { header throws(ConfigurationError) in
            NamedValue(name: header.name, value: try value(header))
        }
        let isForm = rule.sending == .form
        let request = TokenRequest(
            url: try url(address.text, rule.url, "url"),
            grant: .session(
                body: isForm ? body.form : body.json,
                mediaType: isForm ? FormBody.mediaType : "application/json", headers: headers),
            reading: rule.reading, header: rule.header)
        return (request, secrets + address.secrets + address.secrets.flatMap(URLSecret.otherForms))
    }

    private static func url(
        _ text: String, _ template: Template, _ name: String
    ) throws(ConfigurationError) -> WebURL {
        do throws(HTTPError) {
            return try WebURL(text)
        } catch {
            throw ConfigurationError(
                Diagnostic(
                    position: template.position, problem: "the `\(name)` cannot be requested: \(error.message)"))
        }
    }
}

extension TokenRequest: SecretHolder {
    /// The token's URL, without the query.
    package var description: String { "access token of \(url.origin)\(url.path)" }
}
