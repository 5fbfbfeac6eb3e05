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
        #expect(try definition(["q": "\(typed){HOME}"]).query.first?.value.parts == [.literal(typed + "{HOME}")])
    }

    @Test("Values that are not literals are those of the same members in a file, and their texts name no references")
    func runtime() throws {
        let (text, texts, form) = ("${HOME}", ["id", "name"], ["q": "a: ${b}", "sort": "stars"])
        let (isRaw, size, retries) = (true, 0.5, 3)
        let made = try FeedDefinition(
            "things",
            [
                "url": "https://example.com/things", "headers": ["X-Text": .init(text), "X-Size": .init(size)],
                "key": .init(texts),
                "query": .init(form), "raw": .init(isRaw), "retries": .init(retries),
                "columns": .init(["name": "title", "id": "id"] as [String: FeedDefinition.Value]),
            ])
        #expect(made.query.map(\.name) == ["q", "sort"])
        #expect(made.query.map(\.value.parts) == [[.literal("a: ${b}")], [.literal("stars")]])
        #expect(made.headers.map(\.value.parts) == [[.literal("${HOME}")], [.literal("0.5")]])
        #expect(made.key == ["id", "name"])
        #expect(made.keepsRaw)
        #expect(made.retries == 3)
        #expect(made.columns.map(\.name) == ["id", "name"])
    }

    @Test("A member that is nil takes a preset's away")
    func withoutMember() throws {
        let preset = try FeedDefinition("search", ["preset": "github.search", "query": ["q": "swift"]])
        #expect(preset.query.contains { $0.name == "sort" })
        let made = try FeedDefinition("search", ["preset": "github.search", "query": ["q": "swift", "sort": nil]])
        #expect(!made.query.contains { $0.name == "sort" })
    }

    private func definition(_ query: FeedDefinition.Value) throws -> FeedDefinition {
        try FeedDefinition("things", ["url": "https://example.com/things", "query": query])
    }

    @Test("A diagnostic reads as in a file, without a line")
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
