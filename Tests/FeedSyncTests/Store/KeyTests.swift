import SQLite
import ScriptedServer
import Testing

@testable import FeedSync
@testable import StoreFile

@Suite("The key of a feed's table") struct KeyTests {
    private static func item(_ id: String, _ name: String) -> String { #"{"id":\#(id),"name":"\#(name)"}"# }

    private static func keyType(_ bench: EngineBench) throws -> [String] {
        try bench.query("SELECT type FROM pragma_table_info('things') WHERE pk > 0")
    }

    @Test("The key is the rowid while every key is an integer, true and false among them")
    func integers() async throws {
        let keys = ["9223372036854775807", "-9223372036854775808", "0", "true"]
        let bench = try await EngineBench(keys.map { Self.item($0, $0) })
        try await bench.reload()
        #expect(try Self.keyType(bench) == ["INTEGER"])
        #expect(
            try bench.query("SELECT id, name FROM things WHERE _rowid_ = id ORDER BY _position")
                == [
                    "9223372036854775807|9223372036854775807", "-9223372036854775808|-9223372036854775808", "0|0",
                    "1|true",
                ])
    }

    @Test(
        "The key's type is widened for another kind of value, and nothing is lost",
        arguments: [
            (#""7""#, "7|text"), (#""a\u0000b""#, "a\u{0}b|text"), ("7.5", "7.5|real"), ("1e30", "1.0e+30|real"),
            ("9223372036854775808", "9223372036854775808|text"), ("20.0", "20.0|real"),
        ])
    func another(key: String, stored: String) async throws {
        let items = (1...12).map { Self.item("\($0)", "old \($0)") }
        let bench = try await EngineBench(items, members: "model: thing\nsection: name")
        bench.upstream.sendsETag = false
        try await bench.more()
        let user = try Connection(path: bench.store.path, access: .readWrite)
        try user.execute("CREATE INDEX by_name ON things (name)")
        let before = try bench.query("SELECT * FROM things ORDER BY id")
        bench.upstream.edit { $0 = items.prefix(10) + [Self.item(key, "new"), Self.item("12", "old 12")] }
        try await bench.more()
        #expect(try Self.keyType(bench) == ["ANY"])
        #expect(try bench.query("SELECT id, typeof(id) FROM things WHERE name = 'new'") == [stored])
        #expect(
            try bench.query("SELECT * FROM things WHERE id < 11 ORDER BY id").filter { !$0.contains("new") } == before)
        #expect(try bench.query("SELECT count(*) FROM thing") == ["12"])
        #expect(
            try bench.query("SELECT name FROM sqlite_schema WHERE tbl_name = 'things' AND type = 'index' AND sql <> ''")
                == ["by_name"])
        #expect(try bench.query("PRAGMA integrity_check") == ["ok"])
        let again = try await bench.another().perform(.reload)
        #expect(again.outcome == .unchanged)
        let rest = try await bench.another().perform(.sync)
        #expect(rest.outcome == .unchanged && rest.figures.items.removed == 0)
    }

    @Test(
        "The key may be of any type from the start if the definition has it",
        arguments: ["text", "real", "integer"])
    func declared(type: String) async throws {
        let bench = try await EngineBench(
            [Self.item("1", "a")],
            columns: "items: items\nkey: id\ncolumns: {id: {path: id, type: \(type)}, name: name}")
        try await bench.reload()
        #expect(try Self.keyType(bench) == [type.uppercased()])
    }

    @Test("The key stays as in an older store")
    func older() async throws {
        let bench = try await EngineBench()
        _ = try await bench.more()
        let user = try Connection(path: bench.store.path, access: .readWrite)
        try user.execute(
            """
            CREATE TABLE copy (id ANY NOT NULL, name ANY, _section TEXT, _generation INTEGER NOT NULL,
                _position INTEGER NOT NULL, _first_seen_at TEXT NOT NULL, _changed_at TEXT NOT NULL, _removed_at TEXT,
                PRIMARY KEY (id)) STRICT;
            INSERT INTO copy SELECT * FROM things; DROP VIEW change; DROP TABLE things; ALTER TABLE copy RENAME TO things
            """)
        _ = try await bench.another().perform(.allPages)
        #expect(try Self.keyType(bench) == ["ANY"])
        #expect(try bench.query("SELECT count(*), count(DISTINCT id) FROM things") == ["35|35"])
        // The next run makes the view again; with a store in PostgreSQL, the view is there.
        if !SharedTwin.isWanted { #expect(try bench.query("SELECT count(*) FROM change") == ["35"]) }
    }
}
