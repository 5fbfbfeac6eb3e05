internal import HTTP

/// A request for an access token, references followed.
///
/// Source: https://www.rfc-editor.org/rfc/rfc6749#section-4.4.2
package struct TokenRequest: Sendable, Hashable {
    let url: WebURL
    let id: String
    let secret: String
    let scope: String?
    let audience: String?
    let sending: OAuthClient.Sending

    /// The value for HTTP Basic authentication: id and secret are encoded as in a form before they are joined.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
    private var pair: String { Base64.encoded("\(FormEncoding.encoded(id)):\(FormEncoding.encoded(secret))") }

    /// The secrets that must be neither stored nor shown.
    private var secrets: [String] { [secret, id, pair] }

    /// The request of a client, and its secrets.
    ///
    /// - Throws: the error of `resolve`; `ConfigurationError` for an invalid URL.
    static func resolved(
        _ client: OAuthClient,
        _ resolve: (Template, _ isURL: Bool) throws(ConfigurationError) -> Template.Resolved
    ) throws(ConfigurationError) -> (TokenRequest, secrets: [String]) {
        let address = try resolve(client.tokenURL, true)
        let (id, secret) = (try resolve(client.id, false), try resolve(client.secret, false))
        let scope = try client.scope.map { template throws(ConfigurationError) in try resolve(template, false) }
        let audience = try client.audience.map { template throws(ConfigurationError) in try resolve(template, false) }
        let url: WebURL
        do throws(HTTPError) {
            url = try WebURL(address.text)
        } catch {
            throw ConfigurationError(
                Diagnostic(
                    position: client.tokenURL.position, problem: "the `token_url` cannot be requested: \(error.message)"
                ))
        }
        let request = TokenRequest(
            url: url, id: id.text, secret: secret.text, scope: scope?.text, audience: audience?.text,
            sending: client.sending)
        let references = [secret, id, scope, audience, address].compactMap { $0?.secrets }.flatMap(\.self)
        return (request, request.secrets + references + address.secrets.flatMap(URLSecret.otherForms))
    }

    /// The other values that distinguish tokens of one client.
    var distinction: [String] { [scope, audience].compactMap(\.self) }

    /// The request as it is sent; it goes to its own URL or nowhere.
    ///
    /// - Parameters:
    ///   - connection: How the feed's own requests reach their host.
    ///   - secrets: What its errors must not show.
    func page(timeouts: Timeouts, connection: ConnectionOptions, secrets: Secrets) -> PreparedPage {
        var form = [(name: "grant_type", value: "client_credentials")]
        var request = Request(
            url, method: "POST",
            headers: ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"],
            timeouts: timeouts, limits: Limits(body: 1 << 20))
        switch sending {
        case .header:
            request.credentials = [.header(name: "Authorization", value: "Basic \(pair)")]
        case .body:
            form += [("client_id", id), ("client_secret", secret)]
        }
        if let scope { form.append(("scope", scope)) }
        if let audience { form.append(("audience", audience)) }
        request.body = FormEncoding.body(form)
        request.redirects = .none
        request.connection = connection
        // It is for the feed's origin.
        request.connection.clientCertificate = nil
        return PreparedPage(
            request: request, identity: "POST \(secrets.key(for: url.text))", credentialFingerprint: 0,
            cursor: nil, secrets: secrets, isForToken: true)
    }
}

extension TokenRequest: CustomStringConvertible, CustomReflectable {
    /// The token's URL, without the query.
    package var description: String { "access token of \(url.origin)\(url.path)" }

    /// A mirror without children, so that `dump` shows no secret.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
