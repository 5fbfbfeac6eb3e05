internal import Text
internal import Time

extension Response {
    /// The wait that `Retry-After` demands: zero for a past date, at most a day; nil without a usable value.
    ///
    /// `now` is in seconds since 1970. Source: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
    package func retryAfter(now: Int64) -> Duration? {
        guard let value = headers["Retry-After"] else { return nil }
        if let seconds = Self.wholeSeconds(value) { return .seconds(min(seconds, RateLimit.longestWait)) }
        guard let date = HTTPDate.seconds(value) else { return nil }
        return .seconds(min(max(date.clampedDifference(to: now), 0), RateLimit.longestWait))
    }

    /// The host's quota; `now` is in seconds since 1970.
    package func rateLimit(now: Int64) -> RateLimit? { RateLimit(headers, now: now) }

    /// True if the host refused because of too many requests: a 429, or a 403 with a spent quota or a `Retry-After`.
    package var isRateLimited: Bool {
        switch status {
        case 429: true
        case 403: headers["Retry-After"] != nil || RateLimit(headers, now: 0)?.isSpent == true
        default: false
        }
    }

    /// The interval of polls that the host demands (`X-Poll-Interval`, in seconds), at most a day.
    ///
    /// Source: https://docs.github.com/en/rest/activity/events
    package var pollInterval: Duration? {
        headers["X-Poll-Interval"].flatMap { $0.clampedDecimal }.map { .seconds(min($0, RateLimit.longestWait)) }
    }

    /// Decimal seconds; a fraction, which some servers write, is rounded up.
    private static func wholeSeconds(_ value: String) -> Int64? {
        let parts = value.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first?.clampedDecimal else { return nil }
        guard parts.count == 2 else { return whole }
        guard let fraction = parts[1].clampedDecimal else { return nil }
        return fraction > 0 && whole < .max ? whole + 1 : whole
    }
}
