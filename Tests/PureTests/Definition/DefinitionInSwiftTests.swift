import Testing

@testable import Feeds

@Suite("A definition that is made in Swift")
struct DefinitionInSwiftTests {
    @Test("A definition made in Swift equals that of the same members in a file")
    func same() throws {
        let made = try FeedDefinition(
            "things",
            [
                "url": "https://example.com/things", "items": "items", "key": ["id"],
                "columns": ["id": "id", "name": "title"], "query": ["per_page": 100, "q": "a: b # c"], "raw": true,
                "headers": ["X-Key": "${KEY}"],
            ])
        let read = try FeedDefinition.parse(
            name: "things",
            yaml: """
                url: https://example.com/things
                items: items
                key: [id]
                columns: {id: id, name: title}
                query: {per_page: 100, q: "a: b # c"}
                raw: true
                headers: {X-Key: "${KEY}"}
                """)
        #expect(made.canonicalText(salt: "") == read.canonicalText(salt: ""))
    }

    @Test(
        "An interpolated value is plain text, whatever a user typed",
        arguments: ["${HOME}", "$${HOME}", "{HOME}", "$", "${", "a\nkey: b", "\"", "$$"])
    func interpolated(typed: String) throws {
        for (prefix, made) in [
            ("", try definition(["q": "\(typed)"])), ("$", try definition(["q": "$\(typed)"])),
            ("x ", try definition(["q": "x \(typed)"])),
        ] {
            #expect(made.query.first?.value.parts == [.literal(prefix + typed)])
        }
    }

    private func definition(_ query: FeedDefinition.Value) throws -> FeedDefinition {
        try FeedDefinition("things", ["url": "https://example.com/things", "query": query])
    }

    @Test("A diagnostic is told as in a file, without a line")
    func diagnostic() {
        let error = #expect(throws: ConfigurationError.self) {
            try FeedDefinition("things", ["url": "https://example.com", "colums": ["id": "id"]])
        }
        #expect(error?.description == "feed: unknown member `colums` in feed `things`; did you mean `columns`?")
        let twice = #expect(throws: ConfigurationError.self) {
            try FeedDefinition("things", ["url": "https://example.com", "url": "https://example.org"])
        }
        #expect(twice?.description == "feed: `url` stands twice in feed `things`")
    }
}
