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
        let isSecondKept: Bool
    }

    @Test(
        "The quota is that of the later response, in any order of storing",
        arguments: [
            Case(first: reading(42), second: reading(41), isSecondKept: true),
            Case(first: reading(41), second: reading(42), isSecondKept: false),
            Case(first: reading(1), second: reading(60, resetAt: 200), isSecondKept: true),
            Case(first: reading(1, resetAt: nil), second: reading(2, resetAt: nil), isSecondKept: true),
            Case(first: reading(nil), second: reading(2), isSecondKept: true),
            Case(first: reading(1), second: reading(nil), isSecondKept: true),
            Case(first: reading(0, blockedUntil: 100), second: reading(5), isSecondKept: true),
            Case(first: reading(5), second: reading(7, blockedUntil: 90), isSecondKept: true),
        ])
    func later(example: Case) throws {
        let expected = example.isSecondKept ? example.second : example.first
        #expect(example.second.later(than: example.first) == expected)
        let connection = try Connection(path: ":memory:", access: .readWriteCreate)
        try connection.execute(
            """
            CREATE TABLE _quota (origin TEXT, credential INTEGER, resource TEXT, remaining INTEGER, reset_at TEXT,
                blocked_until TEXT, PRIMARY KEY (origin, credential, resource))
            """)
        try QuotaLedger.keep([example.first], on: connection)
        try QuotaLedger.keep([example.second], on: connection)
        #expect(try connection.int64("SELECT remaining FROM _quota") == expected.remaining)
    }
}
