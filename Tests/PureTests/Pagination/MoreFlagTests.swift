import Feeds
import Testing

@Suite("A has-more flag in the body")
struct MoreFlagTests {
    @Test(
        "ends pages and offsets where it says so, and nowhere else",
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

    @Test("outranks a total that is too small, and tells of one that is too large", arguments: ["page", "offset"])
    func figures(name: String) throws {
        let style = try paginator("style: \(name), total: t, more: m")
        #expect(try style.next(after: input(nil, 3, crawl: 3, .integer(3), .boolean(true))).next != nil)
        #expect(try style.next(after: input(nil, 3, crawl: 3, .integer(9), .boolean(false))) == .end(total: 9))
        #expect(try style.next(after: input(nil, 3, crawl: 3, .integer(3), nil)).next == nil)
    }

    @Test("does not lead behind an empty page, but has it noticed", arguments: ["page", "offset"])
    func emptyPage(name: String) throws {
        let end = try paginator("style: \(name), more: m").next(after: input("2", 0, crawl: 3, .boolean(true)))
        #expect(end.next == nil)
        #expect(end.notice == "`m` says there is more, but the page is empty")
    }

    @Test("is part of what the style is", arguments: ["page", "offset", "cursor, param: c, next: n"])
    func canonicalText(members: String) throws {
        #expect(try paginator("style: \(members), more: m").canonicalText.hasSuffix(" more m"))
        #expect(throws: ConfigurationError.self) { try paginator("style: \(members), more: 'm['") }
    }
}
