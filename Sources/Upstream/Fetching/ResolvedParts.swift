internal import HTTP

/// A definition's request with its references followed, credentials apart from the rest.
struct ResolvedParts: Sendable {
    let url: String
    /// The parameters that are no credentials.
    private(set) var query: [NamedValue] = []
    /// The header fields that are no credentials.
    private(set) var headers = Headers()
    private(set) var credentials: [Credential] = []
    /// Credentials of which a request carries one besides `credentials`, with the secrets of each.
    private(set) var alternatives: [(credentials: [Credential], secrets: Secrets)] = []
    /// The body before paging has its say; nil for a GET.
    private(set) var body: JSONValue?
    /// The parameters that may have no value, as on the first page.
    private let changingParameters: [String]
    /// True if the body contains a credential, and therefore must stay with its origin.
    private(set) var bodyHoldsSecret = false
    /// The secrets that must be neither stored nor shown.
    let secrets: Secrets
    /// The secrets that distinguish these credentials from others. An access token is not one of them: a new one must
    /// not void validators.
    let distinction: Secrets
    private(set) var tokenRequest: TokenRequest?
    /// The keys of the masked columns, in the columns' order.
    private(set) var maskKeys: [[UInt8]] = []
    /// The options of requests' connections.
    let connection: ConnectionOptions
    /// The access token among the credentials; nil where there is none yet.
    private(set) var accessToken: AccessToken?

    /// - Parameters:
    ///   - definition: The feed.
    ///   - address: Its `url`, resolved as one.
    ///   - resolve: Resolves all other references; the flag is true for a URL.
    ///   - token: The present access token.
    ///   - file: The path of a file that the definition names, and that is to be read.
    ///   - place: The path of one that may be written.
    /// - Throws: the error of `resolve`.
    init(
        _ definition: FeedDefinition, address: Template.Resolved, token: (TokenRequest) -> AccessToken?,
        file: (ConnectionRule.File) throws(ConfigurationError) -> String, place: (String) -> String,
        resolve resolveTemplate: (Template, _ isURL: Bool) throws(ConfigurationError) -> Template.Resolved
    ) throws(ConfigurationError) {
        url = address.text
        changingParameters = definition.changingParameters
        var found = address.secrets
        func resolve(_ template: Template) throws(ConfigurationError) -> Template.Resolved {
            try resolveTemplate(template, false)
        }

        let parameters = try definition.query.map { parameter throws(ConfigurationError) in
            (name: parameter.name, value: try resolve(parameter.value))
        }
        // Credentials take the place of all parameters of their name, so one makes its namesakes credentials.
        let secretNames = Set(
            parameters.filter { !$0.value.secrets.isEmpty || SecretName.matches($0.name) }.map(\.name))
        for (name, value) in parameters {
            found += value.secrets
            if secretNames.contains(name) {
                credentials.append(.query(name: name, value: value.text))
            } else {
                query.append(NamedValue(name: name, value: value.text))
            }
        }

        for header in definition.headers {
            let value = try resolve(header.value)
            found += value.secrets
            let isCredential = SecretName.matches(header.name)
            let credential = Credential.header(name: header.name, value: value.text)
            if isCredential { found += credential.secrets }
            if isCredential || !value.secrets.isEmpty {
                credentials.append(credential)
            } else {
                headers.append(name: header.name, value: value.text)
            }
        }

        let known = found.count
        body = try definition.body?.resolved { text throws(ConfigurationError) in
            let value = try resolve(text.value)
            found += value.secrets
            if SecretName.matches(text.name) { found.append(value.text) }
            return value.text
        }
        bodyHoldsSecret = found.dropFirst(known).contains { !$0.isEmpty }

        if let authentication = definition.authentication {
            if case .oneOf(let ways) = authentication {
                for way in ways {
                    var own: [Credential] = []
                    let secrets = try Self.credentials(of: way, resolve: resolve, into: &own)
                    found += secrets
                    alternatives.append((own, Secrets(secrets)))
                }
            } else {
                found += try Self.credentials(of: authentication, resolve: resolve, into: &credentials)
            }
            let token = try TokenRequest.resolved(
                authentication, feedURL: address.text, file: place, resolveTemplate)
            found += token?.secrets ?? []
            tokenRequest = token?.request
        }
        let (connection, hidden) = try Self.connection(definition.connection, file, resolve)
        self.connection = connection
        // Behind all others, so that these keep their numbers.
        found += address.secrets.flatMap(URLSecret.otherForms)
        found += parameters.filter { SecretName.matches($0.name) }.map(\.value.text)
        found += FormEncoding.parameters(inQueryOf: url).filter { SecretName.matches($0.name) }.map(\.value)
        // With another key, every value is another one: the pages have to be read again.
        for template in definition.maskKeys {
            let key = try resolve(template).text
            guard key.utf8.count >= TextChange.shortestKey else {
                throw ConfigurationError(
                    Diagnostic(
                        position: template.position,
                        problem: "the key of a `mask` has less than \(TextChange.shortestKey) bytes"))
            }
            found.append(key)
            maskKeys.append(Array(key.utf8))
        }
        distinction = Secrets(found + (tokenRequest?.distinction ?? []))
        accessToken = tokenRequest.flatMap(token)
        if let accessToken, let header = tokenRequest?.header {
            credentials.append(.header(name: header.name, value: header.prefix + accessToken.text))
            found.append(accessToken.text)
        }
        // The credentials of a proxy have no influence on the upstream's answers.
        secrets = Secrets(found + hidden)
    }

    /// The options of requests' connections, and their secrets.
    private static func connection(
        _ rule: ConnectionRule, _ file: (ConnectionRule.File) throws(ConfigurationError) -> String,
        _ resolve: (Template) throws(ConfigurationError) -> Template.Resolved
    ) throws(ConfigurationError) -> (ConnectionOptions, secrets: [String]) {
        var options = ConnectionOptions()
        var secrets: [String] = []
        options.userAgent = rule.userAgent
        if let authorities = rule.authorities { options.caFile = try file(authorities) }
        if let certificate = rule.clientCertificate {
            var own = ConnectionOptions.ClientCertificate(file: try file(certificate.certificate))
            if let key = certificate.key { own.keyFile = try file(key) }
            if let password = certificate.password {
                let resolved = try resolve(password)
                own.password = resolved.text
                secrets += [resolved.text] + resolved.secrets
            }
            options.clientCertificate = own
        }
        switch rule.proxy {
        case nil: break
        case .direct: options.proxy = ""
        case .url(let template):
            let resolved = try resolve(template)
            options.proxy = resolved.text
            secrets += resolved.secrets + Self.userInformation(of: resolved.text)
        }
        return (options, secrets)
    }

    /// The credentials of a proxy: the password, and both together as they are sent.
    private static func userInformation(of proxy: String) -> [String] {
        guard let start = proxy.firstRange(of: "://")?.upperBound, let end = proxy[start...].lastIndex(of: "@"),
            let colon = proxy[start..<end].firstIndex(of: ":")
        else { return [] }
        let user = PercentCoding.decoded(proxy[start..<colon].utf8, plus: "+")
        let password = PercentCoding.decoded(proxy[proxy.index(after: colon)..<end].utf8, plus: "+")
        return [password, String(proxy[proxy.index(after: colon)..<end]), Base64.encoded("\(user):\(password)")]
    }

    /// A body as it goes out, with the values of parameters that have a place in a text.
    func written(_ body: JSONValue, places: [NamedValue]) -> String {
        if let text = body.text { return TextBody.filled(text, parameters: changingParameters, with: places) }
        return FormBody.isMediaType(headers["Content-Type"]) ? body.form : body.json
    }

    /// A URL for people, secrets masked.
    func shown(_ url: WebURL) -> String { secrets.mask(url.redacted) }

    /// Adds the headers and parameters of `auth` to the credentials and returns their secrets.
    private static func credentials(
        of authentication: Authentication,
        resolve: (Template) throws(ConfigurationError) -> Template.Resolved, into credentials: inout [Credential]
    ) throws(ConfigurationError) -> [String] {
        switch authentication {
        case .bearer(let template):
            let token = try resolve(template)
            credentials.append(.header(name: "Authorization", value: "Bearer \(token.text)"))
            return [token.text] + token.secrets
        case .basic(let userTemplate, let passwordTemplate):
            let (user, password) = (try resolve(userTemplate), try resolve(passwordTemplate))
            // https://www.rfc-editor.org/rfc/rfc7617#section-2
            let pair = Base64.encoded("\(user.text):\(password.text)")
            credentials.append(.header(name: "Authorization", value: "Basic \(pair)"))
            return [password.text, user.text, pair] + password.secrets + user.secrets
        case .headers(let headers):
            var found: [String] = []
            for header in headers {
                let value = try resolve(header.value)
                let credential = Credential.header(name: header.name, value: value.text)
                credentials.append(credential)
                found += credential.secrets + value.secrets
            }
            return found
        case .query(let parameters):
            var found: [String] = []
            for parameter in parameters {
                let value = try resolve(parameter.value)
                credentials.append(.query(name: parameter.name, value: value.text))
                found += [value.text] + value.secrets
            }
            return found
        case .digest(let userTemplate, let passwordTemplate):
            let (user, password) = (try resolve(userTemplate), try resolve(passwordTemplate))
            credentials.append(.account(user: user.text, password: password.text, .digest))
            return [password.text, user.text] + password.secrets + user.secrets
        case .negotiate:
            credentials.append(.account(user: "", password: "", .negotiate))
            return []
        case .aws(let account):
            let (key, secret) = (try resolve(account.accessKey), try resolve(account.secretKey))
            credentials.append(
                .aws(
                    accessKey: key.text, secretKey: secret.text, region: account.region, service: account.service))
            var found = [secret.text, key.text] + secret.secrets + key.secrets
            if let template = account.sessionToken {
                let token = try resolve(template)
                credentials.append(.header(name: "X-Amz-Security-Token", value: token.text))
                found += [token.text] + token.secrets
            }
            return found
        case .oauth2, .jwt, .session, .oneOf: return []
        }
    }
}
