import FeedSync
import Foundation
import SQLite
import TemporaryFolder
import Testing

@Suite("The store's records")
struct QueriesRecordsTests {
    private static let failure =
        #"{"kind":"unreachable","message":"no route","http_status":503,"url":"https://a.example/"}"#

    @Test("A feed no command has worked on has no record, and no sections, runs, events or rows")
    func nothing() async throws {
        let store = try await QueriesStore().store
        #expect(try await store.feeds().isEmpty)
        #expect(try await store.feed(named: "things") == nil)
        #expect(try await store.sections(of: "things").isEmpty)
        #expect(try await store.runs(of: "things").isEmpty)
        #expect(try await store.events(of: "things").isEmpty)
        #expect(try await store.quota().isEmpty)
        let page = try await store.rows(of: "things")
        #expect(page.columns.isEmpty && page.rows.isEmpty && !page.hasMore)
    }

    @Test("A store opened to be read is not made where there is none")
    func mustExist() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("missing.db")
        let error = await FeedSyncError.thrown {
            _ = try await Store(path: path, options: Store.Options(access: .existing))
        }
        #expect(error?.kind == .store)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A feed's record has every column of its row, and so has its JSON")
    func feed() async throws {
        let queries = try await QueriesStore()
        try queries.connection.run(
            """
            INSERT INTO feed (name, model, url, status, no_more_data, next_page, generation, item_count, complete,
                reloaded_at, synced_at, next_due_at, error) VALUES ('things', 'thing', 'https://a.example/', 'noMoreData', 1, 'p2', 3, 40, 1,
                '2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z', '2026-11-03T00:00:00.000Z', ?)
            """, .text(Self.failure))
        let record = try #require(try await queries.store.feed(named: "things"))
        #expect(record.status == .noMoreData)
        #expect(record.model == "thing" && record.nextPage == "p2" && record.generation == 3 && record.itemCount == 40)
        #expect(record.noMoreData && record.isComplete)
        #expect(record.error?.kind == .unreachable && record.error?.httpStatus == 503)
        #expect(try await queries.store.feeds() == [record])
        #expect(
            record.json == """
                {"name":"things","model":"thing","url":"https://a.example/","status":"noMoreData","no_more_data":true,\
                "next_page":"p2","generation":3,"item_count":40,"complete":true,"verified":false,\
                "reloaded_at":"2026-11-01T00:00:00.000Z","synced_at":"2026-11-02T00:00:00.000Z","full_at":null,\
                "next_due_at":"2026-11-03T00:00:00.000Z","error":\(Self.failure)}
                """)
    }

    @Test("The JSON of a record has exactly the columns of its table", arguments: ["feed", "run", "event", "quota"])
    func columns(table: String) async throws {
        let queries = try await QueriesStore()
        try queries.connection.execute(
            """
            INSERT INTO feed (name, url) VALUES ('things', '');
            INSERT INTO run (feed, command, started_at) VALUES ('things', 'reload', '');
            INSERT INTO event (at, feed, run, status) VALUES ('', 'things', 1, 'beginHeader');
            INSERT INTO _quota (origin, credential, resource) VALUES ('https://a.example', 0, '');
            """)
        let json: String? =
            switch table {
            case "feed": try await queries.store.feeds().first?.json
            case "run": try await queries.store.runs().first?.json
            case "event": try await queries.store.events().first?.json
            default: try await queries.store.quota().first?.json
            }
        let object = try #require(try JSONSerialization.jsonObject(with: Data((json ?? "").utf8)) as? [String: Any])
        var columns: Set<String> = []
        try queries.connection.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) { row in
            columns.insert(row.text(at: 0) ?? "")
        }
        #expect(Set(object.keys) == columns)
    }

    @Test("Runs that workers number come in the order of their starts, by pages, too")
    func runsOfWorkers() async throws {
        let queries = try await QueriesStore()
        try queries.connection.execute(
            """
            CREATE INDEX \(Store.timesOfRuns) ON run (started_at);
            INSERT INTO run (id, feed, command, started_at, finished_at, outcome, inserted) VALUES
                (33554433, 'a', 'sync', '2026-11-01', '2026-11-02', 'ok', 1),
                (16777217, 'a', 'sync', '2026-11-03', '2026-11-04', 'ok', 1),
                (33554434, 'b', 'sync', '2026-11-05', NULL, NULL, 1),
                (16777218, 'a', 'sync', '2026-11-06', '2026-11-07', 'ok', 0)
            """)
        let store = queries.store
        let order = [16_777_218, 33_554_434, 16_777_217, 33_554_433]
        #expect(try await store.runs().map(\.id) == order)
        #expect(try await store.runs(before: order[0], limit: 2).map(\.id) == Array(order[1...2]))
        #expect(try await store.runs(before: order[2]).map(\.id) == [order[3]])
        #expect(try await store.runs(of: "a").map(\.id) == [order[0], order[2], order[3]])
        #expect(try await store.runs(of: "a", before: order[0], limit: 1).map(\.id) == [order[2]])
        #expect(try await store.lastRun(of: "a") == order[0])
        #expect(try await store.lastRun(of: "b") == nil)
        #expect(try await store.lastChange(of: "a") == "2026-11-03")
    }

    @Test("The runs that ended since a time are those of the feeds, and of their lists only those that failed")
    func endedRuns() async throws {
        let queries = try await QueriesStore()
        try queries.connection.execute(
            """
            INSERT INTO run (id, feed, command, started_at, finished_at, outcome) VALUES
                (1, 'a', 'sync', '2026-11-01', '2026-11-02', 'ok'), (2, 'a', 'sync', '2026-11-03', NULL, NULL),
                (3, 'a/1', 'sync', '2026-11-03', '2026-11-04', 'failed'),
                (4, 'a/2', 'sync', '2026-11-03', '2026-11-04', 'unchanged'),
                (5, 'ab', 'sync', '2026-11-03', '2026-11-04', 'failed'),
                (6, 'b', 'sync', '2026-11-03', '2026-11-04', 'unchanged');
            INSERT INTO feed_part (name, feed, parent_key, url) VALUES ('a/1', 'a', 1, ''), ('a/2', 'a', 2, '')
            """)
        let store = queries.store
        #expect(try await store.endedRuns(since: ["a": "", "b": ""]).map(\.id).sorted() == [1, 3, 6])
        #expect(try await store.endedRuns(since: ["a": "2026-11-03", "b": "2026-11-05"]).map(\.id) == [3])
        #expect(try await store.endedRuns(since: [:]).isEmpty)
    }

    @Test("Runs come newest first, those of one feed if asked, no more than the limit")
    func runs() async throws {
        let queries = try await QueriesStore()
        for feed in ["a", "b", "a"] {
            try queries.connection.run(
                "INSERT INTO run (feed, command, started_at, outcome, reason) VALUES (?, 'more', '', 'failed', 'cut_off')",
                .text(feed))
        }
        #expect(try await queries.store.runs().map(\.id) == [3, 2, 1])
        #expect(try await queries.store.runs(of: "a").map(\.id) == [3, 1])
        #expect(try await queries.store.runs(of: "a", limit: 1).map(\.id) == [3])
        #expect(try await queries.store.runs(limit: -1).isEmpty)
        let run = try #require(try await queries.store.runs(of: "b").first)
        #expect(run.outcome == .failed && run.reason == .cutOff && run.finishedAt == nil && !run.isComplete)
    }

    @Test("Events come in order, from after the one known, and the last of them in order too")
    func events() async throws {
        let queries = try await QueriesStore()
        for (index, feed) in ["a", "b", "a", "a"].enumerated() {
            try queries.connection.run(
                "INSERT INTO event (at, feed, run, status, page, inserted, error) VALUES ('', ?, 1, 'endFooter', ?, 5, ?)",
                .text(feed), Value(index), .text(Self.failure))
        }
        let store = queries.store
        #expect(try await store.events().map(\.id) == [1, 2, 3, 4])
        #expect(try await store.events(of: "a", after: 1).map(\.id) == [3, 4])
        #expect(try await store.events(of: "a", after: 1, limit: 1).map(\.id) == [3])
        #expect(try await store.events(after: 2, limit: 1).map(\.id) == [3])
        #expect(try await store.events(last: 2).map(\.id) == [3, 4])
        #expect(try await store.events(of: "a", last: 2).map(\.id) == [3, 4])
        #expect(try await store.events(of: "b", last: 2).map(\.id) == [2])
        let event = try #require(try await store.events().first)
        #expect(event.status == .endFooter && event.page == 0 && event.items.inserted == 5)
        #expect(event.failure?.message == "no route")
    }

    @Test("An error column that no feedsync wrote is shown as it is")
    func foreignError() async throws {
        let queries = try await QueriesStore()
        try queries.connection.run("INSERT INTO feed (name, url, error) VALUES ('things', '', 'broken by hand')")
        #expect(try await queries.store.feed(named: "things")?.error?.message == "broken by hand")
    }

    @Test("A word of a later feedsync in a column is an error of the store, not another word")
    func unknownWord() async throws {
        let queries = try await QueriesStore()
        try queries.connection.run(
            "INSERT INTO run (feed, command, started_at, reason) VALUES ('a', 'more', '', 'moonlight')")
        let error = await FeedSyncError.thrown { _ = try await queries.store.runs() }
        #expect(error?.kind == .store)
        #expect(error?.message.contains("moonlight") == true)
    }

    @Test("Quota is read by origin and resource")
    func quota() async throws {
        let queries = try await QueriesStore()
        try queries.connection.execute(
            """
            INSERT INTO _quota VALUES ('https://b.example', 0, 'search', 3, '2026-11-01T00:00:00.000Z', NULL);
            INSERT INTO _quota VALUES ('https://a.example', 0, '', NULL, NULL, '2026-11-01T00:00:00.000Z');
            """)
        let quota = try await queries.store.quota()
        #expect(quota.map(\.origin) == ["https://a.example", "https://b.example"])
        #expect(quota.map(\.remaining) == [nil, 3])
        #expect(quota.first?.blockedUntil == "2026-11-01T00:00:00.000Z")
    }
}
