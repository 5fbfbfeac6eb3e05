import HTTPServer
import SQLite
import ScriptedServer
import Testing

@testable import FeedSync
@testable import StoreFile

/// The store's data of runs for the plan.
@Suite struct FeedScheduleTests {
    private static let page = #"{"total_count":1,"items":[{"id":1,"name":"a"}]}"#
    private static let known = """
        SELECT failures, poll_interval, fresh_for, round_ended_at IS (SELECT max(finished_at) FROM run),
            feed.next_due_at IS planned_due_at
        FROM _feed JOIN feed ON feed.name = _feed.feed
        """

    @Test("The first page's answer says when to ask again; a 304 that is silent leaves that, a 200 does not")
    func advice() async throws {
        let bench = try await EngineBench()
        bench.server.enqueue(
            "/things",
            [
                .json(
                    Self.page,
                    headers: [("X-Poll-Interval", "60"), ("Cache-Control", "max-age=7200"), ("ETag", "\"1\"")]),
                .status(304), .status(304, headers: [("X-Poll-Interval", "90")]),
                .json(Self.page, headers: [("ETag", "\"2\"")]),
            ])
        var seen: [String] = []
        for _ in 0..<4 {
            _ = try await bench.engine.perform(.sync)
            seen += try bench.query(Self.known)
        }
        #expect(seen == ["0|60|7200|1|1", "0|60|7200|1|1", "0|90|7200|1|1", "0|||1|1"])
    }

    @Test("Failures are counted from the first, back off, and one success ends them")
    func failures() async throws {
        let bench = try await EngineBench()
        bench.upstream.fail(page: 1, with: .status(500), times: 3)
        for _ in 0..<3 { _ = try await bench.failure(.sync) }
        let history = try #require(try await bench.store.histories()["things"])
        #expect(history.failures == 3)
        let first = try bench.query("SELECT finished_at FROM run ORDER BY id LIMIT 1")
        #expect(try bench.query("SELECT failing_since FROM _feed") == first)
        let plan = Planner.plan(history, every: nil)
        #expect(plan.interval == 4 * Planner.standardInterval)
        #expect(try bench.query("SELECT next_due_at FROM feed") == [plan.dueText])
        _ = try await bench.engine.perform(.sync)
        #expect(try bench.query(Self.known) == ["0|||1|1"])
        #expect(try bench.query("SELECT coalesce(failing_since, 'never') FROM _feed") == ["never"])
    }

    @Test("A run that has to wait is no round: the feed stays due, from when its host takes requests")
    func limited() async throws {
        let bench = try await EngineBench()
        bench.upstream.fail(page: 1, with: .status(429, headers: [("Retry-After", "3600")]))
        #expect(try await bench.failure(.sync).kind == .limited)
        let plan = Planner.plan(try #require(try await bench.store.histories()["things"]), every: nil)
        #expect(plan.terms.map(\.name) == [.never, .blockedUntil])
        #expect(try bench.query("SELECT next_due_at FROM feed") == (try bench.query("SELECT blocked_until FROM quota")))
        #expect(try bench.query("SELECT next_due_at FROM feed") == [plan.dueText])
    }

    @Test("more neither asks what is new nor fails the plan")
    func more() async throws {
        let bench = try await EngineBench()
        _ = try await bench.engine.perform(.sync)
        let before = try bench.query("SELECT next_due_at FROM feed")
        bench.upstream.fail(page: 2, with: .status(500))
        _ = try await bench.failure(.nextPage)
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT next_due_at FROM feed") == before)
        #expect(try bench.query(Self.known) == ["0|||0|1"])
    }

    @Test("A time set by hand stays until the feed is asked again")
    func byHand() async throws {
        let bench = try await EngineBench()
        _ = try await bench.engine.perform(.sync)
        try bench.change("UPDATE feed SET next_due_at = '2040-01-01T00:00:00.000Z'")
        try await bench.more()
        let plan = Planner.plan(try #require(try await bench.store.histories()["things"]), every: nil)
        #expect(plan.dueText == "2040-01-01T00:00:00.000Z")
        _ = try await bench.engine.perform(.sync)
        #expect(try bench.query(Self.known) == ["0|||1|1"])
    }

    @Test("A sync under a clock that was years ahead stops nothing: the feed is due at once, and says why")
    func clockAhead() async throws {
        let bench = try await EngineBench()
        _ = try await bench.engine.perform(.sync)
        try bench.change(
            """
            UPDATE _feed SET round_started_at = '2099-01-01T00:00:00.000Z', round_ended_at = '2099-01-01T00:00:01.000Z',
                planned_due_at = '2099-01-01T00:15:00.000Z';
            UPDATE feed SET next_due_at = '2099-01-01T00:15:00.000Z'
            """)
        let plan = Planner.plan(try #require(try await bench.store.histories()["things"]), every: nil)
        #expect(plan.dueAt == nil)
        #expect(plan.isDue(at: WallClock.system.milliseconds))
        #expect(plan.terms.first?.reason.contains("the clock went back") == true)
        _ = try await bench.engine.perform(.sync)
        let next = Planner.plan(try #require(try await bench.store.histories()["things"]), every: nil)
        #expect(try #require(next.dueAt) < WallClock.system.milliseconds + 3_600_000)
    }

    @Test("A block that reaches further than a day ahead is not believed; one within a day is")
    func blockAhead() async throws {
        let bench = try await EngineBench()
        bench.upstream.fail(page: 1, with: .status(429, headers: [("Retry-After", "3600")]), times: 1)
        #expect(try await bench.failure(.sync).kind == .limited)
        #expect(try await bench.failure(.sync).kind == .limited)
        bench.twin?.forget()
        try bench.change("UPDATE _quota SET blocked_until = '2099-01-01T00:00:00.000Z'")
        #expect(try await bench.store.histories()["things"]?.blockedUntil == nil)
        _ = try await bench.engine.perform(.sync)
        #expect(try bench.names.count == 35)
    }
}

extension EngineBench {
    /// Writes into the store, as its user might.
    fileprivate func change(_ sql: String) throws {
        try Connection(path: store.path, access: .readWrite).execute(sql)
    }
}
