internal import Feeds
internal import HTTP

/// The way to sign in that an operation asks for.
struct DocumentedSignIn: Sendable {
    /// One scheme, with what is asked of it.
    struct Scheme: Sendable {
        enum Kind: Sendable, Hashable {
            case header(String)
            case query(String)
            case cookie(String)
            case bearer
            case basic
            case digest
            /// OAuth 2 with a client's own credentials.
            case client(tokenURL: String)
            /// A token that something else gives.
            case token

            /// True for a value that is sent as it is, beside whatever else.
            var isPlain: Bool {
                switch self {
                case .header, .query, .cookie: true
                case .bearer, .basic, .digest, .client, .token: false
                }
            }
        }

        let name: String
        let kind: Kind
        let scopes: [String]
    }

    /// The schemes that are needed together.
    let schemes: [Scheme]

    init(schemes: [Scheme]) { self.schemes = schemes }

    /// The way to sign in; nil where none is needed.
    ///
    /// - Throws: `ConnectorFault` where no way can be said.
    init?(_ operation: JSONObject, _ document: APIDocument) throws(ConnectorFault) {
        guard let choices = (operation["security"] ?? document.root["security"])?.elements,
            choices.first?.members?.isEmpty == false
        else { return nil }
        var all: [[Scheme]] = []
        var fault: ConnectorFault?
        for choice in choices.prefix(50) {
            do throws(ConnectorFault) {
                let schemes = try Self.schemes(choice.members ?? [:], document)
                if !schemes.isEmpty { all.append(schemes) }
            } catch {
                fault = fault ?? error
            }
        }
        // The first one of the simplest: a token in a header.
        let best = all.enumerated().min { one, other in
            (Self.effort(one.element), one.offset) < (Self.effort(other.element), other.offset)
        }
        guard let best else { throw fault ?? ConnectorFault(.authenticator, "its sign-in is not described") }
        schemes = best.element
    }

    private static func schemes(
        _ choice: JSONObject, _ document: APIDocument
    ) throws(ConnectorFault) -> [Scheme] {
        let all =
            document.version == .swagger2
            ? try document.members(document.root["securityDefinitions"])
            : try document.members(try document.members(document.root["components"])["securitySchemes"])
        var schemes: [Scheme] = []
        for (name, scopes) in choice {
            let scheme = try document.members(all[name])
            schemes.append(
                Scheme(name: name, kind: try kind(scheme, name), scopes: scopes.elements?.compactMap(\.text) ?? []))
        }
        guard schemes.count(where: { !$0.kind.isPlain }) <= 1 else {
            throw ConnectorFault(.authenticator, "it signs in by several ways at once")
        }
        return schemes
    }

    private static func kind(_ scheme: JSONObject, _ name: String) throws(ConnectorFault) -> Scheme.Kind {
        switch (scheme["type"]?.text, scheme["in"]?.text) {
        case ("apiKey", "header"):
            if let header = scheme["name"]?.text { return .header(header) }
        case ("apiKey", "query"):
            if let parameter = scheme["name"]?.text { return .query(parameter) }
        case ("apiKey", "cookie"):
            if let cookie = scheme["name"]?.text { return .cookie(cookie) }
        case ("basic", _): return .basic
        case ("http", _):
            switch scheme["scheme"]?.text?.lowercased() {
            case "bearer": return .bearer
            case "basic": return .basic
            case "digest": return .digest
            default: break
            }
        case ("oauth2", _):
            // Swagger 2 has one flow, OpenAPI 3 has several.
            let flows = scheme["flows"]?.members
            let flow = scheme["flow"]?.text == "application" ? scheme : flows?["clientCredentials"]?.members
            return flow?["tokenUrl"]?.text.map { .client(tokenURL: $0) } ?? .token
        case ("openIdConnect", _): return .token
        default: break
        }
        throw ConnectorFault(.authenticator, "its sign-in \(Excerpt.quoted(name, limit: 60)) is none that feedsync has")
    }

    private static func effort(_ schemes: [Scheme]) -> Int {
        schemes.map { scheme in
            switch scheme.kind {
            case .bearer: 0
            case .header: 1
            case .token: 2
            case .basic, .digest: 3
            case .client: 4
            // A token in a URL is seen by many.
            case .query: 5
            case .cookie: 6
            }
        }.reduce(0, +)
    }

    /// The kind of sign-in, in a word.
    var word: String {
        schemes.map { scheme in
            switch scheme.kind {
            case .header(let name): "header \(name)"
            case .query(let name): "query \(name)"
            case .cookie(let name): "cookie \(name)"
            case .bearer, .token: "bearer"
            case .basic: "basic"
            case .digest: "digest"
            case .client: "oauth2"
            }
        }.joined(separator: " and ")
    }

    /// The members of a feed, with the query and headers that it adds.
    ///
    /// - Parameters:
    ///   - given: The values of schemes, by their names; others come from the environment.
    ///   - server: The base of relative URLs.
    func members(
        _ given: [String: String], server: String
    ) -> (auth: FeedEntry.Value?, query: [FeedEntry.Member], headers: [FeedEntry.Member]) {
        var auth: [FeedEntry.Member] = []
        var (query, headers): ([FeedEntry.Member], [FeedEntry.Member]) = ([], [])
        for scheme in schemes {
            let value = { (suffix: [String]) in
                FeedEntry.Value.text(
                    "${\(VariableName.of((MemberName(scheme.name).words + suffix).joined(separator: "_")))}")
            }
            let whole = given[scheme.name].map { FeedEntry.Value.text($0) } ?? value([])
            switch scheme.kind {
            case .header(let name): headers.append(.init(name, whole))
            case .query(let name): query.append(.init(name, whole))
            case .cookie(let name):
                if case .text(let text) = whole { headers.append(.init("Cookie", .text("\(name)=\(text)"))) }
            case .bearer, .token: auth.append(.init("bearer", whole))
            case .basic, .digest:
                let account: [FeedEntry.Member] = [
                    .init("user", value(["user"])), .init("password", value(["password"])),
                ]
                auth.append(.init(scheme.kind == .basic ? "basic" : "digest", .mapping(account)))
            case .client(let address):
                let url = (try? WebURL(server).resolving(address).text) ?? address
                let scopes = scheme.scopes.joined(separator: " ")
                auth.append(
                    .init(
                        "oauth2",
                        .mapping(
                            [
                                .init("token_url", .text(url)), .init("client_id", value(["id"])),
                                .init("client_secret", value(["secret"])),
                            ] + (scopes.isEmpty ? [] : [.init("scope", .text(scopes))]))))
            }
        }
        // One way has a member of its own; what goes with it stands beside the others, and is as secret there.
        if let first = auth.first { return (.mapping([first]), query, headers) }
        if !headers.isEmpty { return (.mapping([.init("header", .mapping(headers))]), query, []) }
        return (query.isEmpty ? nil : .mapping([.init("query", .mapping(query))]), [], [])
    }
}
