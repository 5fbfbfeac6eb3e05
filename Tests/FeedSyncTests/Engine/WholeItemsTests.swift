import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("Items as a whole")
struct WholeItemsTests {
    private static let paging = "pagination: {style: page}"
    private static let declared = "items: items\nkey: id\ncolumns: {id: id, title: title, who: who}"
    private static let open = "items: items\nkey: id"

    private func bench(
        _ items: [String], columns: String = WholeItemsTests.declared, members: String = "sync: {mode: all}"
    ) async throws -> EngineBench {
        let bench = try await EngineBench(items, members: members, paging: Self.paging, columns: columns)
        bench.upstream.sendsETag = false
        return bench
    }

    @Test(
        "A member that an item has no more is NULL, and the change log has what it was",
        arguments: [Self.declared, Self.open])
    func missing(columns: String) async throws {
        let bench = try await bench(
            [#"{"id":1,"title":"a","who":"bob"}"#, #"{"id":2,"title":"b","who":"eve"}"#], columns: columns)
        try await bench.sync()
        bench.upstream.items[0] = #"{"id":1,"title":"a"}"#
        #expect(try await bench.sync().figures.items.updated == 1)
        #expect(try bench.query("SELECT id, title, who FROM things ORDER BY id") == ["1|a|", "2|b|eve"])
        let changes = try bench.query("SELECT kind, key, before FROM change WHERE kind <> 'new'")
        #expect(changes == [#"changed|1|{"who":"bob"}"#])
        #expect(try await bench.sync().outcome == .unchanged)
    }

    @Test("`missing: keep` leaves the stored value, and `null` stores NULL all the same")
    func keep() async throws {
        let bench = try await bench(
            [#"{"id":1,"title":"a","who":"bob"}"#], members: "sync: {mode: all}\nmissing: keep")
        try await bench.sync()
        bench.upstream.items[0] = #"{"id":1,"title":"b"}"#
        try await bench.sync()
        #expect(try bench.query("SELECT title, who FROM things") == ["b|bob"])
        bench.upstream.items[0] = #"{"id":1,"who":null}"#
        try await bench.sync()
        #expect(try bench.query("SELECT title, who FROM things") == ["b|"])
    }

    @Test("An item that says no section any more has none")
    func section() async throws {
        let bench = try await bench(
            [#"{"id":1,"title":"a","who":"x"}"#, #"{"id":2,"title":"b","who":"x"}"#],
            members: "sync: {mode: all}\nsection: kind")
        bench.upstream.items[0] = #"{"id":1,"title":"a","who":"x","kind":"k"}"#
        try await bench.sync()
        bench.upstream.items[0] = #"{"id":1,"title":"a","who":"x"}"#
        try await bench.sync()
        #expect(try bench.query("SELECT DISTINCT _section FROM things") == [""])
    }

    @Test("A run says once which columns are new, which have another type, and which no item has any more")
    func notes() async throws {
        let items = { (rest: String) in (1...15).map { #"{"id":\#($0),\#(rest)}"# } }
        let bench = try await bench(items(#""name":"n","price":1"#), columns: Self.open)
        #expect(try await bench.sync().notices == [])
        bench.upstream.items = items(#""label":"n","price":"1 EUR""#)
        let said = "no item has `name` any more; new in the items: `label`; `price` was integer and is text now"
        #expect(try await bench.sync().notices == [said])
        let stored = try bench.query("SELECT run, kind, \"column\", before, after FROM _column_change ORDER BY id")
        #expect(stored == ["2|gone|name|text|", "2|type|price|integer|text", "2|new|label||text"])
        #expect(try await bench.sync().notices == [])
        #expect(try bench.query("SELECT count(*) FROM _column_change") == ["3"])
        // That some items lack a member is nothing to tell.
        bench.upstream.items[0] = #"{"id":1,"price":"1 EUR"}"#
        #expect(try await bench.sync().notices == [])
    }

    @Test("A run that fails after a page with a new column keeps the column and reports it")
    func failed() async throws {
        let items = { (rest: String) in (1...15).map { #"{"id":\#($0)\#(rest)}"# } }
        let bench = try await bench(items(""), columns: Self.open)
        try await bench.sync()
        bench.upstream.items = items(#","label":"n""#)
        bench.upstream.fail(page: 2, with: .status(403))
        #expect(try await bench.failure(.sync).httpStatus == 403)
        #expect(try bench.query("SELECT run, kind, \"column\" FROM _column_change") == ["2|new|label"])
        _ = try await bench.sync()
        #expect(try bench.query("SELECT count(*) FROM _column_change") == ["1"])
    }

    @Test("A column that was integer, then real, then text has the upstream's texts, and nothing counts as changed")
    func exactTexts() async throws {
        let values = ["1", "100.10", "1e2", "-0", "9007199254740993"]
        let items = { (more: [String]) in
            (values + more).enumerated().map { #"{"id":\#($0.offset),"v":\#($0.element)}"# }
        }
        let bench = try await bench([#"{"id":0,"v":1}"#], columns: Self.open)
        bench.upstream.sendsETag = true
        try await bench.sync()
        bench.upstream.items = items([])
        try await bench.sync()
        bench.upstream.items = items((1...8).map { _ in #""x""# })
        try await bench.sync()
        try await bench.sync()
        #expect(try bench.query("SELECT v FROM things WHERE id < 5 ORDER BY id") == values)
        #expect(try bench.query("SELECT sum(updated) FROM run") == ["0"])
        #expect(try bench.query("SELECT count(*) FROM change WHERE kind <> 'new'") == ["0"])
    }

    @Test("Numbers that became text on pages that are unchanged have their exact texts after the next sync")
    func exactTextsOfUnchangedPages() async throws {
        let items = (1...10).map { #"{"id":\#($0),"v":\#($0).50}"# } + (11...20).map { #"{"id":\#($0),"v":"x"}"# }
        let bench = try await EngineBench(
            items, members: "sync: {mode: all}", paging: Self.paging, columns: Self.open)
        for _ in 1...2 { try await bench.sync() }
        #expect(try bench.query("SELECT v FROM things WHERE id <= 2 ORDER BY id") == ["1.50", "2.50"])
    }
}
