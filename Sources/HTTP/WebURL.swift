internal import CCurl
package import Text

/// An absolute `http` or `https` URL, normalised.
///
/// Scheme and host are in lower case; a default port, dot segments and the fragment are dropped.
/// User names and passwords in a URL are refused; they belong in a request's credentials.
package struct WebURL: Sendable, Hashable, CustomStringConvertible {
    /// The whole URL as it is requested. It may hold secrets in its query; show `redacted` instead.
    package let text: String
    /// The origin of the URL.
    package let origin: Origin

    init(text: String, origin: Origin) {
        self.text = text
        self.origin = origin
    }

    /// Parses an absolute URL; letters beyond ASCII are percent-encoded.
    ///
    /// - Throws: `HTTPError` of kind `unsupportedScheme` for anything but http and https, `missingLibrary` where there
    ///   is no libcurl, else `invalidURL`.
    package init(_ text: String) throws(HTTPError) {
        guard let origin = NormalURL.origin(of: text) else {
            try self.init(text, relativeTo: nil)
            return
        }
        try CurlLibrary.load()
        self.init(text: text, origin: Origin(scheme: origin.scheme, host: origin.host, port: origin.port))
    }

    /// The URL of `reference`, absolute or relative to this URL.
    ///
    /// - Throws: `HTTPError` of kind `unsupportedScheme` or `invalidURL`.
    package func resolving(_ reference: String) throws(HTTPError) -> WebURL {
        if NormalURL.holds(reference, ofOriginOf: text) { return WebURL(text: reference, origin: origin) }
        return try WebURL(reference, relativeTo: self)
    }

    private init(_ reference: String, relativeTo base: WebURL?) throws(HTTPError) {
        func refusal(_ kind: HTTPError.Kind, _ reason: String) -> HTTPError {
            HTTPError(kind, reason, url: Redaction.quoting(unparsed: reference))
        }
        guard reference.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw refusal(.invalidURL, "the URL contains a control character")
        }
        try CurlLibrary.load()
        guard let handle = URLHandle() else { throw refusal(.other(code: 27), "out of memory") }
        if let base, handle.set(CURLUPART_URL, base.text) != CURLUE_OK {
            throw refusal(.invalidURL, "the base URL is malformed")
        }
        // libcurl 7.88 reads "#top" as a file name, and the fragment is never sent anyway.
        let target = String(Substring(reference.trimmingSpaces.utf8.prefix { $0 != UInt8(ascii: "#") }))
        if base == nil || !target.isEmpty {
            let flags = CURLU_DISALLOW_USER | CURLU_URLENCODE
            let code = handle.set(CURLUPART_URL, target, flags: flags)
            guard code == CURLUE_OK else { throw refusal(Self.kind(of: code), Self.reason(for: code)) }
        }
        guard let scheme = handle.part(CURLUPART_SCHEME)?.lowercasedASCII, scheme == "http" || scheme == "https" else {
            throw refusal(.unsupportedScheme, "only http and https URLs are supported")
        }
        guard let written = handle.part(CURLUPART_HOST), !written.isEmpty else {
            throw refusal(.invalidURL, "the URL has no host")
        }
        // libcurl would convert it by the process's locale, and so not everywhere to the same host.
        guard written.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw refusal(.invalidURL, "the host has letters beyond ASCII; write it in its xn-- form")
        }
        let host = written.lowercasedASCII
        if written != host, handle.set(CURLUPART_HOST, host) != CURLUE_OK {
            throw refusal(.invalidURL, "the URL has no usable host")
        }
        guard let port = handle.part(CURLUPART_PORT, flags: CURLU_DEFAULT_PORT).flatMap({ Int($0) }),
            let text = handle.part(CURLUPART_URL, flags: CURLU_NO_DEFAULT_PORT)
        else { throw refusal(.invalidURL, "the URL is malformed") }
        // A number that was percent-encoded becomes an address only when it is read again.
        if target.utf8.contains(UInt8(ascii: "%")), Self.mayBeAddress(host) {
            guard let again = URLHandle(), again.set(CURLUPART_URL, text) == CURLUE_OK,
                again.part(CURLUPART_HOST)?.lowercasedASCII == host
            else { throw refusal(.invalidURL, "the URL has no usable host") }
        }
        self.init(text: text, origin: Origin(scheme: scheme, host: host, port: port))
    }

    /// True if the last label begins with a digit, as in no name.
    ///
    /// Source: https://url.spec.whatwg.org/#ends-in-a-number-checker
    private static func mayBeAddress(_ host: String) -> Bool {
        host.utf8.split(separator: UInt8(ascii: ".")).last?.first.map(\.isASCIIDigit) ?? false
    }

    private static func kind(of code: CURLUcode) -> HTTPError.Kind {
        code == CURLUE_UNSUPPORTED_SCHEME ? .unsupportedScheme : .invalidURL
    }

    private static func reason(for code: CURLUcode) -> String {
        switch code {
        case CURLUE_UNSUPPORTED_SCHEME: "only http and https URLs are supported"
        case CURLUE_BAD_SCHEME, CURLUE_NO_SCHEME: "the URL must start with https:// or http://"
        case CURLUE_USER_NOT_ALLOWED: "the URL holds a user name; give it as a credential (auth) instead"
        default: ccurl_url_strerror(code).map { String(cString: $0) } ?? "the URL is malformed"
        }
    }

    /// The path, percent-encoded, from its first slash on.
    package var path: String {
        let afterOrigin = text.utf8.dropFirst(origin.scheme.utf8.count + 3).drop { $0 != UInt8(ascii: "/") }
        return String(decoding: afterOrigin.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// This URL over https if it is the plain-text form of `base`'s origin, else itself.
    package func upgraded(toMatch base: WebURL) -> WebURL {
        guard origin.isInsecureTwin(of: base.origin) else { return self }
        return WebURL(text: "https" + text.dropFirst(origin.scheme.count), origin: base.origin)
    }

    /// The URL with everything in its query that looks like a secret masked.
    package var redacted: String { Redaction().masking(self) }

    /// The same as `redacted`, so that printing a URL does not print a token.
    package var description: String { redacted }
}

extension WebURL {
    /// The query without its question mark, percent-encoded; nil if there is none.
    package var query: String? {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(text[text.utf8.index(after: mark)...])
    }

    /// The query's parameters in order, decoded; `+` is read as a space.
    package var queryItems: [NamedValue] {
        encodedQueryItems.map { NamedValue(encoded: $0.utf8) }
    }

    /// The URL with `items` in place of the parameters that have their names.
    ///
    /// Each name keeps its first position; new names are added at the end, in order. Several items of one name
    /// all stay. The other parameters stay byte for byte.
    package func replacingQuery(_ items: [NamedValue]) -> WebURL {
        guard !items.isEmpty else { return self }
        guard text.utf8.contains(UInt8(ascii: "?")) else { return withQuery(items.map(\.encoded)) }
        let names = Set(items.map(\.name))
        var placed: Set<String> = []
        var query: [String] = []
        for present in encodedQueryItems {
            let name = NamedValue(encoded: present.utf8).name
            if !names.contains(name) {
                query.append(String(present))
            } else if placed.insert(name).inserted {
                query += items.filter { $0.name == name }.map(\.encoded)
            }
        }
        query += items.filter { !placed.contains($0.name) }.map(\.encoded)
        return withQuery(query)
    }

    /// The URL without the parameters for which `isUnwanted` is true.
    package func removingQuery(where isUnwanted: (NamedValue) -> Bool) -> WebURL {
        let present = encodedQueryItems
        let kept = present.filter { !isUnwanted(NamedValue(encoded: $0.utf8)) }
        return kept.count == present.count ? self : withQuery(kept.map(String.init))
    }

    var encodedQueryItems: [Substring] {
        guard let query else { return [] }
        return query.split(separator: "&")
    }

    /// The URL with these parameters, which are encoded, in place of its query.
    func withQuery(_ items: [String]) -> WebURL {
        let start = text.utf8.firstIndex(of: UInt8(ascii: "?")).map { text[..<$0] } ?? text[...]
        return WebURL(text: items.isEmpty ? String(start) : "\(start)?\(items.joined(separator: "&"))", origin: origin)
    }
}

extension NamedValue {
    /// A query's parameter; its value is empty if the query has only the name.
    init(encoded: Substring.UTF8View) {
        let (name, value) = FormEncoding.parameter(encoded)
        self.init(name: name, value: value)
    }

    /// The parameter as a query has it.
    var encoded: String { "\(PercentCoding.encoded(name))=\(PercentCoding.encoded(value))" }
}

/// Owns one `CURLU`, libcurl's URL parser, so that the checked URL is the requested one.
///
/// Source: https://curl.se/libcurl/c/libcurl-url.html
struct URLHandle: ~Copyable {
    private let pointer: OpaquePointer

    /// Creates a handle; libcurl must be loaded.
    init?() {
        guard let pointer = ccurl_url() else { return nil }
        self.pointer = pointer
    }

    deinit { ccurl_url_cleanup(pointer) }

    /// Sets one part, or the whole URL; a relative one is resolved against the handle's URL.
    ///
    /// `text` must not contain a NUL: it crosses as a C string.
    func set(_ part: CURLUPart, _ text: String?, flags: Int32 = 0) -> CURLUcode {
        ccurl_url_set(pointer, part, text, UInt32(bitPattern: flags))
    }

    /// The text of one part; nil if the URL has none.
    func part(_ part: CURLUPart, flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(pointer, part, &text, UInt32(bitPattern: flags)) == CURLUE_OK, let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }
}
