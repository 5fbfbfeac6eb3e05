internal import Text
internal import Time

/// A host's quota, read from any of the usual headers.
///
/// - `X-RateLimit-Limit`, `-Remaining`, `-Reset`, `-Resource` as sent by GitHub
///   (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api),
/// - `X-Rate-Limit-Limit`, `-Remaining`, `-Reset` as Okta and X have them
///   (https://developer.okta.com/docs/reference/rl-best-practices/, https://docs.x.com/x-api/fundamentals/rate-limits),
///   the reset as a time in ISO 8601 as Mastodon has it (https://docs.joinmastodon.org/api/rate-limits/),
/// - `RateLimit-Limit`, `-Remaining`, `-Reset`, and `RateLimit` in its older (`limit=10, remaining=1, reset=5`) and
///   newer (`"name";r=1;t=5`) forms (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/).
package struct RateLimit: Sendable, Hashable {
    /// The requests allowed in one window.
    package var limit: Int64?
    /// The requests left in this window.
    package var remaining: Int64?
    /// The time until the window ends: zero if that has passed, at most a day.
    package var resetAfter: Duration?
    /// The name of this quota, if the host has several: `search`.
    package var resource: String?

    /// True if no request is left.
    package var isSpent: Bool { remaining == 0 }

    /// The longest wait that a server can ask for: a day.
    static let longestWait: Int64 = 86_400
}

extension RateLimit {
    /// Reads the quota; nil if the headers have none. `now` is in seconds since 1970.
    init?(_ headers: Headers, now: Int64) {
        // Most responses have none of the names, and each response is asked twice.
        guard headers.fields.contains(where: { Self.isPossible($0.name) }) else { return nil }
        if let field = headers.joined("RateLimit"), let quota = Self.tightest(in: field) {
            self = quota
            return
        }
        let prefix =
            ["X-RateLimit", "X-Rate-Limit"].first { headers["\($0)-Remaining"] ?? headers["\($0)-Reset"] != nil }
            ?? "RateLimit"
        limit = headers["\(prefix)-Limit"].flatMap(Self.leadingNumber)
        remaining = headers["\(prefix)-Remaining"].flatMap(Self.leadingNumber)
        resetAfter = headers["\(prefix)-Reset"].flatMap { Self.reset($0, now: now) }
        resource = headers["\(prefix)-Resource"]
        if limit == nil, remaining == nil, resetAfter == nil { return nil }
    }

    /// True if a field's name begins as those of a quota do: `RateLimit`, `X-Rate`.
    private static func isPossible(_ name: String) -> Bool {
        let letters = name.utf8.lazy.map { $0 | 0x20 }
        return letters.first == UInt8(ascii: "r") || letters.starts(with: "x-r".utf8)
    }

    /// The wait for a `Reset` field: a number, or a time in ISO 8601.
    private static func reset(_ value: String, now: Int64) -> Duration? {
        if let time = Timestamp(value) {
            return .seconds(min(max(time.seconds.clampedDifference(to: now), 0), longestWait))
        }
        return leadingNumber(value).map { wait(until: $0, now: now) }
    }

    /// The wait for a `Reset` number.
    ///
    /// GitHub writes the time of day in seconds since 1970, others in milliseconds, others and the draft the seconds
    /// from now; the sizes of the numbers do not overlap.
    private static func wait(until reset: Int64, now: Int64) -> Duration {
        switch reset {
        case ..<1_000_000_000: .seconds(min(reset, longestWait))
        case ..<100_000_000_000: .seconds(min(max(reset.clampedDifference(to: now), 0), longestWait))
        default: .seconds(min(max((reset / 1000).clampedDifference(to: now), 0), longestWait))
        }
    }

    /// The number a value starts with: `100, 100;w=60` has been seen in the wild.
    private static func leadingNumber(_ value: String) -> Int64? {
        value.prefix { $0 != "," && $0 != ";" && $0 != "." }.trimmingSpaces.clampedDecimal
    }

    /// The quota with the fewest requests left of those that one `RateLimit` field lists.
    private static func tightest(in field: String) -> RateLimit? {
        var old = RateLimit()
        var named: [RateLimit] = []
        for member in field.split(separator: ",") {
            var quota = RateLimit()
            for parameter in member.split(separator: ";") {
                let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces }
                if parts.count == 2, let number = leadingNumber(String(parts[1])) {
                    quota.take(parts[0].lowercasedASCII, number)
                } else if parts.count == 1 {
                    quota.resource = parts[0].filter { $0 != "\"" }
                }
            }
            if quota.resource == nil {
                old.limit = quota.limit ?? old.limit
                old.remaining = quota.remaining ?? old.remaining
                old.resetAfter = quota.resetAfter ?? old.resetAfter
            } else {
                named.append(quota)
            }
        }
        if let quota = named.min(by: { $0.remaining ?? .max < $1.remaining ?? .max }) { return quota }
        return old == RateLimit() ? nil : old
    }

    private mutating func take(_ name: String, _ number: Int64) {
        switch name {
        case "limit", "q": limit = number
        case "remaining", "r": remaining = number
        case "reset", "t": resetAfter = .seconds(min(number, Self.longestWait))
        default: break
        }
    }
}

extension Int64 {
    /// This number minus `other`, within the range of the type.
    func clampedDifference(to other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < 0 ? .min : .max) : difference
    }
}
