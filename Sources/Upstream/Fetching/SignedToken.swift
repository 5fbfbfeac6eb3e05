internal import CCrypto

/// A JSON Web Token to be signed, references followed.
///
/// Source: https://www.rfc-editor.org/rfc/rfc7515#section-5.1
struct SignedToken: Sendable, Hashable {
    let algorithm: SignedTokenRule.Algorithm
    let key: SigningKey
    let claims: JSONValue
    let lifetime: Int64

    /// The signed token at a time, in seconds since 1970.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` for a key that cannot sign.
    func text(at now: Int64) throws(FeedSyncError) -> String {
        var header: JSONValue = .object(["alg": .string(algorithm.rawValue), "typ": .string("JWT")])
        if let id = key.id { header.set(["kid"], to: .string(id)) }
        var claims = claims
        if let issuer = key.issuer, claims.members?["iss"] == nil { claims.set(["iss"], to: .string(issuer)) }
        claims.set(["iat"], to: .number("\(now - Self.tolerance)"))
        claims.set(["exp"], to: .number("\(now + lifetime - Self.tolerance)"))
        let text = [header, claims].map { Base64.encodedForURL(Array($0.json.utf8)) }.joined(separator: ".")
        return "\(text).\(Base64.encodedForURL(try signature(of: Array(text.utf8))))"
    }

    /// The token as one to send to the feed's own requests.
    func accessToken(at now: Int64) throws(FeedSyncError) -> AccessToken {
        AccessToken(text: try text(at: now), lifetime: max(lifetime - Self.tolerance, 1), now: now)
    }

    /// The seconds by which a server's clock may be behind ours.
    private static let tolerance: Int64 = 5

    private func signature(of text: [UInt8]) throws(FeedSyncError) -> [UInt8] {
        let kind: crypto_algorithm
        switch algorithm {
        case .hs256: return SHA256.signature(of: text, key: key.bytes)
        case .rs256: kind = CRYPTO_RSA
        case .es256: kind = CRYPTO_P256
        }
        var signature = [UInt8](repeating: 0, count: 2048)
        var length = signature.count
        let result = key.bytes.withUnsafeBytes { pem in
            crypto_sign(
                pem.baseAddress?.assumingMemoryBound(to: CChar.self), pem.count, kind, text, text.count, &signature,
                &length)
        }
        switch result {
        case CRYPTO_OK: return Array(signature.prefix(length))
        case CRYPTO_NO_LIBRARY:
            throw FeedSyncError(
                .configuration, "the token cannot be signed: there is no libcrypto", advice: "install libssl3")
        case CRYPTO_NO_KEY:
            throw FeedSyncError(
                .configuration, "`key` in `auth` is no private key in PEM without a password",
                advice: "it begins with `-----BEGIN PRIVATE KEY-----` or the like; give it as `${file:PATH}`")
        case CRYPTO_WRONG_KEY:
            let kind = algorithm == .rs256 ? "an RSA key" : "a key of the curve P-256"
            throw FeedSyncError(
                .configuration, "`key` in `auth` is not \(kind), which \(algorithm.rawValue) needs",
                advice: "check `algorithm`")
        default: throw FeedSyncError(.configuration, "the token cannot be signed with `key` in `auth`")
        }
    }
}

/// The key of a signature.
struct SigningKey: Sendable, Hashable {
    /// PEM, or the common key.
    let bytes: [UInt8]
    /// The key's identifier.
    let id: String?
    /// The issuer, where the key's file names it.
    let issuer: String?
    /// The texts that must be neither stored nor shown.
    let secrets: [String]

    /// Reads a key: PEM, the file of a service account as Google writes it, or the common key in its coding.
    ///
    /// - Throws: `ConfigurationError` at `position` for a common key that is not in its coding.
    init(
        _ text: String, _ rule: SignedTokenRule, id: String?
    ) throws(ConfigurationError) {
        let account = text.utf8.first == UInt8(ascii: "{") ? (try? JSONValue(parsing: text))?.members : nil
        let own = account?["private_key"]?.text
        self.id = id ?? account?["private_key_id"]?.text
        issuer = account?["client_email"]?.text
        // Its lines are what an upstream could echo.
        let lines = (own ?? text).split(separator: "\n").map(String.init).filter { !$0.hasPrefix("-----") }
        secrets = [text, own].compactMap(\.self) + lines
        switch rule.keyCoding {
        case .text: bytes = Array((own ?? text).utf8)
        case .base64: bytes = try Self.decoded(Base64.decoded(text), rule)
        case .hex: bytes = try Self.decoded(Hexadecimal.decoded(text), rule)
        }
    }

    private static func decoded(_ bytes: [UInt8]?, _ rule: SignedTokenRule) throws(ConfigurationError) -> [UInt8] {
        guard let bytes else {
            throw ConfigurationError(
                Diagnostic(position: rule.key.position, problem: "`key` in `auth` is not in \(rule.keyCoding.rawValue)")
            )
        }
        return bytes
    }
}
