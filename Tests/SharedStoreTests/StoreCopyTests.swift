import Concurrency
import Foundation
import Migrations
import MirrorReader
import PostgreSQL
import PostgreSQLServer
import PostgreSQLStore
import SQLite
import SeededGenerator
import StoreFile
import TemporaryFolder
import Testing

@Suite("A copy of a store")
final class StoreCopyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A store with two feeds of one model, and rows with values of every kind in every column.
    private func store(rows: Int = 300, seed: UInt64 = 1, at name: String = "store.db") async throws -> String {
        let path = folder.file(name)
        _ = try await Store(path: path)
        let connection = try SQLite.Connection(path: path)
        var random = SeededGenerator(seed)
        for (index, feed) in ["things", "other-things"].enumerated() {
            let table = feed == "things" ? "things" : "other_things"
            let key = index == 0 ? "INTEGER NOT NULL" : "ANY NOT NULL"
            let long = String(repeating: "long_name_", count: 8)
            try connection.run("INSERT INTO feed (name, model, url) VALUES (?, 'thing', 'http://u')", .text(feed))
            try connection.run(
                """
                INSERT INTO _feed (feed, "table", key, key_columns, columns, definition) VALUES (?, ?, 'id', '["id"]', ?, 'd')
                """, .text(feed), .text(table),
                .text(
                    """
                    [{"name":"id","path":"id","type":null},{"name":"t","path":"t","type":"text"},
                    {"name":"i","path":"i","type":"integer"},{"name":"r","path":"r","type":"real"},
                    {"name":"b","path":"b","type":"boolean"},{"name":"at","path":"at","type":"timestamp"},
                    {"name":"j","path":"j","type":"json"},{"name":"n","path":"n","type":null},
                    {"name":"\(long)","path":"l","type":null}]
                    """))
            try connection.execute(
                """
                CREATE TABLE \(table) (id \(key), t ANY, i ANY, r ANY, b ANY, at ANY, j ANY, n ANY, \(long) ANY,
                    _section TEXT, _generation INTEGER NOT NULL, _position INTEGER NOT NULL, _first_seen_at TEXT NOT NULL,
                    _changed_at TEXT NOT NULL, _removed_at TEXT, _raw TEXT, PRIMARY KEY (id)) STRICT
                """)
            let now: SQLite.Value = "2026-11-21T02:20:11.123Z"
            for number in 0..<rows {
                let id: SQLite.Value = index == 0 ? .integer(Int64(number)) : .text("key \(number)\n\t\\N")
                let own = (0..<8).map { _ in Self.value(&random) }
                try connection.run(
                    "INSERT INTO \(table) VALUES (\(Array(repeating: "?", count: 16).joined(separator: ", ")))",
                    [id] + own + ["s\0", .integer(1), .integer(Int64(number)), now, now, nil, "{ \"id\": 1 }"])
            }
            try connection.run(
                "INSERT INTO _change (at, feed, run, kind, key, before) VALUES (?, ?, 1, 'changed', ?, '{\"t\":1}')",
                now,
                .text(feed), index == 0 ? 7 : "key 7")
            try connection.run(
                "INSERT INTO event (at, feed, run, status, page, inserted) VALUES (?, ?, 1, 'endHeader', 1, ?)", now,
                .text(feed), .integer(Int64(rows)))
        }
        // As somebody might set it by hand.
        try connection.execute("UPDATE feed SET next_due_at = 'tomorrow', complete = 1 WHERE name = 'things'")
        return path
    }

    private static func value(_ random: inout SeededGenerator) -> SQLite.Value {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: .null
        case 1: .integer(Int64.random(in: .min ... .max, using: &random))
        case 2: .integer(Int64.random(in: 0...1, using: &random))
        case 3: .real(Double.random(in: -1e3...1e3, using: &random))
        case 4: .real([1e16, 1e300, -1e-300, 0.1, 7, .infinity].randomElement(using: &random) ?? 0)
        case 5: .text("")
        case 6: .text("a\tb\nc\\d\re\u{1}\u{7F}é😀\u{301}")
        case 7: .text("a\0b\u{10FFFF}c")
        case 8:
            .text(
                "2026-11-21T02:20:11.\(["000", "123", "123456", "1234567", "120000"].randomElement(using: &random) ?? "")Z"
            )
        case 9: .text("[1,\"a\",{\"b\":null}]")
        case 10: .text("{\"bb\": 1e5, \"a\": \"\\u0000\\ud800\", \"a\": [ ]}")
        case 11: .text("12345678901234567890123")
        case 12: .blob([0, 1, 255])
        default: .text("\\N")
        }
    }

    /// All rows of all tables, and the next numbers.
    private func content(_ path: String) throws -> [String: [[SQLite.Value]]] {
        let connection = try SQLite.Connection(path: path, access: .readOnly)
        var tables: [String] = []
        try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('_migration')"
        ) { tables.append($0.text(at: 0) ?? "") }
        var content: [String: [[SQLite.Value]]] = [:]
        for table in tables {
            var rows: [[SQLite.Value]] = []
            try connection.rows("SELECT * FROM \"\(table)\"") { row in
                rows.append((0..<row.columnCount).map { row.value(at: $0) })
            }
            content[table] = rows.sorted { "\($0)" < "\($1)" }
        }
        return content
    }

    private func copy(_ from: String, _ to: String) async throws -> CopyReport {
        try await StoreCopy.copy(from: StoreAddress(from), to: StoreAddress(to))
    }

    @Test("A copied store comes back unchanged, whatever its values", arguments: 1...4)
    func thereAndBack(seed: UInt64) async throws {
        let path = try await store(seed: seed)
        let uri = try PostgreSQLServer.database()
        let there = try await copy(path, uri)
        #expect(there.tables.first { $0.name == "things" }?.rowCount == 300)
        let back = folder.file("back.db")
        let again = try await copy(uri, back)
        #expect(again.tables.map(\.checksum) == there.tables.map(\.checksum))
        #expect(try content(back) == content(path), "seed \(seed)")
        let connection = try SQLite.Connection(path: back, access: .readOnly)
        #expect(try connection.scalar("SELECT count(*) FROM thing") == 600)
        #expect(try connection.scalar("SELECT count(*) FROM change WHERE kind = 'new'") == 600)
        #expect(try connection.scalar("SELECT type FROM pragma_table_info('things') WHERE name = 'id'") == "INTEGER")
        #expect(!FileManager.default.fileExists(atPath: folder.file("back.db.part")))
        // It is a store like any other.
        let records = try await Store(path: back).feeds()
        #expect(records.map(\.name).sorted() == ["other-things", "things"])
    }

    @Test("A copied store has PostgreSQL's types, and values that do not fit in `_exact`")
    func types() async throws {
        let path = folder.file("store.db")
        _ = try await store(rows: 0)
        let source = try SQLite.Connection(path: path)
        let now: SQLite.Value = "2026-11-21T02:20:11.123Z"
        let rows: [[SQLite.Value]] = [
            [1, "a", 7, 0.5, 1, "2026-11-21T02:20:11.000Z", "[1]", 7, 1.5],
            [2, 7, "many", "x", "maybe", "soon", "{\"b\": 1, \"a\": 2}", 8, 2],
        ]
        for row in rows {
            try source.run(
                "INSERT INTO things VALUES (\(Array(repeating: "?", count: 16).joined(separator: ", ")))",
                row + [nil, 1, row[0], now, now, nil, "{}"])
        }
        let uri = try PostgreSQLServer.database()
        _ = try await copy(path, uri)
        let target = try PostgreSQL.Connection(uri: uri)
        let types = try target.query(
            "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'things'::regclass AND attnum > 0 ORDER BY attnum"
        )
        #expect(
            types.map { $0[0] } == [
                "bigint", "text", "bigint", "double precision", "boolean", "timestamp with time zone", "jsonb",
                "bigint",
                "numeric", "text", "bigint", "bigint", "timestamp with time zone", "timestamp with time zone",
                "timestamp with time zone", "json", "jsonb",
            ])
        #expect(
            try target.query("SELECT t, i, r, b, at, j, n, _exact FROM things ORDER BY id") == [
                ["a", "7", "0.5", "t", "2026-11-21 02:20:11+00", "[1]", "7", nil],
                [
                    "7", nil, nil, nil, nil, "{\"a\": 2, \"b\": 1}", "8",
                    "{\"b\": \"maybe\", \"i\": \"many\", \"j\": \"{\\\"b\\\": 1, \\\"a\\\": 2}\", \"r\": \"x\", \"t\": 7, \"at\": \"soon\"}",
                ],
            ])
        #expect(
            try target.scalar(
                "SELECT next_due_at IS NULL AND complete AND _exact = '{\"next_due_at\": \"tomorrow\"}' FROM feed WHERE name = 'things'"
            ) == "t")
        #expect(
            try target.query("SELECT feed, kind, key FROM change ORDER BY 1, 2, 3") == [
                ["other-things", "changed", "key 7"], ["things", "changed", "7"],
            ])
        #expect(try target.scalar("SELECT count(*) FROM thing WHERE feed = 'things'") == "2")
    }

    @Test("A copy is updated, and its equal tables are left alone")
    func update() async throws {
        let path = try await store()
        let uri = try PostgreSQLServer.database()
        _ = try await copy(path, uri)
        let same = try await copy(path, uri)
        #expect(same.tables.filter(\.isWritten).map(\.name) == [])
        let source = try SQLite.Connection(path: path)
        try source.execute("UPDATE things SET t = 'changed' WHERE id = 7; ALTER TABLE things ADD COLUMN later ANY")
        try source.execute("UPDATE things SET later = 5; DELETE FROM other_things WHERE rowid < 10")
        let target = try PostgreSQL.Connection(uri: uri)
        // A view of the user's stays.
        try target.execute("CREATE VIEW mine AS SELECT id, t FROM things")
        let later = try await copy(path, uri)
        #expect(later.tables.filter(\.isWritten).map(\.name) == ["things", "other_things"])
        #expect(try target.scalar("SELECT t FROM mine WHERE id = 7") == "changed")
        #expect(try target.scalar("SELECT sum(later) FROM things") == "1500")
        let back = folder.file("back.db")
        _ = try await copy(uri, back)
        #expect(try content(back) == content(path))
    }

    @Test("A copy follows a feed that was removed, and one with another key")
    func shapes() async throws {
        let path = try await store(rows: 20)
        let uri = try PostgreSQLServer.database()
        _ = try await copy(path, uri)
        let source = try SQLite.Connection(path: path)
        try source.execute(
            """
            DROP VIEW IF EXISTS thing; DROP VIEW change; DROP TABLE other_things; DELETE FROM feed WHERE name = 'other-things';
            CREATE TABLE new (id ANY NOT NULL, n ANY NOT NULL, _section TEXT, _generation INTEGER NOT NULL,
                _position INTEGER NOT NULL, _first_seen_at TEXT NOT NULL, _changed_at TEXT NOT NULL, _removed_at TEXT,
                PRIMARY KEY (n, id)) STRICT;
            INSERT INTO new SELECT id, 'n' || id, _section, _generation, _position, _first_seen_at, _changed_at, NULL FROM things;
            DROP TABLE things; ALTER TABLE new RENAME TO things;
            """)
        _ = try await copy(path, uri)
        let target = try PostgreSQL.Connection(uri: uri)
        #expect(try target.scalar("SELECT to_regclass('other_things')") == nil)
        #expect(
            try target.scalar(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'things'::regclass AND contype = 'p'"
            ) == "PRIMARY KEY (n, id)")
        let back = folder.file("back.db")
        _ = try await copy(uri, back)
        #expect(try content(back) == content(path))
    }

    @Test("A copy accepts keys that fit no type, and keys that no index takes")
    func keys() async throws {
        let path = try await store(rows: 0)
        let source = try SQLite.Connection(path: path)
        for key in [7, "seven", 7.5, .text(String(repeating: "k", count: 5_000)), "a\0b"] as [SQLite.Value] {
            try source.run(
                "INSERT INTO other_things (id, _generation, _position, _first_seen_at, _changed_at) VALUES (?, 1, 1, ?2, ?2)",
                key, "2026-11-21T02:20:11.123Z")
        }
        let uri = try PostgreSQLServer.database()
        _ = try await copy(path, uri)
        let back = folder.file("back.db")
        _ = try await copy(uri, back)
        #expect(try content(back) == content(path))
    }

    @Test("An interrupted copy continues")
    func cutOff() async throws {
        let path = try await store(rows: 2_000)
        let uri = try PostgreSQLServer.database()
        let target = try PostgreSQL.Connection(uri: uri)
        let isCut = Lock(false)
        let failure = await #expect(throws: FeedSyncError.self) {
            _ = try await StoreCopy.copy(from: StoreAddress(path), to: StoreAddress(uri)) { table in
                guard table.name == "things" else { return }
                isCut.withLock { $0 = true }
                _ = try? PostgreSQL.Connection(uri: uri).query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            }
        }
        #expect(isCut.withLock { $0 })
        #expect(failure?.advice?.contains("run the command again") == true, "\(String(describing: failure))")
        let fresh = try PostgreSQL.Connection(uri: uri)
        withExtendedLifetime(target) {}
        #expect(try fresh.scalar("SELECT finished_at IS NULL FROM _copy") == "t")
        // It is no store as yet.
        let back = folder.file("back.db")
        let refusal = await #expect(throws: FeedSyncError.self) { try await copy(uri, back) }
        #expect(refusal?.message.contains("is not whole") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("back") } == [])
        let report = try await copy(path, uri)
        #expect(report.tables.filter { $0.rowCount > 0 && $0.isWritten }.map(\.name) == ["other_things"])
        _ = try await copy(uri, back)
        #expect(try content(back) == content(path))
    }

    @Test("Readers see a copy as a whole while it is updated")
    func readers() async throws {
        let path = try await store(rows: 50)
        let uri = try PostgreSQLServer.database()
        _ = try await copy(path, uri)
        try SQLite.Connection(path: path).execute("UPDATE feed SET item_count = 1; UPDATE things SET t = 'new'")
        let seen = Lock<[String?]>([])
        _ = try await StoreCopy.copy(from: StoreAddress(path), to: StoreAddress(uri)) { table in
            guard table.name == "things" else { return }
            let rows = try? PostgreSQL.Connection(uri: uri).query(
                "SELECT (SELECT sum(item_count) FROM feed), (SELECT count(*) FROM things WHERE t = 'new')")
            seen.withLock { $0 = rows?.first ?? [] }
        }
        #expect(seen.withLock { $0 } == ["0", "0"])
    }

    @Test("A copy that would replace something is refused, with advice")
    func refusals() async throws {
        let path = try await store(rows: 5)
        func message(_ from: String, _ to: String) async -> String {
            let error = await #expect(throws: FeedSyncError.self) { try await copy(from, to) }
            #expect(error?.advice?.isEmpty == false)
            #expect(error?.kind == .store)
            return error?.message ?? ""
        }
        let uri = try PostgreSQLServer.database()
        _ = try await copy(path, uri)
        let other = try await store(rows: 1, at: "other.db")
        #expect(await message(other, uri).contains("has another store already"))
        #expect(await message(uri, path).contains("exists already"))
        #expect(await message(path, other).contains("both are files"))
        #expect(await message(uri, uri).contains("both are in PostgreSQL"))
        let foreign = try PostgreSQLServer.database()
        try PostgreSQL.Connection(uri: foreign).execute("CREATE TABLE customer (id int)")
        #expect(await message(path, foreign).contains("belongs to another program"))
        try PostgreSQL.Connection(uri: foreign).execute("CREATE SCHEMA feeds")
        _ = try await copy(path, foreign + "&options=-csearch_path%3Dfeeds")
        let latin = try PostgreSQLServer.database("ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        #expect(await message(path, latin).contains("SQL_ASCII"))
        #expect(await message(path, "postgres://me:secret@/none?host=/nowhere").contains("secret") == false)
        let missing = try PostgreSQLServer.uri(of: "missing")
        #expect(await message(path, missing).contains("\"missing\" does not exist"))
        let (empty, new) = try (PostgreSQLServer.database(), folder.file("new.db"))
        #expect(await message(empty, new).contains("has no store"))
        #expect(await message(path, "postgres://h:notaport/x").contains("port"))
        let newer = try PostgreSQL.Connection(uri: uri)
        try newer.execute("INSERT INTO _migration VALUES ('9999_later', 'x', now())")
        #expect(await message(path, uri).contains("newer version"))
    }

    @Test(
        "The views of a copied store show every feed, however many there are",
        arguments: [(499, "thing"), (501, String(repeating: "x", count: 63))])
    func views(count: Int, model: String) async throws {
        let path = folder.file("many.db")
        _ = try await Store(path: path)
        let source = try SQLite.Connection(path: path)
        try source.transaction {
            for number in 0..<count {
                try source.run(
                    "INSERT INTO feed (name, model, url) VALUES (?, ?, 'http://u')", .text("f\(number)"), .text(model))
                try source.run(
                    """
                    INSERT INTO _feed (feed, "table", key, key_columns, columns, definition)
                    VALUES (?1, ?1, 'id', '["id"]', '[{"name":"id","path":"id","type":null}]', 'd')
                    """, .text("f\(number)"))
                let now = "2026-11-21T02:20:11.123Z"
                try source.execute(
                    """
                    CREATE TABLE f\(number) (id INTEGER NOT NULL, _section TEXT, _generation INTEGER NOT NULL,
                        _position INTEGER NOT NULL, _first_seen_at TEXT NOT NULL, _changed_at TEXT NOT NULL, _removed_at TEXT,
                        _raw TEXT, PRIMARY KEY (id)) STRICT;
                    INSERT INTO f\(number) VALUES (\(number), NULL, 1, 1, '\(now)', '\(now)', NULL, NULL);
                    INSERT INTO event (at, feed, run, status, page, inserted) VALUES ('\(now)', 'f\(number)', 1, 'endHeader', 1, 1);
                    INSERT INTO _change (at, feed, run, kind, key, before) VALUES ('\(now)', 'f\(number)', 1, 'removed', '\(number)', NULL)
                    """)
            }
        }
        let uri = try PostgreSQLServer.database()
        _ = try await copy(path, uri)
        let target = try PostgreSQL.Connection(uri: uri)
        let items = "SELECT count(*) || ' ' || sum(id) FROM \"\(model)\""
        #expect(try target.scalar(items) == "\(count) \(count * (count - 1) / 2)")
        let changes = """
            SELECT count(*) || ' ' || count(DISTINCT key) || ' ' || count(DISTINCT feed) FROM change WHERE kind =
            """
        #expect(try target.scalar("\(changes) 'new'") == "\(count) \(count) \(count)")
        #expect(try target.scalar("\(changes) 'removed'") == "\(count) \(count) \(count)")
        let back = folder.file("back.db")
        _ = try await copy(uri, back)
        #expect(try content(back) == content(path))
    }

    @Test("A copied store has the same tables and columns in PostgreSQL as in SQLite")
    func schemas() async throws {
        let path = try await store(rows: 0)
        let uri = try PostgreSQLServer.database()
        _ = try await copy(path, uri)
        let source = try SQLite.Connection(path: path)
        let target = try PostgreSQL.Connection(uri: uri)
        var tables: [String] = []
        try source.rows(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ) { tables.append($0.text(at: 0) ?? "") }
        // The views that are made of feeds' tables come with the first sync in SQLite.
        for table in tables where !["_migration", "change", "things", "other_things"].contains(table) {
            var columns: [String] = []
            try source.rows(
                #"SELECT name || CASE WHEN "notnull" OR pk > 0 THEN ' NOT NULL' ELSE '' END FROM pragma_table_info(?)"#,
                [.text(table)]
            ) { columns.append($0.text(at: 0) ?? "") }
            let others = try target.query(
                """
                SELECT attname || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END FROM pg_attribute
                WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND attname NOT IN ('_exact', '_transaction') ORDER BY attnum
                """, [table]
            ).compactMap { $0[0] }
            #expect(others == columns, "\(table)")
        }
    }
}
