/// An option of curl, as far as it means something here.
///
/// Source: https://curl.se/docs/manpage.html
enum CurlOption: Hashable {
    case url, header, request, data, rawData, encodedData, json, get, user, bearer, userAgent, cookie, referer, proxy
    case authorities, literalURL
    /// An option for curl's work or output that does not change the request.
    case ignored(takesValue: Bool)
    /// An option that cannot be left out without changing the request, and the reason for refusing it.
    case refused(String)

    /// True if the next word, or the rest of this one, is its value.
    var takesValue: Bool {
        switch self {
        case .get, .literalURL, .refused: false
        case .ignored(let takesValue): takesValue
        default: true
        }
    }

    /// The option of a long name, without its hyphens; nil for one that is not known.
    static func named(_ name: String) -> CurlOption? {
        if let option = taken[name] ?? reasons[name].map(Self.refused) { return option }
        if withValue.contains(name) { return .ignored(takesValue: true) }
        let plain = name.hasPrefix("no-") ? String(name.dropFirst(3)) : name
        return withoutValue.contains(plain) ? .ignored(takesValue: false) : nil
    }

    /// The option of a letter.
    static func letter(_ letter: Character) -> CurlOption? { letters[letter].flatMap(named) }

    private static let taken: [String: CurlOption] = [
        "url": .url, "header": .header, "request": .request, "data": .data, "data-ascii": .data, "data-binary": .data,
        "data-raw": .rawData, "data-urlencode": .encodedData, "json": .json, "get": .get, "user": .user,
        "oauth2-bearer": .bearer, "user-agent": .userAgent, "cookie": .cookie, "referer": .referer, "proxy": .proxy,
        "cacert": .authorities, "globoff": .literalURL,
    ]

    private static let reasons: [String: String] = [
        "form": "a form of several parts cannot be sent", "form-string": "a form of several parts cannot be sent",
        "upload-file": "files are not sent", "head": "a page needs a body", "range": "a page is requested whole",
        "insecure": "certificates are always verified; name an authority of your own with --cacert",
        "config": "the options in that file are not seen here", "next": "a feed has one request",
        "netrc": "write the name and the password with -u", "netrc-file": "write the name and the password with -u",
        "netrc-optional": "write the name and the password with -u",
        "digest": "only basic authentication is spoken", "ntlm": "only basic authentication is spoken",
        "negotiate": "only basic authentication is spoken", "anyauth": "only basic authentication is spoken",
        "aws-sigv4": "requests are not signed",
        "location-trusted": "credentials go only to the host that they were written for",
        "cert": "add `client_certificate` to the feed by hand", "key": "add `client_certificate` to the feed by hand",
        "resolve": "hosts are looked up as usual", "connect-to": "hosts are looked up as usual",
        "unix-socket": "only TCP is spoken", "abstract-unix-socket": "only TCP is spoken",
        "interface": "the system chooses the way", "time-cond": "feedsync asks for what changed by itself",
    ]

    private static let withValue: Set<String> = [
        "output", "write-out", "max-time", "connect-timeout", "retry", "retry-delay", "retry-max-time", "max-redirs",
        "cookie-jar", "dump-header", "stderr", "trace", "trace-ascii", "limit-rate", "speed-limit", "speed-time",
        "keepalive-time", "output-dir", "max-filesize", "etag-save", "etag-compare", "tls-max",
    ]

    private static let withoutValue: Set<String> = [
        "compressed", "silent", "show-error", "location", "verbose", "include", "show-headers", "fail",
        "fail-with-body", "fail-early", "buffer", "progress-bar", "progress-meter", "http0.9", "http1.0", "http1.1",
        "http2", "http2-prior-knowledge", "http3", "http3-only", "ipv4", "ipv6", "tlsv1", "tlsv1.0", "tlsv1.1",
        "tlsv1.2", "tlsv1.3", "basic", "remote-name", "remote-header-name", "create-dirs", "tcp-nodelay",
        "tcp-fastopen", "keepalive", "retry-all-errors", "retry-connrefused", "parallel", "disable", "styled-output",
        "sessionid", "alpn", "raw",
    ]

    private static let letters: [Character: String] = [
        "H": "header", "X": "request", "d": "data", "G": "get", "u": "user", "A": "user-agent", "b": "cookie",
        "e": "referer", "x": "proxy", "g": "globoff", "F": "form", "T": "upload-file", "I": "head", "r": "range",
        "k": "insecure", "K": "config", ":": "next", "n": "netrc", "E": "cert", "z": "time-cond", "o": "output",
        "w": "write-out", "m": "max-time", "c": "cookie-jar", "D": "dump-header", "Y": "speed-limit",
        "y": "speed-time", "s": "silent", "S": "show-error", "L": "location", "v": "verbose", "i": "include",
        "f": "fail", "N": "no-buffer", "#": "progress-bar", "0": "http1.0", "1": "tlsv1", "4": "ipv4", "6": "ipv6",
        "O": "remote-name", "J": "remote-header-name", "Z": "parallel", "q": "disable",
    ]
}
