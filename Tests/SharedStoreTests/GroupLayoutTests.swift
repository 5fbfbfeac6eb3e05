import Feeds
import PostgreSQLServer
import Testing

@testable import Fleet
@testable import PostgreSQL
@testable import PostgreSQLStore

@Suite("The groups of a store in PostgreSQL")
struct GroupLayoutTests {
    private let layout = GroupLayout([FeedGroup(name: "g", feeds: ["things"])], asOf: 1_000)

    @Test("A group that was never synced is due for a worker now")
    func due() async throws {
        let worker = try Worker(uri: PostgreSQLServer.database(), name: "w", groups: layout, takesOver: true)
        #expect(try await worker.timeUntilDue() == .zero)
    }

    @Test("Nothing is claimed in a store that a newer feedsync has changed since the worker began")
    func newer() async throws {
        let uri = try PostgreSQLServer.database()
        let worker = try Worker(uri: uri, name: "w", groups: layout, takesOver: true)
        try await worker.begin()
        let database = try PostgreSQL.Connection(uri: uri)
        try database.execute("INSERT INTO _migration VALUES ('9999_future', 'x', now())")
        let error = await #expect(throws: FeedSyncError.self) { try await worker.claim(limit: 1) }
        #expect(error?.message.contains("unknown migrations: 9999_future") == true, "\(String(describing: error))")
        #expect(await worker.isOutdated)
        await #expect(throws: FeedSyncError.self) { try await worker.claimAll(isUrgent: true) }
        #expect(
            try database.scalar("SELECT count(*) FROM _claim WHERE worker IS NOT NULL OR wanted_at IS NOT NULL") == "0")
        try database.execute("DELETE FROM _migration WHERE name = '9999_future'")
        #expect(try await worker.claim(limit: 1).count == 1)
    }

    @Test("A feed that is removed while a worker begins with it does not get its claim back", .timeLimit(.minutes(1)))
    func removed() async throws {
        let uri = try PostgreSQLServer.database()
        let remover = try StoreDatabase(uri: uri)
        try remover.migrate(now: "2026-01-01T00:00:00Z")
        try layout.write(.ifAbandoned, on: remover.connection)
        #expect(try remover.connection.query("SELECT \"group\" FROM _claim") == [["g"]])

        try remover.connection.execute("BEGIN")
        try GroupLayout.lock(on: remover.connection)
        try remover.connection.execute("INSERT INTO _gone VALUES ('things', 2000); DELETE FROM _claim")
        let beginning = Task.detached { [layout] in
            let worker = try PostgreSQL.Connection(uri: uri)
            try worker.transaction("BEGIN") { try layout.write(.ifAbandoned, unlessKnown: false, on: worker) }
        }
        let watcher = try PostgreSQL.Connection(uri: uri)
        let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        while try watcher.scalar(waiting) != "1" { try await Task.sleep(for: .milliseconds(5)) }
        try remover.connection.execute("COMMIT")
        try await beginning.value
        #expect(try watcher.query("SELECT \"group\" FROM _claim").isEmpty)
    }
}
