/// A response's information on a host's quota. Times are in seconds since 1970 by our clock.
package struct QuotaReading: Sendable, Hashable {
    /// The origin that answered, as `https://host`, with placeholders for secrets.
    package let origin: String
    /// The fingerprint of the credentials of the request; 0 for none.
    package let credential: Int64
    /// The resource of the quota, if the host has several; else empty.
    package let resource: String
    /// The number of requests left.
    package private(set) var remaining: Int64?
    /// The time at which the count starts again.
    package let resetAt: Int64?
    /// The time before which the host accepts no request; nil if it accepts them.
    package private(set) var blockedUntil: Int64?
    /// The number of requests in a whole period; nil if the host does not report it.
    package var limit: Int64?
    /// The credential of the next request, where a feed has several that take turns.
    package var nextCredential: Int64?

    /// True if less than a quarter of the quota is left.
    package var isLow: Bool {
        guard let limit, let remaining else { return false }
        return remaining < limit / 4
    }

    /// Creates a reading from its parts.
    package init(
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

    /// The identity of a quota.
    package struct Quota: Sendable, Hashable {
        package let origin: String
        package let credential: Int64
        package let resource: String

        package init(origin: String, credential: Int64, resource: String) {
            self.origin = origin
            self.credential = credential
            self.resource = resource
        }
    }

    /// The identity of the reading's quota.
    package var quota: Quota { Quota(origin: origin, credential: credential, resource: resource) }

    /// The quota that the feed's next request counts against.
    package var nextQuota: Quota {
        Quota(origin: origin, credential: nextCredential ?? credential, resource: resource)
    }

    /// This reading after an earlier one of the same quota, for responses that arrive in any order: until a quota
    /// starts again, its count only falls, and a block ends at its time only.
    package func later(than other: QuotaReading) -> QuotaReading {
        var later = self
        if resetAt != nil, resetAt == other.resetAt, let remaining, let others = other.remaining {
            later.remaining = min(remaining, others)
        }
        later.blockedUntil = Self.block(blockedUntil, after: other.blockedUntil)
        return later
    }

    /// The longest block, in seconds: a day, however much longer a host asks us to wait.
    private static let longestBlock: Int64 = 86_400

    private static func block(_ block: Int64?, after other: Int64?) -> Int64? {
        guard let block, let other else { return block ?? other }
        // Only a clock that was wrong makes a longer one.
        return other > block.clampedSum(longestBlock) ? block : max(block, other)
    }
}
