import HTTPServer
import SQLite
import ScriptedServer
import Testing

@Suite("rekey")
struct RekeyTests {
    /// A workplace whose feed has synced these items.
    private func place(_ items: [String]) async throws -> (Workplace, PagedFeed) {
        let place = try Workplace(extra: "sync: {mode: all}\n    model: thing")
        let feed = PagedFeed(items)
        place.server.route("/things", to: feed)
        #expect(try await place.run("sync").code == 0)
        return (place, feed)
    }

    private func setKey(_ key: String, in place: Workplace) throws {
        let lines = try place.text(of: "feedsync.yaml").split(separator: "\n", omittingEmptySubsequences: false)
        try place.write(
            "feedsync.yaml",
            lines.map { $0.hasPrefix("    key: ") ? "    key: \(key)" : String($0) }.joined(separator: "\n"))
    }

    private func primaryKey(_ place: Workplace) throws -> [String] {
        try place.query("SELECT name || ' ' || type FROM pragma_table_info('things') WHERE pk > 0 ORDER BY pk")
    }

    /// Everything that the store has, as text.
    private func dump(_ place: Workplace) async throws -> String {
        try await place.shell("sqlite3 feedsync.db .dump").output
    }

    @Test("Items, history, indexes, triggers and views stay; the next sync reads all of it, and finds nothing new")
    func rebuilt() async throws {
        let (place, feed) = try await place(PagedFeed.items(1...250))
        feed.edit { $0[1] = #"{"id":2,"name":"second"}"# }
        #expect(try await place.run("sync").code == 0)
        for sql in [
            "CREATE VIEW mine AS SELECT name FROM things", "CREATE INDEX by_id ON things (id)",
            "CREATE VIRTUAL TABLE log USING fts5(x)",
            "CREATE TRIGGER note AFTER DELETE ON things BEGIN INSERT INTO log (x) VALUES (old.name); END",
        ] { _ = try place.query(sql) }
        let columns = "id, name, _section, _generation, _position, _first_seen_at, _changed_at, _removed_at"
        let rows = "SELECT group_concat(r) FROM (SELECT json_array(\(columns)) AS r FROM things ORDER BY id)"
        let before = try place.query(rows)
        #expect(try place.query("SELECT key FROM _change") == ["2"])

        try setKey("name", in: place)
        let refused = try await place.run("sync")
        #expect(refused.code == 78)
        #expect(
            refused.errors.hasSuffix("Try: feedsync rekey things  # or restore the old `key`\n"), "\(refused.errors)")
        let run = try await place.run("rekey things")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "things  250 items now identified by name; the next sync reads everything again\n")
        #expect(try primaryKey(place) == ["name TEXT"])
        #expect(try place.query(rows) == before)
        #expect(try place.query("SELECT key FROM _change") == ["second"])
        #expect(try place.query("SELECT DISTINCT typeof(key) FROM change") == ["text"])
        #expect(try place.query("SELECT count(*) FROM mine") == ["250"])
        #expect(try place.query("SELECT count(*) FROM log") == ["0"])
        #expect(
            try place.query("SELECT name FROM sqlite_schema WHERE name IN ('by_id', 'note') ORDER BY name")
                == ["by_id", "note"])
        #expect(try await place.run("changes").output.contains("second"))

        let sync = try await place.run("sync --json")
        #expect(sync.code == 0, "\(sync.errors)")
        #expect(sync.output.contains(#""inserted":0,"updated":0,"#), "\(sync.output)")
        #expect(sync.output.contains(#""pages":3"#))
        #expect(try place.query("SELECT DISTINCT feed FROM thing") == ["things"])
        try place.expectSound()
    }

    @Test("Several columns can be the key, and one of whole numbers is the rowid again")
    func forthAndBack() async throws {
        let (place, _) = try await place(PagedFeed.items(1...3))
        #expect(try primaryKey(place) == ["id INTEGER"])
        try setKey("[name, id]", in: place)
        let several = try await place.run("rekey things --json")
        #expect(
            several.output.contains(#"{"feed":"things","key":["name","id"],"row_count":3,"version":1}"#),
            "\(several.errors)")
        #expect(try primaryKey(place) == ["name TEXT", "id INTEGER"])
        #expect(try place.query("SELECT key FROM change LIMIT 1") == [#"["item 1",1]"#])
        #expect(try await place.run("sync").code == 0)
        try setKey("id", in: place)
        #expect(try await place.run("rekey things").code == 0)
        #expect(try primaryKey(place) == ["id INTEGER"])
        #expect(try await place.run("sync").code == 0)
        #expect(try place.query("SELECT count(*) FROM things") == ["3"])
        try place.expectSound()
    }

    @Test(
        "A key that does not identify the items is refused with the reason, and nothing is changed",
        arguments: [
            (
                [#"{"id":1,"name":"a"}"#, #"{"id":2,"name":null}"#, #"{"id":3}"#], "name",
                "2 of 3 rows have no value for `name`"
            ),
            ([#"{"id":1,"name":"a"}"#, #"{"id":2,"name":"a"}"#], "name", #"2 rows share `name`: "a""#),
            ([#"{"id":1,"name":"a","x":1}"#], "x", "the stored rows have no column `x`"),
            ([#"{"id":1,"name":"a"}"#], "$hash", "the stored rows have no column `hash`"),
        ])
    func refused(items: [String], key: String, problem: String) async throws {
        let (place, _) = try await place(items)
        try setKey(key, in: place)
        let before = try await dump(place)
        let run = try await place.run("rekey things")
        #expect(run.code == 78)
        #expect(run.errors.hasPrefix("feedsync: things: the key cannot be changed: \(problem)"), "\(run.errors)")
        #expect(run.errors.contains("\nTry: "))
        #expect(try await dump(place) == before)
    }

    @Test("Without anything stored, or with the same key, there is nothing to do")
    func nothing() async throws {
        let place = try Workplace()
        let none = try await place.run("rekey things")
        #expect(none.code == 0)
        #expect(none.errors == "feedsync: things: nothing stored yet\n")
        #expect(place.files == ["feedsync.yaml"])
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("sync").code == 0)
        let same = try await place.run("rekey things")
        #expect(same.code == 0)
        #expect(same.errors == "feedsync: things: the items have that key already\n")
    }

    @Test("While another process works on the feed, it is exit code 75")
    func locked() async throws {
        let place = try Workplace(extra: "timeout: 10m")
        let (held, gate) = try await place.heldReload()
        #expect(try await place.run("rekey things").code == 75)
        gate.open()
        #expect(await held.end().code == 0)
    }
}
