internal import Text
internal import Time

/// The response of a request's last hop, with any status, even 304 or 500.
package struct Response: Sendable {
    /// The status code.
    package let status: Int
    /// The header fields in order, without interim responses and trailers.
    package let headers: Headers
    /// The URL after redirects, without query credentials.
    package let url: WebURL
    /// The decompressed body.
    package let body: Body
    /// The bytes received for headers and compressed bodies, over all hops.
    package let wireByteCount: Int
    /// The number of redirects followed.
    package let redirectCount: Int
    /// True if there were redirects, and each said that it holds from now on.
    package let isMovedForGood: Bool
    /// True if the body ended with the connection, and nothing shows that it is whole.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9112#section-8
    package let isOpenEnded: Bool

    /// A response with these parts.
    package init(
        status: Int, headers: Headers, url: WebURL, body: Body = Body(), wireByteCount: Int = 0, redirectCount: Int = 0,
        isMovedForGood: Bool = false, isOpenEnded: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.url = url
        self.body = body
        self.wireByteCount = wireByteCount
        self.redirectCount = redirectCount
        self.isMovedForGood = isMovedForGood
        self.isOpenEnded = isOpenEnded
    }

    /// The response with another body.
    package func replacing(body: Body) -> Response {
        Response(
            status: status, headers: headers, url: url, body: body, wireByteCount: wireByteCount,
            redirectCount: redirectCount, isMovedForGood: isMovedForGood, isOpenEnded: isOpenEnded)
    }

    /// True for a status from 200 to 299.
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// True unless the status is 304.
    package var isModified: Bool { status != 304 }

    /// The entity tag byte for byte, with its quotes and `W/`.
    ///
    /// Nil if it is not UTF-8: a validator that cannot be sent back as it came is worse than none.
    package var etag: String? { validator("ETag") }

    /// The `Last-Modified` date byte for byte, to be sent back as it came.
    package var lastModified: String? { validator("Last-Modified") }

    /// True if the content was modified less than a second before it was sent, as far as the dates show. It may change
    /// again in that second, and its `Last-Modified` date would stay the same.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-8.8.2.2
    package var isJustModified: Bool {
        guard let date, let modified = lastModified.flatMap(HTTPDate.seconds) else { return false }
        return modified >= date
    }

    private func validator(_ name: String) -> String? {
        guard let value = headers[name], !value.isEmpty, !value.unicodeScalars.contains("\u{FFFD}") else { return nil }
        return value
    }

    /// The server's clock when it answered, in seconds since 1970.
    package var date: Int64? { headers["Date"].flatMap(HTTPDate.seconds) }

    /// The media type in lower case, without parameters: `application/json`.
    package var contentType: String? { headers["Content-Type"]?.mediaType }

    /// The time for which `Cache-Control: max-age` keeps the response fresh, at most a year.
    package var cacheMaxAge: Duration? {
        guard let control = headers.joined("Cache-Control") else { return nil }
        for directive in control.split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingSpaces.isSameASCII(as: "max-age") else { continue }
            return parts[1].filter { $0 != "\"" }.trimmingSpaces.clampedDecimal.map { .seconds(min($0, 365 * 86_400)) }
        }
        return nil
    }
}

extension Response {
    /// The time for which the response stays fresh after it arrived: `max-age`, else `Expires` minus `Date`, minus its
    /// age in caches.
    ///
    /// Nil if it has no such header, must be requested each time (`no-cache`, `no-store`), or is already stale. Source:
    /// https://www.rfc-editor.org/rfc/rfc9111#section-4.2
    package var freshness: Duration? {
        guard !hasDirective("no-cache"), !hasDirective("no-store") else { return nil }
        let age = headers["Age"].flatMap(\.clampedDecimal) ?? 0
        let lifetime = cacheMaxAge?.components.seconds ?? expiry
        guard let left = lifetime?.clampedDifference(to: age), left > 0 else { return nil }
        return .seconds(left)
    }

    /// The seconds from `Date` to `Expires`: both by the server's clock, so that ours does not matter.
    private var expiry: Int64? {
        guard let date, let expires = headers["Expires"].flatMap(HTTPDate.seconds) else { return nil }
        return min(expires.clampedDifference(to: date), 365 * 86_400)
    }

    private func hasDirective(_ name: String) -> Bool {
        let directives = headers.joined("Cache-Control")?.split(separator: ",") ?? []
        // `no-cache="Set-Cookie"` concerns only that field.
        return directives.contains { $0.trimmingSpaces.isSameASCII(as: name) }
    }
}

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
