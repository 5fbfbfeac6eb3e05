import Testing

@testable import Crawling

private let now: Int64 = 1_000

private func quota(
    _ remaining: Int64? = nil, resetIn: Int64? = nil, blockedFor: Int64? = nil, underWay: Int = 0
) -> CredentialQuota {
    var quota = CredentialQuota()
    quota.note(reading(remaining, resetIn: resetIn, blockedFor: blockedFor))
    quota.underWay = underWay
    return quota
}

private func reading(_ remaining: Int64? = nil, resetIn: Int64? = nil, blockedFor: Int64? = nil) -> QuotaReading {
    QuotaReading(
        origin: "https://api.example.com", credential: 1, resource: "", remaining: remaining,
        resetAt: resetIn.map { now + $0 }, blockedUntil: blockedFor.map { now + $0 })
}

@Suite("The quotas of credentials that take turns") struct CredentialQuotaTests {
    @Test(
        "A request takes the first credential with requests left, else the one that may be used again first",
        arguments: [
            ([CredentialQuota(), CredentialQuota()], .now(0)),
            ([quota(5, resetIn: 60), CredentialQuota()], .now(0)),
            ([quota(0, resetIn: 60, blockedFor: 60), CredentialQuota()], .now(1)),
            ([quota(0, resetIn: 60, blockedFor: 60), quota(3), CredentialQuota()], .now(1)),
            // The count starts again at its reset.
            ([quota(0, resetIn: 0, blockedFor: 0), CredentialQuota()], .now(0)),
            // A spent quota without a time of reset is tried when no other credential has requests left.
            ([quota(0), quota(7)], .now(1)),
            ([quota(0), quota(0, resetIn: 60, blockedFor: 60)], .now(0)),
            // Requests under way count.
            ([quota(2, resetIn: 60, underWay: 2), quota(9)], .now(1)),
            ([quota(2, resetIn: 60, underWay: 1), quota(9)], .now(0)),
            ([quota(1, underWay: 1), quota(1, underWay: 2)], .now(0)),
            ([quota(blockedFor: 90), quota(blockedFor: 30), quota(blockedFor: 60)], .later(1, at: now + 30)),
            ([quota(blockedFor: 30)], .later(0, at: now + 30)),
            ([quota(3)], .now(0)),
        ] as [([CredentialQuota], CredentialQuota.Choice)])
    func choice(quotas: [CredentialQuota], expected: CredentialQuota.Choice) {
        #expect(CredentialQuota.choice(among: quotas, now: now) == expected)
    }

    @Test("A late response does not lift a block, and the count only falls until it starts again")
    func lateReadings() {
        var first = quota(0, resetIn: 60, blockedFor: 60)
        first.note(reading(4, resetIn: 60))
        #expect(CredentialQuota.choice(among: [first, quota()], now: now) == .now(1))
        #expect(CredentialQuota.choice(among: [first, quota()], now: now + 60) == .now(0))

        var second = quota(1, resetIn: 60, underWay: 1)
        second.note(reading(2, resetIn: 60))
        #expect(CredentialQuota.choice(among: [second, quota()], now: now) == .now(1))
    }
}
