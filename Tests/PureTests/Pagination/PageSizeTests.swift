import Feeds
import Testing

@Suite("The size that pages are asked to have")
struct PageSizeTests {
    private func query(_ style: any Paginator, _ cursor: String?, own: String? = nil) throws -> [String] {
        try style.query(cursor, own: own.map { [.init(name: "n", value: $0)] } ?? [])
    }

    @Test(
        "The size is sent with each page of our own request, unless the feed's query has one",
        arguments: [
            ("style: page, param: p", "2", "p=2"), ("style: offset, param: p", "50", "p=50"),
            ("style: cursor, param: p, next: t", "x", "p=x"), ("style: keyset, param: p, from: id", "7", "p=7"),
            ("style: cursor, next: t", #"{"p":"x"}"#, "p=x"),
        ])
    func everyPage(members: String, cursor: String, sent: String) throws {
        let size = members.contains("offset") ? "limit_param: n, limit: 50" : "size_param: n, size: 50"
        let style = try paginator("\(members), \(size)")
        #expect(try query(style, nil).first == "n=50")
        #expect(try query(style, cursor) == ["n=50", sent])
        #expect(try query(style, cursor, own: "10") == ["n=10", sent])
        #expect(style.canonicalText.contains("50"))
    }

    @Test(
        "The size is sent with the first page alone if the upstream gives complete URLs",
        arguments: ["style: link", "style: next_url, next: n", "style: next_url, header: n"])
    func firstPage(members: String) throws {
        let style = try paginator("\(members), size_param: n, size: 50")
        #expect(try query(style, nil) == ["n=50"])
        #expect(try query(style, nil, own: "10") == ["n=10"])
        #expect(try query(style, "https://a.b/next").isEmpty)
        #expect(style.canonicalText.hasSuffix(" size_param n size 50"))
    }

    @Test("The upstream may state another size, which outranks ours")
    func cursorObject() throws {
        let style = try paginator("style: cursor, next: t, size_param: n, size: 50")
        #expect(try query(style, #"{"n":20}"#) == ["n=20"])
    }

    @Test(
        "The size needs a parameter of its own, and a valid number",
        arguments: [
            "style: page", "style: cursor, param: p, next: t", "style: keyset, param: p, from: id", "style: link",
        ],
        [
            "size: 50", "size_param: n", "size_param: n, size: 0", "size_param: n, size: 1000001",
            "size_param: n, size: x",
        ])
    func diagnostics(members: String, size: String) {
        #expect(throws: ConfigurationError.self) { try paginator("\(members), \(size)") }
    }

    @Test(
        "The size is not sent in the parameter of the page",
        arguments: [
            "style: page, param: p", "style: cursor, param: p, next: t", "style: keyset, param: [a, p], from: [a, id]",
        ])
    func sameParameter(members: String) {
        #expect(throws: ConfigurationError.self) { try paginator("\(members), size_param: p, size: 50") }
    }

    @Test("The size distinguishes a total from the count of one full page")
    func countOfPage() throws {
        let page = try paginator("style: page, size_param: n, size: 10, total: t")
        #expect(try page.next(after: input(nil, 10, crawl: 10, .integer(10))).next != nil)
        #expect(try page.next(after: input(nil, 9, crawl: 9, .integer(9))).next == nil)
        #expect(try page.next(after: input("2", 10, crawl: 20, .integer(20))).next == nil)
        let offset = try paginator("style: offset, limit: 10, total: t")
        #expect(try offset.next(after: input(nil, 10, crawl: 10, .integer(10))).next != nil)
        #expect(try offset.next(after: input(nil, 9, crawl: 9, .integer(9))).next == nil)
        #expect(try offset.next(after: input("10", 10, crawl: 20, .integer(20))).next == nil)
    }

    @Test("The size reveals a number of pages that was computed from more than the server gives")
    func cutPages() throws {
        let style = try paginator("style: page, size_param: n, size: 100, total: t, pages: p")
        #expect(try style.next(after: input(nil, 50, crawl: 50, nil, .integer(1))).next != nil)
        #expect(try style.next(after: input("2", 50, crawl: 100, nil, .integer(2))).next != nil)
        #expect(try style.next(after: input(nil, 100, crawl: 100, nil, .integer(1))).next == nil)
        #expect(try style.next(after: input("2", 50, crawl: 150, nil, .integer(2))).next == nil)
        #expect(try style.next(after: input("2", 50, crawl: 100, .integer(120), .integer(2))).next != nil)
        #expect(try style.next(after: input("2", 50, crawl: 100, .integer(100), .integer(2))).next == nil)
    }
}
