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

    /// A store with feeds `things`, due tomorrow, and `rest`, which has been due for long.
    private func store() throws -> (uri: String, database: PostgreSQL.Connection) {
        let uri = try PostgreSQLServer.database()
        let database = try PostgreSQL.Connection(uri: uri)
        try StoreDatabase(connection: database).migrate(now: "2026-01-01T00:00:00Z")
        try database.execute(
            """
            INSERT INTO feed (name, url, next_due_at) VALUES
                ('things', 'http://u', now() + interval '1 day'), ('rest', 'http://u', '2026-01-01')
            """)
        return (uri, database)
    }

    private func worker(_ uri: String, _ groups: [FeedGroup], configuredAt: Int64 = 1_000) async throws -> Worker {
        let layout = GroupLayout(groups, configuredAt: configuredAt)
        let worker = try Worker(uri: uri, name: "w", groups: layout, takesOver: true)
        try await worker.begin()
        return worker
    }

    @Test("A paused feed never makes its group due, before a claim and after it", arguments: [false, true])
    func paused(isAlone: Bool) async throws {
        let (uri, database) = try store()
        let feeds = isAlone ? ["rest"] : ["things", "rest"]
        let worker = try await worker(uri, [FeedGroup(name: "g", feeds: feeds, paused: ["rest"])])
        for _ in 0..<2 {
            #expect(try await worker.timeUntilDue() == .seconds(3_600))
            #expect(try await worker.claim(limit: 1).isEmpty)
            #expect(try await worker.fleet().due == 0)
            // As a program that sets `next_due_at` does.
            try database.execute("UPDATE _claim SET due_at = '2026-01-01'")
            let claim = try #require(try await worker.claim(limit: 1).first)
            await worker.release(claim, rests: true)
        }
        #expect(try await worker.timeUntilDue() == .seconds(3_600))
    }

    @Test("A feed that is paused no longer is due at once, also after a worker with the older configuration had it")
    func resumed() async throws {
        let (uri, _) = try store()
        let old = try await worker(uri, [FeedGroup(name: "g", feeds: ["rest"], paused: ["rest"])])
        #expect(try await old.claim(limit: 1).isEmpty)
        let new = try await worker(uri, [FeedGroup(name: "g", feeds: ["rest"])], configuredAt: 2_000)
        await old.release(try #require(try await old.claim(limit: 1).first))
        #expect(try await new.timeUntilDue() == .zero)
        #expect(try await new.claim(limit: 1).count == 1)
    }

    @Test("A group that left the configuration goes when a worker begins, unless another worker has it")
    func unused() async throws {
        let (uri, database) = try store()
        let (kept, left) = (FeedGroup(name: "g", feeds: ["things"]), FeedGroup(name: "h", feeds: ["rest"]))
        let state = """
            SELECT string_agg("group", ' ' ORDER BY "group") || ' ' || (SELECT is_whole FROM _layout) FROM _claim
            """
        let old = try await worker(uri, [kept, left])
        #expect(try database.scalar(state) == "g h true")
        let beside = try await worker(uri, [kept], configuredAt: 2_000)
        #expect(try database.scalar(state) == "g h false")
        #expect(try await beside.claim(limit: 2).isEmpty)
        // It does not wait for a sync by this worker's configuration.
        let fleet = try await beside.fleet()
        #expect(fleet.due == 0 && fleet.resting == 1 && fleet.oldestDueSeconds == 0)
        #expect(try await old.claim(limit: 2).map(\.group.name) == ["h"])
        await old.end()
        _ = try await worker(uri, [kept], configuredAt: 2_000)
        #expect(try database.scalar(state) == "g h false")
        try database.execute("UPDATE _claim SET until = now() - interval '1 second' WHERE worker IS NOT NULL")
        _ = try await worker(uri, [kept], configuredAt: 2_000)
        #expect(try database.scalar(state) == "g true")
        // The other configuration comes back.
        let again = try await worker(uri, [kept, left])
        #expect(try await again.claim(limit: 2).map(\.group.name) == ["h"])
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
