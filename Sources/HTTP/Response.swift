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
    package var contentType: String? {
        headers["Content-Type"].map { String($0.prefix { $0 != ";" }.trimmingSpaces).lowercasedASCII }
    }

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
