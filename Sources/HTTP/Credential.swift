internal import Text

/// A secret that goes with a request, apart from its other headers and parameters, and only to one origin.
///
/// Its descriptions never show the value.
package enum Credential: Sendable, Hashable, SecretHolder {
    /// A header field, such as `Authorization`.
    case header(name: String, value: String)
    /// A query parameter, such as `api_key`; the value is not yet percent-encoded.
    case query(name: String, value: String)
    /// An account for which libcurl answers the host's challenge.
    case account(user: String, password: String, Scheme)
    /// A key with which requests are signed as AWS wants it; region and service are in the host's name if nil.
    case aws(accessKey: String, secretKey: String, region: String?, service: String?)

    /// A way to sign in that takes more than a header.
    package enum Scheme: Sendable, Hashable {
        /// https://www.rfc-editor.org/rfc/rfc7616
        case digest
        /// With a ticket of Kerberos; the account is empty: https://www.rfc-editor.org/rfc/rfc4559
        case negotiate
    }

    /// The name with the value masked.
    package var description: String {
        switch self {
        case .header(let name, _): "header \(name): \(Secrets.mask)"
        case .query(let name, _): "query \(name)=\(Secrets.mask)"
        case .account(_, _, let scheme): "account for \(scheme)"
        case .aws: "key of AWS"
        }
    }

    /// The texts that must not be shown: the value, and for `Bearer TOKEN` also the token.
    package var secrets: [String] {
        switch self {
        case .query(_, let value): return [value]
        case .account(let user, let password, _): return [password, user]
        case .aws(let accessKey, let secretKey, _, _): return [secretKey, accessKey]
        case .header(_, let value):
            guard let space = value.firstIndex(of: " ") else { return [value] }
            return [value, String(value[value.index(after: space)...])]
        }
    }
}
