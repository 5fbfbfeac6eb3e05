/// Masks secrets in texts that people and logs get to see.
public struct Redaction: Sendable {
    /// What stands in a secret's place.
    public static let mask = "***"

    private let parameters: Set<String>
    private let secrets: [String]

    /// Masks the values of `credentials`, and in URLs also the parameters whose names are known to carry secrets.
    public init(_ credentials: [Credential] = []) {
        var parameters: Set<String> = []
        for case .query(let name, _) in credentials { parameters.insert(name) }
        self.parameters = parameters
        // The longest first, so that a secret that contains another is not left half visible.
        secrets = credentials.flatMap(\.secrets).filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// The URL with its secret parameters, and any secret elsewhere in it, masked.
    public func masking(_ url: WebURL) -> String {
        guard url.query != nil else { return masking(url.text) }
        let items = url.encodedQueryItems.map { encoded in
            let item = QueryItem(encoded: encoded.utf8)
            let name = encoded.prefix { $0 != "=" }
            return isSecret(item) ? "\(name)=\(Self.mask)" : String(encoded)
        }
        return masking("\(url.text.prefix { $0 != "?" })?\(items.joined(separator: "&"))")
    }

    /// The text with each secret in it masked, also where it stands percent-encoded.
    ///
    /// Secrets of fewer than four bytes are left alone here: masking every `1` would only mangle the text.
    public func masking(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for secret in secrets where secret.utf8.count >= 4 {
            for form in [secret, PercentEncoding.encoded(secret)] {
                bytes = Self.replacing(Array(form.utf8), in: bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a parameter or member of that name is known to carry a secret, whatever its case.
    public static func isSecretName(_ name: String) -> Bool { secretNames.contains(name.lowercasedASCII) }

    /// Whether the item is a credential, or carries one.
    func isSecret(_ item: QueryItem) -> Bool {
        parameters.contains(item.name) || Self.isSecretName(item.name) || carriesSecret(item)
    }

    func carriesSecret(_ item: QueryItem) -> Bool { secrets.contains(item.value) }

    /// What of a text that could not be parsed as a URL can be shown: no user, no query, at most 200 characters.
    static func quoting(unparsed text: String) -> String {
        var shown = text.prefix { $0 != "?" && $0 != "#" }
        var start = ""
        if let at = shown.lastIndex(of: "@") {
            start = "\(mask)@"
            shown = shown[shown.index(after: at)...]
        }
        let escaped = shown.prefix(200).unicodeScalars.map {
            $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : String($0)
        }
        return start + escaped.joined()
    }

    private static let secretNames: Set<String> = [
        "access_token", "api-key", "api_key", "apikey", "auth", "auth_token", "authorization", "client_secret", "jwt",
        "passwd", "password", "private_token", "refresh_token", "secret", "sig", "signature", "token",
        "x-amz-credential", "x-amz-security-token", "x-amz-signature",
    ]

    private static func replacing(_ secret: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.first {
            if rest.starts(with: secret) {
                result += mask.utf8
                rest = rest.dropFirst(secret.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}
