import Testing

@testable import MirrorWriter

@Suite("The times of pages") struct PageClockTests {
    @Test("Each page has a later time than the page before it")
    func ascends() {
        var clock = PageClock()
        let times = ["10.000", "10.000", "10.001", "09.000", "10.500", "10.999", "10.999"].map { second in
            clock.time("2026-11-22T00:00:\(second)Z")
        }
        let expected = ["10.000", "10.001", "10.002", "10.003", "10.500", "10.999", "11.000"]
        #expect(times == expected.map { "2026-11-22T00:00:\($0)Z" })
    }
}
