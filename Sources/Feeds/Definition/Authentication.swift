internal import YAML

/// The authentication of a feed's requests. Every value is a credential, a literal one too.
package indirect enum Authentication: Sendable, Hashable {
    /// `Authorization: Bearer …`
    case bearer(Template)
    /// `Authorization: Basic …` (RFC 7617)
    case basic(user: Template, password: Template)
    /// Header fields of these names.
    case headers([NamedTemplate])
    /// Query parameters of these names.
    case query([NamedTemplate])
    /// `Authorization: Bearer …` with a token that a token endpoint gives (RFC 6749)
    case oauth2(OAuthClient)
    /// A token that is signed here (RFC 7519), or one that it is exchanged for.
    case jwt(SignedTokenRule)
    /// The token of a session that a request opens.
    case session(SessionRule)
    /// `Authorization: Digest …` (RFC 7616)
    case digest(user: Template, password: Template)
    /// `Authorization: Negotiate …` (RFC 4559), by the ticket of the user who runs the process.
    case negotiate
    /// A signature of each request by an AWS account.
    case aws(AWSAccount)
    /// Several credentials of the same kind, each with a quota of its own: a request carries one of them.
    case oneOf([Authentication])

    /// The greatest number of credentials that take turns.
    static let mostCredentials = 100
}

/// An account of Amazon Web Services, or of a service that signs as it does.
///
/// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
package struct AWSAccount: Sendable, Hashable {
    package let accessKey: Template
    package let secretKey: Template
    /// The token of credentials that are good for a session alone.
    package let sessionToken: Template?
    /// The region; nil where the host's name has it.
    package let region: String?
    /// The service; nil where the host's name has it.
    package let service: String?
}

extension Authentication: CustomStringConvertible {
    /// The kind and the names; never a value.
    package var description: String {
        switch self {
        case .bearer: "bearer"
        case .basic: "basic"
        case .headers(let headers): "header " + headers.map(\.name).joined(separator: ", ")
        case .query(let parameters): "query " + parameters.map(\.name).joined(separator: ", ")
        case .oauth2: "oauth2"
        case .jwt: "jwt"
        case .session: "session"
        case .digest: "digest"
        case .negotiate: "negotiate"
        case .aws: "aws"
        case .oneOf(let ways): ways.first?.description ?? ""
        }
    }

    /// Everything in it that may refer to a value elsewhere.
    var templates: [Template] {
        switch self {
        case .bearer(let token): [token]
        case .basic(let user, let password), .digest(let user, let password): [user, password]
        case .headers(let values), .query(let values): values.map(\.value)
        case .oauth2(let client): client.templates
        case .jwt(let rule): rule.templates
        case .session(let rule): rule.templates
        case .negotiate: []
        case .aws(let account): [account.accessKey, account.secretKey] + (account.sessionToken.map { [$0] } ?? [])
        case .oneOf(let ways): ways.flatMap(\.templates)
        }
    }

    /// True if requests carry a token that has to be got, and that expires.
    package var needsToken: Bool {
        switch self {
        case .oauth2, .jwt, .session: true
        case .bearer, .basic, .headers, .query, .digest, .negotiate, .aws, .oneOf: false
        }
    }

    /// True if a user signs in with a browser on this machine.
    package var signsInByCode: Bool { if case .oauth2(let client) = self { client.signInPage != nil } else { false } }

    /// The query parameters that carry the credential.
    var queryNames: [String] {
        if case .query(let parameters) = self { parameters.map(\.name) } else { [] }
    }
}

extension MappingDecoder {
    /// The feed's `auth`: exactly one way.
    func authentication(_ name: String) -> Authentication? {
        guard let members = reader(name) else { return nil }
        defer { members.finish() }
        let given = Self.ways.filter { members.has($0) }
        guard given.count == 1 else {
            report("`\(name)` of \(subject) must have exactly one of \(Self.list(Self.ways))", at: name)
            return nil
        }
        switch given.first {
        case "bearer": return members.bearer("bearer")
        case "basic": return members.account("basic").map { .basic(user: $0.user, password: $0.password) }
        case "digest": return members.account("digest").map { .digest(user: $0.user, password: $0.password) }
        case "negotiate": return members.negotiation("negotiate")
        case "aws": return members.awsAccount("aws").map { .aws($0) }
        case "oauth2": return members.oauthClient("oauth2").map { .oauth2($0) }
        case "jwt": return members.signedToken("jwt").map { .jwt($0) }
        case "session": return members.session("session").map { .session($0) }
        case "header": return members.credentialHeaders("header")
        default: return .query(members.parameters("query"))
        }
    }

    /// The ways to sign in.
    static var ways: [String] {
        ["bearer", "basic", "header", "query", "oauth2", "jwt", "session", "digest", "negotiate", "aws"]
    }

    /// A token, or a list of tokens that take turns.
    private func bearer(_ name: String) -> Authentication? {
        guard let node = node(name) else { return nil }
        return oneOf(credentials(name, node).compactMap { template(name, $0).map { .bearer($0) } })
    }

    /// Header fields; one of them may have a list of values that take turns.
    private func credentialHeaders(_ name: String) -> Authentication? {
        let fields = headerFields(name) { field, value in credentials(field, value) }
        let lists = fields.filter { $0.count > 1 }
        guard lists.count < 2 else {
            report("`\(name)` of \(subject) has several lists of values: only one can take turns", at: name)
            return nil
        }
        let turns = lists.first.map { list in list.map { Optional($0) } } ?? [nil]
        return oneOf(
            turns.map { turn in .headers(fields.compactMap { $0.count > 1 ? turn : $0.first }) })
    }

    /// The values of a credential: one, or those of a list.
    private func credentials(_ name: String, _ node: Node) -> [Node] {
        guard let elements = node.elements else { return [node] }
        guard (1...Authentication.mostCredentials).contains(elements.count) else {
            report(
                "the list `\(name)` of \(subject) must have from 1 to \(Authentication.mostCredentials) values",
                at: SourcePosition(node.mark))
            return []
        }
        return elements
    }

    private func oneOf(_ ways: [Authentication]) -> Authentication? {
        ways.count > 1 ? .oneOf(ways) : ways.first
    }

    private func account(_ name: String) -> (user: Template, password: Template)? {
        guard let members = reader(name) else { return nil }
        defer { members.finish() }
        members.require("user", "\(name) authentication needs one")
        members.require("password", "\(name) authentication needs one, even if it is `\"\"`")
        guard let user = members.template("user"), let password = members.template("password") else { return nil }
        if user.literalPrefix.contains(":") {
            members.report("a user name with a colon cannot be sent (RFC 7617)", at: "user")
        }
        return (user, password)
    }

    private func negotiation(_ name: String) -> Authentication? {
        guard boolean(name) == false else { return .negotiate }
        report("`\(name)` of \(subject) can only be true: leave it out otherwise", at: name)
        return nil
    }

    private func awsAccount(_ name: String) -> AWSAccount? {
        guard let members = reader(name) else { return nil }
        defer { members.finish() }
        members.require("access_key", "it begins with `AKIA` or `ASIA`, as in `${AWS_ACCESS_KEY_ID}`")
        members.require("secret_key", "give it as in `${AWS_SECRET_ACCESS_KEY}`")
        let (region, service) = (members.awsWord("region"), members.awsWord("service"))
        if service != nil, region == nil { members.report("`service` needs a `region`", at: "service") }
        let token = members.template("session_token")
        guard let key = members.template("access_key"), let secret = members.template("secret_key") else { return nil }
        return AWSAccount(accessKey: key, secretKey: secret, sessionToken: token, region: region, service: service)
    }

    /// A word of a signature's scope, such as `eu-central-1`.
    private func awsWord(_ name: String) -> String? {
        value(name, expected: "a word such as `eu-central-1` or `s3`", isQuoted: false) { text in
            let isWord =
                (1...64).contains(text.utf8.count)
                && text.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) || $0 == 45 }
            return isWord ? text : nil
        }
    }
}
