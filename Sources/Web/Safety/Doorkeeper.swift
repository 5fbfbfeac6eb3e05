internal import Concurrency
internal import Glibc
internal import HTTPServer
internal import Text

/// Access control. A page of another site must learn nothing and change nothing, whatever it makes a browser send.
///
/// | request | is refused |
/// | --- | --- |
/// | any | unless it calls the server by its own name: DNS may lead other names here |
/// | any, where a token is wanted | without the token, or a session that began with it |
/// | a change | from a page of another origin, and without the pages' own token |
struct Doorkeeper: Sendable {
    private let address: ListenAddress
    private let token: String?
    /// The token that our pages send with a change. No other site can read it.
    let pageToken: String
    private let sessions: Sessions

    /// The verdict on a request.
    enum Verdict: Sendable {
        case welcome
        /// The request used another host name.
        case foreignHost
        /// A token is missing.
        case unknown
        /// A change that another site may have requested.
        case foreignOrigin
    }

    init(_ address: ListenAddress, token: String?) {
        (self.address, self.token) = (address, token)
        pageToken = Self.random()
        sessions = Sessions()
    }

    func verdict(_ request: ServerRequest) -> Verdict {
        let hosts = request.headers.filter { $0.name.lowercased() == "host" }
        guard hosts.count == 1, let host = hosts.first?.value, isOurs(host) else { return .foreignHost }
        let isChange = request.method == "POST"
        let hasToken = token.map { Self.isSame(bearer(request) ?? "", $0) } ?? false
        if isChange, !isSameOrigin(request, host: host) { return .foreignOrigin }
        // No browser sends the header by itself.
        if hasToken { return .welcome }
        let isLogin = request.path == "/login" || request.path.hasPrefix("/assets/")
        if token != nil, !isLogin, !sessions.has(Self.cookie(request)) { return .unknown }
        guard isChange, request.path != "/login" else { return .welcome }
        let sent = request.header("X-FeedSync-Token") ?? Self.form(request)["token"] ?? ""
        return Self.isSame(sent, pageToken) ? .welcome : .foreignOrigin
    }

    /// Begins a session, if the token is right.
    ///
    /// - Returns: The cookie to set.
    func session(token sent: String) -> String? {
        guard let token, Self.isSame(sent, token) else { return nil }
        let id = Self.random()
        sessions.add(id)
        return "feedsync=\(id); Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
    }

    /// True if a `Host` header means this server.
    private func isOurs(_ host: String) -> Bool {
        guard case .tcp(let own, let port) = address else { return true }
        var name = host[...]
        var sentPort: UInt16? = 80
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            name = host[..<colon]
            sentPort = UInt16(host[host.index(after: colon)...])
        }
        guard sentPort == port else { return false }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        let text = name.lowercased()
        if text == own.lowercased() { return true }
        if address.isLocal { return ListenAddress.isLoopback(text) }
        // DNS cannot map an address to this server.
        return Self.isAddress(text) || text == "localhost" || text == Self.hostName
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

    /// True if the request did not come from a browser, or came from one of our pages.
    private func isSameOrigin(_ request: ServerRequest, host: String) -> Bool {
        if let site = request.header("Sec-Fetch-Site"), site != "same-origin" { return false }
        guard let origin = request.header("Origin") else { return true }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    private func bearer(_ request: ServerRequest) -> String? {
        guard let text = request.header("Authorization"), text.lowercased().hasPrefix("bearer ") else { return nil }
        return String(text.dropFirst(7))
    }

    private static func cookie(_ request: ServerRequest) -> String? {
        request.header("Cookie")?.split(separator: ";").lazy.map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("feedsync=") }.map { String($0.dropFirst(9)) }
    }

    /// The fields of the request's form.
    static func form(_ request: ServerRequest) -> [String: String] {
        guard request.header("Content-Type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            return [:]
        }
        let text = String(decoding: request.body, as: UTF8.self)
        return Dictionary(FormEncoding.parameters(in: text[...].utf8).map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Compares in constant time, so that the time does not show how much is right.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        let (one, other) = (SHA256.hash(Array(one.utf8)), SHA256.hash(Array(other.utf8)))
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// The sessions of browsers that sent the token. Only the newest hundred are kept.
private final class Sessions: Sendable {
    private let list = Lock<[String]>([])

    func add(_ id: String) {
        list.withLock { list in
            list.append(id)
            if list.count > 100 { list.removeFirst() }
        }
    }

    func has(_ id: String?) -> Bool {
        guard let id else { return false }
        return list.withLock { $0.contains(id) }
    }
}
