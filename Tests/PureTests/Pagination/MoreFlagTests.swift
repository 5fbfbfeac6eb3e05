import Feeds
import Testing

@Suite("A has-more flag in the body")
struct MoreFlagTests {
    @Test(
        "A flag ends pages and offsets at its own value, and nowhere else",
        arguments: ["page", "offset"],
        [
            (.boolean(false), true), (.integer(0), true), (.text("false"), true), (.boolean(true), false),
            (.integer(1), false), (.text("true"), false), (.null, false), (nil, false),
        ] as [(JSONScalar?, Bool)])
    func flag(name: String, flag: (value: JSONScalar?, isEnd: Bool)) throws {
        let style = try paginator("style: \(name), more: meta.more")
        #expect(style.bodyPaths.map(\.description) == ["meta.more"])
        #expect((try style.next(after: input(nil, 3, crawl: 3, flag.value)).next == nil) == flag.isEnd)
    }

    @Test("The list ends where no element meets the condition of `more`")
    func condition() throws {
        let style = try paginator("style: cursor, param: c, next: n, more: 'l[status=\"a 507\"].x'")
        #expect(try style.next(after: input(nil, 3, crawl: 3, .text("t"), nil)) == .end(isStated: true))
        #expect(try style.next(after: input(nil, 3, crawl: 3, .text("t"), .text("/"))).next == PageCursor("t"))
    }

    @Test(
        "A flag outranks a total that is too small, and reveals one that is too large", arguments: ["page", "offset"])
    func figures(name: String) throws {
        let style = try paginator("style: \(name), total: t, more: m")
        #expect(try style.next(after: input(nil, 3, crawl: 3, .integer(3), .boolean(true))).next != nil)
        #expect(
            try style.next(after: input(nil, 3, crawl: 3, .integer(9), .boolean(false)))
                == .end(total: 9, isStated: true))
        var short = input(nil, 3, crawl: 3, .integer(3), nil)
        short.askedCount = 50
        #expect(try style.next(after: short).next == nil)
    }

    @Test(
        "A flag does not lead beyond an end, and is a sign of more there",
        arguments: [
            ("page", "2", 0), ("offset", "2", 0), ("keyset, param: p, from: id", "2", 0),
            ("cursor, param: c, next: n", "2", 3),
            ("next_url, next: n", nil, 3), ("link", nil, 3), ("none", nil, 3),
        ] as [(String, String?, Int)])
    func sign(style: String, cursor: String?, count: Int) throws {
        let paginator = try paginator("style: \(style), more: m")
        let values: [JSONScalar?] = paginator.bodyPaths.map { $0.description == "m" ? .boolean(true) : nil }
        let page = PaginationInput(
            cursor: cursor.map { PageCursor($0) }, elementCount: count, crawlElementCount: 3, values: values)
        let end = try paginator.next(after: page)
        #expect(end.next == nil)
        #expect(end.sign == SignOfMore(.flag, "`m` is true"))
    }

    @Test(
        "A flag of the last page ends every style, and its absence leads on",
        arguments: ["cursor, param: c, next: n", "next_url, next: n", "page", "offset"],
        [
            (.boolean(true), true), (.text("yes"), true), (.integer(1), true), (.boolean(false), false),
            (.text(""), false),
            (.null, false), (nil, false),
        ] as [(JSONScalar?, Bool)])
    func last(style: String, flag: (value: JSONScalar?, isEnd: Bool)) throws {
        let paginator = try paginator("style: \(style), last: l")
        let values: [JSONScalar?] = paginator.bodyPaths.map { $0.description == "l" ? flag.value : .text("/2") }
        let page = PaginationInput(
            cursor: nil, elementCount: 3, crawlElementCount: 3, values: values, url: "https://a.b/1")
        #expect((try paginator.next(after: page).next == nil) == flag.isEnd)
    }

    @Test("A flag is part of the style's canonical text", arguments: ["page", "offset", "cursor, param: c, next: n"])
    func canonicalText(members: String) throws {
        #expect(try paginator("style: \(members), more: m").canonicalText.hasSuffix(" more m"))
        #expect(throws: ConfigurationError.self) { try paginator("style: \(members), more: 'm['") }
    }
}
