import Testing

@testable import Feeds

@Suite("The name that is made for a feed")
struct FeedNamesTests {
    @Test(
        "A name is made of the first text with letters, is valid, and no name of the store, of another feed or of SQLite",
        arguments: [
            (["Swift Blog", "swift.org"], "swift-blog"), (["名前", "example.net"], "example-net"),
            (["", "127.0.0.1"], "feed-2"), (["!!!", ""], "feed-2"), (["Feed", ""], "feed-2"),
            (["Change", ""], "change-2"), (["Event", ""], "event-2"), (["Run", ""], "run-2"),
            (["Quota", ""], "quota-2"), (["Section", ""], "section-2"), (["Feed part", ""], "feed-part-2"),
            (["sqlite_x", ""], "feed-sqlite-x"), (["123 go", ""], "feed-123-go"), (["Mine", ""], "mine-2"),
            (["thing", ""], "thing-2"),
            ([String(repeating: "a", count: 100), ""], String(repeating: "a", count: 63)),
        ] as [([String], String)])
    func made(texts: [String], name: String) throws {
        let feed = try FeedDefinition.parse(name: "mine", yaml: "url: https://example.com\nmodel: thing")
        var names = FeedNames(of: [feed])
        let made = names.addName(madeOf: texts)
        #expect(made == name)
        #expect(FeedNames.isValid(made))
        #expect(names.addName(madeOf: texts) != made)
    }
}
