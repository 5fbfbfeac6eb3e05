import JSON
import Pagination
import Testing
import Text

@Suite("A count that the upstream gives") struct ReportedCountTests {
    private func count(_ value: JSONScalar?, atLeast least: Int = 5) -> ReportedCount {
        ReportedCount(Path([.member("total")]), value, atLeast: least, secrets: Secrets())
    }

    @Test("A count is believed unless it is invalid or less than the elements received")
    func believed() {
        #expect(count(.integer(5)).value == 5)
        #expect(count(.text("17")).value == 17)
        #expect(count(.integer(4)).value == nil)
        #expect(count(.integer(4)).notice?.contains("more were received") == true)
        #expect(count(.text("many")).value == nil)
        #expect(count(.null).notice == nil)
    }

    @Test(
        "A count is a text of digits, which may be in groups of three",
        arguments: [
            ("1234", 1_234), ("0012", 12), ("1,234", 1_234), ("12,345,678", 12_345_678), ("1.234.567", 1_234_567),
            ("1'234", 1_234), ("1’234", 1_234), ("1 234", 1_234), ("1\u{A0}234", 1_234), ("1\u{202F}234", 1_234),
            // A fraction, groups of another kind, and lists of numbers.
            ("1.234", nil), ("0,123", nil), ("1,23", nil), ("1,2345", nil), ("1234,567", nil), ("1,234.567", nil),
            ("20, 20", nil), ("1,,234", nil), (",234", nil), ("1,234,", nil), ("1,234+", nil), ("-1,234", nil),
            ("١,٢٣٤", nil), (",", nil), ("", nil), ("999,999,999,999,999,999,999,999", nil),
        ] as [(String, Int?)])
    func written(text: String, expected: Int?) {
        #expect(count(.text(text)).value == expected)
    }

    @Test(
        "Counts can be added without an overflow, however large they are",
        arguments: [.integer(.max), .text("9223372036854775807"), .real(9e18)] as [JSONScalar])
    func huge(value: JSONScalar) {
        #expect(count(value).value == ReportedCount.most)
        #expect(!ReportedCount.most.multipliedReportingOverflow(by: 1_000_000).overflow)
    }
}
