import Feeds
import Testing

@Suite("Paging by offset")
struct OffsetPaginatorTests {
    private func style(_ members: String = "") throws -> any Paginator {
        try FeedDefinition.parse(
            name: "x", yaml: "url: https://a.b\nkey: id\ncolumns: {id: id}\npagination: {style: offset\(members)}\n"
        ).pagination
    }

    private func facts(_ offset: String?, _ count: Int, crawl: Int, _ values: JSONScalar?...) -> PaginationInput {
        PaginationInput(
            cursor: offset.map { PageCursor($0) }, elementCount: count, crawlElementCount: crawl, values: values)
    }

    @Test("sends the offset from 0, and the limit unless the feed's query has one")
    func request() throws {
        let style = try style(", param: o, limit: 50")
        let base = PageRequest(url: "https://a.b", query: [.init(name: "q", value: "x")])
        let query = { (request: PageRequest) in request.query.map { "\($0.name)=\($0.value)" } }
        #expect(query(try style.request(for: nil, base: base)) == ["q=x", "limit=50", "o=0"])
        #expect(query(try style.request(for: PageCursor("50"), base: base)) == ["q=x", "limit=50", "o=50"])
        let own = PageRequest(url: "https://a.b", query: [.init(name: "limit", value: "10")])
        #expect(query(try style.request(for: nil, base: own)) == ["limit=10", "o=0"])
    }

    @Test("steps by what came, whatever was asked for")
    func steps() throws {
        let style = try style(", limit: 50")
        #expect(try style.next(after: facts(nil, 30, crawl: 30)) == .more(PageCursor("30")))
        #expect(try style.next(after: facts("30", 7, crawl: 37)) == .more(PageCursor("37")))
        #expect(try style.next(after: facts("37", 0, crawl: 37)) == .end())
        #expect(style.predicted(after: nil) == nil)
    }

    @Test("begins at `first`, and has nothing to do with what lies before")
    func first() throws {
        let style = try style(", first: 20, total: n")
        let base = PageRequest(url: "https://a.b")
        #expect(try style.request(for: nil, base: base).query.map(\.value) == ["20"])
        #expect(try style.next(after: facts(nil, 10, crawl: 10, .integer(45))) == .more(PageCursor("30"), total: 25))
        #expect(try style.next(after: facts("40", 5, crawl: 25, .integer(45))) == .end(total: 25))
        #expect(throws: PagingError.self) { try style.request(for: PageCursor("20"), base: base) }
    }

    @Test(
        "ends at the total, and takes no lie for one",
        arguments: [
            (.integer(20), "more", 20, false), (.integer(10), "end", 10, false), (.text("10"), "end", 10, false),
            (.integer(9), "more", nil, true), (.text("many"), "more", nil, true), (.null, "more", nil, false),
            (nil, "more", nil, false),
        ] as [(JSONScalar?, String, Int?, Bool)])
    func total(value: JSONScalar?, outcome: String, total: Int?, hasNotice: Bool) throws {
        let end = try style(", total: t").next(after: facts(nil, 10, crawl: 10, value))
        #expect((end.next == nil ? "end" : "more") == outcome)
        #expect(end.total == total)
        #expect((end.notice != nil) == hasNotice)
    }

    @Test("says how many elements were promised when an empty page comes too early")
    func earlyEnd() throws {
        #expect(try style(", total: t").next(after: facts("10", 0, crawl: 10, .integer(20))) == .end(total: 20))
    }

    @Test(
        "refuses a page cursor that is not an offset", arguments: ["", "x", "0", "-1", "1.5", "99999999999999999999"])
    func badCursor(text: String) throws {
        let style = try style()
        #expect(throws: PagingError.self) {
            try style.request(for: PageCursor(text), base: PageRequest(url: "https://a.b"))
        }
        #expect(throws: PagingError.self) { try style.next(after: facts(text, 1, crawl: 1)) }
    }

    @Test("does not wrap round behind the largest offset")
    func overflow() throws {
        let style = try style()
        #expect(throws: PagingError.self) { try style.next(after: facts("9223372036854775807", 1, crawl: 1)) }
    }

    @Test(
        "refuses members that contradict each other",
        arguments: [", limit_param: n", ", param: n, limit_param: n, limit: 5", ", limit: 0", ", size: 5"])
    func diagnostics(members: String) {
        #expect(throws: ConfigurationError.self) { try style(members) }
    }
}
