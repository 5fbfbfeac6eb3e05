import Foundation
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

/// Workers and a database that nothing good happens to.
///
/// `WORK_SECONDS` and `WORK_SEED` choose how long it takes, and play one that failed again.
@Suite(.timeLimit(.minutes(60))) struct WorkChaosTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let time = Duration.seconds(environment["WORK_SECONDS"].flatMap { Int64($0) } ?? 13)
    private static let seed = environment["WORK_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(
        "Workers killed, paused past their claims and cut off from the database at random make the mirror the upstream")
    func chaos() async throws {
        var random = SeededGenerator(Self.seed)
        let bench = try WorkBench(hosts: 5, feeds: 4, items: 150, extra: "every: 1s\n    sync: {mode: all}")
        var workers: [RunningCommand] = []
        for _ in 0..<3 { workers.append(try await bench.beginWorker()) }
        var sleeping: [Int: ContinuousClock.Instant] = [:]
        var counts: [String: Int] = [:]
        var nextID = 1_000
        let end = ContinuousClock.now + Self.time
        while ContinuousClock.now < end {
            for _ in 0..<3 {
                let name = "h\(Int.random(in: 0..<5, using: &random))x\(Int.random(in: 0..<4, using: &random))"
                let feed = try #require(bench.feeds[name])
                nextID += 1
                Self.move(feed, nextID, Int.random(in: 0..<300, using: &random))
            }
            for (index, wakesAt) in sleeping where wakesAt < .now {
                workers[index].send(SIGCONT)
                sleeping[index] = nil
            }
            let index = Int.random(in: 0..<workers.count, using: &random)
            let event = ["kill", "pause", "cut", "drain", "nothing", "nothing"].randomElement(using: &random) ?? ""
            counts[event, default: 0] += 1
            switch event {
            case "kill" where sleeping[index] == nil:
                workers[index].send(SIGKILL)
                workers[index] = try await bench.beginWorker()
            case "drain" where sleeping[index] == nil:
                workers[index].send(SIGTERM)
                workers[index] = try await bench.beginWorker()
            // Past the claim, which lasts 10 seconds.
            case "pause" where sleeping.count < 2 && sleeping[index] == nil:
                workers[index].send(SIGSTOP)
                sleeping[index] = .now + .seconds(12)
            case "cut":
                _ = try? bench.query(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
            default: break
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...900, using: &random)))
        }
        for index in sleeping.keys { workers[index].send(SIGCONT) }
        // Runs that begin from now on see lists at rest.
        let rest = try #require(bench.query("SELECT to_char(now(), 'YYYY-MM-DD HH24:MI:SS.MSOF')").first)
        try await bench.wait(
            for: "\(bench.feeds.count)",
            """
            SELECT count(*) FROM feed WHERE complete AND (SELECT count(*) FROM run
                WHERE run.feed = feed.name AND started_at > '\(rest)' AND finished_at IS NOT NULL AND error IS NULL) > 1
            """)
        try await bench.end(workers)
        try await bench.expectTrue()
        let pages = try bench.query("SELECT sum(pages) FROM run")
        print("workers: seed \(Self.seed), \(counts), \(pages) pages, \(bench.hosts.map(\.requests.count)) requests")
    }

    /// An item comes, changes or goes.
    private static func move(_ feed: PagedFeed, _ id: Int, _ number: Int) {
        feed.edit { items in
            let place = number / 3
            switch number % 3 {
            case 0: items.insert(#"{"id":\#(id),"name":"new"}"#, at: 0)
            case 1 where place < items.count:
                items[place] = items[place].replacing(#/"name":".*"/#, with: #""name":"changed \#(id)""#)
            default: if place < items.count, items.count > 20 { items.remove(at: place) }
            }
        }
    }
}
