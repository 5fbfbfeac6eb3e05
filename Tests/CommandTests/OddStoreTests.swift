import Foundation
import SQLite
import ScriptedServer
import Testing

@Suite("A store that somebody changed")
struct OddStoreTests {
    /// A place with a mirrored feed and an altered store.
    private func place(_ sql: String) async throws -> Workplace {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...30)))
        #expect(try await place.run("sync things").code == 0)
        let connection = try Connection(path: place.path("feedsync.db"), access: .readWrite)
        try connection.execute("CREATE TABLE planted (a)")
        try connection.execute(sql)
        return place
    }

    @Test(
        "A wrong list of columns is reported as the store's fault, and not as that of `show`",
        arguments: [
            ("0", "is no list of columns"), ("'[1]'", "is no list of columns"),
            (#"'[{"name":"nope"}]'"#, "has none of its columns"),
        ], ["", " --where id=1"])
    func columns(list: (value: String, problem: String), option: String) async throws {
        let place = try await place("UPDATE _feed SET columns = \(list.value)")
        let run = try await place.run("show things\(option)")
        #expect(run.code == 73, "\(run.errors)")
        #expect(run.errors.contains(list.problem), "\(run.errors)")
    }

    @Test(
        "A trigger, and a view in a table's place, do not run: they are refused and reported",
        arguments: [
            "CREATE TRIGGER strange AFTER UPDATE ON feed BEGIN INSERT INTO planted VALUES (1); END",
            "CREATE TRIGGER strange BEFORE INSERT ON run BEGIN INSERT INTO planted VALUES (1); END",
            "CREATE TRIGGER strange AFTER INSERT ON things BEGIN INSERT INTO planted VALUES (1); END",
            """
            CREATE VIRTUAL TABLE f USING fts5(name); CREATE TRIGGER strange AFTER INSERT ON things BEGIN
                INSERT INTO f (name) VALUES (new.name); INSERT INTO planted VALUES (1); END
            """,
            """
            CREATE VIRTUAL TABLE f USING fts5(name); CREATE TRIGGER strange AFTER INSERT ON things BEGIN
                INSERT INTO f (name) VALUES ((SELECT 1 FROM event)); END
            """,
            """
            CREATE VIRTUAL TABLE f USING fts5(name); CREATE TRIGGER strange AFTER INSERT ON things
                WHEN length(zeroblob(1)) BEGIN INSERT INTO f (name) VALUES (new.name); END
            """,
            """
            ALTER TABLE event RENAME TO moved; CREATE VIEW event AS
                WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n
            """,
            """
            ALTER TABLE feed_part RENAME TO moved; CREATE VIEW feed_part AS
                WITH RECURSIVE n(name) AS (SELECT '1' UNION ALL SELECT name || '1' FROM n) SELECT name FROM n
            """,
            """
            ALTER TABLE things RENAME TO moved; CREATE VIEW things AS
                WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n
            """,
            "ALTER TABLE _page RENAME TO moved; CREATE VIEW _page AS SELECT load_extension('x') AS id",
        ])
    func foreignSQL(sql: String) async throws {
        let place = try await place(sql)
        for words in ["sync things", "reload things", "status", "events", "prune"] {
            let run = try await place.run(words)
            #expect(run.code == 73, "\(words): \(run.output) \(run.errors)")
            #expect(run.errors.contains("which feedsync does not run\nTry: drop it"), "\(run.errors)")
        }
        #expect(try place.query("SELECT count(*) FROM planted") == ["0"])
    }

    @Test("Endless views in place of the store's own, which are for people, do no harm")
    func endlessViews() async throws {
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        let place = try await place(
            ["section", "quota", "change"].map { "DROP VIEW \($0); CREATE VIEW \($0) AS \(endless);" }.joined())
        for words in ["sync things", "status", "show things", "changes", "explain things", "plan"] {
            let run = try await place.shell("ulimit -t 20; exec $FEEDSYNC \(words)")
            #expect(run.code == 0, "\(words): \(run.errors)")
        }
    }

    @Test(
        "A store that lacks a table or a column is reported with advice",
        arguments: ["DROP TABLE _change", "ALTER TABLE run DROP COLUMN pages"])
    func missing(sql: String) async throws {
        let place = try await place(sql)
        let run = try await place.run("sync things")
        #expect(run.code == 73, "\(run.errors)")
        #expect(run.errors.contains("Try: the store may be damaged, or changed by hand"), "\(run.errors)")
    }
}
