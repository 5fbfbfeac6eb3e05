internal import Feeds
internal import YAML

/// Reads the way in which a stream's requests are authenticated.
struct AuthenticationReader {
    let evaluator: Evaluator
    private var requests: RequestReader { RequestReader(evaluator: evaluator) }

    func read(_ authenticator: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        let chosen = try selected(authenticator, &feed.notes)
        try chosen.refuseCode()
        switch chosen.type {
        case "NoAuth": return
        case "BearerAuthenticator":
            feed.authentication = .mapping([.init("bearer", try credential("api_token", of: chosen))])
        case "BasicHttpAuthenticator":
            let user = try credential("username", of: chosen)
            let password = try evaluator.words(try chosen.member("password"))?.written ?? ""
            feed.authentication = .mapping([
                .init("basic", .mapping([.init("user", user), .init("password", .text(password))]))
            ])
        case "ApiKeyAuthenticator": try readKey(chosen, into: &feed)
        case "OAuthAuthenticator": feed.authentication = try oauth(chosen)
        case "RateLimitedMultipleTokenAuthenticator": feed.authentication = try rotation(chosen, &feed.notes)
        case "JwtAuthenticator": feed.authentication = try signedToken(chosen)
        case "SessionTokenAuthenticator": feed.authentication = try session(chosen)
        case let type:
            throw chosen.fault(.authenticator, "its sign-in is `\(type ?? "")`, which feedsync does not have")
        }
    }

    /// The authenticator that the settings select, of those that a manifest offers.
    private func selected(_ authenticator: Component, _ notes: inout [String]) throws(ConnectorFault) -> Component {
        guard authenticator.type == "SelectiveAuthenticator", let choices = try authenticator.member("authenticators")
        else { return authenticator }
        let path = try evaluator.literals(try authenticator.member("authenticator_selection_path")).map { $0 ?? "" }
        let names = choices.node.pairs?.compactMap(\.key.text) ?? []
        if let given = evaluator.settings.givenValue(at: path) {
            guard names.contains(given), let choice = try choices.member(given) else {
                throw authenticator.fault(
                    .authenticator,
                    "\(path.joined(separator: ".")) can be \(names.joined(separator: " or ")), not \(given)")
            }
            return choice
        }
        // The simplest one that there is: a token of one's own.
        let simple = ["BearerAuthenticator", "ApiKeyAuthenticator", "BasicHttpAuthenticator"]
        for name in names {
            guard let choice = try choices.member(name), simple.contains(choice.type ?? "") else { continue }
            if names.count > 1 {
                notes.append("it signs in by \(name), of \(names.joined(separator: ", "))")
            }
            return choice
        }
        guard let first = names.first, let choice = try choices.member(first) else { return authenticator }
        return choice
    }

    private func credential(_ name: String, of authenticator: Component) throws(ConnectorFault) -> FeedEntry.Value {
        guard let words = try evaluator.words(try authenticator.member(name)) else {
            throw authenticator.fault(.authenticator, "its `\(name)` is empty")
        }
        return .text(words.written)
    }

    private func readKey(_ authenticator: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        let token = try credential("api_token", of: authenticator)
        var place = RequestPlace.header("Authorization")
        if let option = try authenticator.member("inject_into") {
            place = try RequestPlace(option, evaluator)
        } else if let header = try evaluator.literal(try authenticator.member("header")) {
            place = .header(header)
        }
        switch place {
        case .header(let name):
            feed.authentication = .mapping([.init("header", .mapping([.init(name, token)]))])
        case .query(let name):
            feed.query.removeAll { $0.name == name }
            feed.authentication = .mapping([.init("query", .mapping([.init(name, token)]))])
        case .body(let names) where names.count == 1: feed.body.set(names[0], token)
        case .body, .path: throw authenticator.fault(.authenticator, "its key is sent inside an object of the body")
        }
    }

    private func oauth(_ authenticator: Component) throws(ConnectorFault) -> FeedEntry.Value {
        let grant = try evaluator.literal(try authenticator.member("grant_type")) ?? "refresh_token"
        guard ["client_credentials", "refresh_token"].contains(grant) else {
            throw authenticator.fault(
                .authenticator, "it signs in by OAuth 2 with the grant `\(grant)`, which feedsync does not have")
        }
        try refuseOtherNames(authenticator)
        var members: [FeedEntry.Member] = [
            .init("token_url", try credential("token_refresh_endpoint", of: authenticator))
        ]
        if grant == "refresh_token" { members.append(.init("grant", .text(grant))) }
        members += [
            .init("client_id", try credential("client_id", of: authenticator)),
            .init("client_secret", try credential("client_secret", of: authenticator)),
        ]
        if grant == "refresh_token" {
            members.append(.init("refresh_token", try credential("refresh_token", of: authenticator)))
        }
        var scopes: [String] = []
        for scope in try authenticator.member("scopes")?.elements() ?? [] {
            scopes.append(try evaluator.words(scope)?.written ?? "")
        }
        if !scopes.isEmpty { members.append(.init("scope", .text(scopes.joined(separator: " ")))) }
        var parameters: [FeedEntry.Member] = []
        for (name, value) in try authenticator.member("refresh_request_body")?.entries() ?? [] {
            guard let words = try evaluator.words(value) else { continue }
            if name == "audience" {
                members.append(.init(name, .text(words.written)))
            } else {
                parameters.append(.init(name, .text(words.written)))
            }
        }
        members.add("parameters", parameters)
        members.append(.init("send", .text("body")))
        return .mapping([.init("oauth2", .mapping(members))])
    }

    /// - Throws: `ConnectorFault` for a token endpoint that has names of its own for what OAuth names.
    private func refuseOtherNames(_ authenticator: Component) throws(ConnectorFault) {
        let standard = [
            "access_token_name": "access_token", "expires_in_name": "expires_in", "client_id_name": "client_id",
            "client_secret_name": "client_secret", "refresh_token_name": "refresh_token",
            "grant_type_name": "grant_type",
        ]
        for (member, name) in standard.sorted(by: { $0.key < $1.key }) {
            guard let given = try evaluator.literal(try authenticator.member(member)), given != name else { continue }
            throw authenticator.fault(
                .authenticator, "its token request says `\(given)` for `\(name)`, which feedsync cannot")
        }
        for member in ["refresh_request_headers", "profile_assertion", "access_token_value"] {
            guard try authenticator.member(member) == nil else {
                throw authenticator.fault(.authenticator, "its sign-in has `\(member)`, which feedsync cannot send")
            }
        }
    }

    /// Several tokens, each with a quota of its own.
    private func rotation(
        _ authenticator: Component, _ notes: inout [String]
    ) throws(ConnectorFault) -> FeedEntry.Value {
        let header = try evaluator.literal(try authenticator.member("header")) ?? "Authorization"
        let prefix = try evaluator.literal(try authenticator.member("auth_method")) ?? "Bearer"
        let delimiter = try evaluator.literal(try authenticator.member("token_delimiter")) ?? ","
        let tokens = try tokens(authenticator, delimiter)
        if tokens.count == 1 {
            notes.append("it has one token; several take turns, as in --set 'NAME=${A}\(delimiter)${B}'")
        }
        let isBearer = header.lowercased() == "authorization" && prefix == "Bearer"
        let values = tokens.map { FeedEntry.Value.text(isBearer || prefix.isEmpty ? $0 : "\(prefix) \($0)") }
        let value: FeedEntry.Value = values.count == 1 ? values[0] : .list(values)
        return .mapping([
            isBearer ? .init("bearer", value) : .init("header", .mapping([.init(header, value)]))
        ])
    }

    private func tokens(_ authenticator: Component, _ delimiter: String) throws(ConnectorFault) -> [String] {
        guard let component = try authenticator.member("tokens") else {
            throw authenticator.fault(.authenticator, "it has no tokens")
        }
        let value = try evaluator.value(component)
        var values: [ConnectorValue] = [value]
        if case .list(let elements) = value { values = elements }
        let words = values.compactMap { $0.words?.written }
        let texts = words.count == 1 && !delimiter.isEmpty ? words[0].components(between: delimiter) : words
        // A setting that may be left out has no text.
        let tokens = texts.filter { !$0.isEmpty }
        guard !tokens.isEmpty, words.count == values.count else {
            throw component.fault(.authenticator, "its tokens are no texts")
        }
        return tokens
    }

    /// A token that is signed, and sent as it is.
    private func signedToken(_ authenticator: Component) throws(ConnectorFault) -> FeedEntry.Value {
        let algorithm = try evaluator.literal(try authenticator.member("algorithm")) ?? ""
        guard SignedTokenRule.Algorithm(rawValue: algorithm) != nil else {
            throw authenticator.fault(
                .authenticator, "its token is signed by `\(algorithm)`, which feedsync does not have")
        }
        var members: [FeedEntry.Member] = [
            .init("algorithm", .text(algorithm)), .init("key", try credential("secret_key", of: authenticator)),
        ]
        if try evaluator.value(try authenticator.member("base64_encode_secret_key")).isTrue != false {
            throw authenticator.fault(
                .authenticator, "its key is encoded in base64 before it signs, which feedsync does not do")
        }
        if try evaluator.words(try authenticator.member("passphrase")) != nil {
            throw authenticator.fault(.authenticator, "its key has a password")
        }
        if let id = try evaluator.words(try authenticator.member("jwt_headers", "kid")) {
            members.append(.init("key_id", .text(id.written)))
        }
        let type = try evaluator.literal(try authenticator.member("jwt_headers", "typ")) ?? "JWT"
        let others = try authenticator.member("additional_jwt_headers")?.entries() ?? []
        guard type == "JWT", try authenticator.member("jwt_headers", "cty") == nil, others.isEmpty else {
            throw authenticator.fault(.authenticator, "its token's header has more than `alg`, `typ: JWT` and `kid`")
        }
        let claims = try claims(authenticator)
        members.add("claims", claims)
        let duration = try evaluator.literal(try authenticator.member("token_duration")) ?? "1200"
        guard let seconds = Int(duration), (10...86_400).contains(seconds) else {
            throw authenticator.fault(.authenticator, "its token is valid for \(duration) seconds")
        }
        members.append(.init("lifetime", .text(DurationText.text(.seconds(seconds)))))
        let prefix = try evaluator.literal(try authenticator.member("header_prefix")) ?? ""
        members += try header("request_option", of: authenticator, prefix: prefix)
        return .mapping([.init("jwt", .mapping(members))])
    }

    private func claims(_ authenticator: Component) throws(ConnectorFault) -> [FeedEntry.Member] {
        var claims: [FeedEntry.Member] = []
        for part in ["jwt_payload", "additional_jwt_payload"] {
            for (name, value) in try authenticator.member(part)?.entries() ?? [] {
                let value = try evaluator.value(value)
                if case .moment = value {
                    throw authenticator.fault(.authenticator, "its token has a time in `\(name)`")
                }
                if let entry = value.entryValue { claims.append(.init(name, entry)) }
            }
        }
        return claims
    }

    /// A token that a login request gives.
    private func session(_ authenticator: Component) throws(ConnectorFault) -> FeedEntry.Value {
        guard let login = try authenticator.member("login_requester"),
            let place = try authenticator.member("session_token_path"),
            let use = try authenticator.member("request_authentication")
        else { throw authenticator.fault(.authenticator, "its sign-in does not say how it gets a token") }
        try login.refuseCode()
        let (method, url) = try requests.address(of: login)
        guard method == "POST" else { throw login.fault(.authenticator, "its login is requested by GET") }
        var members: [FeedEntry.Member] = [.init("url", .text(url.written))]
        let headers = try loginHeaders(login)
        members.add("headers", headers)
        let form = try requests.inputs("request_body_data", of: login)
        let body = form.isEmpty ? try requests.inputs("request_body_json", of: login) : form
        members.append(
            .init("body", .mapping(body.compactMap { name, value in value.entryValue.map { .init(name, $0) } })))
        if !form.isEmpty { members.append(.init("send", .text("form"))) }
        let names = try evaluator.literals(place).compactMap(\.self)
        members.append(.init("token", .text(Path(names.map { .member($0) }).description)))
        if let text = try evaluator.literal(try authenticator.member("expiration_duration")) {
            guard let seconds = ISODuration.seconds(text), (1...3650 * 86_400).contains(seconds) else {
                throw authenticator.fault(.authenticator, "its token is valid for `\(text)`")
            }
            members.append(.init("lifetime", .text(DurationText.text(.seconds(seconds)))))
        }
        if use.type == "ApiKey" {
            let text = try use.member("api_token")?.text ?? "{{ session_token }}"
            guard let prefix = text.prefixBeforeSessionToken else {
                throw use.fault(.authenticator, "its token is sent as \(Excerpt.quoted(text, limit: 80))")
            }
            members += try header("inject_into", of: use, prefix: prefix)
        }
        return .mapping([.init("session", .mapping(members))])
    }

    /// The header fields of a login request, with a token of its own if it needs one.
    private func loginHeaders(_ login: Component) throws(ConnectorFault) -> [FeedEntry.Member] {
        guard try requests.inputs("request_parameters", of: login).isEmpty else {
            throw login.fault(.authenticator, "its login has query parameters")
        }
        var headers: [FeedEntry.Member] = []
        for (name, value) in try requests.inputs("request_headers", of: login) where name.lowercased() != "content-type"
        {
            if let words = value.words, words.literal != "" { headers.append(.init(name, .text(words.written))) }
        }
        guard let authenticator = try login.member("authenticator"), authenticator.type != "NoAuth" else {
            return headers
        }
        guard authenticator.type == "BearerAuthenticator",
            let token = try evaluator.words(try authenticator.member("api_token"))
        else { throw authenticator.fault(.authenticator, "its login signs in by `\(authenticator.type ?? "")`") }
        return headers + [.init("Authorization", .text("Bearer \(token.written)"))]
    }

    /// The members of `auth` for the header that takes a token; `Authorization` by default.
    private func header(
        _ option: String, of use: Component, prefix: String
    ) throws(ConnectorFault) -> [FeedEntry.Member] {
        let place = try use.member(option).map { option throws(ConnectorFault) in try RequestPlace(option, evaluator) }
        guard case .header(let name) = place ?? .header("Authorization") else {
            throw use.fault(.authenticator, "its token is not sent in a header")
        }
        let isStandard = name.lowercased() == "authorization"
        let header = isStandard ? [] : [FeedEntry.Member("header", .text(name))]
        return header + (prefix == (isStandard ? "Bearer" : "") ? [] : [.init("scheme", .text(prefix))])
    }
}

extension String {
    /// The parts between delimiters, without spaces around them.
    fileprivate func components(between delimiter: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: delimiter) {
            parts.append(String(rest[..<range.lowerBound].trimmingSpaces))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest.trimmingSpaces)]
    }

    /// The word before `{{ session_token }}`; nil if there is anything else.
    fileprivate var prefixBeforeSessionToken: String? {
        guard let range = firstRange(of: "{{") else { return nil }
        guard self[range.lowerBound...].filter({ !$0.isWhitespace }) == "{{session_token}}" else { return nil }
        let prefix = String(self[..<range.lowerBound].trimmingSpaces)
        return prefix.contains(" ") ? nil : prefix
    }
}
