internal import YAML

/// The place of a token in a response, and how long it is good for.
package struct TokenReading: Sendable, Hashable {
    /// The place of a token.
    package enum Place: Sendable, Hashable {
        /// A member of the body.
        case body(Path)
        /// A header field.
        case header(String)
        /// A cookie.
        case cookie(String)
    }

    /// The place of the token.
    package let place: Place
    /// The member with the seconds for which it is good, or with the time at which it expires; nil if nothing says so.
    package let expiry: Path?
    /// The time for which it is good, where the response does not say so; nil if only a 401 ends it.
    package let lifetime: Duration?

    /// As OAuth has it: https://www.rfc-editor.org/rfc/rfc6749#section-5.1
    package static let oauth = TokenReading(
        place: .body(Path([.member("access_token")])), expiry: Path([.member("expires_in")]), lifetime: nil)

    var canonicalText: String {
        let place =
            switch place {
            case .body(let path): "\(path)"
            case .header(let name): "header \(name.lowercased())"
            case .cookie(let name): "cookie \(name)"
            }
        return "\(place) \(expiry.map { "\($0)" } ?? "") \(lifetime.map { DurationText.text($0) } ?? "")"
    }
}

/// The header that takes a token.
package struct TokenHeader: Sendable, Hashable {
    /// The field's name.
    package let name: String
    /// The text before the token, such as `Bearer `; empty for none.
    package let prefix: String

    /// `Authorization: Bearer …`
    package static let bearer = TokenHeader(name: "Authorization", prefix: "Bearer ")
}

/// A JSON Web Token that feedsync signs, and which it sends itself or exchanges for an access token.
///
/// Source: https://www.rfc-editor.org/rfc/rfc7519
package struct SignedTokenRule: Sendable, Hashable {
    /// The signature.
    package enum Algorithm: String, Sendable, Hashable, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
        case hs256 = "HS256"
    }

    /// The notation of an HS256 key.
    package enum KeyCoding: String, Sendable, Hashable, CaseIterable {
        case text, base64, hex
    }

    /// The way in which a token endpoint gets the signed token.
    package enum Sending: String, Sendable, Hashable, CaseIterable {
        /// In the form: https://www.rfc-editor.org/rfc/rfc7523#section-2.1
        case assertion
        /// In the header `Authorization`.
        case bearer
    }

    /// The exchange of the signed token for an access token.
    package struct TokenExchange: Sendable, Hashable {
        package let url: Template
        package let sending: Sending
        package let reading: TokenReading
    }

    package let algorithm: Algorithm
    /// The private key in PEM, a service account's file in JSON, or the common key of HS256.
    package let key: Template
    package let keyCoding: KeyCoding
    package let keyID: Template?
    /// The claims, an object; the times are added.
    package let claims: BodyTemplate
    /// The time from its issue to its expiry.
    package let lifetime: Duration
    /// The exchange; nil if the signed token goes to the feed's own requests.
    package let exchange: TokenExchange?
    /// The header of the feed's requests.
    package let header: TokenHeader

    var templates: [Template] {
        [key] + [keyID, exchange?.url].compactMap(\.self) + claims.texts.map(\.value)
    }

    func canonicalMembers(_ hashed: (String) -> String, url: String) -> [(name: String, value: String)] {
        [
            ("auth.jwt.algorithm", algorithm.rawValue), ("auth.jwt.key", "\(keyCoding) \(key.written(hashed))"),
            ("auth.jwt.key_id", keyID?.written(hashed) ?? ""),
            ("auth.jwt.claims", claims.canonicalText { $0.value.written(hashed) }),
            (
                "auth.jwt.token_url",
                exchange.map { "\(url) \($0.sending.rawValue) \($0.reading.canonicalText)" } ?? ""
            ),
            ("auth.jwt.header", "\(header.name.lowercased()) \(header.prefix)"),
        ]
    }
}

/// A session that a request opens, and whose token later requests carry.
package struct SessionRule: Sendable, Hashable {
    /// The coding of the body.
    package enum Sending: String, Sendable, Hashable, CaseIterable {
        case json, form
    }

    package let url: Template
    package let headers: [NamedTemplate]
    package let body: BodyTemplate
    package let sending: Sending
    package let reading: TokenReading
    /// The header of the feed's requests.
    package let header: TokenHeader

    var templates: [Template] { [url] + (headers + body.texts).map(\.value) }

    func canonicalMembers(_ hashed: (String) -> String, url: String) -> [(name: String, value: String)] {
        [
            ("auth.session.url", url), ("auth.session.body", body.canonicalText { $0.value.written(hashed) }),
            ("auth.session.send", sending.rawValue), ("auth.session.token", reading.canonicalText),
            ("auth.session.header", "\(header.name.lowercased()) \(header.prefix)"),
        ] + headers.map { ("auth.session.headers.\($0.name.lowercased())", $0.value.written(hashed)) }
    }
}

extension MappingDecoder {
    private static let longestLife = Duration.seconds(3650 * 86_400)

    /// The members of `jwt`.
    func signedToken(_ name: String) -> SignedTokenRule? {
        guard let members = reader(name) else { return nil }
        defer { members.finish() }
        members.require("key", "give the private key as `${file:PATH}`")
        let algorithm = members.choice("algorithm", SignedTokenRule.Algorithm.self) ?? .rs256
        let coding = members.choice("key_coding", SignedTokenRule.KeyCoding.self)
        if coding != nil, algorithm != .hs256 {
            members.report("`key_coding` is for `algorithm: HS256`: other keys are in PEM", at: "key_coding")
        }
        let keyID = members.template("key_id")
        let lifetime = members.duration("lifetime", in: .seconds(10)...Duration.seconds(86_400)) ?? .seconds(300)
        let (claims, exchange) = (members.claims("claims"), members.exchange())
        let header = members.tokenHeader(standard: .bearer)
        guard let key = members.template("key") else { return nil }
        return SignedTokenRule(
            algorithm: algorithm, key: key, keyCoding: coding ?? .text, keyID: keyID, claims: claims,
            lifetime: lifetime, exchange: exchange, header: header)
    }

    private func claims(_ name: String) -> BodyTemplate {
        guard let node = node(name) else { return .object([]) }
        guard node.pairs != nil else {
            mismatch(name, node, expected: "a mapping")
            return .object([])
        }
        for time in ["iat", "exp"] where node[time] != nil {
            report("`\(name)` has `\(time)`, which is set at each signature; see `lifetime`", at: name)
        }
        return bodyTemplate(name, node) ?? .object([])
    }

    private func exchange() -> SignedTokenRule.TokenExchange? {
        let sending = choice("send", SignedTokenRule.Sending.self)
        let place = tokenPlace("token")
        let expiry = path("expires")
        guard has("token_url") else {
            for name in ["send", "token", "expires"] where has(name) {
                report("`\(name)` of \(subject) needs a `token_url`", at: name)
            }
            return nil
        }
        let standard = TokenReading.oauth
        return url("token_url").map { url in
            SignedTokenRule.TokenExchange(
                url: url, sending: sending ?? .assertion,
                reading: TokenReading(
                    place: place ?? standard.place, expiry: expiry ?? standard.expiry, lifetime: nil))
        }
    }

    /// The members of `session`.
    func session(_ name: String) -> SessionRule? {
        guard let members = reader(name) else { return nil }
        defer { members.finish() }
        members.require("url", "name the URL that gives tokens")
        members.require("body", "say how to sign in, as in `{user: me, password: \"${PASSWORD}\"}`")
        members.require("token", "say where the response has the token: a path, `{header: NAME}` or `{cookie: NAME}`")
        let sending = members.choice("send", SessionRule.Sending.self) ?? .json
        let (place, expiry) = (members.tokenPlace("token"), members.path("expires"))
        let lifetime = members.duration("lifetime", in: .seconds(1)...Self.longestLife)
        let headers = members.headers("headers")
        let standard: TokenHeader =
            if case .cookie(let name)? = place { TokenHeader(name: "Cookie", prefix: "\(name)=") } else { .bearer }
        let header = members.tokenHeader(standard: standard)
        let body = members.sessionBody("body", sending)
        guard let url = members.url("url"), let body, let place else { return nil }
        return SessionRule(
            url: url, headers: headers, body: body, sending: sending,
            reading: TokenReading(place: place, expiry: expiry, lifetime: lifetime), header: header)
    }

    private func sessionBody(_ name: String, _ sending: SessionRule.Sending) -> BodyTemplate? {
        guard let node = node(name) else { return nil }
        guard let pairs = node.pairs else {
            mismatch(name, node, expected: "a mapping")
            return nil
        }
        if sending == .form, let nested = pairs.first(where: { $0.value.scalar == nil }) {
            report(
                "a form cannot hold `\(nested.key.text ?? "")`, which is no single value",
                at: SourcePosition(nested.value.mark))
        }
        return bodyTemplate(name, node)
    }

    private func tokenPlace(_ name: String) -> TokenReading.Place? {
        guard let node = node(name) else { return nil }
        guard node.pairs != nil else { return path(name).map { .body($0) } }
        let members = reader(name, node)
        defer { members.finish() }
        let (header, cookie) = (members.string("header"), members.string("cookie"))
        switch (header, cookie) {
        case (let header?, nil): return .header(header)
        case (nil, let cookie?): return .cookie(cookie)
        default:
            report("`\(name)` of \(subject) must be a path, `{header: NAME}` or `{cookie: NAME}`", at: name)
            return nil
        }
    }

    /// `header` and `scheme`: `Authorization` has the scheme `Bearer` unless another one is named, other fields none.
    private func tokenHeader(standard: TokenHeader) -> TokenHeader {
        let scheme = string("scheme")
        for (name, text) in [("header", string("header")), ("scheme", scheme)] {
            guard let text, !text.isHTTPToken, !(name == "scheme" && text.isEmpty) else { continue }
            report("`\(name)` of \(subject) must be a word that HTTP allows there", at: name)
        }
        guard let name = string("header") ?? (scheme == nil ? nil : "Authorization") else { return standard }
        let own = name.lowercased() == "authorization" ? "Bearer" : ""
        let word = scheme ?? own
        return TokenHeader(name: name, prefix: word.isEmpty ? "" : "\(word) ")
    }
}
