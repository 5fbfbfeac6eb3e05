internal import Concurrency
internal import Platform
internal import Text

/// The sessions of browsers: signed with the token, so that they outlive the process, and end with another token, after
/// 30 days, or when somebody signs out.
final class Sessions: Sendable {
    /// A session that began with the token, for one name of the server.
    struct Session: Sendable, Equatable {
        let id: String
        let beganAt: Int
    }

    private struct State {
        var ended: [String: Int] = [:]
        var codes: [String: Int] = [:]
    }

    /// Seconds that a session lasts, and that a code can be used.
    private static let lifetime = 30 * 86_400
    private static let codeLifetime = 86_400
    private static let mostCodes = 100

    private let state = Lock(State())
    private let merge: @Sendable ([String: Int], Int) -> [String: Int]
    private let now: @Sendable () -> Int

    /// - Parameter merge: As in `Access.mergeSignOuts`.
    init(
        merge: @escaping @Sendable ([String: Int], Int) -> [String: Int] = { ended, _ in ended },
        now: @escaping @Sendable () -> Int = { time(nil) }
    ) {
        (self.merge, self.now) = (merge, now)
        let ended = merge([:], now() - Self.lifetime)
        state.withLock { $0.ended = ended }
    }

    /// The name of the cookie: a browser sends those of all ports of a host, and keeps the prefix for https.
    private static func cookieName(_ caller: Caller) -> String {
        if caller.isSecure { return "__Host-feedsync" }
        return "feedsync-" + Hexadecimal.encoded(Array(SHA256.hash(Array(caller.host.utf8)).prefix(4)))
    }

    /// Begins a session.
    ///
    /// - Returns: The cookie to set.
    func begin(for caller: Caller, token: String) -> String {
        let session = Session(id: Self.random(), beganAt: now())
        let value = "\(session.id).\(session.beganAt).\(Self.signature(session, caller, token))"
        return "\(Self.cookieName(caller))=\(value); \(Self.attributes(caller)); Max-Age=\(Self.lifetime)"
    }

    /// The cookie that takes the session away.
    static func removal(for caller: Caller) -> String { "\(cookieName(caller))=; \(attributes(caller)); Max-Age=0" }

    private static func attributes(_ caller: Caller) -> String {
        "Path=/; HttpOnly; SameSite=Strict" + (caller.isSecure ? "; Secure" : "")
    }

    /// The session of a request's cookies; any of that name may be it, because others can set some, too.
    func session(in cookies: [String], of caller: Caller, token: String) -> Session? {
        let name = Self.cookieName(caller) + "="
        return cookies.filter { $0.hasPrefix(name) }.prefix(10).lazy
            .compactMap { self.session(String($0.dropFirst(name.count)), caller, token) }.first
    }

    private func session(_ value: String, _ caller: Caller, _ token: String) -> Session? {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let beganAt = Int(parts[1]) else { return nil }
        let session = Session(id: String(parts[0]), beganAt: beganAt)
        guard SecretText.isSame(String(parts[2]), Self.signature(session, caller, token)) else { return nil }
        let age = now().subtractingReportingOverflow(beganAt)
        guard !age.overflow, (-60..<Self.lifetime).contains(age.partialValue) else { return nil }
        return state.withLock { $0.ended[session.id] } == nil ? session : nil
    }

    /// Ends a session.
    func end(_ session: Session) {
        let oldest = now() - Self.lifetime
        let ended = state.withLock { state in
            state.ended = state.ended.filter { $0.value >= oldest }
            state.ended[session.id] = session.beganAt
            return state.ended
        }
        let kept = merge(ended, oldest)
        state.withLock { $0.ended.merge(kept) { $1 } }
    }

    /// The word that pages of a session send with a change; nobody else can read it.
    static func pageToken(of session: Session, token: String) -> String {
        Hexadecimal.encoded(SHA256.signature(of: Array("page \(session.id)".utf8), key: Array(token.utf8)))
    }

    private static func signature(_ session: Session, _ caller: Caller, _ token: String) -> String {
        let text = "session \(session.id) \(session.beganAt) \(caller.host) \(caller.isSecure)"
        return Hexadecimal.encoded(SHA256.signature(of: Array(text.utf8), key: Array(token.utf8)))
    }

    // MARK: Codes

    /// A code that begins one session.
    func makeCode() -> String {
        let code = Self.random()
        state.withLock { state in
            let now = now()
            state.codes = state.codes.filter { now - $0.value < Self.codeLifetime }
            if state.codes.count < Self.mostCodes { state.codes[code] = now }
        }
        return code
    }

    /// Uses a code; false if there is none like it by now.
    func use(code: String) -> Bool {
        state.withLock { state in
            guard let madeAt = state.codes.removeValue(forKey: code) else { return false }
            return now() - madeAt < Self.codeLifetime
        }
    }

    /// A word that nobody guesses.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.encoded((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}

/// Texts that are secret.
enum SecretText {
    /// Compares without telling by the time how much is right.
    static func isSame(_ one: String, _ other: String) -> Bool {
        let (one, other) = (SHA256.hash(Array(one.utf8)), SHA256.hash(Array(other.utf8)))
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
