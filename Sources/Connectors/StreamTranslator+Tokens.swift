internal import Feeds
internal import YAML

/// Sign-ins with tokens that take turns, are signed, or come from a login request.
extension StreamTranslator {
    /// Several tokens, each with a quota of its own.
    mutating func readTokens(_ authenticator: Component) throws(ConnectorFault) {
        let header = try evaluator.literal(try authenticator.member("header")) ?? "Authorization"
        let prefix = try evaluator.literal(try authenticator.member("auth_method")) ?? "Bearer"
        let delimiter = try evaluator.literal(try authenticator.member("token_delimiter")) ?? ","
        let tokens = try tokens(authenticator, delimiter)
        if tokens.count == 1 {
            feed.notes.append("it has one token; several take turns, as in --set 'NAME=${A}\(delimiter)${B}'")
        }
        let isBearer = header.lowercased() == "authorization" && prefix == "Bearer"
        let values = tokens.map { FeedEntry.Value.text(isBearer || prefix.isEmpty ? $0 : "\(prefix) \($0)") }
        let value: FeedEntry.Value = values.count == 1 ? values[0] : .list(values)
        feed.authentication = .mapping([
            isBearer ? .init("bearer", value) : .init("header", .mapping([.init(header, value)]))
        ])
    }

    private func tokens(_ authenticator: Component, _ delimiter: String) throws(ConnectorFault) -> [String] {
        guard let component = try authenticator.member("tokens") else {
            throw ConnectorFault(.authenticator, "it has no tokens", at: authenticator.mark)
        }
        let value = try evaluator.value(component)
        var values: [ConnectorValue] = [value]
        if case .list(let elements) = value { values = elements }
        let words = values.compactMap { $0.words?.written }
        let texts = words.count == 1 && !delimiter.isEmpty ? words[0].components(between: delimiter) : words
        // A setting that may be left out has no text.
        let tokens = texts.filter { !$0.isEmpty }
        guard !tokens.isEmpty, words.count == values.count else {
            throw ConnectorFault(.authenticator, "its tokens are no texts", at: component.mark)
        }
        return tokens
    }

    /// A token that is signed, and sent as it is.
    mutating func readSignedToken(_ authenticator: Component) throws(ConnectorFault) {
        let algorithm = try evaluator.literal(try authenticator.member("algorithm")) ?? ""
        guard SignedTokenRule.Algorithm(rawValue: algorithm) != nil else {
            throw ConnectorFault(
                .authenticator, "its token is signed by `\(algorithm)`, which feedsync does not have",
                at: authenticator.mark)
        }
        var members: [FeedEntry.Member] = [
            .init("algorithm", .text(algorithm)), .init("key", try credential("secret_key", of: authenticator)),
        ]
        if try evaluator.value(try authenticator.member("base64_encode_secret_key")).isTrue != false {
            throw ConnectorFault(
                .authenticator, "its key is encoded in base64 before it signs, which feedsync does not do",
                at: authenticator.mark)
        }
        if try evaluator.words(try authenticator.member("passphrase")) != nil {
            throw ConnectorFault(.authenticator, "its key has a password", at: authenticator.mark)
        }
        if let id = try evaluator.words(try authenticator.member("jwt_headers", "kid")) {
            members.append(.init("key_id", .text(id.written)))
        }
        let type = try evaluator.literal(try authenticator.member("jwt_headers", "typ")) ?? "JWT"
        let others = try authenticator.member("additional_jwt_headers")?.entries() ?? []
        guard type == "JWT", try authenticator.member("jwt_headers", "cty") == nil, others.isEmpty else {
            throw ConnectorFault(
                .authenticator, "its token's header has more than `alg`, `typ: JWT` and `kid`", at: authenticator.mark)
        }
        let claims = try claims(authenticator)
        if !claims.isEmpty { members.append(.init("claims", .mapping(claims))) }
        let duration = try evaluator.literal(try authenticator.member("token_duration")) ?? "1200"
        guard let seconds = Int(duration), (10...86_400).contains(seconds) else {
            throw ConnectorFault(.authenticator, "its token is valid for \(duration) seconds", at: authenticator.mark)
        }
        members.append(.init("lifetime", .text(DurationText.text(.seconds(seconds)))))
        let prefix = try evaluator.literal(try authenticator.member("header_prefix")) ?? ""
        members += try header(try authenticator.member("request_option"), prefix: prefix, at: authenticator.mark)
        feed.authentication = .mapping([.init("jwt", .mapping(members))])
    }

    private func claims(_ authenticator: Component) throws(ConnectorFault) -> [FeedEntry.Member] {
        var claims: [FeedEntry.Member] = []
        for part in ["jwt_payload", "additional_jwt_payload"] {
            for (name, value) in try authenticator.member(part)?.entries() ?? [] {
                let value = try evaluator.value(value)
                if case .moment = value {
                    throw ConnectorFault(
                        .authenticator, "its token has a time in `\(name)`", at: authenticator.mark)
                }
                if let entry = value.entryValue { claims.append(.init(name, entry)) }
            }
        }
        return claims
    }

    /// A token that a login request gives.
    mutating func readSession(_ authenticator: Component) throws(ConnectorFault) {
        guard let login = try authenticator.member("login_requester"),
            let place = try authenticator.member("session_token_path"),
            let requests = try authenticator.member("request_authentication")
        else {
            throw ConnectorFault(.authenticator, "its sign-in does not say how it gets a token", at: authenticator.mark)
        }
        try Self.refuseCode(login)
        let (method, url) = try address(of: login)
        guard method == "POST" else {
            throw ConnectorFault(.authenticator, "its login is requested by GET", at: login.mark)
        }
        var members: [FeedEntry.Member] = [.init("url", .text(url.written))]
        let headers = try loginHeaders(login)
        if !headers.isEmpty { members.append(.init("headers", .mapping(headers))) }
        let form = try inputs("request_body_data", of: login)
        let body = form.isEmpty ? try inputs("request_body_json", of: login) : form
        members.append(
            .init("body", .mapping(body.compactMap { name, value in value.entryValue.map { .init(name, $0) } })))
        if !form.isEmpty { members.append(.init("send", .text("form"))) }
        var segments: [Path.Segment] = []
        for element in try place.elements() {
            if let name = try evaluator.literal(element) { segments.append(.member(name)) }
        }
        members.append(.init("token", .text(Path(segments).description)))
        if let text = try evaluator.literal(try authenticator.member("expiration_duration")) {
            guard let seconds = ISODuration.seconds(text), (1...3650 * 86_400).contains(seconds) else {
                throw ConnectorFault(.authenticator, "its token is valid for `\(text)`", at: authenticator.mark)
            }
            members.append(.init("lifetime", .text(DurationText.text(.seconds(seconds)))))
        }
        if requests.type == "ApiKey" {
            let text = try requests.member("api_token")?.text ?? "{{ session_token }}"
            guard let prefix = text.prefixBeforeSessionToken else {
                throw ConnectorFault(
                    .authenticator, "its token is sent as \(Excerpt.quoted(text, limit: 80))", at: requests.mark)
            }
            members += try header(try requests.member("inject_into"), prefix: prefix, at: requests.mark)
        }
        feed.authentication = .mapping([.init("session", .mapping(members))])
    }

    /// The header fields of a login request, with a token of its own if it needs one.
    private func loginHeaders(_ login: Component) throws(ConnectorFault) -> [FeedEntry.Member] {
        guard try inputs("request_parameters", of: login).isEmpty else {
            throw ConnectorFault(.authenticator, "its login has query parameters", at: login.mark)
        }
        var headers: [FeedEntry.Member] = []
        for (name, value) in try inputs("request_headers", of: login) where name.lowercased() != "content-type" {
            if let words = value.words, words.literal != "" { headers.append(.init(name, .text(words.written))) }
        }
        guard let authenticator = try login.member("authenticator"), authenticator.type != "NoAuth" else {
            return headers
        }
        guard authenticator.type == "BearerAuthenticator",
            let token = try evaluator.words(try authenticator.member("api_token"))
        else {
            throw ConnectorFault(
                .authenticator, "its login signs in by `\(authenticator.type ?? "")`", at: authenticator.mark)
        }
        return headers + [.init("Authorization", .text("Bearer \(token.written)"))]
    }

    /// The members of `auth` for the header that takes a token; `Authorization` by default.
    private func header(
        _ option: Component?, prefix: String, at mark: Mark
    ) throws(ConnectorFault) -> [FeedEntry.Member] {
        let place = try option.map { option throws(ConnectorFault) in try RequestPlace(option, evaluator) }
        guard case .header(let name) = place ?? .header("Authorization") else {
            throw ConnectorFault(.authenticator, "its token is not sent in a header", at: mark)
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
