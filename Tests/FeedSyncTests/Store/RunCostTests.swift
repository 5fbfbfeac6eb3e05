import FeedSync
import Foundation
import SQLite
import Testing

@testable import Crawling
@testable import MirrorWriter
@testable import StoreFile

@Suite("The cost of a run")
struct RunCostTests {
    @Test("Requests without a page that is stored are in the run's row at once, whatever becomes of the process")
    func spent() async throws {
        let bench = try await EngineBench()
        try await bench.reload()
        let row = try await bench.store.rowAfterSpending(on: bench.definition)
        #expect(row == "3|400|2")
    }
}

extension Store {
    /// Begins a run, spends requests, and reads the run's row before it ends.
    fileprivate func rowAfterSpending(on definition: FeedDefinition) throws -> String {
        let lock = try #require(try FeedLock(on: 1, of: path, command: "sync"))
        let now = "2026-11-22T00:00:00.000Z"
        let (writer, _) = try open(definition, lock: lock, command: "sync", now: now)
        defer { close(writer) }
        _ = try writer.committed { try writer.begin(.header, now: now) }
        try writer.committed { try writer.spend(FetchCost(requestCount: 1, byteCount: 100)) }
        try writer.committed { try writer.spend(FetchCost(requestCount: 2, byteCount: 300)) }
        let row = try Connection(path: path).scalar(
            "SELECT requests || '|' || bytes || '|' || id FROM run ORDER BY id DESC LIMIT 1")
        _ = try writer.fail(
            FeedSyncError(.cancelled, "the test ends"), outcome: .cancelled, cost: FetchCost(), now: now)
        guard case .text(let text)? = row else { return "" }
        return text
    }
}
