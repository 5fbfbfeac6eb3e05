internal import HTTP

/// An access token and how long it is good for.
struct AccessToken: Sendable, Hashable {
    let text: String
    /// The time at which it is replaced, in seconds since 1970, a little before it expires; nil if its expiry is
    /// unknown.
    var renewal: Int64?
    /// The refresh token that came with it.
    var refresh: String?

    /// A kept token.
    init(text: String, renewal: Int64?) { (self.text, self.renewal) = (text, renewal) }

    /// A token that is good for so many seconds.
    init(text: String, lifetime: Int64?, now: Int64) {
        self.text = text
        renewal = lifetime.map { lifetime in
            // A minute early, but never before most of a short life is used.
            let (time, isBeyond) = now.addingReportingOverflow(lifetime - min(60, lifetime / 5))
            return isBeyond ? .max : time
        }
    }

    /// Reads the response to a request that was made at `now`.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable`, without a URL.
    init(_ response: Response, as reading: TokenReading, now: Int64) throws(FeedSyncError) {
        let body = Self.json(response.body)
        let token: String
        switch reading.place {
        case .body(let path):
            guard let members = body?.members else {
                throw Self.objection("the access token response is not a JSON object")
            }
            guard let text = body?.value(at: path)?.text, !text.isEmpty else {
                throw Self.objection("the access token response has no `\(path)`")
            }
            if let type = members["token_type"]?.text, reading == .oauth, type.lowercased() != "bearer" {
                throw Self.objection("the access token is not of type `Bearer`, the only supported type")
            }
            token = text
        case .header(let name):
            guard let text = response.headers[name], !text.isEmpty else {
                throw Self.objection("the response to the sign-in has no header `\(name)`")
            }
            token = text
        case .cookie(let name):
            guard let text = Self.cookie(name, in: response.headers) else {
                throw Self.objection("the response to the sign-in sets no cookie `\(name)`")
            }
            token = text
        }
        // A bearer token is a word of visible ASCII: https://www.rfc-editor.org/rfc/rfc6750#section-2.1
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.objection("the access token cannot be sent in a header")
        }
        let expiry = reading.expiry.flatMap { Self.lifetime(body?.value(at: $0), now: now) }
        self.init(text: token, lifetime: expiry ?? reading.lifetime.map { $0.components.seconds }, now: now)
        refresh = body?.members?["refresh_token"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    }

    func isFresh(at now: Int64) -> Bool { renewal.map { now < $0 } ?? true }

    private static func json(_ body: Body) -> JSONValue? {
        String(validating: body.bytes, as: UTF8.self).flatMap { try? JSONValue(parsing: $0) }
    }

    private static func objection(_ problem: String) -> FeedSyncError {
        FeedSyncError(.undecodable, problem, advice: "check what `auth` says of the token")
    }

    /// The value of a cookie that a response sets: https://www.rfc-editor.org/rfc/rfc6265#section-5.2
    private static func cookie(_ name: String, in headers: Headers) -> String? {
        headers.values(of: "Set-Cookie").lazy.compactMap { line -> String? in
            let pair = line.prefix { $0 != ";" }
            guard let equals = pair.firstIndex(of: "="), pair[..<equals].trimmingSpaces == name[...] else { return nil }
            let value = String(pair[pair.index(after: equals)...].trimmingSpaces)
            return value.isEmpty ? nil : value
        }.first
    }

    /// Seconds from now, from 0 to ten years; some servers write the number as text, and some the time of expiry.
    private static func lifetime(_ value: JSONValue?, now: Int64) -> Int64? {
        let longest: Double = 3650 * 86_400
        let text: String
        switch value {
        case .number(let digits), .string(let digits): text = digits
        default: return nil
        }
        if let number = Double(text) {
            guard number.isFinite else { return nil }
            // More than twenty years are no lifetime, but a time since 1970, in seconds or milliseconds.
            guard number > 2 * longest, let time = Timestamp(sinceEpoch: number) else {
                return Int64(max(0, min(number, longest)))
            }
            return min(max(0, time.seconds.subtractingReportingOverflow(now).partialValue), Int64(longest))
        }
        guard let time = Timestamp(text) else { return nil }
        return min(max(0, time.seconds.subtractingReportingOverflow(now).partialValue), Int64(longest))
    }
}
