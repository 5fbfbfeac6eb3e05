import HTTP
import Testing

@testable import FeedTables

@Suite("Decoding items of other shapes")
struct ItemShapesTests {
    private static func decode(_ json: String, _ members: String) throws -> DecodedPage {
        let yaml = "url: https://api.example.com/things\npagination: page\n\(members)"
        let plan = try DecodePlan(try FeedDefinition.parse(name: "things", yaml: yaml))
        return try PageDecoder(plan).decode(Body(Array(json.utf8)))
    }

    private func values(_ page: DecodedPage, _ index: Int = 0) -> [JSONScalar?] {
        page.plan.columns.indices.map { JSONScalar(page.element(at: index)[$0]) }
    }

    @Test("The members of an object are items, and their names a column")
    func members() throws {
        let page = try Self.decode(
            #"{"query":{"pages":{"7":{"title":"a"},"\u0038":{"title":"b"},"9":null}}}"#,
            "items: {path: query.pages, keyed_by: page}\nkey: page\ncolumns: {title: title}")
        #expect(page.elementCount == 3)
        #expect(page.plan.columns.map(\.name) == ["title", "page"])
        #expect(values(page) == [.text("a"), .text("7")])
        #expect(values(page, 1) == [.text("b"), .text("8")])
        #expect(page.element(at: 2).fault == .isNull)
        #expect(page.keys == #"["7","8"]"#)
    }

    @Test("An object of members without any is an empty page, and an array there is one of items without names")
    func noMembers() throws {
        let members = "items: {path: pages, keyed_by: page}\nkey: page\ncolumns: {title: title}"
        #expect(try Self.decode(#"{"pages":{}}"#, members).elementCount == 0)
        let list = try Self.decode(#"{"pages":[{"title":"a"}]}"#, members)
        #expect(list.element(at: 0).fault == .lacksKey("page"))
    }

    @Test("A member below a null is null, and a member below nothing is missing")
    func belowNull() throws {
        let members = "items: items\nkey: id\ncolumns: {id: id, login: owner.login, first: \"owner.tags[0].a\"}"
        let page = try Self.decode(#"{"items":[{"id":1,"owner":null},{"id":2},{"id":3,"owner":{}}]}"#, members)
        #expect(values(page) == [.integer(1), .null, .null])
        #expect(values(page, 1) == [.integer(2), nil, nil])
        #expect(values(page, 2) == [.integer(3), nil, nil])
    }

    @Test(
        "A number of failed searches that somebody wrote into the store is bounded",
        arguments: [("1", 1), ("2", 2), ("9223372036854775807", 2), ("-9223372036854775808", 0), ("1e9", 0)])
    func failedSearches(written: String, count: Int) {
        let json = #"{"key":[],"columns":[],"failed":\#(written)}"#
        #expect(Findings(json: json)?.failedSearchCount == count)
    }

    @Test(
        "A page outgrows its columns by a new member, at any depth, or by a value of another type",
        arguments: [
            (#"{"id":1,"n":2,"owner":{"login":"x"},"tags":[1]}"#, false),
            (#"{"id":1,"n":null,"owner":null,"tags":null}"#, false),
            (#"{"id":"one","n":2}"#, false),
            (#"{"id":1}"#, false),
            (#"{"id":1,"n":123456789012345678901234567890}"#, false),
            (#"{"id":1,"m":2}"#, true),
            (#"{"id":1,"owner":{"login":"x","type":"y"}}"#, true),
            (#"{"id":1,"owner":"x"}"#, true),
            (#"{"id":1,"n":2.5}"#, true),
            (#"{"id":1,"n":"2"}"#, true),
            (#"{"id":1,"tags":"a"}"#, true),
            (#"{"id":1,"unseen":1}"#, true),
            (#"{"id":1,"unseen":null}"#, false),
        ])
    func outgrows(item: String, isExpected: Bool) throws {
        var findings = Findings()
        findings.columns = [
            ColumnDefinition(name: "n", path: try Path("n"), type: .integer),
            ColumnDefinition(name: "owner_login", path: try Path("owner.login"), type: .text),
            ColumnDefinition(name: "tags", path: try Path("tags"), type: .json),
            ColumnDefinition(name: "unseen", path: try Path("unseen"), type: nil),
        ]
        let yaml = "url: https://api.example.com/things\nkey: id\npagination: page"
        let shape = try ResolvedFeed(try FeedDefinition.parse(name: "things", yaml: yaml), findings)
        let page = try PageDecoder(shape.plan).decode(Body(Array("[{\"id\":0},\(item)]".utf8)))
        #expect(page.needsNewColumns == isExpected)
    }

    @Test("Columns that are written by hand are never outgrown")
    func givenColumns() throws {
        let page = try Self.decode(
            #"[{"id":1,"n":"x","m":2}]"#, "key: id\ncolumns: {id: id, n: {path: n, type: integer}}")
        #expect(!page.needsNewColumns)
    }
}
