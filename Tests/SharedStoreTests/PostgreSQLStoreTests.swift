import Feeds
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

    @Test("A store in PostgreSQL of an earlier version is upgraded with its data")
    func forward() throws {
        let database = try PostgreSQL.Connection(uri: PostgreSQLServer.database())
        try StoreDatabase(connection: database).migrate(now: "2026-11-21T02:20:11.123Z")
        try database.execute("INSERT INTO feed (name, url) VALUES ('x', 'http://u')")
        let later = Migration(name: "0999_stars", sql: "ALTER TABLE feed ADD COLUMN stars bigint NOT NULL DEFAULT 3")
        let store = StoreDatabase(connection: database, migrations: Migrations.postgreSQL + [later])
        #expect(try store.pending() == [later])
        try store.migrate(now: "2026-11-22T02:20:11.123Z")
        #expect(try store.pending().isEmpty)
        #expect(try database.scalar("SELECT url || stars FROM feed") == "http://u3")
        // The one that made it no longer writes it.
        #expect(throws: FeedSyncError.self) { try StoreDatabase(connection: database).pending() }
    }
}
