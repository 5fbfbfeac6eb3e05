import Feeds
import Testing

@Suite("The place of the items")
struct ItemsTests {
    private func feed(_ items: String) throws -> FeedDefinition {
        try FeedDefinition.parse(
            name: "x", yaml: "url: https://a.example\nkey: id\ncolumns: {id: id}\nitems: \(items)", file: "f.yaml")
    }

    @Test(
        "Items of several lists are gathered at a member `*`",
        arguments: [
            ("rooms.join.*.timeline.events", "rooms.join.\"*\"", "rooms.join.*.timeline.events", ["id"]),
            ("'*'", "\"*\"", "*", ["id"]), ("a.*[0].\"b c\".*", "a.\"*\"", "a.*[0].\"b c\".*", ["id"]),
            (
                "{path: teams.*.people.*, keyed_by: [team, person]}", "teams.\"*\"",
                "teams.*.people.* keyed by team, person", ["id", "team", "person"]
            ),
            ("{path: a.*.b, keyed_by: id}", "a.\"*\"", "a.*.b keyed by id", ["id"]),
        ])
    func scattered(text: String, path: String, description: String, columns: [String]) throws {
        let feed = try feed(text)
        #expect(feed.items?.path.description == path)
        #expect(feed.items?.description == description)
        #expect(feed.items?.keyedBy == nil)
        #expect(feed.columns.map(\.name) == columns)
    }

    @Test(
        "A path of items that cannot be followed is reported at its place",
        arguments: [
            ("a[0].*", "4:8: the path `a[0].*` has a `[…]` before its first `*`"),
            ("a.*.*.*.*.*.*.*.*.*", "4:8: the path `a.*.*.*.*.*.*.*.*.*` has more than 8 `*`"),
            (
                "{path: a.*, keyed_by: [b, c]}",
                "4:30: `keyed_by` of `items` of feed `x` has 2 names, and the path has 1 `*`"
            ),
            (
                "{path: a, keyed_by: [b, c]}",
                "4:28: `keyed_by` of `items` of feed `x` has 2 names, and the path has 0 `*`"
            ),
        ])
    func faults(text: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed(text) }
        #expect(error?.description.hasPrefix("f.yaml:\(expected)") == true, "\(error?.description ?? "")")
    }
}
