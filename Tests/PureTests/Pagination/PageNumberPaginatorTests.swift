import Feeds
import Testing

@Suite("Paging by number")
struct PageNumberPaginatorTests {
    private func style(_ members: String = "") throws -> any Paginator {
        try FeedDefinition.parse(
            name: "x", yaml: "url: https://a.b\nkey: id\ncolumns: {id: id}\npagination: {style: page\(members)}\n"
        ).pagination
    }

    private func facts(_ number: String?, _ count: Int, crawl: Int, _ values: JSONScalar?...) -> PaginationInput {
        PaginationInput(
            cursor: number.map { PageCursor($0) }, elementCount: count, crawlElementCount: crawl, values: values)
    }

    @Test("sends the number, and the size unless the feed's query has one")
    func request() throws {
        let style = try style(", param: p, first: 0, size_param: n, size: 50")
        let base = PageRequest(url: "https://a.b", query: [.init(name: "q", value: "x")])
        let query = { (request: PageRequest) in request.query.map { "\($0.name)=\($0.value)" } }
        #expect(query(try style.request(for: nil, base: base)) == ["q=x", "n=50", "p=0"])
        #expect(query(try style.request(for: PageCursor("7"), base: base)) == ["q=x", "n=50", "p=7"])
        let own = PageRequest(url: "https://a.b", query: [.init(name: "n", value: "10")])
        #expect(query(try style.request(for: nil, base: own)) == ["n=10", "p=0"])
    }

    @Test("continues to the empty page if there is no total")
    func emptyPage() throws {
        let style = try style()
        #expect(try style.next(after: facts(nil, 10, crawl: 10)) == .more(PageCursor("2")))
        #expect(try style.next(after: facts("2", 1, crawl: 11)) == .more(PageCursor("3")))
        #expect(try style.next(after: facts("3", 0, crawl: 11)) == .end())
    }

    @Test(
        "ends at the total, and takes no lie for one",
        arguments: [
            (.integer(20), "more", 20, false), (.integer(10), "end", 10, false), (.text("10"), "end", 10, false),
            (.real(10), "end", 10, false), (.integer(9), "more", nil, true), (.integer(-1), "more", nil, true),
            (.text("many"), "more", nil, true), (.text("-5"), "more", nil, true), (.text(""), "more", nil, true),
            (.real(10.5), "more", nil, true), (.real(.infinity), "more", nil, true), (.real(.nan), "more", nil, true),
            (.real(1e300), "more", nil, true), (.text("99999999999999999999"), "more", nil, true),
            (.boolean(true), "more", nil, true), (.json("{}"), "more", nil, true), (.null, "more", nil, false),
            (nil, "more", nil, false), (.integer(.max), "more", ReportedCount.most, false),
        ] as [(JSONScalar?, String, Int?, Bool)])
    func total(value: JSONScalar?, outcome: String, total: Int?, hasNotice: Bool) throws {
        let end = try style(", total: t").next(after: facts(nil, 10, crawl: 10, value))
        #expect((end.next == nil ? "end" : "more") == outcome)
        #expect(end.total == total)
        #expect((end.notice != nil) == hasNotice)
    }

    @Test("says how many elements were promised when an empty page comes too early")
    func earlyEnd() throws {
        #expect(try style(", total: t").next(after: facts("2", 0, crawl: 10, .integer(20))) == .end(total: 20))
    }

    @Test(
        "ends at the last page",
        arguments: [
            (", pages: n", nil, .integer(1), true), (", pages: n", "2", .integer(3), false),
            (", pages: n", "3", .text("3"), true),
            (", pages: n, first: 0", nil, .integer(1), true), (", pages: n, first: 0", "1", .integer(3), false),
            (", pages: n", "4", .integer(3), false), (", pages: n", nil, .integer(0), false),
        ] as [(String, String?, JSONScalar, Bool)])
    func pages(members: String, number: String?, value: JSONScalar, isEnd: Bool) throws {
        #expect((try style(members).next(after: facts(number, 5, crawl: 50, value)).next == nil) == isEnd)
    }

    @Test("reads total and pages in the order of the paths it asks for")
    func bothFigures() throws {
        let style = try style(", pages: n, total: t")
        #expect(style.bodyPaths.map(\.description) == ["t", "n"])
        #expect(try style.next(after: facts(nil, 5, crawl: 5, .integer(50), .integer(1))).next != nil)
        #expect(try style.next(after: facts(nil, 5, crawl: 5, .integer(5), .integer(3))).next == nil)
        #expect(try style.next(after: facts(nil, 5, crawl: 5, nil, .integer(1))).next == nil)
        #expect(try style.next(after: facts(nil, 5, crawl: 5, nil, .integer(2))).next == PageCursor("2"))
        #expect(try style.next(after: facts(nil, 5, crawl: 5)).next == PageCursor("2"))
    }

    @Test(
        "knows the next page before this one came",
        arguments: [(nil, "2"), ("41", "42"), ("x", nil), ("9223372036854775807", nil)] as [(String?, String?)])
    func predicted(from: String?, to: String?) throws {
        #expect(try style().predicted(after: from.map { PageCursor($0) }) == to.map { PageCursor($0) })
    }

    @Test(
        "refuses a page cursor that is no page number", arguments: ["", "x", "0", "-1", "1.5", "99999999999999999999"])
    func badCursor(text: String) throws {
        let style = try style()
        #expect(throws: PagingError.self) {
            try style.request(for: PageCursor(text), base: PageRequest(url: "https://a.b"))
        }
        #expect(throws: PagingError.self) { try style.next(after: facts(text, 1, crawl: 1)) }
    }

    @Test("has an end even at the largest number")
    func overflow() throws {
        let style = try style(", first: 0, pages: n")
        #expect(throws: PagingError.self) {
            try style.next(after: facts("9223372036854775807", 1, crawl: 1, .integer(1)))
        }
    }
}

@Suite("A feed of one page")
struct NoPaginationTests {
    @Test("is asked as it stands, and ends")
    func onePage() throws {
        let base = PageRequest(url: "https://a.b", query: [.init(name: "q", value: "x")])
        let style = SinglePagePaginator()
        #expect(try style.request(for: nil, base: base) == base)
        #expect(throws: PagingError.self) { try style.request(for: PageCursor("2"), base: base) }
        #expect(style.predicted(after: nil) == nil)
        #expect(try style.next(after: PaginationInput(cursor: nil, elementCount: 1, crawlElementCount: 1)) == .end())
    }
}

@Suite("The request for a page")
struct PageRequestTests {
    @Test("has each parameter that is set once, where it first stood")
    func set() {
        var request = PageRequest(
            url: "u", query: [.init(name: "a", value: "1"), .init(name: "p", value: "1"), .init(name: "p", value: "2")])
        request.set("p", to: "3")
        request.set("z", to: "4")
        #expect(request.query.map { "\($0.name)=\($0.value)" } == ["a=1", "p=3", "z=4"])
    }
}
