import Feeds
import Testing

@Suite("Paging by number or by offset")
struct CountedPagesTests {
    private static let totals: [(value: JSONScalar?, isEnd: Bool, total: Int?, hasNotice: Bool)] = [
        (.integer(20), false, 20, false), (.integer(10), true, 10, false), (.text("10"), true, 10, false),
        (.real(10), true, 10, false), (.integer(9), false, nil, true), (.integer(-1), false, nil, true),
        (.text("many"), false, nil, true), (.text("-5"), false, nil, true), (.text(""), false, nil, true),
        (.real(10.5), false, nil, true), (.real(.infinity), false, nil, true), (.real(.nan), false, nil, true),
        (.real(1e300), false, nil, true), (.text("99999999999999999999"), false, nil, true),
        (.boolean(true), false, nil, true), (.json("{}"), false, nil, true), (.null, false, nil, false),
        (nil, false, nil, false), (.integer(.max), false, ReportedCount.most, false),
    ]

    @Test("Ends at the total, and takes no lie for one", arguments: ["page", "offset"], totals)
    func total(style: String, total: (value: JSONScalar?, isEnd: Bool, total: Int?, hasNotice: Bool)) throws {
        let end = try paginator("style: \(style), total: t").next(after: input(nil, 10, crawl: 10, total.value))
        #expect((end.next == nil) == total.isEnd)
        #expect(end.total == total.total)
        #expect((end.notice != nil) == total.hasNotice)
    }

    @Test(
        "Says how many elements were promised when an empty page comes too early",
        arguments: [("page", "2"), ("offset", "10")])
    func earlyEnd(style: String, cursor: String) throws {
        let style = try paginator("style: \(style), total: t")
        #expect(try style.next(after: input(cursor, 0, crawl: 10, .integer(20))) == .end(total: 20))
    }

    @Test(
        "Refuses a page cursor that is no page number or offset", arguments: ["page", "offset"],
        ["", "x", "0", "-1", "1.5", "99999999999999999999"])
    func badCursor(style: String, text: String) throws {
        let style = try paginator("style: \(style)")
        #expect(throws: PagingError.self) { try style.query(text, own: []) }
        #expect(throws: PagingError.self) { try style.next(after: input(text, 1, crawl: 1)) }
    }
}
