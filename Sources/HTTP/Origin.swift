/// The scheme, host and port of a URL, to which credentials and quotas belong.
///
/// Source: https://www.rfc-editor.org/rfc/rfc6454
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    package let scheme: String
    /// The host in lower case; an IPv6 address keeps its brackets.
    package let host: String
    /// The port, the scheme's default if the URL has none: 0 to 65,535.
    package let port: Int

    init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Reads an origin from a URL's text; path and query are ignored.
    ///
    /// - Throws: `HTTPError` of kind `invalidURL` or `unsupportedScheme`.
    package init(_ text: String) throws(HTTPError) {
        self = try WebURL(text).origin
    }

    /// The host, with the port if it is not the scheme's own, as in the header `Host`.
    var authority: String { usesDefaultPort ? host : "\(host):\(port)" }

    /// True if requests to this origin are encrypted.
    package var isSecure: Bool { scheme == "https" }

    /// The origin as it starts a URL, without the scheme's own port: `https://api.example.com`.
    package var description: String { "\(scheme)://\(authority)" }

    /// True if the host is this machine, by name or by number.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc6761#section-6.3
    var isLoopback: Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return SocketAddress(String(name.drop { $0 == "[" }.prefix { $0 != "]" && $0 != "%" }))?.isLoopback ?? false
    }

    var usesDefaultPort: Bool { port == (isSecure ? 443 : 80) }

    /// True if this is the plain-text form of `other`: the same host, each on its scheme's default port.
    ///
    /// Upstreams behind a proxy that ends TLS often write `http` into their links.
    func isInsecureTwin(of other: Origin) -> Bool {
        !isSecure && other.isSecure && host == other.host && usesDefaultPort && other.usesDefaultPort
    }
}
