internal import Text
internal import Time

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
