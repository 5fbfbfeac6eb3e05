import SQLite
import Testing

@testable import MirrorWriter

private func reading(_ remaining: Int64?, resetAt: Int64? = 100, blockedUntil: Int64? = nil) -> QuotaReading {
    QuotaReading(
        origin: "https://a.b", credential: 0, resource: "", remaining: remaining, resetAt: resetAt,
        blockedUntil: blockedUntil)
}

@Suite("The known quota") struct QuotaLedgerTests {
    struct Case: Sendable {
        let first: QuotaReading
        let second: QuotaReading
        let expected: QuotaReading
    }

    private static let day: Int64 = 86_400

    @Test(
        "In one period a count only falls, and a block lasts until its time, in any order of storing",
        arguments: [
            Case(first: reading(42), second: reading(41), expected: reading(41)),
            Case(first: reading(41), second: reading(42), expected: reading(41)),
            Case(first: reading(1), second: reading(60, resetAt: 200), expected: reading(60, resetAt: 200)),
            Case(first: reading(1, resetAt: nil), second: reading(2, resetAt: nil), expected: reading(2, resetAt: nil)),
            Case(first: reading(nil), second: reading(2), expected: reading(2)),
            Case(first: reading(1), second: reading(nil), expected: reading(nil)),
            Case(
                first: reading(0, blockedUntil: 100), second: reading(5), expected: reading(0, blockedUntil: 100)),
            Case(first: reading(5), second: reading(0, blockedUntil: 100), expected: reading(0, blockedUntil: 100)),
            Case(first: reading(5), second: reading(7, blockedUntil: 90), expected: reading(5, blockedUntil: 90)),
            Case(
                first: reading(nil, resetAt: nil, blockedUntil: 90), second: reading(7),
                expected: reading(7, blockedUntil: 90)),
            Case(
                first: reading(0, blockedUntil: 100), second: reading(9, resetAt: 101),
                expected: reading(9, resetAt: 101, blockedUntil: 100)),
            Case(
                first: reading(0, blockedUntil: 90), second: reading(0, blockedUntil: 60),
                expected: reading(0, blockedUntil: 90)),
            // No block is longer than a day, unless the clock was wrong.
            Case(
                first: reading(0, blockedUntil: 60 + day), second: reading(0, blockedUntil: 60),
                expected: reading(0, blockedUntil: 60 + day)),
            Case(
                first: reading(0, blockedUntil: 61 + day), second: reading(0, blockedUntil: 60),
                expected: reading(0, blockedUntil: 60)),
        ])
    func later(example: Case) throws {
        #expect(example.second.later(than: example.first) == example.expected)
        let connection = try Connection(path: ":memory:", access: .readWriteCreate)
        try connection.execute(
            """
            CREATE TABLE _quota (origin TEXT, credential INTEGER, resource TEXT, remaining INTEGER, reset_at TEXT,
                blocked_until TEXT, PRIMARY KEY (origin, credential, resource))
            """)
        try QuotaLedger.keep([example.first], on: connection)
        try QuotaLedger.keep([example.second], on: connection)
        #expect(try QuotaLedger.stored(example.first.quota, on: connection) == example.expected)
    }
}
