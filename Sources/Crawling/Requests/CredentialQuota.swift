/// The quota of one of a feed's credentials, as far as responses say.
///
/// A request takes a credential by this table; `left` counts without the requests that are under way:
///
/// | credentials | the request takes |
/// | --- | --- |
/// | some may be used, and have requests left or an unknown number | the first of these |
/// | others may be used | the first of these: the host has the last word |
/// | all are spent | the one that may be used again first, and then |
package struct CredentialQuota: Sendable, Hashable {
    private var reading: QuotaReading?
    /// The time before which it may not be used.
    private var blockedUntil: Int64?
    /// The requests with it that have no response yet.
    package var underWay = 0

    package init() {}

    /// The credential of the next request, by its place.
    package enum Choice: Sendable, Hashable {
        /// It may be used now.
        case now(Int)
        /// All are spent; this one may be used again first.
        case later(Int, at: Int64)

        /// The credential's place.
        package var index: Int {
            switch self {
            case .now(let index), .later(let index, _): index
            }
        }
    }

    /// The choice among at least one credential, in the order in which they are given.
    package static func choice(among quotas: [CredentialQuota], now: Int64) -> Choice {
        let free = quotas.indices.filter { quotas[$0].end(after: now) == nil }
        if let index = free.first(where: { quotas[$0].hasRequestsLeft(at: now) }) ?? free.first { return .now(index) }
        let ends = quotas.map { $0.end(after: now) ?? now }
        let index = ends.indices.min { ends[$0] < ends[$1] } ?? 0
        return .later(index, at: ends.isEmpty ? now : ends[index])
    }

    /// Takes what a response says. One that comes late does not lift a block.
    package mutating func note(_ reading: QuotaReading) {
        self.reading = self.reading.map { reading.later(than: $0) } ?? reading
        block(until: reading.blockedUntil)
    }

    /// Keeps the credential from being used before a time.
    package mutating func block(until time: Int64?) {
        blockedUntil = [blockedUntil, time].compactMap(\.self).max()
    }

    private func end(after now: Int64) -> Int64? { blockedUntil.flatMap { $0 > now ? $0 : nil } }

    private func hasRequestsLeft(at now: Int64) -> Bool {
        guard let remaining = reading?.remaining else { return true }
        if let resetAt = reading?.resetAt, resetAt <= now { return true }
        return remaining > Int64(underWay)
    }
}
