import Feeds
import Testing

@Suite("Paging by cursor")
struct CursorPaginatorTests {
    private func style(_ members: String) throws -> any Paginator { try paginator("style: cursor\(members)") }

    private func facts(_ values: JSONScalar?..., count: Int = 1, emptyBefore: Int = 0) -> PaginationInput {
        PaginationInput(
            cursor: nil, elementCount: count, crawlElementCount: count, emptyPagesBefore: emptyBefore,
            values: values)
    }

    private func query(_ style: any Paginator, _ cursor: String?) throws -> [String] {
        try style.query(cursor, own: [.init(name: "q", value: "x")])
    }

    @Test("The token is sent as received, beside the feed's own query")
    func request() throws {
        let style = try style(", param: after, next: meta.next")
        #expect(try query(style, nil) == ["q=x"])
        #expect(try query(style, "a+b/=&") == ["q=x", "after=a+b/=&"])
        #expect(style.cursorParameters == ["after"])
        #expect(style.predicted(after: nil) == nil)
    }

    @Test(
        "The next token may be a text or the digits of a number",
        arguments: [
            (.text("abc"), "abc"), (.text("00"), "00"), (.integer(.max), "9223372036854775807"), (.integer(-2), "-2"),
            (.number("18446744073709551616"), "18446744073709551616"), (.real(1.5), "1.5"), (.text("false"), "false"),
        ] as [(JSONScalar, String)])
    func token(value: JSONScalar, text: String) throws {
        #expect(try style(", param: c, next: n").next(after: facts(value)) == .more(PageCursor(text)))
    }

    @Test(
        "Paging by cursor ends at a page without a token",
        arguments: [
            nil, .null, .text(""), .text("null"), .boolean(false), .json("{}"), .json("[]"), .integer(0), .text("0"),
            .integer(-1), .text("-1"), .text("*"),
        ] as [JSONScalar?])
    func end(value: JSONScalar?) throws {
        #expect(try style(", param: c, next: n").next(after: facts(value)) == .end())
    }

    @Test(
        "A size that may be an estimate, by the protocol of the list, neither ends it nor shows that items are missing",
        arguments: ["1", "2", "1050"])
    func uncertainTotal(size: String) throws {
        let style = try style(#", param: c, next: n, total: t."@completeListSize""#)
        #expect(try style.next(after: facts(nil, .text(size), count: 2)) == .end())
        #expect(try style.next(after: facts(.text("x"), .text(size), count: 2)) == .more(PageCursor("x")))
        #expect(try style.next(after: facts(.text("t2"), .text(size), count: 0)).next != nil)
    }

    @Test("Paging by cursor ends at a response without a body")
    func noBody() throws {
        let facts = PaginationInput(cursor: nil, elementCount: 0, crawlElementCount: 0)
        #expect(try style(", param: c, next: n, more: m").next(after: facts) == .end())
    }

    @Test("A token that no request could hold is refused")
    func tooLong() throws {
        let style = try style(", param: c, next: n")
        let longest = String(repeating: "x", count: 1 << 20)
        #expect(try style.next(after: facts(.text(longest))) == .more(PageCursor(longest)))
        let error = #expect(throws: PagingError.self) { try style.next(after: facts(.text(longest + "x"))) }
        #expect(error?.problem == "the cursor of the next page has 1048577 bytes; 1 MiB is the most")
    }

    @Test("A value that is no token is refused")
    func noToken() {
        #expect(throws: PagingError.self) { try style(", param: c, next: n").next(after: facts(.boolean(true))) }
    }

    @Test("An object or array is sent back as JSON in a body", arguments: [#"{"id":{"N":"20"}}"#, "[1,\"a\"]"])
    func containers(text: String) throws {
        let style = try style(", param: ExclusiveStartKey, next: n")
        let next = try style.next(after: facts(.json(text))).next
        let base = PageRequest(url: "https://a.b", body: .object(JSONObject()))
        let body = try style.request(for: next, base: base).body
        #expect(body?.json == #"{"ExclusiveStartKey":\#(text)}"#)
    }

    @Test(
        "Paging by cursor ends at the token that was just sent; a full page may be one of a scroll, whose token stays",
        arguments: [
            // The items of the page, the total, and if the end is stated, proves little, and has a sign of more.
            (0, nil, true, false, false), (3, nil, false, false, true), (2, nil, false, true, false),
            (3, 9, true, false, false), (3, 20, false, false, true), (2, 20, false, true, false),
        ] as [(Int, Int64?, Bool, Bool, Bool)])
    func sentAgain(count: Int, total: Int64?, isStated: Bool, isDoubtful: Bool, isSigned: Bool) throws {
        var page = input("t", count, crawl: 9, .text("t"), total.map(JSONScalar.integer))
        page.fullPageCount = 3
        let end = try style(", param: c, next: n, total: t").next(after: page)
        #expect(end.next == nil && end.isStated == isStated && end.isDoubtful == isDoubtful)
        #expect(end.sign?.kind == (isSigned ? SignOfMore.Kind.sameToken : nil))
    }

    @Test(
        "A token of 0 is the end, unless a flag says that there is more or the cursors count down to it",
        arguments: [
            ("137", .integer(0), nil, nil), ("137", .text("0"), .boolean(true), "0"), ("1", .integer(0), nil, "0"),
            ("3", .integer(0), nil, "0"), ("1", .integer(-1), nil, nil), ("0", .integer(-1), .boolean(true), "-1"),
        ] as [(String, JSONScalar, JSONScalar?, String?)])
    func zero(sent: String, token: JSONScalar, more: JSONScalar?, next: String?) throws {
        var page = input(sent, 3, crawl: 9, token, more)
        page.fullPageCount = 3
        #expect(try style(", param: c, next: n, more: m").next(after: page).next?.text == next)
    }

    @Test(
        "An end at a token of 0 is doubtful where the list may count down to it, and on a full first page",
        arguments: [
            (nil, "https://a.b/", 10, true), (nil, "https://a.b/", 7, false), (nil, "https://a.b/?c=-1", 10, false),
            ("15", "https://a.b/?c=15", 10, true), ("137", "https://a.b/?c=137", 10, false),
        ] as [(String?, String, Int, Bool)])
    func doubtfulZero(sent: String?, url: String, count: Int, isDoubtful: Bool) throws {
        var page = PaginationInput(
            cursor: sent.map { PageCursor($0) }, elementCount: count, crawlElementCount: 40, values: [.integer(0)],
            url: url)
        page.fullPageCount = 10
        let end = try style(", param: c, next: n").next(after: page)
        #expect(end.next == nil && end.isDoubtful == isDoubtful)
    }

    @Test(
        "Paging by cursor ends at the token with which the first page was asked",
        arguments: [
            ("https://a.b/?q=x&c=a%20b", 0, true, nil), ("https://a.b/?c=a+b", 3, false, .sameToken),
            ("https://a.b/?d=a+b", 3, false, nil), ("https://a.b/", 3, false, nil),
        ] as [(String, Int, Bool, SignOfMore.Kind?)])
    func start(url: String, count: Int, isStated: Bool, sign: SignOfMore.Kind?) throws {
        var page = PaginationInput(
            cursor: nil, elementCount: count, crawlElementCount: count, values: [.text("a b")], url: url)
        page.fullPageCount = count
        let end = try style(", param: c, next: n").next(after: page)
        #expect(end.next?.text == (isStated || sign != nil ? nil : "a b"))
        #expect(end.isStated == isStated && end.sign?.kind == sign)
    }

    @Test("A flag for the end outranks a token that stays the same")
    func sentAgainAtEnd() throws {
        var page = input("t", 3, crawl: 9, .text("t"), .boolean(false))
        page.fullPageCount = 3
        #expect(try style(", param: c, next: n, more: m").next(after: page) == .end(isStated: true))
    }

    @Test(
        "An empty page is followed, unless its token merely counts or the total is reached",
        arguments: [
            ("t", .text("u"), 20, true), ("t", .text("u"), 9, false), ("3", .text("4"), 20, false),
            ("30", .integer(40), 20, false),
            ("30", .integer(47), 20, true), ("/x?page=3&n=10", .text("/x?page=4&n=10"), 20, false),
            ("a3b7", .text("a4b8"), 20, true), ("t1", .text("t2"), 20, true), (nil, .text("2"), 20, true),
        ] as [(String?, JSONScalar, Int64, Bool)])
    func emptyPage(sent: String?, token: JSONScalar, total: Int64, isFollowed: Bool) throws {
        var page = input(sent, 0, crawl: 9, token, .integer(total))
        page.fullPageCount = 10
        #expect((try style(", param: c, next: n, total: t").next(after: page).next != nil) == isFollowed)
    }

    @Test(
        "Paging by cursor ends at a flag for the end, whatever the token",
        arguments: [
            (.boolean(false), true), (.integer(0), true), (.text("false"), true), (.boolean(true), false),
            (.integer(1), false), (.null, false), (nil, false),
        ] as [(JSONScalar?, Bool)])
    func more(flag: JSONScalar?, isEnd: Bool) throws {
        let style = try style(", param: c, next: n, more: m")
        #expect(style.bodyPaths.map(\.description) == ["n", "m"])
        #expect((try style.next(after: facts(.text("t"), flag)).next == nil) == isEnd)
    }

    @Test("The token is read from a header, and the flag from the body")
    func header() throws {
        let style = try style(", param: c, header: X-Cursor, more: m")
        let facts = { (value: String?, flag: JSONScalar?) in
            PaginationInput(
                cursor: nil, elementCount: 1, crawlElementCount: 1, values: [flag],
                headers: value.map { [NamedValue(name: "x-cursor", value: $0)] } ?? [])
        }
        #expect(try style.next(after: facts("t", nil)) == .more(PageCursor("t")))
        #expect(try style.next(after: facts("t", .boolean(false))) == .end(isStated: true))
        #expect(try style.next(after: facts("", nil)) == .end())
        #expect(try style.next(after: facts(nil, nil)) == .end())
        #expect(style.endsByAbsence)
        #expect(try !self.style(", param: c, next: n").endsByAbsence)
    }

    @Test("Without a parameter, every member of the object is sent, in one order")
    func object() throws {
        let style = try style(", next: continue")
        let text = #"{"apcontinue":"Ü b","n":12345678901234567890,"b":true,"a":null,"":"x"}"#
        #expect(try style.next(after: facts(.json(text))) == .more(PageCursor(text)))
        #expect(try query(style, text) == ["q=x", "=x", "apcontinue=Ü b", "b=true", "n=12345678901234567890"])
        #expect(try query(style, #"{"q":"y"}"#) == ["q=y"])
        #expect(style.cursorParameters.isEmpty)
        for end in [nil, .null, .json("{}"), .json(#"{"a":null}"#), .boolean(false)] as [JSONScalar?] {
            #expect(try style.next(after: facts(end)) == .end())
        }
    }

    @Test(
        "Without a parameter, a token that is no object of scalars is refused",
        arguments: [.text("t"), .integer(1), .json("[]"), .json(#"{"a":{}}"#), .json(#"{"a":[1]}"#)] as [JSONScalar])
    func noObject(value: JSONScalar) {
        #expect(throws: PagingError.self) { try style(", next: continue").next(after: facts(value)) }
    }

    @Test("A stored cursor that is not an object is refused", arguments: ["", "x", "[1]", "1", "{"])
    func badCursor(text: String) {
        #expect(throws: PagingError.self) { try query(style(", next: continue"), text) }
    }

    @Test("Empty pages between others are followed, but not for ever")
    func emptyPages() throws {
        let style = try style(", param: c, next: n")
        #expect(try style.next(after: facts(.text("t"), count: 0, emptyBefore: 99)).next != nil)
        #expect(throws: PagingError.self) { try style.next(after: facts(.text("t"), count: 0, emptyBefore: 100)) }
    }

    @Test(
        "Members of `cursor` without a meaning, or with two, are refused",
        arguments: ["", ", param: c", ", param: c, next: a, header: b", ", header: b", ", param: c, next: 'a['"])
    func diagnostics(members: String) {
        #expect(throws: ConfigurationError.self) { try style(members) }
    }
}
