import Foundation
import PostgreSQL
import ScriptedServer
import Testing

/// Workers and tables with another client's locks.
@Suite(.timeLimit(.minutes(60))) struct WorkLockTests {
    /// The statements that wait for a lock in the test's database, by their first words.
    private static let waiting = """
        SELECT split_part(query, ' ', 1) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """

    /// True if a feed's table has the column `extra`.
    private func hasExtra(_ table: String) -> String {
        "SELECT count(*) FROM pg_attribute WHERE attrelid = '\(table)'::regclass AND attname = 'extra'"
    }

    @Test("A worker that is paused while it reads a feed does not keep the feed's table from being changed")
    func pausedReader() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1, items: 120, extra: "every: 1s")
        try await bench.end([syncing(bench)])
        // The worker reads this table behind the others.
        let reader = try Connection(uri: bench.uri)
        try reader.execute("BEGIN; LOCK TABLE h0x0")
        let worker = try bench.worker()
        try await bench.wait(for: "COPY", Self.waiting)
        worker.send(SIGSTOP)
        try reader.execute("COMMIT")
        #expect(throws: Never.self) {
            try reader.execute("SET lock_timeout = '30s'; ALTER TABLE h0x0 ADD COLUMN other bigint")
        }
        worker.send(SIGCONT)
        try #require(bench.feeds["h0x0"]).edit { $0.insert(#"{"id":9999,"name":"new"}"#, at: 0) }
        try await bench.wait(for: "9999", "SELECT max(id) FROM h0x0")
        try await bench.end([worker])
    }

    @Test("While a table cannot be changed because somebody reads it, only its feed fails, and says why")
    func longReader() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 2, items: 120, extra: "every: 1s")
        let path = bench.place.path("feedsync.yaml")
        let configuration = try String(contentsOfFile: path, encoding: .utf8)
        try bench.place.write("feedsync.yaml", configuration.replacing("columns: {id: id, name: name}", with: ""))
        let worker = try await syncing(bench)
        let reader = try Connection(uri: bench.uri)
        try reader.execute("BEGIN; SELECT count(*) FROM h0x0")
        let new = #"{"id":9999,"name":"new","extra":1}"#
        try #require(bench.feeds["h0x0"]).edit { $0.insert(new, at: 0) }
        try await bench.wait(for: "ALTER", Self.waiting)
        for name in ["h0x1", "h1x0", "h1x1"] { try #require(bench.feeds[name]).edit { $0.insert(new, at: 0) } }
        for name in ["h0x1", "h1x0", "h1x1"] { try await bench.wait(for: "1", hasExtra(name)) }
        try await bench.wait(for: "failed", "SELECT outcome FROM run WHERE feed = 'h0x0' ORDER BY id DESC")
        let message = try bench.query("SELECT error ->> 'message' FROM feed WHERE name = 'h0x0'")[0]
        #expect(message.contains("lock timeout"), "\(message)")
        try reader.execute("COMMIT")
        _ = try bench.query("UPDATE feed SET next_due_at = NULL WHERE name = 'h0x0'")
        try await bench.wait(for: "1", hasExtra("h0x0"))
        worker.send(SIGTERM)
        let run = await worker.end()
        #expect(run.errors.contains("; try: end what reads the table for so long"), "\(run.errors)")
        try await bench.wait(for: "9999", "SELECT max(key) FROM change WHERE feed = 'h0x0'")
    }

    /// A worker that has synced all feeds.
    private func syncing(_ bench: WorkBench) async throws -> RunningCommand {
        let worker = try bench.worker()
        try await bench.waitUntilComplete()
        return worker
    }
}
