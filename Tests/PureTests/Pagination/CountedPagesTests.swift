import Feeds
import Testing

@Suite("Paging by number or by offset")
struct CountedPagesTests {
    private static let totals: [(value: JSONScalar?, isEnd: Bool, total: Int?, hasNotice: Bool)] = [
        (.integer(20), false, 20, false), (.integer(11), true, 11, false), (.text("11"), true, 11, false),
        (.real(11), true, 11, false), (.integer(9), false, nil, true), (.integer(-1), false, nil, true),
        (.text("many"), false, nil, true), (.text("-5"), false, nil, true), (.text(""), false, nil, true),
        (.real(10.5), false, nil, true), (.real(.infinity), false, nil, true), (.real(.nan), false, nil, true),
        (.real(1e300), false, nil, true), (.text("99999999999999999999"), false, nil, true),
        (.boolean(true), false, nil, true), (.json("{}"), false, nil, true), (.null, false, nil, false),
        (nil, false, nil, false), (.integer(.max), false, ReportedCount.most, false),
    ]

    @Test(
        "Paging by number or offset ends at the total, and takes no lie for one", arguments: ["page", "offset"], totals)
    func total(style: String, total: (value: JSONScalar?, isEnd: Bool, total: Int?, hasNotice: Bool)) throws {
        var page = input(nil, 11, crawl: 11, total.value)
        page.askedCount = 50
        let end = try paginator("style: \(style), total: t").next(after: page)
        #expect((end.next == nil) == total.isEnd)
        #expect(end.total == total.total)
        #expect((end.notice != nil) == total.hasNotice)
    }

    @Test(
        "A total that says what the first page has ends nothing where the page may be full",
        arguments: ["page", "offset"],
        [(20, nil, false), (7, 7, false), (20, 50, false), (7, 50, true), (7, nil, false)])
    func countOfPage(style: String, page: (count: Int, asked: Int?, isEnd: Bool)) throws {
        var input = input(nil, page.count, crawl: page.count, .integer(Int64(page.count)))
        input.askedCount = page.asked
        #expect((try paginator("style: \(style), total: t").next(after: input).next == nil) == page.isEnd)
    }

    @Test(
        "A total that says what the only page of a partition has ends it, unless that has a usual length",
        arguments: [7, 20])
    func countOfPartition(count: Int) throws {
        var input = input(nil, count, crawl: count, .integer(Int64(count)))
        input.isOfPartition = true
        #expect((try paginator("style: page, total: t").next(after: input).next == nil) == (count == 7))
    }

    @Test(
        "A total that is a lower bound or an estimate neither ends a list nor is reported as its total",
        arguments: [
            ("hits.total.value", .text("gte"), false), ("hits.total.value", .text("eq"), true),
            ("hits.total.value", nil, true), ("response.numFound", .boolean(false), false),
            ("response.numFound", .boolean(true), true), ("estimatedTotalHits", nil, false),
        ] as [(String, JSONScalar?, Bool)], [("page", "2"), ("offset", "11")])
    func bound(total: (path: String, neighbour: JSONScalar?, isEnd: Bool), style: (name: String, cursor: String)) throws
    {
        let paginator = try paginator("style: \(style.name), total: \(total.path)")
        let end = try paginator.next(after: input(style.cursor, 11, crawl: 22, .integer(22), total.neighbour))
        #expect((end.next == nil) == total.isEnd)
        #expect(end.total == (total.isEnd ? 22 : nil))
    }

    @Test(
        "Paging by number or offset says how many elements were promised when an empty page comes too early",
        arguments: [("page", "2"), ("offset", "10")])
    func earlyEnd(style: String, cursor: String) throws {
        let style = try paginator("style: \(style), total: t")
        #expect(try style.next(after: input(cursor, 0, crawl: 10, .integer(20))) == .end(total: 20))
    }

    @Test(
        "Paging by number or offset refuses a page cursor that is no page number or offset",
        arguments: ["page", "offset"],
        ["", "x", "0", "-1", "1.5", "99999999999999999999"])
    func badCursor(style: String, text: String) throws {
        let style = try paginator("style: \(style)")
        #expect(throws: PagingError.self) { try style.query(text, own: []) }
        #expect(throws: PagingError.self) { try style.next(after: input(text, 1, crawl: 1)) }
    }
}
