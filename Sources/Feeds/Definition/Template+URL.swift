/// The part of a URL in which something stands.
package enum URLPart: Hashable {
    /// Scheme, host and port, and all that a value brings along which the URL begins with.
    case beginning
    case path
    case query

    /// The part in which a URL goes on that starts so.
    package init(after start: String) {
        let authority = start.firstRange(of: "://").map { start[$0.upperBound...] }
        if start.contains("?") {
            self = .query
        } else {
            self = authority?.contains("/") == true ? .path : .beginning
        }
    }

    /// A value as it must be written here to arrive as it is.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc3986#section-3.3
    package func encoded(_ value: String) -> String {
        switch self {
        case .beginning: value
        case .path: PercentCoding.encoded(value, keeping: "/!$&'()*+,;=:@")
        case .query: PercentCoding.encoded(value)
        }
    }
}

extension Template {
    /// Scheme, host and port as written in the definition: enough to know which feeds share a host.
    package var host: String {
        let text = description
        // Bytes, as this is asked for each of many lists; characters take their time.
        let bytes = text.utf8
        var rest = bytes[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[bytes.index(after: colon)...]
            guard rest.starts(with: "//".utf8) else { continue }
            rest = rest.dropFirst(2)
            return String(text[..<(rest.firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex)])
        }
        return text
    }
}
