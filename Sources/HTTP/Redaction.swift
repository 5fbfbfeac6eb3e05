internal import Text

/// Masks the credentials of a request in URLs and texts that people and logs get to see.
package struct Redaction: Sendable {
    private let parameters: Set<String>
    private let values: Set<String>
    private let secrets: Secrets

    /// Masks the values of `credentials`, and in URLs also parameters with names of secrets.
    package init(_ credentials: [Credential] = []) {
        var parameters: Set<String> = []
        for case .query(let name, _) in credentials { parameters.insert(name) }
        self.parameters = parameters
        values = Set(credentials.flatMap(\.secrets).filter { !$0.isEmpty })
        secrets = Secrets(credentials.flatMap(\.secrets))
    }

    /// The URL with its secret parameters, and any secret elsewhere in it, masked.
    package func masking(_ url: WebURL) -> String {
        guard url.query != nil else { return masking(url.text) }
        let items = url.encodedQueryItems.map { encoded in
            let item = NamedValue(encoded: encoded.utf8)
            let name = encoded.prefix { $0 != "=" }
            return isSecret(item) ? "\(name)=\(Secrets.mask)" : String(encoded)
        }
        return masking("\(url.text.prefix { $0 != "?" })?\(items.joined(separator: "&"))")
    }

    /// The text with each secret in it masked, however it is encoded.
    package func masking(_ text: String) -> String { secrets.mask(text) }

    /// True if the item is a credential, or contains one.
    func isSecret(_ item: NamedValue) -> Bool {
        parameters.contains(item.name) || SecretName.matches(item.name) || carriesSecret(item)
    }

    func carriesSecret(_ item: NamedValue) -> Bool { values.contains(item.value) }

    /// The part of a text that may be shown although it is no URL: no user, no query, at most 200 characters.
    static func quoting(unparsed text: String) -> String {
        var shown = text.prefix { $0 != "?" && $0 != "#" }
        var start = ""
        if let at = shown.lastIndex(of: "@") {
            start = "\(Secrets.mask)@"
            shown = shown[shown.index(after: at)...]
        }
        let escaped = shown.prefix(200).unicodeScalars.map {
            $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : String($0)
        }
        return start + escaped.joined()
    }
}
