import Foundation
import SQLite
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("Members of any name survive the way into the store")
struct SurvivingNamesTests {
    private static let names: [String] =
        [
            "", " ", ".", "a.b", "a[0]", "[0]", "[rel=next]", "a\"b", "a'b", "a`b", "a\\b", "\\", "a b", "a\nb", "\0",
            "a\0b", "$", "$.a", "*",
            "~", "\u{200B}", "\u{301}x", "😀", "ß", "ä", "Ä", "İ", "ı", "ſ", "K", "name", "NAME",
            "Name", "select",
            "from", "order", "group", "null", "primary", "table", "values", "rowid", "oid", "_rowid_", "_section",
            "_generation",
            "_POSITION", "_first_seen_at", "_changed_at", "_removed_at", "_raw", "_2", "_3", "name_2", "feed",
            "section", "a_b", "A_B", "key",
            "ROWID", "sqlite_x", "--", "/*", ";", "?", ":id", "@id", "1", "007", "true",
            String(repeating: "n", count: 1_000),
        ]

    private static let item: String = {
        let members = names.enumerated().map { #"\#(JSONText.string($0.element)):\#($0.offset)"# }
        return #"{"id":1,\#(members.joined(separator: ","))}"#
    }()

    @Test(
        "Names survive in discovered columns, in the table and in the model's view",
        arguments: ["model: thing", "model: thing\nraw: true"])
    func found(members: String) async throws {
        let bench = try await EngineBench(
            [Self.item], members: members, paging: "pagination: none", columns: "items: items\nkey: id")
        try await bench.reload()
        let losses = try await MirroredValues(bench).losses(of: [Self.item])
        #expect(losses.isEmpty)
        let row = (0..<Self.names.count).map(String.init).joined(separator: "|")
        #expect(try bench.query("SELECT * FROM thing").joined().hasPrefix("things|1|\(row)||1|0|"))
        #expect(try bench.query("SELECT count(*) FROM pragma_table_info('thing')") == ["\(Self.names.count + 8)"])
    }

    @Test("Names survive in columns written by hand, each under its own name")
    func written() async throws {
        let columns = Self.names.map { "\(JSONText.string($0)): \(JSONText.string(Path([.member($0)]).description))" }
        let bench = try await EngineBench(
            [Self.item], members: "model: thing", paging: "pagination: none",
            columns: "items: items\nkey: id\ncolumns: {id: id, \(columns.joined(separator: ", "))}")
        try await bench.reload()
        let losses = try await MirroredValues(bench).losses(of: [Self.item])
        #expect(losses.isEmpty)
        #expect(try bench.query("SELECT \"select\", \"rowid\", \"a.b\" FROM thing").count == 1)
    }

    @Test("Names survive one page after the other, in either order", arguments: [false, true])
    func growing(isReversed: Bool) async throws {
        let names = isReversed ? Self.names.reversed() : Self.names
        let items = names.enumerated().map { #"{"id":\#($0.offset),\#(JSONText.string($0.element)):"x"}"# }
        let bench = try await EngineBench(items, members: "model: thing", columns: "items: items\nkey: id")
        bench.upstream.sendsETag = false
        try await bench.more(.allPages)
        let losses = try await MirroredValues(bench).losses(of: items)
        #expect(losses.isEmpty)
        try await bench.reload()
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT sum(inserted), sum(updated) FROM run") == ["\(items.count)|0"])
    }

    @Test("Names survive that are equal after flattening")
    func flattened() async throws {
        let items = [
            #"{"id":1,"a":{"b":1,"b_c":2},"a_b":3,"a_b_c":4,"a.b":5,"A":{"B":6}}"#,
            #"{"id":2,"a_b_2":7,"a":{"b":{"c":8}}}"#,
            #"{"id":3,"":{"":9},"_":10,"__":11}"#,
        ]
        let paging = "pagination: {style: page, size_param: per_page, size: 1, total: total_count}"
        let bench = try await EngineBench(items, paging: paging, columns: "items: items\nkey: id")
        try await bench.more(.allPages)
        let losses = try await MirroredValues(bench).losses(of: items)
        #expect(losses.isEmpty)
    }

    // Foundation takes the names of each pair for one.
    @Test(
        "Names survive that look alike but are other code points", arguments: ["", "items: items\nkey: id"],
        [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"), ("\u{FEFF}", "")])
    func lookAlike(columns: String, _ names: (one: String, other: String)) async throws {
        let item =
            #"{"id":1,"\#(names.one)":"one","\#(names.other)":"two","in":{"\#(names.one)":3,"\#(names.other)":4}}"#
        let bench = try await EngineBench([item], paging: "pagination: none", columns: columns)
        bench.upstream.sendsETag = false
        try await bench.reload()
        #expect(try bench.query("SELECT * FROM things").joined().hasPrefix("1|one|two|3|4|"))
        try await bench.reload()
        #expect(try bench.query("SELECT sum(inserted), sum(updated) FROM run") == ["1|0"])
    }
}
