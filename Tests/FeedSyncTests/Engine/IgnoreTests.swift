import ScriptedServer
import Testing

@testable import FeedSync

@Suite("Members whose change does not count")
struct IgnoreTests {
    private func bench(_ ignore: String, members: String = "") async throws -> EngineBench {
        try await EngineBench(
            [item(1, views: 1), item(2, views: 1)], members: "ignore: \(ignore)\n\(members)",
            columns: "items: items\nkey: id\ncolumns: {id: id, name: name, views: stats.views, stats: stats}")
    }

    private func item(_ id: Int, views: Int, name: String = "a name", likes: Int = 0) -> String {
        #"{"id":\#(id),"name":"\#(name)","stats":{"views":\#(views),"likes":\#(likes)}}"#
    }

    @Test(
        "An ignored member leaves the row unchanged, in whatever column or below it",
        arguments: ["[stats]", "[stats.views]"], ["", "raw: true", "sync: {mode: all}"])
    func ignored(ignore: String, members: String) async throws {
        let bench = try await bench(ignore, members: members)
        try await bench.reload()
        let rows = try bench.query("SELECT * FROM things")
        bench.upstream.items = [item(1, views: 2), item(2, views: 3)]
        let summary = try await bench.reload()
        #expect(summary.outcome == .unchanged && summary.figures.items.updated == 0)
        #expect(try bench.query("SELECT * FROM things") == rows)
        // The new validators are those of the page that came last.
        let again = try await bench.reload()
        #expect(again.figures.bytes < summary.figures.bytes)
    }

    @Test("Ignored members are stored when something else changes", arguments: ["", "raw: true"])
    func besides(members: String) async throws {
        let bench = try await bench("[stats.views]", members: members)
        try await bench.reload()
        bench.upstream.items = [item(1, views: 2, name: "another"), item(2, views: 3, likes: 1)]
        let summary = try await bench.reload()
        #expect(summary.figures.items.updated == 2)
        #expect(try bench.query("SELECT name, views FROM things ORDER BY id") == ["another|2", "a name|3"])
    }

    @Test("Ignored members may be elements of an array: by their index, or by a member of theirs")
    func elements() async throws {
        func item(_ seen: [Int], own: String, next: String) -> String {
            let links = [("self", own), ("next", next)].map { #"{"rel":"\#($0.0)","href":"\#($0.1)"}"# }
            return #"{"id":1,"seen":\#(seen),"links":[\#(links.joined(separator: ","))],"short":[]}"#
        }
        let bench = try await EngineBench(
            [item([1, 2], own: "a", next: "b")],
            members: #"ignore: ["seen[0]", "links[rel=self].href", "links[rel=last].href", "short[3]"]"#,
            columns: "items: items\nkey: id\ncolumns: {id: id, seen: seen, links: links, short: short}")
        try await bench.reload()
        bench.upstream.items = [item([7, 2], own: "x", next: "b")]
        #expect(try await bench.reload().figures.items.updated == 0)
        bench.upstream.items = [item([7, 3], own: "x", next: "b")]
        #expect(try await bench.reload().figures.items.updated == 1)
        bench.upstream.items = [item([7, 3], own: "y", next: "c")]
        #expect(try await bench.reload().figures.items.updated == 1)
    }
}
