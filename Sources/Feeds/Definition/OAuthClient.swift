internal import YAML

/// An OAuth 2 client that gets its access tokens by its own credentials.
///
/// Source: https://www.rfc-editor.org/rfc/rfc6749#section-4.4
package struct OAuthClient: Sendable, Hashable {
    /// The way in which the client sends its credentials.
    package enum Sending: String, Sendable, Hashable, CaseIterable {
        /// By HTTP Basic authentication, which every token endpoint must support.
        case header
        /// By `client_id` and `client_secret` in the form.
        case body
    }

    /// The token endpoint.
    package let tokenURL: Template
    /// The client's identifier.
    package let id: Template
    /// The client's secret.
    package let secret: Template
    /// The scope of the token, words separated by spaces; nil for the server's default.
    package let scope: Template?
    /// The audience of the token, for servers that require one.
    package let audience: Template?
    /// The way in which the client sends its credentials.
    package let sending: Sending

    /// Everything that may refer to a value elsewhere.
    var templates: [Template] { [tokenURL, id, secret] + [scope, audience].compactMap(\.self) }
}

extension MappingDecoder {
    /// The members of `oauth2`.
    func oauthClient(_ name: String) -> OAuthClient? {
        guard let members = reader(name, of: "`\(name)` of \(subject)") else { return nil }
        defer { members.finish() }
        members.require("token_url", "name the URL that gives access tokens")
        members.require("client_id", "it comes with the registration at the API")
        members.require("client_secret", "it comes with the registration at the API")
        let sending = members.choice("send", OAuthClient.Sending.self)
        let (scope, audience) = (members.template("scope"), members.template("audience"))
        guard let url = members.url("token_url"), let id = members.template("client_id"),
            let secret = members.template("client_secret")
        else { return nil }
        return OAuthClient(
            tokenURL: url, id: id, secret: secret, scope: scope, audience: audience, sending: sending ?? .header)
    }
}
