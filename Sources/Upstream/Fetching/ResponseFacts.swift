package import HTTP

extension QuotaReading {
    /// The reading of a response to `page`; nil if it has no information.
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
    ///   - page: The requested page.
    ///   - credential: The fingerprint of the credential that the request carried, if it had the choice.
    ///   - now: Our clock, in seconds since 1970.
    ///   - ownWait: The time for which we request nothing from the host, whatever it permits.
    package init?(
        of response: Response, to page: PreparedPage, with credential: Int64? = nil, now: Int64,
        ownWait: Duration? = nil
    ) {
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
            credential: origin == page.request.credentialOrigin ? credential ?? page.credentialFingerprint : 0,
            resource: page.secrets.key(for: limit?.resource ?? ""), remaining: limit?.remaining, resetAt: resetAt,
            blockedUntil: blockedUntil)
        self.limit = limit?.limit
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

extension Validators {
    /// The validators of a response that brought the page. Without an entity tag, a date does not count that a later
    /// version of the page may have, too.
    package init(of response: Response) {
        let isVague = response.etag == nil && response.isJustModified
        self.init(etag: response.etag, lastModified: isVague ? nil : response.lastModified)
    }

    /// The validators after a 304: its own outrank the stored ones.
    package func refreshed(by response: Response) -> Validators {
        let etag = response.etag ?? etag
        let isVague = etag == nil && response.isJustModified
        return Validators(etag: etag, lastModified: isVague ? nil : response.lastModified ?? lastModified)
    }
}

extension Headers {
    /// Puts in the fields that make a request conditional; without validators takes them out.
    mutating func setConditions(_ validators: Validators?) {
        self["If-None-Match"] = validators?.etag
        self["If-Modified-Since"] = validators?.lastModified
    }
}

extension PollingAdvice {
    /// The advice in a response.
    package init(_ response: Response) {
        self.init()
        pollInterval = response.pollInterval?.components.seconds
        freshFor = response.freshness?.components.seconds
        isModified = response.isModified
    }
}
