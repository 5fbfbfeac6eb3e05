internal import Concurrency
internal import HTTPServer
internal import Text

/// The rules for who may ask for what. A page of another site must learn nothing and change nothing, whatever it makes
/// a browser send, and another user of this machine must change nothing.
///
/// | request | is refused |
/// | --- | --- |
/// | any | unless it calls the server by a name of its own: DNS may lead other names here |
/// | a GET | from a page of another site, but for a link to a page that costs little, or the API for a listed origin |
/// | a GET, where reading is private | without the token, or a session that began with it |
/// | a change | without the token, or a session and the word of its pages, from a page of the same origin |
struct Doorkeeper: Sendable {
    private let address: ListenAddress
    private let access: Access
    private let sessions: Sessions
    private let wrongTokens: WrongTokens
    /// The other sites that may use the API.
    let sharing: SharedOrigins
    /// The word that pages send with a change where no token is needed.
    let openPageToken = Sessions.random()

    /// The outcome for a request.
    enum Verdict: Sendable {
        case welcome(Visitor)
        /// Not by this name.
        case foreignHost
        /// A link or a picture on a page of another site.
        case foreignSite
        /// Without the token that is needed.
        case unknown
        /// With a token that is not the one; it costs time.
        case wrongToken(Caller)
        /// A change that another site asked for, perhaps.
        case foreignOrigin
    }

    init(_ address: ListenAddress, _ access: Access) {
        (self.address, self.access) = (address, access)
        sessions = Sessions(merge: access.mergeSignOuts)
        sharing = SharedOrigins(origins: access.origins)
        wrongTokens = WrongTokens(pause: access.wrongTokenPause, report: access.report)
    }

    func verdict(_ request: ServerRequest) -> Verdict {
        guard let caller = Caller(request, at: address, access) else { return .foreignHost }
        let isChange = request.method == "POST"
        let isShared = sharing.includes(request)
        let isOurs = isChange ? isSameOrigin(request, caller) : !isFromElsewhere(request)
        // A script of another site changes only what it has the token for.
        guard isOurs || isShared && (!isChange || Self.bearer(request) != nil && access.token != nil) else {
            return isChange ? .foreignOrigin : .foreignSite
        }
        guard let readToken = access.token else {
            guard isChange else { return .welcome(Visitor(caller, .open, pageToken: openPageToken)) }
            return verdict(ofChange: request, Visitor(caller, .open, pageToken: openPageToken))
        }
        let token = readToken()
        if let bearer = Self.bearer(request) {
            // No browser sends that by itself.
            guard let token, SecretText.isSame(bearer, token) else { return .wrongToken(caller) }
            return .welcome(Visitor(caller, .token, pageToken: nil))
        }
        let session = token.flatMap { token in
            sessions.session(in: Self.cookies(request), of: caller, token: token).map { (session: $0, token: token) }
        }
        guard let (session, token) = session else {
            let isForAll = ["login", "open", "assets"].contains(request.path.split(separator: "/").first ?? "")
            guard isForAll || !isChange && !access.isPrivate else { return .unknown }
            return .welcome(Visitor(caller, .reader, pageToken: nil))
        }
        let visitor = Visitor(caller, .session(session), pageToken: Sessions.pageToken(of: session, token: token))
        return isChange && request.path != "/login" ? verdict(ofChange: request, visitor) : .welcome(visitor)
    }

    private func verdict(ofChange request: ServerRequest, _ visitor: Visitor) -> Verdict {
        let sent = request.header("X-FeedSync-Token") ?? Self.form(request)["token"] ?? ""
        return SecretText.isSame(sent, visitor.pageToken ?? "") ? .welcome(visitor) : .foreignOrigin
    }

    // MARK: Sessions

    /// A code that begins one session; nil where none is needed.
    func makeCode() -> String? { access.token == nil ? nil : sessions.makeCode() }

    /// Makes a code worthless.
    func useUp(code: String) { _ = sessions.use(code: code) }

    /// Begins a session with a code.
    ///
    /// - Returns: The cookie to set; nil for a wrong code, after a while.
    func session(code: String, of caller: Caller) async -> String? {
        await session(of: caller) { _ in sessions.use(code: code) }
    }

    /// Begins a session with the token.
    ///
    /// - Returns: The cookie to set; nil for a wrong token, after a while.
    func session(token sent: String, of caller: Caller) async -> String? {
        await session(of: caller) { token in SecretText.isSame(sent, token) }
    }

    private func session(of caller: Caller, mayBegin: (_ token: String) -> Bool) async -> String? {
        guard let token = access.token?(), mayBegin(token) else {
            await wrongTokens.pay(by: caller.client)
            return nil
        }
        return sessions.begin(for: caller, token: token)
    }

    /// Ends a visitor's session.
    ///
    /// - Returns: The cookie to set.
    func signOut(_ visitor: Visitor) -> String {
        if case .session(let session) = visitor.way { sessions.end(session) }
        return Sessions.removal(for: visitor.caller)
    }

    /// Waits for as long as a wrong token costs.
    func pay(_ caller: Caller) async { await wrongTokens.pay(by: caller.client) }

    // MARK: Requests

    /// True if a browser, if one sent it, was on a page of ours.
    private func isSameOrigin(_ request: ServerRequest, _ caller: Caller) -> Bool {
        if let site = request.header("Sec-Fetch-Site"), site != "same-origin" { return false }
        guard let origin = request.header("Origin") else { return true }
        return origin == "https://\(caller.host)" || !caller.isSecure && origin == "http://\(caller.host)"
    }

    /// True for a GET that a page of another site made a browser send, unless it is a link to a page that costs little.
    ///
    /// Source: https://www.w3.org/TR/fetch-metadata/
    private func isFromElsewhere(_ request: ServerRequest) -> Bool {
        guard let site = request.header("Sec-Fetch-Site"), ["cross-site", "same-site"].contains(site) else {
            return false
        }
        guard request.header("Sec-Fetch-Mode") == "navigate", request.header("Sec-Fetch-Dest") == "document" else {
            return true
        }
        let page = request.path.split(separator: "/").first ?? ""
        return !Self.cheapPages.contains(String(page))
            || !request.query.allSatisfy { Self.cheapParameters.contains($0.name) }
    }

    private static let cheapPages: Set = ["", "list", "item", "status", "login", "open"]
    private static let cheapParameters: Set = ["key", "section", "code", "to"]

    private static func bearer(_ request: ServerRequest) -> String? {
        guard let text = request.header("Authorization"), text.lowercased().hasPrefix("bearer ") else { return nil }
        return String(text.dropFirst(7))
    }

    private static func cookies(_ request: ServerRequest) -> [String] {
        request.headers.filter { $0.name.lowercased() == "cookie" }.flatMap { $0.value.split(separator: ";") }
            .map { String($0.drop { $0 == " " }) }
    }

    /// The fields of the request's form, with the line breaks of our texts: browsers send CR LF.
    static func form(_ request: ServerRequest) -> [String: String] {
        guard request.header("Content-Type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            return [:]
        }
        let text = String(decoding: request.body, as: UTF8.self)
        let fields = FormEncoding.parameters(in: text[...].utf8)
        return Dictionary(fields.map { ($0.name, $0.value.replacing("\r\n", with: "\n")) }) { first, _ in first }
    }
}

/// A visitor who was let in.
struct Visitor: Sendable {
    /// The way in.
    enum Way: Equatable, Sendable {
        /// The server takes changes of everybody.
        case open
        case token
        case session(Sessions.Session)
        /// Without any: only to read.
        case reader
    }

    let caller: Caller
    let way: Way
    /// The word that pages send with a change; nil for one who changes nothing by pages.
    let pageToken: String?

    init(_ caller: Caller, _ way: Way, pageToken: String?) {
        (self.caller, self.way, self.pageToken) = (caller, way, pageToken)
    }

    var mayChange: Bool { way != .reader }
}

/// Wrong tokens: each takes a while, the longer the more there are at once, and is reported.
final class WrongTokens: Sendable {
    private struct State {
        var waiting = 0
        var untold = 0
        var toldAt: ContinuousClock.Instant?
    }

    private let pause: Duration
    private let report: @Sendable (String) -> Void
    private let state = Lock(State())

    /// More at once take no longer.
    private static let mostPauses = 30

    init(pause: Duration, report: @escaping @Sendable (String) -> Void) {
        (self.pause, self.report) = (pause, report)
    }

    /// Waits for as long as one more costs.
    func pay(by client: String?) async {
        let (count, line) = state.withLock { state in
            state.waiting += 1
            state.untold += 1
            return (state.waiting, Self.line(&state, client, now: .now))
        }
        if let line { report(line) }
        try? await Task.sleep(for: pause * min(count, Self.mostPauses))
        state.withLock { $0.waiting -= 1 }
    }

    /// The report that is due: of the first one at once, of others once a minute.
    private static func line(_ state: inout State, _ client: String?, now: ContinuousClock.Instant) -> String? {
        if let toldAt = state.toldAt, now - toldAt < .seconds(60) { return nil }
        defer { (state.untold, state.toldAt) = (0, now) }
        let who = client ?? "a client of the socket file"
        return state.untold == 1 ? "a wrong token, from \(who)" : "\(state.untold) wrong tokens, the last from \(who)"
    }
}

/// The origins of other sites whose scripts may use the API.
///
/// They send no cookies, and send the token with requests that need it. The pages, and the word that pages send, are
/// not theirs.
///
/// Source: https://fetch.spec.whatwg.org/#http-cors-protocol
struct SharedOrigins: Sendable {
    let origins: [String]

    private static let paths: Set = [
        "feeds", "runs", "changes", "quota", "events", "health", "metrics", "openapi.json",
    ]
    private static let readable = "Link, ETag, X-Total-Count"
    private static let sendable = "Authorization, Content-Type, If-None-Match, Last-Event-ID"

    /// True for a request of a script that may use the API.
    func includes(_ request: ServerRequest) -> Bool {
        guard let origin = request.header("Origin") else { return false }
        return origins.contains(origin) && Self.isOfAPI(request)
    }

    private static func isOfAPI(_ request: ServerRequest) -> Bool {
        request.path.split(separator: "/").first.map { paths.contains(String($0)) } ?? false
    }

    /// The answer to a browser that asks whether a script may send a request; nil for any other request.
    func preflight(_ request: ServerRequest) -> ServerResponse? {
        guard request.method == "OPTIONS", includes(request) else { return nil }
        return shared(
            .status(
                204,
                headers: [
                    ("Access-Control-Allow-Methods", "GET, HEAD, POST"),
                    ("Access-Control-Allow-Headers", Self.sendable), ("Access-Control-Max-Age", "600"),
                ]), with: request)
    }

    /// The response with the word that lets a script read it.
    func shared(_ response: ServerResponse, with request: ServerRequest) -> ServerResponse {
        guard !origins.isEmpty, Self.isOfAPI(request) else { return response }
        var response = response
        response.add("Origin", to: "Vary")
        guard includes(request), let origin = request.header("Origin") else { return response }
        response.headers += [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", Self.readable),
        ]
        return response
    }
}
