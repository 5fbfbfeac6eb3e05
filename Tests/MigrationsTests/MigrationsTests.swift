import Foundation
import Migrations
import SQLite
import Testing

@Suite("Migrations")
struct MigrationsTests {
    @Test(
        "Every file with a migration is listed, in order, with its text",
        arguments: [("sql", Migrations.sqlite), ("postgresql", Migrations.postgreSQL)])
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
        _ = try Migrator(Migrations.sqlite).apply(
            Migrations.sqlite, to: connection, now: "2026-11-21T00:00:00.000Z")
        #expect(
            try connection.scalar("SELECT group_concat(name) FROM pragma_table_info(?)", .text(table)) == .text(columns)
        )
    }
}
