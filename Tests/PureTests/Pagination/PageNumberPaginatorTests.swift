import Feeds
import Testing

@Suite("Paging by number")
struct PageNumberPaginatorTests {
    private func style(_ members: String = "") throws -> any Paginator { try paginator("style: page\(members)") }

    @Test("The number is sent, and the size unless the feed's query has one")
    func request() throws {
        let style = try style(", param: p, first: 0, size_param: n, size: 50")
        #expect(try style.query(nil, own: [.init(name: "q", value: "x")]) == ["q=x", "n=50", "p=0"])
        #expect(try style.query("7", own: [.init(name: "q", value: "x")]) == ["q=x", "n=50", "p=7"])
        #expect(try style.query(nil, own: [.init(name: "n", value: "10")]) == ["n=10", "p=0"])
    }

    @Test("A number in the path is that of the feed's URL for the first page, and follows its segment for the others")
    func path() throws {
        let style = try style(", param: /page")
        let base = PageRequest(url: "https://a.b/things/page/1?q=x")
        #expect(try style.request(for: nil, base: base) == base)
        #expect(try style.request(for: PageCursor("2"), base: base).url == "https://a.b/things/page/2?q=x")
    }

    @Test("Paging by number continues to the empty page without a total")
    func emptyPage() throws {
        let style = try style()
        #expect(try style.next(after: input(nil, 10, crawl: 10)) == .more(PageCursor("2")))
        #expect(try style.next(after: input("2", 1, crawl: 11)) == .more(PageCursor("3")))
        #expect(try style.next(after: input("3", 0, crawl: 11)) == .end())
    }

    @Test(
        "Paging by number ends at the last page",
        arguments: [
            (", pages: n", nil, .integer(1), true), (", pages: n", "2", .integer(3), false),
            (", pages: n", "3", .text("3"), true),
            (", pages: n, first: 0", nil, .integer(1), true), (", pages: n, first: 0", "1", .integer(3), false),
            (", pages: n", "4", .integer(3), false), (", pages: n", nil, .integer(0), false),
        ] as [(String, String?, JSONScalar, Bool)])
    func pages(members: String, number: String?, value: JSONScalar, isEnd: Bool) throws {
        #expect((try style(members).next(after: input(number, 5, crawl: 50, value)).next == nil) == isEnd)
    }

    @Test("Paging by number ends at the last page by a header", arguments: [(nil, false), ("3", true), ("4", false)])
    func pagesInHeader(number: String?, isEnd: Bool) throws {
        let page = PaginationInput(
            cursor: number.map { PageCursor($0) }, elementCount: 5, crawlElementCount: 50,
            headers: [NamedValue(name: "x-wp-totalpages", value: "3")])
        #expect((try style(", header: X-WP-TotalPages").next(after: page).next == nil) == isEnd)
    }

    @Test("An empty first page is the one page of an empty list, but not the first of several")
    func emptyFirstPage() throws {
        let style = try style(", pages: n")
        #expect(try style.next(after: input(nil, 0, crawl: 0, .integer(1))).sign == nil)
        #expect(try style.next(after: input(nil, 0, crawl: 0, .integer(2))).sign?.kind == .pages)
        #expect(try style.next(after: input("2", 0, crawl: 0, .integer(2))).sign?.kind == .pages)
    }

    @Test("Total and pages are read in the order of their paths")
    func bothFigures() throws {
        let style = try style(", pages: n, total: t")
        #expect(style.bodyPaths.map(\.description) == ["t", "n"])
        #expect(try style.next(after: input(nil, 5, crawl: 5, .integer(50), .integer(1))).next != nil)
        #expect(try style.next(after: input("2", 5, crawl: 9, .integer(9), .integer(3))).next == nil)
        #expect(try style.next(after: input(nil, 5, crawl: 5, nil, .integer(1))).next == nil)
        #expect(try style.next(after: input(nil, 5, crawl: 5, nil, .integer(2))).next == PageCursor("2"))
        #expect(try style.next(after: input(nil, 5, crawl: 5)).next == PageCursor("2"))
    }

    @Test(
        "The next number is known before the page has arrived",
        arguments: [(nil, "2"), ("41", "42"), ("x", nil), ("9223372036854775807", nil)] as [(String?, String?)])
    func predicted(from: String?, to: String?) throws {
        #expect(try style().predicted(after: from.map { PageCursor($0) }) == to.map { PageCursor($0) })
    }

    @Test("Paging by number has an end even at the largest number")
    func overflow() throws {
        let style = try style(", first: 0, pages: n")
        #expect(throws: PagingError.self) {
            try style.next(after: input("9223372036854775807", 1, crawl: 1, .integer(1)))
        }
    }
}

@Suite("A feed of one page")
struct NoPaginationTests {
    @Test("A feed of one page is requested as written, and ends")
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
    @Test("A request has each parameter that is set once, at its first place")
    func set() {
        var request = PageRequest(
            url: "u", query: [.init(name: "a", value: "1"), .init(name: "p", value: "1"), .init(name: "p", value: "2")])
        request.set("p", to: "3")
        request.set("z", to: "4")
        #expect(request.query.map { "\($0.name)=\($0.value)" } == ["a=1", "p=3", "z=4"])
    }
}
