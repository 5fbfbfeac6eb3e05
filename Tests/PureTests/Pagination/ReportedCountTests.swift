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
        #expect(count(.integer(4)).notice?.contains("5 were received") == true)
        #expect(count(.text("many")).value == nil)
        #expect(count(.null).notice == nil)
    }

    @Test(
        "Counts can be added without an overflow, however large they are",
        arguments: [.integer(.max), .text("9223372036854775807"), .real(9e18)] as [JSONScalar])
    func huge(value: JSONScalar) {
        #expect(count(value).value == ReportedCount.most)
        #expect(!ReportedCount.most.multipliedReportingOverflow(by: 1_000_000).overflow)
    }
}
