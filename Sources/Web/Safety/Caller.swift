internal import HTTPServer
internal import Platform

/// The name by which a client calls the server, and the client, as far as that is certain.
///
/// A proxy's word for them counts only where nobody else could have said it: over a socket file, whose permissions are
/// the proxy's, or from an address that the settings name.
struct Caller: Sendable {
    /// The name, with its port, in small letters.
    let host: String
    /// True if a proxy said that the client uses https.
    let isSecure: Bool
    /// The client's address; nil where that is not known.
    let client: String?

    /// - Returns: nil if the request is for another server.
    init?(_ request: ServerRequest, at address: ListenAddress, _ access: Access) {
        let hosts = request.headers.filter { $0.name.lowercased() == "host" }
        guard hosts.count == 1, var host = hosts.first?.value.lowercased(), Self.isOurs(host, address, access) else {
            return nil
        }
        var (isSecure, client) = (false, request.client)
        if Self.isProxy(request.client, address, access) {
            let said = ForwardedWords(request)
            host = said.host?.lowercased() ?? host
            isSecure = said.scheme?.lowercased() == "https"
            client = said.client ?? client
        }
        guard Self.isOurs(host, address, access) else { return nil }
        (self.host, self.isSecure, self.client) = (host, isSecure, client)
    }

    private static func isProxy(_ client: String?, _ address: ListenAddress, _ access: Access) -> Bool {
        switch address {
        case .unix: true
        case .tcp: client.map(access.proxies.contains) ?? false
        }
    }

    /// True if a `Host` means this server.
    private static func isOurs(_ host: String, _ address: ListenAddress, _ access: Access) -> Bool {
        var name = host[...]
        var sentPort: UInt16? = 80
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            name = host[..<colon]
            sentPort = UInt16(host[host.index(after: colon)...])
        }
        guard sentPort != nil else { return false }
        if access.hosts.contains(where: { [host, String(name)].contains($0.lowercased()) }) { return true }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        let text = String(name)
        guard case .tcp(let own, let port) = address else { return ListenAddress.isLoopback(text) }
        guard sentPort == port else { return false }
        if text == own.lowercased() { return true }
        if address.isLocal { return ListenAddress.isLoopback(text) }
        // An address is none that DNS could lead here.
        return isAddress(text) || text == "localhost" || text == hostName
    }

    private static func isAddress(_ text: String) -> Bool {
        var room = in6_addr()
        return inet_pton(AF_INET, text, &room) == 1 || inet_pton(AF_INET6, text, &room) == 1
    }

    private static let hostName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, 255) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).lowercased()
    }()
}

/// A proxy's words for the request that it passes on: the last of each, which is its own.
///
/// Source: https://www.rfc-editor.org/rfc/rfc7239
private struct ForwardedWords {
    private(set) var host: String?
    private(set) var scheme: String?
    private(set) var client: String?

    init(_ request: ServerRequest) {
        func last(_ name: String) -> String? {
            request.headers.last { $0.name.lowercased() == name }?.value
                .split(separator: ",").last.map { String($0.filter { $0 != " " && $0 != "\t" }) }
        }
        (host, scheme, client) = (last("x-forwarded-host"), last("x-forwarded-proto"), last("x-forwarded-for"))
        for pair in last("forwarded")?.split(separator: ";") ?? [] {
            guard let mark = pair.firstIndex(of: "=") else { continue }
            let value = pair[pair.index(after: mark)...].filter { $0 != "\"" }
            switch pair[..<mark].lowercased() {
            case "host": host = value
            case "proto": scheme = value
            case "for": client = value
            default: break
            }
        }
        client = client.map { String($0.prefix(60)) }
    }
}
