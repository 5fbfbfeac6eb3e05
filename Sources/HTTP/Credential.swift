internal import Text

/// A secret that goes with a request, apart from its other headers and parameters, and only to one origin.
///
/// Its descriptions never show the value.
public enum Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A header field, such as `Authorization`.
    case header(name: String, value: String)
    /// A query parameter, such as `api_key`; the value is not yet percent-encoded.
    case query(name: String, value: String)

    /// The name with the value masked.
    public var description: String {
        switch self {
        case .header(let name, _): "header \(name): \(Secrets.mask)"
        case .query(let name, _): "query \(name)=\(Secrets.mask)"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// The texts that must not be shown: the value, and for `Bearer TOKEN` also the token.
    var secrets: [String] {
        switch self {
        case .query(_, let value): return [value]
        case .header(_, let value):
            guard let space = value.firstIndex(of: " ") else { return [value] }
            return [value, String(value[value.index(after: space)...])]
        }
    }
}
