internal import Feeds
internal import YAML

extension StreamTranslator {
    /// The way in which requests are authenticated.
    mutating func readAuthentication() throws(ConnectorFault) {
        guard let authenticator = try requester.member("authenticator") else { return }
        let chosen = try selected(authenticator)
        try Self.refuseCode(chosen)
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
        case "ApiKeyAuthenticator": try readKey(chosen)
        case "OAuthAuthenticator": try readOAuth(chosen)
        case "RateLimitedMultipleTokenAuthenticator": try readTokens(chosen)
        case "JwtAuthenticator": try readSignedToken(chosen)
        case "SessionTokenAuthenticator": try readSession(chosen)
        case let type:
            throw ConnectorFault(
                .authenticator, "its sign-in is `\(type ?? "")`, which feedsync does not have", at: chosen.mark)
        }
    }

    /// The authenticator that the settings select, of those that a manifest offers.
    private mutating func selected(_ authenticator: Component) throws(ConnectorFault) -> Component {
        guard authenticator.type == "SelectiveAuthenticator", let choices = try authenticator.member("authenticators")
        else { return authenticator }
        var path: [String] = []
        for step in try authenticator.member("authenticator_selection_path")?.elements() ?? [] {
            path.append(try evaluator.literal(step) ?? "")
        }
        let names = choices.node.pairs?.compactMap(\.key.text) ?? []
        if let given = evaluator.settings.givenValue(at: path) {
            guard names.contains(given), let choice = try choices.member(given) else {
                throw ConnectorFault(
                    .authenticator,
                    "\(path.joined(separator: ".")) can be \(names.joined(separator: " or ")), not \(given)",
                    at: authenticator.mark)
            }
            return choice
        }
        // The simplest one that there is: a token of one's own.
        let simple = ["BearerAuthenticator", "ApiKeyAuthenticator", "BasicHttpAuthenticator"]
        for name in names {
            guard let choice = try choices.member(name), simple.contains(choice.type ?? "") else { continue }
            if names.count > 1 {
                feed.notes.append("it signs in by \(name), of \(names.joined(separator: ", "))")
            }
            return choice
        }
        guard let first = names.first, let choice = try choices.member(first) else { return authenticator }
        return choice
    }

    func credential(_ name: String, of authenticator: Component) throws(ConnectorFault) -> FeedEntry.Value {
        guard let words = try evaluator.words(try authenticator.member(name)) else {
            throw ConnectorFault(.authenticator, "its `\(name)` is empty", at: authenticator.mark)
        }
        return .text(words.written)
    }

    private mutating func readKey(_ authenticator: Component) throws(ConnectorFault) {
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
        case .body(let names) where names.count == 1: setInBody(names[0], token)
        case .body, .path:
            throw ConnectorFault(.authenticator, "its key is sent inside an object of the body", at: authenticator.mark)
        }
    }

    private mutating func readOAuth(_ authenticator: Component) throws(ConnectorFault) {
        let grant = try evaluator.literal(try authenticator.member("grant_type")) ?? "refresh_token"
        guard ["client_credentials", "refresh_token"].contains(grant) else {
            throw ConnectorFault(
                .authenticator, "it signs in by OAuth 2 with the grant `\(grant)`, which feedsync does not have",
                at: authenticator.mark)
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
        if !parameters.isEmpty { members.append(.init("parameters", .mapping(parameters))) }
        members.append(.init("send", .text("body")))
        feed.authentication = .mapping([.init("oauth2", .mapping(members))])
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
            throw ConnectorFault(
                .authenticator, "its token request says `\(given)` for `\(name)`, which feedsync cannot",
                at: authenticator.mark)
        }
        for member in ["refresh_request_headers", "profile_assertion", "access_token_value"] {
            guard try authenticator.member(member) == nil else {
                throw ConnectorFault(
                    .authenticator, "its sign-in has `\(member)`, which feedsync cannot send", at: authenticator.mark)
            }
        }
    }
}
