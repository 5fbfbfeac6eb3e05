internal import Text

/// The URL of a page, split into components so that another one can be joined to it.
///
/// It only joins and normalises. The caller that requests a URL parses it again and decides if it may be requested.
struct PageURL: Sendable, Hashable {
    /// `http` or `https`.
    private(set) var scheme: String
    /// In lower case.
    let host: String
    /// Nil for the scheme's own.
    let port: Int?
    /// From its first slash on.
    let path: String
    /// Nil where there is none, or an empty one.
    let query: String?

    /// The whole URL.
    var text: String {
        "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") + path + (query.map { "?\($0)" } ?? "")
    }

    /// Reads an absolute URL.
    ///
    /// - Throws: `PagingError` if it is none of http or https.
    init(_ text: String) throws(PagingError) {
        try self.init(text, base: nil)
    }

    /// The URL that `reference`, absolute or relative, means on a page that came from this one.
    ///
    /// A link that merely says `http` where the page came over https is taken for https: upstreams behind a proxy that
    /// ends TLS often write such links.
    ///
    /// - Throws: `PagingError` if it leads out of the web.
    func resolving(_ reference: String) throws(PagingError) -> PageURL {
        var url = try PageURL(reference, base: self)
        if url.scheme == "http", scheme == "https", url.host == host, url.port == nil, port == nil {
            url.scheme = scheme
        }
        return url
    }

    /// Source: https://www.rfc-editor.org/rfc/rfc3986#section-5.2.2
    private init(_ reference: String, base: PageURL?) throws(PagingError) {
        guard reference.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw PagingError("the URL contains a control character")
        }
        var rest = Array(reference.trimmingSpaces.utf8).prefix { $0 != UInt8(ascii: "#") }
        let isAlone = rest.isEmpty
        let ownScheme = Self.takeScheme(&rest)
        guard let scheme = ownScheme ?? base?.scheme else {
            throw PagingError("the URL must start with https:// or http://")
        }
        guard scheme == "http" || scheme == "https" else {
            throw PagingError("only http and https URLs are supported")
        }
        self.scheme = scheme
        let slashes = "//".utf8
        var folder = "/"
        if rest.starts(with: slashes) {
            rest = rest.dropFirst(slashes.count)
            let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            rest = rest[authority.endIndex...]
            (host, port) = try Self.authority(authority, of: scheme)
        } else if let base, ownScheme == nil {
            (host, port) = (base.host, base.port)
            let isQueryAlone = rest.isEmpty || rest.first == UInt8(ascii: "?")
            let end = base.path.utf8.lastIndex(of: UInt8(ascii: "/"))
            folder = isQueryAlone ? base.path : end.map { String(base.path[...$0]) } ?? "/"
        } else {
            throw PagingError("the URL has no host")
        }
        let ownPath = rest.prefix { $0 != UInt8(ascii: "?") }
        let ownQuery = rest[ownPath.endIndex...].dropFirst()
        let path = Self.encoded(ownPath, space: "%20")
        self.path = Self.withoutDots(path.utf8.first == UInt8(ascii: "/") ? path : folder + path)
        query = isAlone ? base?.query : ownQuery.isEmpty ? nil : Self.encoded(ownQuery, space: "+")
    }

    /// Takes `https:` or another scheme from the beginning, in lower case.
    private static func takeScheme(_ text: inout ArraySlice<UInt8>) -> String? {
        let name = text.prefix { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
        let rest = text[name.endIndex...]
        guard let first = name.first, first.isASCIILetterOrDigit, first > UInt8(ascii: "9"),
            rest.first == UInt8(ascii: ":")
        else { return nil }
        text = rest.dropFirst()
        return String(decoding: name, as: UTF8.self).lowercasedASCII
    }

    private static func authority(
        _ bytes: ArraySlice<UInt8>, of scheme: String
    ) throws(PagingError) -> (host: String, port: Int?) {
        guard !bytes.contains(UInt8(ascii: "@")) else {
            throw PagingError("the URL holds a user name; give it as a credential (auth) instead")
        }
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            throw PagingError("the host has letters beyond ASCII; write it in its xn-- form")
        }
        // The colons of an IPv6 address are in its brackets.
        let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        let name = bytes[..<bracket] + bytes[bracket...].prefix { $0 != UInt8(ascii: ":") }
        guard !name.isEmpty, !name.contains(where: { " <>\"\\^`{|}".utf8.contains($0) }) else {
            throw PagingError("the URL has no usable host")
        }
        let digits = String(decoding: bytes.dropFirst(name.count).dropFirst(), as: UTF8.self)
        let host = String(decoding: name, as: UTF8.self).lowercasedASCII
        guard !digits.isEmpty else { return (host, nil) }
        guard let port = digits.clampedDecimal, port <= 65_535 else {
            throw PagingError("the URL has no usable port")
        }
        return (host, port == (scheme == "https" ? 443 : 80) ? nil : Int(port))
    }

    /// The bytes with the characters percent-encoded that a URL may not contain, in libcurl's lower case.
    private static func encoded(_ bytes: ArraySlice<UInt8>, space: String) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: " "): text += space.utf8
            case 0x80...: text += "%\(String(byte, radix: 16))".utf8
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Source: https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4
    private static func withoutDots(_ path: String) -> String {
        let steps = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        var kept: [Substring] = []
        for step in steps.map({ Substring($0) }) {
            switch step {
            case ".": continue
            case "..": _ = kept.popLast()
            default: kept.append(step)
            }
        }
        // A dot at the end means the folder.
        if let last = steps.last.map({ Substring($0) }), last == "." || last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }
}
