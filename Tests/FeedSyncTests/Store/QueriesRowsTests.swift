import FeedSync
import Foundation
import SQLite
import Testing

@Suite("The rows of a feed")
struct QueriesRowsTests {
    private func things() async throws -> QueriesStore {
        let queries = try await QueriesStore()
        try queries.addFeed("my-things", columns: ["id integer", "tags json", "note"])
        // Feed order is d, a, b, c: the newest generation first.
        try queries.addRow("my-things", ["a", "[1]", nil], section: "x", position: 0)
        try queries.addRow("my-things", ["b", "{", 2.5], position: 1)
        try queries.addRow("my-things", ["c", nil, "007"], section: "x", position: 2)
        try queries.addRow("my-things", ["d", "[]", 7], section: "y", generation: 2, position: 0)
        try queries.addRow(
            "my-things", ["e", nil, nil], section: "x", position: 3, removedAt: "2026-11-03T00:00:00.000Z")
        try queries.addSection("my-things", "x", count: 2, position: 0)
        try queries.addSection("my-things", nil, count: 1, position: 1)
        return queries
    }

    private func keys(_ page: RowPage) -> [String] { page.rows.map { $0.values.first?.description ?? "" } }

    @Test("Rows come in feed order, without removed ones by default")
    func order() async throws {
        let store = try await things().store
        #expect(keys(try await store.rows(of: "my-things")) == ["d", "a", "b", "c"])
        #expect(keys(try await store.rows(of: "my-things", includesRemoved: true)) == ["d", "a", "b", "c", "e"])
    }

    @Test("Rows of a section are its own; those of no section are another")
    func section() async throws {
        let store = try await things().store
        #expect(keys(try await store.rows(of: "my-things", section: "x")) == ["a", "c"])
        #expect(keys(try await store.rows(of: "my-things", section: .some(nil))) == ["b"])
        #expect(keys(try await store.rows(of: "my-things", section: "nowhere")).isEmpty)
    }

    @Test(
        "Rows come in part, with a sign of more",
        arguments: [
            (0, 2, ["d", "a"], true), (2, 2, ["b", "c"], false), (3, 5, ["c"], false), (9, 1, [], false),
            (0, 0, [], true), (-1, -1, [], true), (0, Int.max, ["d", "a", "b", "c"], false),
        ])
    func part(offset: Int, limit: Int, expected: [String], hasMore: Bool) async throws {
        let page = try await things().store.rows(of: "my-things", offset: offset, limit: limit)
        #expect(keys(page) == expected)
        #expect(page.hasMore == hasMore)
    }

    @Test("Rows have their columns in the definition's order, with their types, and values as stored")
    func values() async throws {
        let page = try await things().store.rows(of: "my-things")
        #expect(page.columns.map(\.name) == ["id", "tags", "note"])
        #expect(page.columns.map(\.type) == [.integer, .json, nil])
        #expect(page.key == ["id"])
        #expect(page.rows.map { $0.values.last } == [.integer(7), .null, .real(2.5), .text("007")])
        let first = try #require(page.rows.first)
        #expect(first.section == "y" && first.generation == 2 && first.position == 0 && first.removedAt == nil)
    }

    @Test("Rows are JSON with the table's names, with a json column as JSON if it is valid")
    func json() async throws {
        let page = try await things().store.rows(of: "my-things", section: "x", limit: 1)
        #expect(
            page.rows.map(page.json) == [
                """
                {"id":"a","tags":[1],"note":null,"_section":"x","_generation":1,"_position":0,\
                "_first_seen_at":"2026-11-01T00:00:00.000Z","_changed_at":"2026-11-02T00:00:00.000Z","_removed_at":null}
                """
            ])
        let broken = try await things().store.rows(of: "my-things", section: .some(nil))
        #expect(broken.rows.map(broken.json).allSatisfy { $0.contains(#""tags":"{","note":2.5"#) })
    }

    @Test("Rows of a table with names that SQL must quote are read")
    func quotedNames() async throws {
        let queries = try await QueriesStore()
        try queries.addFeed("select", columns: ["group", "wörter"])
        try queries.addRow("select", [1, "ja"], position: 0)
        let page = try await queries.store.rows(of: "select")
        #expect(page.rows.map(\.values) == [[.integer(1), .text("ja")]])
    }

    @Test("Rows are in sections, in the order of the feed")
    func sections() async throws {
        let sections = try await things().store.sections(of: "my-things")
        #expect(sections.map(\.name) == ["x", nil])
        #expect(sections.map(\.position) == [0, 1])
        #expect(sections.map(\.itemCount) == [2, 1])
        #expect(sections.last?.json == #"{"feed":"my-things","name":null,"position":1,"item_count":1}"#)
    }

    private struct Thing: Decodable, Sendable {
        let id: String
    }

    @Test("Rows of a section are read, all or in part, without removed ones")
    func items() async throws {
        let sections = try await things().store.sections(of: "my-things")
        let first = try #require(sections.first)
        #expect(try await first.items(as: Thing.self).map(\.id) == ["a", "c"])
        #expect(try await first.items(as: Thing.self, limit: 1).map(\.id) == ["a"])
        #expect(try await first.items(as: Thing.self, offset: 1).map(\.id) == ["c"])
        #expect(try await sections.last?.items(as: Thing.self).map(\.id) == ["b"])
    }
}
