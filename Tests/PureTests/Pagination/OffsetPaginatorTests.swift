import Feeds
import Testing

@Suite("Paging by offset")
struct OffsetPaginatorTests {
    private func style(_ members: String = "") throws -> any Paginator { try paginator("style: offset\(members)") }

    @Test("The offset is sent from 0, and the limit unless the feed's query has one")
    func request() throws {
        let style = try style(", param: o, limit: 50")
        #expect(try style.query(nil, own: [.init(name: "q", value: "x")]) == ["q=x", "limit=50", "o=0"])
        #expect(try style.query("50", own: [.init(name: "q", value: "x")]) == ["q=x", "limit=50", "o=50"])
        #expect(try style.query(nil, own: [.init(name: "limit", value: "10")]) == ["limit=10", "o=0"])
    }

    @Test("Pages overlap, but for the first one: before it there is nothing, also where offsets begin at 1")
    func overlap() throws {
        let style = try style(", param: o, base: 1, limit: 50")
        var base = PageRequest(url: "https://a.b")
        base.overlap = 1
        let query = { (cursor: PageCursor?) in
            try style.request(for: cursor, base: base).query.map { "\($0.name)=\($0.value)" }.sorted()
        }
        #expect(try query(nil) == ["limit=50", "o=1"])
        #expect(try query(PageCursor("51")) == ["limit=51", "o=50"])
    }

    @Test("The offset grows by the elements received, whatever was requested")
    func steps() throws {
        let style = try style(", limit: 50")
        #expect(try style.next(after: input(nil, 30, crawl: 30)) == .more(PageCursor("30")))
        #expect(try style.next(after: input("30", 7, crawl: 37)) == .more(PageCursor("37")))
        #expect(try style.next(after: input("37", 0, crawl: 37)) == .end())
        #expect(style.predicted(after: nil) == nil)
    }

    @Test("Paging by offset begins at `first`, and ignores the elements before it")
    func first() throws {
        let style = try style(", first: 20, total: n")
        let base = PageRequest(url: "https://a.b")
        #expect(try style.request(for: nil, base: base).query.map(\.value) == ["20"])
        #expect(try style.next(after: input(nil, 10, crawl: 10, .integer(45))) == .more(PageCursor("30"), total: 25))
        #expect(try style.next(after: input("40", 5, crawl: 25, .integer(45))) == .end(total: 25, isStated: true))
        #expect(throws: PagingError.self) { try style.request(for: PageCursor("20"), base: base) }
    }

    @Test("An offset counts items from 1 where the upstream does")
    func base() throws {
        let style = try style(", base: 1, total: n")
        #expect(try style.request(for: nil, base: PageRequest(url: "https://a.b")).query.map(\.value) == ["1"])
        #expect(try style.next(after: input(nil, 10, crawl: 10, .integer(17))) == .more(PageCursor("11"), total: 17))
        let end = try style.next(after: input("11", 7, crawl: 17, .integer(17)))
        #expect(end == .end(total: 17, isStated: true))
    }

    @Test("Paging continues after as many elements as the total, if the offset is before it")
    func metTwice() throws {
        let style = try style(", limit: 3, total: n")
        #expect(try style.next(after: input("15", 3, crawl: 19, .integer(19))) == .more(PageCursor("18"), total: 19))
        #expect(try style.next(after: input("18", 1, crawl: 20, .integer(19))) == .end(total: 19, isStated: true))
    }

    @Test("Two offsets give the number of elements between them")
    func elementCount() throws {
        let style = try style(", first: 20")
        #expect(style.elementCount(from: nil, to: PageCursor("50")) == 30)
        #expect(style.elementCount(from: PageCursor("30"), to: PageCursor("50")) == 20)
        #expect(style.elementCount(from: PageCursor("50"), to: PageCursor("30")) == 0)
        #expect(style.elementCount(from: nil, to: PageCursor("x")) == nil)
        #expect(try paginator("style: page").elementCount(from: nil, to: PageCursor("2")) == nil)
    }

    @Test("The largest offset does not wrap round")
    func overflow() throws {
        let style = try style()
        #expect(throws: PagingError.self) { try style.next(after: input("9223372036854775807", 1, crawl: 1)) }
    }

    @Test(
        "Members of `offset` that contradict each other are refused",
        arguments: [", limit_param: n", ", param: n, limit_param: n, limit: 5", ", limit: 0", ", size: 5"])
    func diagnostics(members: String) {
        #expect(throws: ConfigurationError.self) { try style(members) }
    }
}
