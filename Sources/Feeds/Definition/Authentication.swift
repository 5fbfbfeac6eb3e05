internal import YAML

/// The authentication of a feed's requests. Every value is a credential, a literal one too.
package enum Authentication: Sendable, Hashable {
    /// `Authorization: Bearer …`
    case bearer(Template)
    /// `Authorization: Basic …` (RFC 7617)
    case basic(user: Template, password: Template)
    /// Header fields of these names.
    case headers([NamedTemplate])
    /// Query parameters of these names.
    case query([NamedTemplate])
    /// `Authorization: Bearer …` with a token that a token endpoint gives (RFC 6749, section 4.4)
    case oauth2(OAuthClient)
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind and the names; never a value.
    package var description: String {
        switch self {
        case .bearer: "bearer"
        case .basic: "basic"
        case .headers(let headers): "header " + headers.map(\.name).joined(separator: ", ")
        case .query(let parameters): "query " + parameters.map(\.name).joined(separator: ", ")
        case .oauth2: "oauth2"
        }
    }

    /// The same as `description`.
    package var debugDescription: String { description }

    /// Everything in it that may refer to a value elsewhere.
    var templates: [Template] {
        switch self {
        case .bearer(let token): [token]
        case .basic(let user, let password): [user, password]
        case .headers(let values), .query(let values): values.map(\.value)
        case .oauth2(let client): client.templates
        }
    }

    /// The query parameters that carry the credential.
    var queryNames: [String] {
        if case .query(let parameters) = self { parameters.map(\.name) } else { [] }
    }
}

extension MappingDecoder {
    /// The feed's `auth`: exactly one way.
    func authentication(_ name: String) -> Authentication? {
        guard let members = reader(name, of: "`\(name)` of \(subject)") else { return nil }
        defer { members.finish() }
        let ways = ["bearer", "basic", "header", "query", "oauth2"]
        let given = ways.filter { members.has($0) }
        guard given.count == 1 else {
            report("`\(name)` of \(subject) must have exactly one of \(Self.list(ways))", at: name)
            return nil
        }
        switch given.first {
        case "bearer": return members.template("bearer").map { .bearer($0) }
        case "basic": return members.basic()
        case "oauth2": return members.oauthClient("oauth2").map { .oauth2($0) }
        case "header": return .headers(members.headers("header"))
        default: return .query(members.parameters("query"))
        }
    }

    private func basic() -> Authentication? {
        guard let members = reader("basic", of: "`basic` of \(subject)") else { return nil }
        defer { members.finish() }
        members.require("user", "basic authentication needs one")
        members.require("password", "basic authentication needs one, even if it is `\"\"`")
        guard let user = members.template("user"), let password = members.template("password") else { return nil }
        if user.literalPrefix.contains(":") {
            members.report("a user name with a colon cannot be sent (RFC 7617)", at: "user")
        }
        return .basic(user: user, password: password)
    }
}
