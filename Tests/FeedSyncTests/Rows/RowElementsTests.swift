import FeedSync
import SQLite
import Testing

@Suite("A JSON array in a row, read by hand")
struct RowElementsTests {
    private enum Key: String, CodingKey { case value, name }

    private struct Elements: Decodable, Sendable, Equatable {
        var nulls: [Bool] = []
        var inner = 0
        var name = ""
        var last = 0

        init(from decoder: any Decoder) throws {
            var list = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .value)
            nulls = [try list.decodeNil(), try list.decodeNil()]
            var nested = try list.nestedUnkeyedContainer()
            inner = try nested.decode(Int.self)
            name = try list.nestedContainer(keyedBy: Key.self).decode(String.self, forKey: .name)
            // Most arrays end here; of a longer one the rest is read as its superclass would be.
            if list.count != 3 || !list.isAtEnd { last = try Int(from: list.superDecoder()) }
        }
    }

    private func elements(_ json: String) async throws -> [Elements] {
        let queries = try await QueriesStore()
        try queries.addFeed("things", columns: ["id", "value json"])
        try queries.addRow("things", [1, .text(json)], position: 0)
        try queries.addSection("things", nil, count: 1, position: 0)
        return try await queries.items(of: "things", as: Elements.self)
    }

    @Test("A JSON array has nulls, nested arrays and objects in order; values other than null are not skipped")
    func inOrder() async throws {
        let found = try #require(try await elements(#"[null, [7, 8], {"name": "x"}, 9]"#).first)
        #expect(found.nulls == [true, false])
        #expect(found.inner == 7 && found.name == "x" && found.last == 9)
        #expect(try await elements(#"[null, [7], {"name": "x"}]"#).first?.last == 0)
    }

    @Test(
        "A JSON array reports missing and unexpected elements",
        arguments: [
            ("[null]", "column `value[1]`", "the array has only 1 elements"),
            ("[null, {}]", "column `value[1]`", "found an object, expected an array"),
            ("[null, [7], 5]", "column `value[2]`", "found a number, expected an object"),
        ])
    func others(json: String, place: String, reason: String) async throws {
        let error = await FeedSyncError.thrown { _ = try await elements(json) }
        #expect(error?.kind == .undecodable)
        #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
        #expect(error?.message.hasSuffix(reason) == true, "\(error?.message ?? "")")
    }
}
