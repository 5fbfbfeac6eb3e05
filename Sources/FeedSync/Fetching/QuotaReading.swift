public import HTTP

/// What a response told of a host's quota. Times are in seconds since 1970 by our clock.
public struct QuotaReading: Sendable, Hashable {
    /// The origin that answered, as `https://host`, with placeholders for secrets.
    public let origin: String
    /// The fingerprint of the credentials it got; 0 for none.
    public let credential: Int64
    /// What the quota is for, where the host has several; else empty.
    public let resource: String
    /// The requests left.
    public let remaining: Int64?
    /// When the count starts again.
    public let resetAt: Int64?
    /// Until when the host wants no request; nil where it takes them.
    public let blockedUntil: Int64?

    /// A reading made up of its parts.
    public init(
        origin: String, credential: Int64, resource: String, remaining: Int64? = nil, resetAt: Int64? = nil,
        blockedUntil: Int64? = nil
    ) {
        self.origin = origin
        self.credential = credential
        self.resource = resource
        self.remaining = remaining
        self.resetAt = resetAt
        self.blockedUntil = blockedUntil
    }

    /// The reading of a response to `page`; nil where it tells nothing.
    ///
    /// | response | blocked until |
    /// | --- | --- |
    /// | 403, 429 or 5xx with `Retry-After` | the time it names, or the reset of a spent quota if that is later |
    /// | any, quota spent | the reset |
    /// | 429 that counts nothing but names a reset | the reset |
    /// | any other | not |
    ///
    /// - Parameters:
    ///   - response: Any response.
    ///   - page: What was requested.
    ///   - now: Our clock, in seconds since 1970.
    public init?(of response: Response, to page: PreparedPage, now: Int64) {
        self.init(of: response, to: page, now: now, ownWait: nil)
    }

    /// The reading where we leave the host alone for `ownWait` at least, whatever it says.
    init?(of response: Response, to page: PreparedPage, now: Int64, ownWait: Duration?) {
        let limit = response.rateLimit(now: now)
        let resetAt = limit?.resetAfter.map { now.adding($0) }
        let isRefusal = [403, 429].contains(response.status) || (500..<600).contains(response.status)
        let retryAt = isRefusal ? response.retryAfter(now: now).map { now.adding($0) } : nil
        let speaksOfQuota = limit?.isSpent == true || (response.status == 429 && limit?.remaining == nil)
        let blocks = [retryAt, speaksOfQuota ? resetAt : nil, ownWait.map { now.adding($0) }].compactMap(\.self)
        // A time that has come blocks nothing.
        let blockedUntil = blocks.max().flatMap { $0 > now ? $0 : nil }
        guard limit?.remaining != nil || resetAt != nil || blockedUntil != nil else { return nil }
        let origin = response.url.origin
        self.init(
            origin: page.secrets.key(for: origin.description),
            credential: origin == page.request.credentialOrigin ? page.credentialFingerprint : 0,
            resource: page.secrets.key(for: limit?.resource ?? ""), remaining: limit?.remaining, resetAt: resetAt,
            blockedUntil: blockedUntil)
    }

    /// Whether the other reading is about the same quota.
    func concernsSameQuota(as other: QuotaReading) -> Bool {
        origin == other.origin && credential == other.credential && resource == other.resource
    }
}

extension Int64 {
    /// A time in seconds so much later, rounded up, held to the range.
    fileprivate func adding(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (sum, overflow) = addingReportingOverflow(seconds)
        if overflow { return seconds < 0 ? .min : .max }
        return attoseconds > 0 && sum < .max ? sum + 1 : sum
    }
}
