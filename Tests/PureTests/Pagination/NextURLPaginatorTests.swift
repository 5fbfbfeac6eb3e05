import Feeds
import Testing

@Suite("Paging by the next page's URL")
struct NextURLPaginatorTests {
    private func style(_ members: String = ", next: paging.next") throws -> any Paginator {
        try paginator("style: next_url\(members)")
    }

    private func facts(_ value: JSONScalar?, count: Int = 1, emptyBefore: Int = 0) -> PaginationInput {
        PaginationInput(
            cursor: nil, elementCount: count, crawlElementCount: count, emptyPagesBefore: emptyBefore,
            values: [value], url: "https://a.b/c/d?page=1")
    }

    @Test("The next page's URL is requested as given, without the feed's own query")
    func request() throws {
        let style = try style()
        let base = PageRequest(url: "https://a.b/c", query: [.init(name: "q", value: "x")])
        #expect(try style.request(for: nil, base: base) == base)
        let next = PageCursor("https://a.b/d?cursor=1")
        #expect(try style.request(for: next, base: base) == PageRequest(url: "https://a.b/d?cursor=1"))
        #expect(style.bodyPaths.map(\.description) == ["paging.next"])
        #expect(!style.endsByAbsence)
    }

    @Test(
        "The next page's URL is resolved against the one that answered",
        arguments: [
            ("?page=2", "https://a.b/c/d?page=2"), ("e?x=1", "https://a.b/c/e?x=1"), ("/e", "https://a.b/e"),
            ("https://a.b/z?q=%C3%BC&p=a+b", "https://a.b/z?q=%C3%BC&p=a+b"), ("//cdn.b/e", "https://cdn.b/e"),
            ("http://a.b/e", "https://a.b/e"), ("HTTPS://A.B/e", "https://a.b/e"),
            ("https://a.b:443/e", "https://a.b/e"),
            ("HTTP://A.B:80/e", "https://a.b/e"), ("/e#top", "https://a.b/e"), ("../e/./f", "https://a.b/e/f"),
            (" /e ", "https://a.b/e"), ("https://xn--bcher-kva.example/e", "https://xn--bcher-kva.example/e"),
            ("https://a.b:8443/e", "https://a.b:8443/e"), ("/ü?q=ü b", "https://a.b/%c3%bc?q=%c3%bc+b"),
        ])
    func target(text: String, next: String) throws {
        #expect(try style().next(after: facts(.text(text))) == .more(PageCursor(next)))
    }

    @Test(
        "Paging by URL ends at a page that names itself",
        arguments: [.text("#top"), .text("d?page=1"), .text("HTTPS://A.B:443/c/d?page=1#top")] as [JSONScalar])
    func itself(value: JSONScalar) throws {
        #expect(try style().next(after: facts(value)) == .end(isStated: true))
    }

    @Test(
        "Paging by URL ends at a page without one",
        arguments: [nil, .null, .text(""), .text("null"), .boolean(false)] as [JSONScalar?])
    func end(value: JSONScalar?) throws {
        #expect(try style().next(after: facts(value)) == .end())
    }

    @Test("Paging by URL ends at a response without a body")
    func noBody() throws {
        #expect(try style().next(after: PaginationInput(cursor: nil, elementCount: 0, crawlElementCount: 0)) == .end())
    }

    @Test(
        "A value that is not a URL is refused",
        arguments: [
            .integer(2), .boolean(true), .json("{}"), .json("[\"/e\"]"), .text("ftp://a.b/"), .text("a\u{0}b"),
            .text("https://u:p@a.b/"), .text("https://bücher.example/e"), .text("https://a.b:99999/"),
            .text("javascript:alert(1)"),
        ] as [JSONScalar])
    func unfollowable(value: JSONScalar) {
        #expect(throws: PagingError.self) { try style().next(after: facts(value)) }
    }

    @Test("The URL is read from a header of any case, whose absence or empty value is the end")
    func header() throws {
        let style = try style(", header: X-Next-Page")
        let facts = { (values: [String]) in
            PaginationInput(
                cursor: nil, elementCount: 1, crawlElementCount: 1,
                headers: values.map { NamedValue(name: "x-next-page", value: $0) }, url: "https://a.b/c")
        }
        #expect(try style.next(after: facts(["/d"])) == .more(PageCursor("https://a.b/d")))
        #expect(try style.next(after: facts([""])) == .end())
        #expect(try style.next(after: facts([])) == .end())
        #expect(style.bodyPaths.isEmpty)
        #expect(style.endsByAbsence)
    }

    @Test("Empty pages between others are followed, but not for ever")
    func emptyPages() throws {
        #expect(try style().next(after: facts(.text("/e"), count: 0, emptyBefore: 99)).next != nil)
        #expect(throws: PagingError.self) {
            try style().next(after: facts(.text("/e"), count: 0, emptyBefore: 100))
        }
    }

    @Test(
        "Members of `next_url` without a meaning, or with two, are refused",
        arguments: ["", ", next: a, header: b", ", next: 'a['", ", next: []", ", param: p, next: a"])
    func diagnostics(members: String) {
        #expect(throws: ConfigurationError.self) { try style(members) }
    }
}
