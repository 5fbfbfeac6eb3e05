import Testing

@testable import Feeds

@Suite("A watermark")
struct WatermarkTests {
    @Test(
        "A watermark is sent in the form of the items, less the overlap",
        arguments: [
            (.text("2026-11-21T10:00:30Z"), .time(.seconds(60)), "2026-11-21T09:59:30Z"),
            (.text("2026-11-21T10:00:30.250+02:00"), .time(.seconds(60)), "2026-11-21T09:59:30.250+02:00"),
            (.text("2026-11-21 10:00:30"), .standard, "2026-11-21 09:59:30"),
            (.text("2026-11-21"), .standard, "2026-11-20"),
            (.text("2026-11-21 10:00:30"), .count(0), "2026-11-21 10:00:30"),
            (.text("2026-11-21"), .count(0), "2026-11-21"),
            (.text("2026-11-21 10:00:30"), .count(5), "2026-11-21 10:00:25"),
            (.integer(1_700_000_000), .time(.seconds(60)), "1699999940"),
            (.integer(1_700_000_000_123), .time(.seconds(60)), "1699999940123"),
            (.text("1700000000"), .time(.seconds(60)), "1699999940"),
            (.real(1_700_000_000.5), .time(.seconds(60)), "1699999940"),
            (.integer(1_700_000_000), .standard, "1699999940"),
            (.integer(1_700_000_000_123), .standard, "1699999940123"),
            (.integer(1_700_000_000), .count(0), "1700000000"),
            (.integer(4711), .standard, "4711"),
            (.integer(4711), .count(0), "4711"), (.integer(4711), .count(11), "4700"),
            (.text("4711"), .count(1), "4710"),
            (.integer(.min), .count(5), "\(Int64.min)"),
        ] as [(JSONScalar, SyncRule.Overlap, String)])
    func parameter(scalar: JSONScalar, overlap: SyncRule.Overlap, sent: String) throws {
        let isTime = if case .time = overlap { true } else { false }
        let mark = try #require(Watermark(scalar, isTime: isTime))
        #expect(mark.parameterText(less: overlap) == sent)
        let again = try #require(Watermark(json: mark.json, isTime: isTime))
        #expect(again.parameterText(less: overlap) == sent, "it is stored as it was")
    }

    @Test("A watermark is compared as a time in any form")
    func forms() throws {
        let texts: [JSONScalar] = [
            .text("2023-11-14T22:13:20Z"), .text("2023-11-14T22:13:20.001Z"), .integer(1_700_000_001),
            .text("2023-11-15T00:13:22+02:00"), .integer(1_700_000_003_000), .text("2023-11-14 22:13:24"),
        ]
        let marks = try texts.map { try #require(Watermark($0, isTime: true)) }
        for (earlier, later) in zip(marks, marks.dropFirst()) {
            #expect(later.isFurther(than: earlier) && !earlier.isFurther(than: later))
        }
    }

    @Test(
        "A value that is neither a time nor a number is no watermark",
        arguments: [nil, .null, .boolean(true), .text("soon"), .json("{}")] as [JSONScalar?])
    func none(scalar: JSONScalar?) {
        #expect(Watermark(scalar, isTime: true) == nil)
    }
}
