import SQLite
import ScriptedServer
import Testing

@testable import FeedSync
@testable import StoreFile

@Suite("The declared columns of a table")
struct DeclaredColumnsTests {
    private static func bench(_ values: [String], columns: String = "{id: id, v: v}") async throws -> EngineBench {
        let items = values.enumerated().map { #"{"id":\#($0.offset),"v":\#($0.element)}"# }
        let bench = try await EngineBench(items, columns: "items: items\nkey: id\ncolumns: \(columns)")
        bench.upstream.sendsETag = false
        return bench
    }

    private static func types(_ bench: EngineBench) throws -> [String] {
        try bench.query("SELECT type FROM pragma_table_info('things') WHERE name IN ('id', 'v')")
    }

    @Test(
        "A column is declared for its values, and takes any only if they are of several kinds",
        arguments: [
            (["1", "2"], "INTEGER"), (["true", "false"], "INTEGER"), (["1.5", "2.5"], "REAL"), ([#""a""#], "TEXT"),
            ([#""007""#, "null", #"{"a":1}"#], "TEXT"), (["null", "null"], "TEXT"), (["1e999"], "TEXT"),
            (["null", "3"], "INTEGER"), (["1", "1.5"], "ANY"), (["1", #""1""#], "ANY"), (["1.0", #""1.0""#], "ANY"),
            (["12345678901234567890"], "TEXT"), (["1", "12345678901234567890"], "ANY"),
        ])
    func declares(values: [String], declared: String) async throws {
        let bench = try await Self.bench(values)
        try await bench.more(.allPages)
        #expect(try Self.types(bench) == ["INTEGER", declared])
        #expect(try await bench.another().perform(.reload).outcome == .unchanged)
    }

    @Test(
        "A column of a type is declared for it, and takes any as soon as a value does not fit",
        arguments: [
            ("real", ["1", "2.5", #""3.25""#], "REAL"), ("real", ["1", "9007199254740993"], "ANY"),
            ("real", ["1", #""2 EUR""#], "ANY"), ("integer", ["1", #""2""#], "INTEGER"),
            ("integer", ["1", "2.0"], "ANY"),
            ("integer", [#""a""#], "TEXT"), ("text", ["1", "true", "2.5"], "TEXT"), ("json", ["1", "[]"], "TEXT"),
            ("timestamp", [#""2026-01-01T00:00:00Z""#, "1700000000"], "TEXT"), ("timestamp", ["true", #""x""#], "ANY"),
            ("boolean", ["true", #""false""#], "INTEGER"),
        ])
    func declaresTypes(type: String, values: [String], declared: String) async throws {
        let bench = try await Self.bench(values, columns: "{id: id, v: {path: v, type: \(type)}}")
        try await bench.more(.allPages)
        #expect(try Self.types(bench) == ["INTEGER", declared])
        #expect(try await bench.another().perform(.reload).outcome == .unchanged)
    }

    @Test("A later page with another kind of value declares the column anew, and every value stays as it came")
    func later() async throws {
        let bench = try await Self.bench((0..<12).map { "\($0)" } + [#""007""#, "1.5"])
        try await bench.more()
        let user = try Connection(path: bench.store.path, access: .readWrite)
        try user.execute("CREATE INDEX by_v ON things (v); CREATE VIEW mine AS SELECT v FROM things")
        let before = try bench.query("SELECT *, _rowid_, typeof(v) FROM things ORDER BY id")
        try await bench.more(.allPages)
        #expect(try Self.types(bench) == ["INTEGER", "ANY"])
        #expect(try bench.query("SELECT v, typeof(v) FROM things WHERE id > 11") == ["007|text", "1.5|real"])
        #expect(
            try bench.query("SELECT *, _rowid_, typeof(v) FROM things ORDER BY id LIMIT \(before.count)") == before)
        #expect(try bench.query("SELECT count(*) FROM mine") == ["14"])
        #expect(try bench.query("SELECT name FROM sqlite_schema WHERE name = 'by_v'") == ["by_v"])
        #expect(try bench.query("SELECT count(*) FROM sqlite_schema WHERE name = '_rebuilt'") == ["0"])
        #expect(try bench.query("PRAGMA integrity_check") == ["ok"])
    }

    @Test("A key of texts is not taken for one of numbers")
    func keys() async throws {
        let bench = try await EngineBench(
            (1...12).map { #"{"id":"\#($0)","name":"\#($0)"}"# } + [#"{"id":7,"name":"number"}"#])
        bench.upstream.sendsETag = false
        try await bench.more()
        #expect(try bench.query("SELECT type FROM pragma_table_info('things') WHERE pk > 0") == ["TEXT"])
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT type FROM pragma_table_info('things') WHERE pk > 0") == ["ANY"])
        #expect(
            try bench.query("SELECT typeof(id), name FROM things WHERE id IN (7, '7') ORDER BY 1")
                == ["integer|number", "text|7"])
    }
}
