import Feeds
import Foundation
import PostgreSQL
import PostgreSQLServer
import SQLite
import SeededGenerator
import StoreFile
import TemporaryFolder
import Testing

@testable import Fleet
@testable import PostgreSQLStore

@Suite("A commit in PostgreSQL that is on its way")
final class WriteThroughTests {
    private let folder: TemporaryFolder
    private let file: SQLite.Connection
    private let database: PostgreSQL.Connection
    private let uri: String
    private let claim: Claim
    private let progress = WriteThrough.Progress(version: 0)

    /// A file with a feed whose table is in PostgreSQL with one row.
    init() async throws {
        folder = try TemporaryFolder()
        let path = folder.file("store.db")
        _ = try await Store(path: path)
        file = try SQLite.Connection(path: path)
        uri = try PostgreSQLServer.database()
        database = try PostgreSQL.Connection(uri: uri)
        try StoreDatabase(connection: database).migrate(now: "2026-11-21T02:20:11.123Z")
        let row = try database.query(
            "INSERT INTO _claim (\"group\", feeds, worker) VALUES ('g', '{things}', 1) RETURNING fence")[0]
        let fence = try #require(row[0].flatMap { Int64($0) })
        claim = Claim(group: FeedGroup(name: "g", feeds: ["things"]), fence: fence, version: 0)
        file.companion = try writeThrough(of: file)
        try write(isFollowed: false) {
            try file.execute(
                """
                INSERT INTO feed (name, model, url) VALUES ('things', 'thing', 'http://u');
                INSERT INTO _feed (feed, "table", key, key_columns, columns, definition) VALUES
                    ('things', 'things', 'id', '["id"]', '[{"name":"id","path":"id","type":null},{"name":"t","path":"t","type":"text"}]', 'd');
                CREATE TABLE things (id ANY NOT NULL, t ANY, _section TEXT, _generation INTEGER NOT NULL,
                    _position INTEGER NOT NULL, _first_seen_at TEXT NOT NULL, _changed_at TEXT NOT NULL, _removed_at TEXT,
                    _raw TEXT, PRIMARY KEY (id)) STRICT
                """)
            try insert("first")
        }
    }

    private func writeThrough(of file: SQLite.Connection) throws -> WriteThrough {
        try WriteThrough(file, to: ConnectionPool(uri: uri, limit: 2, jobs: 1), claims: [claim], progress: progress)
    }

    private func write(isFollowed: Bool, _ body: () throws -> Void) throws {
        try file.begin(.immediate)
        do {
            try body()
            try file.commit(isFollowed: isFollowed)
        } catch {
            file.rollback()
            throw error
        }
    }

    private func insert(_ id: String, _ text: SQLite.Value = nil) throws {
        let now: SQLite.Value = "2026-11-21T02:20:11.000Z"
        try file.run("INSERT INTO things VALUES (?, ?, 's', 1, 1, ?, ?, NULL, NULL)", .text(id), text, now, now)
    }

    private func ids() throws -> [String?] { try database.query("SELECT id FROM things ORDER BY id").map { $0[0] } }

    @Test("A commit in PostgreSQL is complete after the next one, or once it was waited for")
    func order() throws {
        try write(isFollowed: true) { try insert("second") }
        try write(isFollowed: false) { try insert("third") }
        #expect(try ids() == ["first", "second", "third"])
        try write(isFollowed: true) { try insert("fourth") }
        try file.companion?.settle()
        #expect(try ids() == ["first", "fourth", "second", "third"])
        #expect(progress.version == 4)
    }

    @Test("Old history goes in slices, each a commit of its own; younger history and that of other feeds stays")
    func pruning() throws {
        try database.execute(
            """
            INSERT INTO run (feed, command, started_at, finished_at)
                SELECT feed, 'sync', at, at FROM generate_series(timestamptz '2026-01-01', '2026-01-30', '1 day') at,
                    unnest(ARRAY['things', 'others']) feed;
            INSERT INTO event (at, feed, run, status) SELECT finished_at, feed, id, 'endHeader' FROM run;
            INSERT INTO _change (at, feed, run, kind, key) SELECT finished_at, feed, id, 'removed', '1' FROM run
            """)
        let before = progress.version
        let writing = try #require(file.companion as? WriteThrough)
        let now = Int64(1_769_731_200)  // 2026-01-30
        try writing.prune(Retention(.seconds(5 * 86_400)), now: now, slice: 10)
        for table in ["run", "event", "_change"] {
            let counts = try database.query("SELECT feed, count(*) FROM \(table) GROUP BY feed ORDER BY feed")
            #expect(counts == [["others", "30"], ["things", "6"]], "\(table)")
        }
        // Of each log two full slices and a last one, and one look at the changes of columns.
        #expect(progress.version == before + 3 * 3 + 1)
    }

    @Test("A commit is busy until PostgreSQL has ended it", .timeLimit(.minutes(1)))
    func busy() throws {
        try database.execute("BEGIN; LOCK TABLE things")
        try write(isFollowed: true) { try insert("second") }
        #expect(file.companion?.isBusy == true)
        try database.execute("COMMIT")
        while file.companion?.isBusy == true { usleep(1_000) }
        try file.companion?.settle()
        #expect(try ids() == ["first", "second"])
    }

    @Test("A commit is refused once a newer feedsync has changed the store")
    func newerStore() throws {
        try database.execute("INSERT INTO _migration VALUES ('9999_future', 'x', now())")
        let error = #expect(throws: SQLiteError.self) { try write(isFollowed: false) { try insert("second") } }
        let told = try FeedSyncError(storing: #require(error), path: "store.db")
        #expect(told.kind == .store)
        #expect(told.message == "a newer feedsync has changed the store of g; nothing more was stored")
        #expect(progress.failure?.isOfFeed == false)
        #expect(try ids() == ["first"])
    }

    @Test(
        "A refused commit prevents all later ones, whatever they write",
        arguments: [
            "INSERT INTO things SELECT 'third', t, 's', 1, 2, _first_seen_at, _changed_at, NULL, NULL FROM things LIMIT 1",
            "INSERT INTO _quota (origin, credential, resource) VALUES ('http://u', 0, '')",
            "CREATE TABLE more (a ANY)", "",
        ])
    func refused(sql: String) throws {
        try database.execute("UPDATE _claim SET fence = fence + 1")
        try write(isFollowed: true) { try insert("second") }
        let error = #expect(throws: SQLiteError.self) { try write(isFollowed: false) { try file.execute(sql) } }
        let told = try FeedSyncError(storing: #require(error), path: "store.db")
        // Not `locked`, which may concern one list of many.
        #expect(told.kind == .store)
        #expect(told.message == "another worker works on g now; nothing more was stored")
        #expect(told.advice == "run it again later")
        #expect(throws: SQLiteError.self) { try write(isFollowed: false) {} }
        #expect(
            progress.failure?.error.message.contains("another worker") == true,
            "\(String(describing: progress.failure))")
        #expect(progress.version == 1)
        #expect(try ids() == ["first"])
        #expect(try database.scalar("SELECT count(*) FROM _quota") == "0")
    }

    @Test("A key that no index takes has its table made again, with the rows written after it")
    func longKey() throws {
        // PostgreSQL would compress a key that repeats itself.
        var random = SeededGenerator(7)
        let long = String(
            String.UnicodeScalarView(
                (0..<9_000).map { _ in Unicode.Scalar(UInt8.random(in: 97...122, using: &random)) }))
        try write(isFollowed: true) { try insert(long) }
        try write(isFollowed: true) { try insert("third") }
        try file.companion?.settle()
        #expect(try Set(ids()) == ["first", long, "third"])
        // Without an index of keys, rows change and go, too.
        try write(isFollowed: true) {
            try file.execute("UPDATE things SET t = 'new' WHERE id = 'first'; DELETE FROM things WHERE id = 'third'")
        }
        try file.companion?.settle()
        #expect(try Set(ids()) == ["first", long])
        #expect(try database.scalar("SELECT t FROM things WHERE id = 'first'") == "new")
        #expect(progress.failure == nil)
    }

    @Test("The generation of one crawl passes to another, in any order of the writes", arguments: [true, false])
    func generation(isTakerFirst: Bool) throws {
        let crawl = "INSERT INTO _crawl (id, feed, mode, started_at, generation) VALUES"
        try write(isFollowed: false) {
            try file.execute(
                "\(crawl) (1, 'things', 'all', '2026-11-21', 5), (2, 'things', 'all', '2026-11-21', NULL)")
        }
        try write(isFollowed: false) {
            if isTakerFirst { try file.execute("UPDATE _crawl SET checked = 1 WHERE id = 2") }
            try file.execute(
                """
                UPDATE _crawl SET generation = NULL WHERE id = 1;
                UPDATE _crawl SET generation = 5 WHERE id = 2
                """)
        }
        #expect(try database.query("SELECT id FROM _crawl WHERE generation = 5") == [["2"]])
        #expect(progress.failure == nil)
    }

    private func type(of column: String, in table: String) throws -> String? {
        try database.scalar(
            "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = CAST($1 AS regclass) AND attname = $2",
            [table, column])
    }

    @Test("A table is in the views by the next claim, if its own ends before or a view has a long-running reader")
    func views() throws {
        let next = try SQLite.Connection(path: folder.file("store.db"))
        let isThere = "SELECT to_regclass('thing')"
        #expect(try database.scalar(isThere) == nil)
        try writeThrough(of: next).refreshViews()
        #expect(try database.query("SELECT id FROM thing").map { $0[0] } == ["first"])
        let columns = "SELECT count(*) FROM pg_attribute WHERE attrelid = 'thing'::regclass AND attname = 'more'"
        try write(isFollowed: false) {
            try file.execute(
                """
                ALTER TABLE things ADD COLUMN more ANY;
                UPDATE _feed SET columns = '[{"name":"id","path":"id","type":null},{"name":"more","path":"more","type":"text"}]'
                """)
        }
        try database.execute("BEGIN; SELECT count(*) FROM thing")
        try writeThrough(of: next).refreshViews()
        #expect(progress.failure == nil)
        try database.execute("COMMIT")
        #expect(try database.scalar(columns) == "0")
        try writeThrough(of: next).refreshViews()
        #expect(try database.scalar(columns) == "1")
    }

    @Test("A column gets the type that its values turned out to have")
    func retyped() throws {
        for (type, values, shared) in [
            ("integer", [1, 2], "bigint"), ("real", [1.5, 2.0], "double precision"), ("text", ["a", "b"], "text"),
        ] as [(String, [SQLite.Value], String)] {
            try write(isFollowed: true) {
                try file.run(
                    "UPDATE _feed SET columns = ?",
                    .text(#"[{"name":"id","path":"id","type":null},{"name":"t","path":"t","type":"\#(type)"}]"#))
                try file.run("UPDATE things SET t = ? WHERE id = 'first'", values[0])
                try file.run("DELETE FROM things WHERE id = 'second'")
                try insert("second", values[1])
            }
            try file.companion?.settle()
            #expect(try self.type(of: "t", in: "things") == shared)
            #expect(try database.scalar("SELECT count(*) FROM things WHERE t IS NULL OR _exact IS NOT NULL") == "0")
        }
        #expect(try ids() == ["first", "second"])
    }

    @Test("A column without a type is widened, and columns with names of PostgreSQL's own are kept")
    func widened() throws {
        try write(isFollowed: true) {
            try file.execute(
                """
                INSERT INTO feed (name, model, url) VALUES ('more', 'more', 'http://u');
                INSERT INTO _feed (feed, "table", key, key_columns, columns, definition) VALUES
                    ('more', 'more', 'id', '["id"]', '[]', 'd');
                CREATE TABLE more (id INTEGER NOT NULL, n ANY, xmin ANY, _exact ANY, _transaction ANY, _section TEXT,
                    _generation INTEGER NOT NULL, _position INTEGER NOT NULL, _first_seen_at TEXT NOT NULL,
                    _changed_at TEXT NOT NULL, _removed_at TEXT, PRIMARY KEY (id)) STRICT
                """)
        }
        for (id, value, type) in [(1, 7, "bigint"), (2, 2.5, "numeric"), (3, "a", "text")]
            as [(Int64, SQLite.Value, String)]
        {
            try write(isFollowed: true) {
                try file.run(
                    "INSERT INTO more VALUES (?, ?, 1.5, 'e', ?, NULL, 1, 1, ?, ?, NULL)", .integer(id),
                    value, .integer(id), "2026-11-21T02:20:11.000Z", "2026-11-21T02:20:11.000Z")
            }
            try file.companion?.settle()
            #expect(try self.type(of: "n", in: "more") == type)
        }
        #expect(try database.query("SELECT n FROM more ORDER BY id") == [["7"], ["2.5"], ["a"]])
        let table = try #require(try StoreDatabase(connection: database).table("more"))
        #expect(table.columns.map(\.name).prefix(5) == ["id", "n", "xmin", "_exact", "_transaction"])
        var own: [[CopiedValue]] = []
        try table.rows(in: file) { own.append($0) }
        var shared: [[CopiedValue]] = []
        try StoreDatabase(connection: database).rows(of: table) { shared.append($0) }
        #expect(Set(own) == Set(shared))
        #expect(progress.failure == nil)
    }

    @Test("A column without a type that had no values, or was added since, gets the type of its first numbers")
    func narrowed() throws {
        try addFeed("more", table: "more")
        try write(isFollowed: true) {
            try file.execute(
                """
                ALTER TABLE more ADD COLUMN n ANY;
                ALTER TABLE more ADD COLUMN r ANY;
                ALTER TABLE more ADD COLUMN mixed ANY;
                UPDATE _feed SET definition = 'e' WHERE feed = 'more';
                INSERT INTO more SELECT 2, _section, 1, 2, _first_seen_at, _changed_at, NULL, NULL, NULL, 'a' FROM more
                """)
        }
        try file.companion?.settle()
        for column in ["n", "r", "mixed"] { #expect(try type(of: column, in: "more") == "text") }
        // The values of one row may be new, and those of another change.
        for sql in [
            "UPDATE more SET n = 7, r = 1.5, mixed = 7 WHERE id = 1",
            "INSERT INTO more SELECT 3, NULL, 1, 3, _first_seen_at, _changed_at, NULL, 8, 2, 8 FROM more WHERE id = 1",
        ] {
            try write(isFollowed: true) { try file.execute(sql) }
            try file.companion?.settle()
            #expect(try type(of: "n", in: "more") == "bigint")
            #expect(try type(of: "r", in: "more") == "numeric")
            #expect(try type(of: "mixed", in: "more") == "text")
        }
        #expect(
            try database.query("SELECT n, r, mixed, _exact ->> 'mixed' FROM more ORDER BY id") == [
                ["7", "1.5", "7", "7"], [nil, nil, "a", nil], ["8", "2", "8", "8"],
            ])
        #expect(progress.failure == nil)
    }

    /// Writes a feed with a table, and one row.
    private func addFeed(_ name: String, table: String) throws {
        try write(isFollowed: false) {
            try file.execute(
                """
                INSERT INTO feed (name, model, url) VALUES ('\(name)', 'more', 'http://u');
                INSERT INTO _feed (feed, "table", key, key_columns, columns, definition) VALUES
                    ('\(name)', '\(table)', 'id', '["id"]', '[]', 'd');
                CREATE TABLE \(table) (id INTEGER NOT NULL, _section TEXT, _generation INTEGER NOT NULL,
                    _position INTEGER NOT NULL, _first_seen_at TEXT NOT NULL, _changed_at TEXT NOT NULL, _removed_at TEXT,
                    PRIMARY KEY (id)) STRICT;
                INSERT INTO \(table) VALUES (1, NULL, 1, 1, '2026-11-21T02:20:11.000Z', '2026-11-21T02:20:11.000Z', NULL)
                """)
        }
    }

    @Test("A table may have the name that PostgreSQL gives to another feed's key")
    func keyNames() throws {
        try addFeed("things-pkey", table: "things_pkey")
        #expect(try database.scalar("SELECT id FROM things_pkey") == "1")
    }

    @Test("A feed with a table named as one of PostgreSQL's own is refused, with advice to rename it")
    func systemNames() throws {
        #expect(throws: SQLiteError.self) { try addFeed("pg-class", table: "pg_class") }
        #expect(
            progress.failure?.error.message == "the table `pg_class` would have the name of one of PostgreSQL's own")
        #expect(progress.failure?.isOfFeed == true)
    }

    @Test("A feed with a table named as an index is refused, with advice to rename it")
    func indexNames() throws {
        #expect(throws: SQLiteError.self) { try addFeed("run-pkey", table: "run_pkey") }
        let error = progress.failure?.error
        #expect(error?.message.hasPrefix("the name of the table `run_pkey` is taken in PostgreSQL") == true)
        #expect(error?.advice == "feedsync rename run-pkey NAME")
    }

    @Test("A generated column is not written to")
    func generated() throws {
        try database.execute("ALTER TABLE things ADD COLUMN size integer GENERATED ALWAYS AS (length(t)) STORED")
        let columns = try StoreDatabase(connection: database).table("things")?.columns.map(\.name)
        #expect(columns?.contains("t") == true && columns?.contains("size") == false)
    }

    @Test("A table with changed comments is read")
    func comments() throws {
        try database.execute("COMMENT ON TABLE things IS 'Ours'; COMMENT ON COLUMN things.t IS 'A text'")
        let store = StoreDatabase(connection: database)
        #expect(try store.key(of: "things")?.columns == ["id"])
        #expect(try store.table("things")?.columns.map(\.name).prefix(2) == ["id", "t"])
    }

    @Test("Values of every kind are the same in PostgreSQL as in the file", arguments: [UInt64(1), 2, 3])
    func values(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let parts = [
            "'", "\"", "\\", "{", "}", ",", "NULL", "a", " ", "\n", "\0", "\u{10FFFF}", "\u{e9}", "é", "7", "''",
            "\u{1F600}",
        ]
        try write(isFollowed: false) {
            for number in 0..<400 {
                let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    parts.randomElement(using: &random) ?? ""
                }.joined()
                let value: SQLite.Value =
                    switch number % 6 {
                    case 0: .integer([.min, .max, 0, -1, 10].randomElement(using: &random) ?? 0)
                    case 1: .real(0.5)
                    case 2: .blob([0, 255])
                    case 3: nil
                    default: .text(text)
                    }
                try insert("\(number)" + text, value)
            }
        }
        let table = try #require(try StoreDatabase(connection: database).table("things"))
        var own: [[CopiedValue]] = []
        try table.rows(in: file) { own.append($0) }
        var shared: [[CopiedValue]] = []
        try StoreDatabase(connection: database).rows(of: table, where: "true") { shared.append($0) }
        #expect(own.count == 401)
        #expect(Set(own) == Set(shared), "seed \(seed)")
    }
}
