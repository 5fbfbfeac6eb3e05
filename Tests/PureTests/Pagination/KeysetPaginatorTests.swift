import Feeds
import Testing

@Suite("Paging by keyset")
struct KeysetPaginatorTests {
    private func style(_ members: String = ", param: after, from: id") throws -> any Paginator {
        try paginator("style: keyset\(members)")
    }

    private func facts(_ cursor: String?, _ values: JSONScalar?..., count: Int = 5) -> PaginationInput {
        PaginationInput(
            cursor: cursor.map { PageCursor($0) }, elementCount: count, crawlElementCount: 5,
            lastItemValues: values)
    }

    private func query(_ style: any Paginator, _ cursor: PageCursor?) throws -> [String] {
        let base = PageRequest(url: "https://a.b", query: [.init(name: "q", value: "x")])
        return try style.request(for: cursor, base: base).query.map { "\($0.name)=\($0.value)" }
    }

    @Test("The last item's value is sent as received, a number with its digits")
    func request() throws {
        let style = try style()
        #expect(style.itemPaths.map(\.description) == ["id"])
        #expect(style.cursorParameters == ["after"])
        #expect(try query(style, nil) == ["q=x"])
        for (value, text) in [
            (.integer(7), "7"), (.text("[\"a\"]"), "[\"a\"]"), (.real(1.5), "1.5"),
            (.number("18446744073709551616"), "18446744073709551616"), (.json("[1,2]"), "[1,2]"),
            (.text("2026-01-02T03:04:05+01:00"), "2026-01-02T03:04:05+01:00"),
        ] as [(JSONScalar, String)] {
            let end = try style.next(after: facts(nil, value))
            #expect(end == .more(PageCursor(text)))
            #expect(try query(style, end.next) == ["q=x", "after=\(text)"])
        }
    }

    @Test("Several values are sent in several parameters, whatever their characters")
    func several() throws {
        let style = try style(", param: [since, id], from: [meta.time, id]")
        #expect(style.itemPaths.map(\.description) == ["meta.time", "id"])
        let end = try style.next(after: facts(nil, .text("a\",\\]\u{0}ü"), .integer(7)))
        #expect(try query(style, end.next) == ["q=x", "since=a\",\\]\u{0}ü", "id=7"])
    }

    @Test("Paging by keyset ends at an empty page")
    func end() throws {
        #expect(try style().next(after: facts("5", count: 0)) == .end())
    }

    @Test(
        "An item without the value has no next page",
        arguments: [nil, .null, .text(""), .boolean(true), .json("{}")] as [JSONScalar?])
    func noValue(value: JSONScalar?) {
        #expect(throws: PagingError.self) { try style().next(after: facts(nil, value)) }
    }

    @Test("A page whose elements are not objects has no next page")
    func noItem() {
        #expect(throws: PagingError.self) { try style().next(after: facts(nil)) }
    }

    @Test(
        "A last item that is far from all others is asked for again, in its place",
        arguments: [
            // The first item, the one before the last, the last, the elements, the page's cursor, and the next page's.
            (300, 292, 20, 10, nil, "292"), (1, 9, 400, 10, nil, "9"), (300, 292, 220, 10, nil, "220"),
            (300, 292, 310, 10, nil, "310"), (300, 292, 20, 9, nil, "20"), (300, 300, 20, 10, nil, "20"),
            (300, 292, 20, 10, "292", "20"),
        ] as [(Int64, Int64, Int64, Int, String?, String)])
    func leap(first: Int64, before: Int64, last: Int64, count: Int, cursor: String?, next: String) throws {
        let values: [(Int64) -> JSONScalar] = [{ .integer($0) }, { .text("\($0)") }]
        for value in values {
            var page = facts(cursor, value(last), count: count)
            page.edgeItemValues = [[value(first)], [value(before)]]
            let end = try style().next(after: page)
            #expect(end.next?.text == next)
            #expect(end.comesAgain == (next == "\(before)"))
        }
    }

    @Test("Texts and pages of few items say nothing of an order")
    func noLeap() throws {
        var page = facts(nil, .text("z"), count: 10)
        page.edgeItemValues = [[.text("a")], [.text("b")]]
        #expect(try style().next(after: page) == .more(PageCursor("z")))
        page = facts(nil, .integer(400), count: 10)
        #expect(try style().next(after: page) == .more(PageCursor("400")))
    }

    @Test("A page that ends with the item before it is a loop")
    func loop() throws {
        #expect(throws: PagingError.self) { try style().next(after: facts("5", .integer(5))) }
        #expect(try style().next(after: facts("5", .integer(6))).next == PageCursor("6"))
        let two = try style(", param: [a, b], from: [a, b]")
        #expect(throws: PagingError.self) { try two.next(after: facts(#"["1","2"]"#, .integer(1), .integer(2))) }
    }

    @Test(
        "A page that has only what it should start after is the end, unless it is as long as a full one",
        arguments: [
            // The first item, the elements, those of a full page, those requested, and if the list ends there.
            (nil, 1, 5, nil, true), (nil, 1, 0, nil, false), (5, 3, 10, nil, true), (5, 3, 3, nil, false),
            (4, 3, 10, nil, false), (nil, 2, 10, nil, false), (5, 2, 10, 10, true),
            // A list of one item, and pages of one.
            (nil, 1, 1, nil, true), (nil, 1, 1, 50, true), (nil, 1, 1, 1, false),
        ] as [(Int64?, Int, Int, Int?, Bool)])
    func boundary(first: Int64?, count: Int, full: Int, asked: Int?, isEnd: Bool) throws {
        var page = facts("5", .integer(5), count: count)
        page.edgeItemValues = first.map { [[.integer($0)], [.integer(5)]] } ?? []
        (page.fullPageCount, page.askedCount) = (full, asked)
        guard isEnd else {
            #expect(throws: PagingError.self) { try style().next(after: page) }
            return
        }
        let end = try style().next(after: page)
        #expect(end.next == nil && end.sign == nil && end.isDoubtful == (full == 1))
    }

    @Test("A stored cursor with another number of values is refused", arguments: ["", "1", "[\"1\"]", "{}", "["])
    func badCursor(text: String) {
        #expect(throws: PagingError.self) {
            try query(style(", param: [a, b], from: [a, b]"), PageCursor(text))
        }
    }

    @Test(
        "Members of `keyset` that contradict each other are refused",
        arguments: [
            "", ", param: a", ", from: a", ", param: [a, b], from: a", ", param: [a, a], from: [a, b]",
            ", param: [], from: []", ", param: a, from: 'a['",
        ])
    func diagnostics(members: String) {
        #expect(throws: ConfigurationError.self) { try style(members) }
    }
}
