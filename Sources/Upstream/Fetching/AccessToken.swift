internal import HTTP

/// An access token and how long it is good for.
///
/// Source: https://www.rfc-editor.org/rfc/rfc6749#section-5.1
struct AccessToken: Sendable, Hashable {
    let text: String
    /// The time at which it is replaced, in seconds since 1970, a little before it expires; nil if its expiry is
    /// unknown.
    var renewal: Int64?

    /// Reads the response of a token endpoint to a request that was made at `now`.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable`, without a URL.
    init(_ body: Body, now: Int64) throws(FeedSyncError) {
        func objection(_ problem: String) -> FeedSyncError {
            FeedSyncError(.undecodable, problem, advice: "check `token_url` in `auth`")
        }
        guard let text = String(validating: body.bytes, as: UTF8.self),
            case .object(let members)? = try? JSONValue(parsing: text)
        else { throw objection("the access token response is not a JSON object") }
        guard case .string(let token)? = members["access_token"], !token.isEmpty else {
            throw objection("the access token response has no `access_token`")
        }
        // A bearer token is a word of visible ASCII: https://www.rfc-editor.org/rfc/rfc6750#section-2.1
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw objection("the access token cannot be sent in a header")
        }
        if case .string(let type)? = members["token_type"], type.lowercased() != "bearer" {
            throw objection("the access token is not of type `Bearer`, the only supported type")
        }
        self.text = token
        renewal = Self.lifetime(members["expires_in"]).map { lifetime in
            // A minute early, but never before most of a short life is used.
            let (time, isBeyond) = now.addingReportingOverflow(lifetime - min(60, lifetime / 5))
            return isBeyond ? .max : time
        }
    }

    func isFresh(at now: Int64) -> Bool { renewal.map { now < $0 } ?? true }

    /// Seconds, from 0 to ten years; some servers write the number as text.
    private static func lifetime(_ value: JSONValue?) -> Int64? {
        let digits: String
        switch value {
        case .number(let text), .string(let text): digits = text
        default: return nil
        }
        guard let seconds = Double(digits), seconds.isFinite else { return nil }
        return Int64(max(0, min(seconds, 3650 * 86_400)))
    }
}
