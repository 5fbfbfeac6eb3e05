internal import Concurrency
internal import HTTP

/// The credentials of a feed's requests, of which each request carries one.
package struct CredentialChoices: Sendable {
    /// A request's credentials.
    struct Choice: Sendable {
        let credentials: [Credential]
        /// 32 bits that distinguish the choice from the others, as those of a feed with one credential.
        let fingerprint: Int64
    }

    private let choices: [Choice]
    private let feed: String
    private let quotas: CredentialQuotas

    /// - Parameter feed: The feed; other feeds may count against other quotas.
    init(_ choices: [Choice], of feed: String, quotas: CredentialQuotas) {
        self.choices = choices
        self.feed = feed
        self.quotas = quotas
    }

    /// The fingerprints, in order.
    package var fingerprints: [Int64] { choices.map(\.fingerprint) }

    /// The choice for the next request.
    func choice(at now: Int64) -> CredentialQuota.Choice {
        quotas.withQuotas(of: keys) { CredentialQuota.choice(among: $0, now: now) }
    }

    /// The choice for a request, which is under way until `end`. A spent one is taken only if all are.
    func take(at now: Int64) -> Choice {
        choices[
            quotas.withQuotas(of: keys) { quotas in
                let index = CredentialQuota.choice(among: quotas, now: now).index
                quotas[index].underWay += 1
                return index
            }]
    }

    /// Marks the end of a request.
    func end(_ choice: Choice) { edit(choice.fingerprint) { $0.underWay -= 1 } }

    /// Takes a response's reading.
    func note(_ reading: QuotaReading) { edit(reading.credential) { $0.note(reading) } }

    /// The credential that the next request counts against.
    func next(at now: Int64) -> Int64 { choices[choice(at: now).index].fingerprint }

    /// The time before which none may be used; nil if one may.
    ///
    /// - Parameter ends: The times that the store knows, in the order of the fingerprints.
    package func blockedUntil(at now: Int64, _ ends: [Int64?]) -> Int64? {
        let choice = quotas.withQuotas(of: keys) { quotas in
            for (index, end) in zip(quotas.indices, ends) { quotas[index].block(until: end) }
            return CredentialQuota.choice(among: quotas, now: now)
        }
        if case .later(_, let end) = choice { return end }
        return nil
    }

    private var keys: [CredentialQuotas.Key] { fingerprints.map { .init(feed: feed, credential: $0) } }

    private func edit(_ fingerprint: Int64, _ change: (inout CredentialQuota) -> Void) {
        guard let index = fingerprints.firstIndex(of: fingerprint) else { return }
        quotas.withQuotas(of: keys) { change(&$0[index]) }
    }
}

/// The quotas of credentials that take turns, in memory; shared by the feeds of a process.
///
/// - Isolation: any thread.
package final class CredentialQuotas: Sendable {
    struct Key: Sendable, Hashable {
        let feed: String
        let credential: Int64
    }

    private let quotas = Lock<[Key: CredentialQuota]>([:])

    /// Nothing is known yet.
    package init() {}

    /// Reads or changes the quotas of some credentials at once.
    func withQuotas<Result: Sendable>(of keys: [Key], _ body: (inout [CredentialQuota]) -> Result) -> Result {
        quotas.withLock { all in
            var own = keys.map { all[$0] ?? CredentialQuota() }
            let result = body(&own)
            for (key, quota) in zip(keys, own) { all[key] = quota }
            return result
        }
    }
}
