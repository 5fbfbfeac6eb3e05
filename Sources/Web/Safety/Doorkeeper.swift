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

    /// Begins a session with a code.
    ///
    /// - Returns: The cookie to set; nil for a wrong code, after a while.
    func session(code: String, of caller: Caller) async -> String? {
        guard let token = access.token?(), sessions.use(code: code) else {
            await wrongTokens.pay(by: caller.client)
            return nil
        }
        return sessions.begin(for: caller, token: token)
    }

    /// Begins a session with the token.
    ///
    /// - Returns: The cookie to set; nil for a wrong token, after a while.
    func session(token sent: String, of caller: Caller) async -> String? {
        guard let token = access.token?(), SecretText.isSame(sent, token) else {
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
