internal import YAML

/// Puts `***` in the place of credentials that are written out; references such as `${NAME}` stay.
enum CredentialMask {
    /// The members of `auth` that are no credentials.
    private static let open: Set<String> = [
        "token_url", "scope", "audience", "send", "grant", "tokens", "device_url", "authorize_url", "port", "algorithm",
        "key_coding",
        "lifetime", "scheme",
        "region", "service", "negotiate",
    ]
    /// The words that may precede a credential in a header.
    private static let schemes: Set<String> = ["Bearer ", "Basic ", "Token ", "token "]

    static func template(_ template: Template) -> String {
        template.written { schemes.contains($0) ? $0 : Secrets.mask }
    }

    static func values(_ node: Node, named name: String, isCredential: Bool) -> FeedEntry.Value {
        switch node.content {
        case .mapping(let pairs):
            return .mapping(
                pairs.map { pair in
                    let own = pair.key.text ?? ""
                    let isSecret = (isCredential || SecretName.matches(own)) && !open.contains(own)
                    return .init(own, values(pair.value, named: own, isCredential: isSecret))
                })
        case .sequence(let elements):
            return .list(elements.map { values($0, named: name, isCredential: isCredential) })
        case .scalar(let scalar):
            guard isCredential else { return FeedEntry.Value(node) }
            let position = SourcePosition(node.mark)
            guard let template = try? Template(scalar.text, position: position) else { return .text(Secrets.mask) }
            return .text(self.template(template))
        }
    }

    /// A proxy's URL without a password that is written out.
    static func proxy(_ proxy: ConnectionRule.Proxy) -> String {
        guard case .url(let template) = proxy else { return "none" }
        return self.proxy(template.description)
    }

    static func proxy(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound, let end = text[start...].lastIndex(of: "@"),
            let colon = text[start..<end].firstIndex(of: ":")
        else { return text }
        let password = text[text.index(after: colon)..<end]
        return password.contains("${") ? text : "\(text[...colon])\(Secrets.mask)\(text[end...])"
    }

    /// The URL with the values of parameters masked that are named like credentials.
    static func url(_ text: String) -> String {
        guard let mark = text.firstIndex(of: "?") else { return text }
        let items = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false).map {
            item in
            let name = item.prefix { $0 != "=" }
            let isOpen = !SecretName.matches(name) || item.contains("${") || name.count == item.count
            return isOpen ? String(item) : "\(name)=\(Secrets.mask)"
        }
        return text[...mark] + items.joined(separator: "&")
    }

    /// The members of a mapping and of those in it, those masked that are named like credentials.
    fileprivate static func named(_ value: FeedEntry.Value, as name: String = "") -> FeedEntry.Value {
        switch value {
        case .mapping(let members):
            return .mapping(members.map { .init($0.name, named($0.value, as: $0.name), remark: $0.remark) })
        case .list(let values): return .list(values.map { named($0, as: name) })
        case .text(let text):
            guard SecretName.matches(name) else { return value }
            let template = try? Template(text, position: SourcePosition(file: ""))
            return .text(template.map(self.template) ?? Secrets.mask)
        case .plain: return value
        }
    }
}

extension FeedDefinition {
    /// The `url` as it is written, credentials in its query as `***`.
    package var maskedURL: String { CredentialMask.url(url.description) }

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

extension FeedEntry {
    /// True if it contains a literal credential, not just a reference.
    package var holdsCredential: Bool { masked.lines != lines }

    /// The entry with `***` in place of credentials that are written out.
    package var masked: FeedEntry {
        FeedEntry(
            name: name,
            members: members.map { member in
                switch (member.name, member.value) {
                case ("url", .text(let text)): Member("url", .text(CredentialMask.url(text)))
                case ("query", let value), ("headers", let value), ("with", let value), ("auth", let value),
                    ("body", let value):
                    Member(member.name, CredentialMask.named(value))
                case ("proxy", .text(let text)): Member("proxy", .text(CredentialMask.proxy(text)))
                default: member
                }
            })
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
