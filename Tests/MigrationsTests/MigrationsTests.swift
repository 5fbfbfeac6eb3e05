import Foundation
import Migrations
import SQLite
import Testing

@Suite("Migrations")
struct MigrationsTests {
    @Test(
        "Every file with a migration is listed, in order, as it stands there",
        arguments: [("sql", Migrations.all), ("postgresql", Migrations.postgreSQL)])
    func listed(_ name: String, _ migrations: [Migration]) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Migrations/\(name)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == migrations.map { "\($0.name).sql" })
        for migration in migrations {
            #expect(
                try migration.sql
                    == String(contentsOf: folder.appending(path: "\(migration.name).sql"), encoding: .utf8))
        }
    }

    @Test("A store of any earlier version comes forward with its data", arguments: 0..<Migrations.all.count)
    func forward(_ version: Int) throws {
        let connection = try Connection(path: ":memory:")
        _ = try Migrator(Array(Migrations.all.prefix(version))).migrate(connection, now: "2026-11-21T00:00:00.000Z")
        if version > 0 { try connection.execute(Self.data) }
        let applied = try Migrator(Migrations.all).migrate(connection, now: "2026-11-21T00:00:01.000Z")
        #expect(applied.map(\.name) == Migrations.all.dropFirst(version).map(\.name))
        #expect(try Migrator(Migrations.all).pending(in: connection).isEmpty)
        #expect(try connection.scalar("PRAGMA integrity_check") == "ok")
        #expect(try connection.scalar("SELECT count(*) FROM pragma_foreign_key_check") == 0)
        if version > 0 { #expect(try connection.scalar("SELECT item_count FROM feed WHERE name = 'x'") == 1) }
    }

    @Test(
        "The public tables have the columns that scripts rely on",
        arguments: [
            (
                "feed",
                "name,model,url,status,no_more_data,next_page,generation,item_count,complete,reloaded_at,synced_at,next_due_at,error,verified,full_at"
            ),
            ("section", "feed,name,position,item_count"),
            (
                "run",
                "id,feed,command,started_at,finished_at,outcome,complete,reason,pages,requests,bytes,inserted,updated,unchanged,removed,error,verified"
            ),
            ("event", "id,at,feed,run,status,page,inserted,updated,unchanged,removed,error"),
            ("change", "at,feed,run,kind,key,before"),
            ("quota", "origin,resource,remaining,reset_at,blocked_until"),
        ])
    func contract(_ table: String, _ columns: String) throws {
        let connection = try Connection(path: ":memory:")
        _ = try Migrator(Migrations.all).migrate(connection, now: "2026-11-21T00:00:00.000Z")
        #expect(
            try connection.scalar("SELECT group_concat(name) FROM pragma_table_info(?)", .text(table)) == .text(columns)
        )
    }

    /// A feed with a row, as the first version writes it.
    private static let data = """
        INSERT INTO feed (name, url, status, generation, item_count) VALUES ('x', 'https://example.com', 'endHeader', 1, 1);
        INSERT INTO _feed (feed, "table", key, key_columns, columns, definition, crawl)
            VALUES ('x', 'x', 'id=id', '["id"]', '[{"name":"id","path":"id","type":null}]', '', 1);
        INSERT INTO _crawl (id, feed, mode, generation, started_at) VALUES (1, 'x', 'reload', 1, '2026-11-21T00:00:00.000Z');
        INSERT INTO _section VALUES ('x', NULL, 1, 1, 0);
        """
}
