/// The component of a URL at some place in its text.
package enum URLPart: Hashable {
    /// Scheme, host and port, and all that a value brings along which the URL begins with.
    case beginning
    case path
    case query

    /// The component that continues after such a start of a URL.
    package init(after start: String) {
        guard !start.utf8.contains(UInt8(ascii: "?")) else {
            self = .query
            return
        }
        self = start.authorityStart.map { start.utf8[$0...].contains(UInt8(ascii: "/")) } == true ? .path : .beginning
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
        guard let start = text.authorityStart else { return text }
        return String(text[..<(text.utf8[start...].firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex)])
    }
}

extension String {
    /// The start of a URL's host and port, after its first `://`. It is found in bytes, because this runs for each of
    /// many lists; characters are slow.
    var authorityStart: String.Index? {
        var rest = utf8[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[utf8.index(after: colon)...]
            if rest.starts(with: "//".utf8) { return rest.dropFirst(2).startIndex }
        }
        return nil
    }
}
