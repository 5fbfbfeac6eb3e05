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
}

extension FeedDefinition {
    /// The `url` as it is written, credentials in its query as `***`.
    package var maskedURL: String { CredentialMask.url(url.description) }
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

extension CredentialMask {
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
