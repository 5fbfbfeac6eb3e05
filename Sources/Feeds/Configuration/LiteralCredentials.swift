extension FeedDefinition {
    /// The positions of literal credentials, which are no references such as `${NAME}`.
    package var literalCredentials: [SourcePosition] {
        var found = (authentication?.secrets ?? []).filter(\.hasLiteralSecret)
        found += (query + headers + (body?.texts ?? [])).filter { SecretName.matches($0.name) }.map(\.value)
            .filter(\.hasLiteralSecret)
        if maskedURL != url.description { found.append(url) }
        if let password = connection.clientCertificate?.password, password.hasLiteralSecret { found.append(password) }
        if case .url(let template)? = connection.proxy, CredentialMask.proxy(.url(template)) != template.description {
            found.append(template)
        }
        return found.map(\.position)
    }
}

extension Configuration {
    /// The position of a literal password in `store`; nil if there is none.
    package var literalStorePassword: SourcePosition? {
        guard let writtenStore else { return nil }
        let text = writtenStore.description
        return CredentialMask.proxy(CredentialMask.url(text)) == text ? nil : writtenStore.position
    }

    /// True if the text of a configuration contains a literal credential; false if it cannot be parsed.
    package static func holdsCredential(_ text: [UInt8], file: String) -> Bool {
        guard let configuration = try? parse(text, file: file, allowsCommands: true) else { return false }
        return configuration.literalStorePassword != nil
            || configuration.feeds.contains { !$0.literalCredentials.isEmpty }
    }
}

extension Authentication {
    /// The parts that must not be known to others.
    fileprivate var secrets: [Template] {
        switch self {
        case .bearer(let token): [token]
        case .basic(_, let password), .digest(_, let password): [password]
        case .headers(let values), .query(let values): values.map(\.value)
        case .oauth2(let client): client.secrets
        case .jwt(let rule): [rule.key]
        case .session(let rule):
            (rule.headers + rule.body.texts).filter { SecretName.matches($0.name) }.map(\.value)
        case .negotiate: []
        case .aws(let account): [account.secretKey] + (account.sessionToken.map { [$0] } ?? [])
        case .oneOf(let ways): ways.flatMap(\.secrets)
        }
    }
}

extension Template {
    /// True if it has text of its own, apart from the scheme before a credential.
    fileprivate var hasLiteralSecret: Bool { CredentialMask.template(self) != description }
}
