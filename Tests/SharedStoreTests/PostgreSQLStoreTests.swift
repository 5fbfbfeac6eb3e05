import Migrations
import PostgreSQL
import PostgreSQLServer
import SchemaMigration
import Testing

@testable import PostgreSQLStore

@Suite("A store in PostgreSQL")
struct PostgreSQLStoreTests {
    @Test("The views of an extension are not another program's tables")
    func extensions() throws {
        let store = try StoreDatabase(uri: PostgreSQLServer.database())
        try store.connection.execute("CREATE EXTENSION pg_stat_statements")
        #expect(try !store.exists())
        try store.migrate(now: "2026-11-21T02:20:11.123Z")
        #expect(try store.exists())
        try store.connection.execute("DROP TABLE _migration; DROP TABLE _salt")
        #expect(throws: CopyProblem.self) { try store.exists() }
    }

    @Test("Every table and view of a new store has a comment")
    func comments() throws {
        let store = try StoreDatabase(uri: PostgreSQLServer.database())
        try store.migrate(now: "2026-11-21T02:20:11.123Z")
        let bare = try store.connection.query(
            """
            SELECT relname FROM pg_class WHERE relnamespace = CAST('public' AS regnamespace) AND relkind IN ('r', 'v')
                AND obj_description(oid, 'pg_class') IS NULL
            """)
        #expect(bare.isEmpty)
    }

    @Test(
        "A store in PostgreSQL of any earlier version is upgraded with its data",
        arguments: 1..<Migrations.postgreSQL.count)
    func forward(version: Int) throws {
        let database = try PostgreSQL.Connection(uri: PostgreSQLServer.database())
        try database.execute(
            "CREATE TABLE _migration (name text NOT NULL PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL)"
        )
        for migration in Migrations.postgreSQL.prefix(version) {
            try database.execute(migration.sql)
            try database.query("INSERT INTO _migration VALUES ($1, $2, now())", [migration.name, migration.checksum])
        }
        try database.execute(
            """
            INSERT INTO feed (name, url) VALUES ('x', 'http://u');
            INSERT INTO _crawl (id, feed, mode, started_at, generation) VALUES (1, 'x', 'all', '2026-11-21', 1);
            INSERT INTO event (at, feed, run, status) VALUES (now(), 'x', 1, 'beginHeader')
            """)
        let store = StoreDatabase(connection: database)
        #expect(try store.pending().count == Migrations.postgreSQL.count - version)
        try store.migrate(now: "2026-11-21T02:20:11.123Z")
        #expect(try store.pending().isEmpty)
        #expect(
            try database.scalar("SELECT url FROM feed JOIN _crawl ON feed = name JOIN event USING (feed)") == "http://u"
        )
    }
}
