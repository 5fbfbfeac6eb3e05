import Feeds
import Testing

@Suite("Paging by Link header")
struct LinkPaginatorTests {
    private let style = LinkPaginator()

    private func facts(_ links: String..., count: Int = 1, emptyBefore: Int = 0, at url: String) -> PaginationInput {
        PaginationInput(
            cursor: nil, elementCount: count, crawlElementCount: count, emptyPagesBefore: emptyBefore,
            headers: links.map { NamedValue(name: "link", value: $0) }, url: url)
    }

    @Test("The next page of a Link header is requested as given, without the feed's own query")
    func request() throws {
        let base = PageRequest(url: "https://a.b/c", query: [.init(name: "q", value: "x")])
        #expect(try style.request(for: nil, base: base) == base)
        let next = PageCursor("https://a.b/d?cursor=1")
        #expect(try style.request(for: next, base: base) == PageRequest(url: "https://a.b/d?cursor=1"))
        #expect(style.predicted(after: next) == nil)
    }

    @Test(
        "The target of a Link header is resolved against the URL that answered",
        arguments: [
            ("https://a.b/c/d?page=1", "<?page=2>; rel=next", "https://a.b/c/d?page=2"),
            ("https://a.b/c/d?page=1", "<e>; rel=next", "https://a.b/c/e"),
            ("https://a.b/c/d", "</x?y=z>; rel=next", "https://a.b/x?y=z"),
            ("https://a.b/c", "<https://cdn.b/c?p=2>; rel=next", "https://cdn.b/c?p=2"),
            ("https://a.b/c", "<http://a.b/c?p=2>; rel=next", "https://a.b/c?p=2"),
        ])
    func target(url: String, link: String, next: String) throws {
        #expect(try style.next(after: facts(link, at: url)) == .more(PageCursor(next)))
    }

    @Test("Several Link headers are read, and paging ends if none leads on")
    func fields() throws {
        let facts = facts("</1>; rel=first", "</2>; rel=next", at: "https://a.b/")
        #expect(try style.next(after: facts) == .more(PageCursor("https://a.b/2")))
        #expect(try style.next(after: self.facts("</1>; rel=first", at: "https://a.b/")) == .end())
        #expect(try style.next(after: self.facts(at: "https://a.b/")) == .end())
        #expect(style.endsByAbsence)
    }

    @Test(
        "Paging ends at a page that names itself, and at a link without results",
        arguments: [
            "<>; rel=next", "<#top>; rel=next", "</c?p=1>; rel=next", "<http://a.b/c?p=1>; rel=next",
            #"</c?p=2>; rel="next"; results="false""#,
        ])
    func end(link: String) throws {
        #expect(try style.next(after: facts(link, at: "https://a.b/c?p=1")).next == nil)
    }

    @Test("A link that has results is followed")
    func results() throws {
        let link = #"</c?p=2>; rel="next"; results="true""#
        #expect(try style.next(after: facts(link, at: "https://a.b/c?p=1")) == .more(PageCursor("https://a.b/c?p=2")))
    }

    @Test(
        "A next page of a Link header that is no URL is refused",
        arguments: [
            "<ftp://a.b/>; rel=next", "<https://>; rel=next", "<mailto:a@b.c>; rel=next",
        ])
    func unfollowable(link: String) {
        #expect(throws: PagingError.self) { try style.next(after: facts(link, at: "https://a.b/c?p=1")) }
    }

    @Test("Empty pages between others are followed, but not for ever")
    func emptyPages() throws {
        let link = "</2>; rel=next"
        #expect(try style.next(after: facts(link, count: 0, at: "https://a.b/")).next != nil)
        #expect(try style.next(after: facts(link, count: 0, emptyBefore: 99, at: "https://a.b/")).next != nil)
        #expect(throws: PagingError.self) {
            try style.next(after: facts(link, count: 0, emptyBefore: 100, at: "https://a.b/"))
        }
    }
}
