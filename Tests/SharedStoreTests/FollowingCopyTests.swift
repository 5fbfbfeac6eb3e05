import Feeds
import Foundation
import PostgreSQL
import PostgreSQLServer
import SQLite
import TemporaryFolder
import Testing

@testable import Fleet
@testable import PostgreSQLStore

@Suite("A file that follows a store in PostgreSQL")
final class FollowingCopyTests {
    private let folder: TemporaryFolder
    private let database: PostgreSQL.Connection
    private let copy: FollowingCopy

    /// A store with a feed that is at a crawl, and a file that has it.
    init() async throws {
        folder = try TemporaryFolder()
        let uri = try PostgreSQLServer.database()
        database = try PostgreSQL.Connection(uri: uri)
        try StoreDatabase(connection: database).migrate(now: "2026-11-21T02:20:11.123Z")
        try database.execute(
            """
            INSERT INTO _salt VALUES ('s');
            INSERT INTO feed (name, url) VALUES ('things', 'http://u');
            INSERT INTO _crawl (id, feed, mode, started_at, generation) VALUES
                (1, 'things', 'all', '2026-11-21', 5), (2, 'things', 'all', '2026-11-21', NULL);
            INSERT INTO _feed (feed, "table", key, key_columns, columns, definition, crawl)
                VALUES ('things', 'things', 'id', '["id"]', '[]', 'd', 1)
            """)
        copy = try await FollowingCopy(
            path: folder.file("copy.db"), uri: uri, feeds: nil, hasHistory: true, pruneInterval: .zero)
        #expect(try await copy.look([]))
    }

    private func file() throws -> SQLite.Connection { try SQLite.Connection(path: copy.path) }

    /// Has something happen to the feed.
    private func add(_ status: String) throws {
        try database.query(
            "INSERT INTO event (at, feed, run, status) VALUES ('2026-11-21T02:20:12Z', 'things', 1, $1)", [status])
    }

    @Test("A following file has the feed's present crawl, even with the generation of another one")
    func generation() async throws {
        try database.execute(
            """
            UPDATE _crawl SET generation = NULL WHERE id = 1;
            UPDATE _crawl SET generation = 5 WHERE id = 2;
            UPDATE _feed SET crawl = 2
            """)
        try add("beginHeader")
        #expect(try await copy.look([]))
        #expect(try file().int64("SELECT generation FROM _crawl JOIN _feed ON _crawl.id = crawl") == 5)
        #expect(try file().int64("SELECT count(*) FROM event") == 1)
    }

    @Test("A following file has the runs in the order of their starts, because workers number their own runs")
    func startsOfRuns() throws {
        #expect(try file().int64("SELECT count(*) FROM pragma_index_info('_run_started')") == 1)
    }

    @Test("A following file has an event once after the store moved to another server")
    func restored() async throws {
        try add("beginHeader")
        try database.execute("UPDATE event SET _transaction = '999999999999'")
        for _ in 0..<3 {
            #expect(try await copy.look([]))
            #expect(try file().int64("SELECT count(*) FROM event") == 0)
        }
        try StoreDatabase(connection: database).adoptRestoredLogs()
        for _ in 0..<3 {
            #expect(try await copy.look([]))
            #expect(try file().int64("SELECT count(*) FROM event") == 1)
        }
    }

    @Test("A following file loses the history that PostgreSQL no longer has, and keeps the rest")
    func pruned() async throws {
        try database.execute(
            """
            INSERT INTO feed_part (name, feed, parent_key, url) VALUES ('things/1', 'things', '1', 'http://u/1');
            INSERT INTO run (feed, command, started_at, finished_at)
                SELECT feed, 'sync', at, at FROM generate_series(timestamptz '2026-01-01', '2026-01-30', '1 day') at,
                    unnest(ARRAY['things', 'things/1']) feed;
            INSERT INTO event (at, feed, run, status) SELECT finished_at, feed, id, 'endHeader' FROM run;
            INSERT INTO _change (at, feed, run, kind, key) SELECT finished_at, feed, id, 'removed', '1' FROM run;
            INSERT INTO run (feed, command, started_at) VALUES ('things', 'sync', '2026-01-01');
            INSERT INTO event (at, feed, run, status) SELECT started_at, feed, id, 'beginHeader' FROM run
                WHERE finished_at IS NULL
            """)
        func counts() throws -> [Int64?] {
            let file = try file()
            return try ["run", "event", "_change"].map { try file.int64("SELECT count(*) FROM \($0)") }
        }
        #expect(try await copy.look([]))
        #expect(try counts() == [61, 61, 60])
        for statement in FeedScope(feeds: ["things"]).pruning(before: "2026-01-26", slice: 1_000) {
            _ = try database.scalar(statement)
        }
        // Nothing else has changed, or is new.
        for _ in 0..<2 {
            #expect(try await copy.look([]))
            #expect(try counts() == [11, 11, 10])
        }
        #expect(try file().int64("SELECT count(*) FROM run WHERE finished_at < '2026-01-25'") == 0)
        try add("endHeader")
        #expect(try await copy.look([]))
        #expect(try counts() == [11, 12, 10])
    }

    @Test("A following file is read again if new rows do not fit, and its rows keep their numbers")
    func misfit() async throws {
        try database.execute("CREATE TABLE things (id bigint PRIMARY KEY, _generation bigint, _exact jsonb)")
        try database.execute(
            #"COMMENT ON TABLE things IS '{"key":["id"],"is_row_id":true}'; INSERT INTO things VALUES (7, 1)"#)
        try add("beginHeader")
        #expect(try await copy.look([]))
        let number = try #require(try file().int64("SELECT id FROM event"))
        try database.execute(
            """
            INSERT INTO _change (at, feed, run, kind, key) VALUES ('2026-11-21T02:20:12Z', 'things', 1, 'changed', '7')
            """)
        #expect(try await copy.look([]))
        let change = try #require(try file().int64("SELECT id FROM _change"))
        try file().execute(
            """
            INSERT INTO event (id, at, feed, run, status) VALUES (1, '', 'nobody', 1, 'endHeader');
            CREATE TRIGGER misfit BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'misfit'); END
            """)
        try add("endHeader")
        await #expect(throws: FeedSyncError.self) { try await copy.look([]) }
        try file().execute("DROP TRIGGER misfit")
        #expect(try await copy.look([]))
        var events: [String] = []
        try file().rows("SELECT id = ?, status FROM event ORDER BY id", [.integer(number)]) { row in
            events.append("\(row.int64(at: 0)) \(row.text(at: 1) ?? "")")
        }
        #expect(events == ["1 beginHeader", "0 endHeader"])
        #expect(try file().int64("SELECT id FROM _change") == change)
        #expect(try file().int64("SELECT id FROM things") == 7)
    }
}
