import FeedSyncTesting
import Foundation
import Testing

private struct Thing: Decodable, Sendable, Equatable {
    let id: Int
    let name: String
}

@Suite("An app's own tests", .timeLimit(.minutes(2)))
struct AppTests {
    @Test("A mirror in memory has what an upstream that is a function answers")
    func function() async throws {
        let upstream = try TestUpstream { request in
            request.path == "/things" ? .json(#"[{"id": 1, "name": "one"}]"#) : .status(404)
        }
        try await withTemporaryMirror { mirror in
            let feed = try await mirror.feed(FeedDefinition("things", ["url": "\(upstream.url)/things", "key": "id"]))
            try await feed.perform(.sync)
            #expect(try await feed.storedItems(as: Thing.self) == [Thing(id: 1, name: "one")])
        }
        #expect(upstream.requests.first?.path == "/things")
    }

    @Test("An upstream with pages is read to its end")
    func pages() async throws {
        let upstream = try TestUpstream(pages: [#"[{"id": 1}, {"id": 2}]"#, #"[{"id": 3}]"#])
        try await withTemporaryMirror { mirror in
            let feed = try await mirror.feed(FeedDefinition("things", ["url": "\(upstream.url)/things", "key": "id"]))
            let summary = try await feed.perform(.sync)
            #expect(summary.itemCount == 3)
            #expect(summary.isAtEnd)
        }
    }

    @Test("An upstream with pages leads on with the other parameters of a request")
    func parameters() async throws {
        let upstream = try TestUpstream(pages: [#"[{"id": 1}]"#, #"[{"id": 2}]"#, #"[{"id": 3}]"#])
        try await withTemporaryMirror { mirror in
            let url = "\(upstream.url)/things?q=a%20b"
            let feed = try await mirror.feed(
                FeedDefinition("things", ["url": "\(url)", "key": "id", "pagination": "link"]))
            try await feed.perform(.sync)
        }
        let targets = Set(upstream.requests.map(\.target))
        #expect(targets == ["/things?q=a%20b", "/things?q=a%20b&page=2", "/things?q=a%20b&page=3"])
    }

    @Test("A wait that an upstream asks for takes no time with a clock of the test's own")
    func clock() async throws {
        let clock = TestClock()
        let upstream = try TestUpstream { [counter = Counter()] _ in
            counter.next() == 1
                ? .status(503, headers: [(name: "Retry-After", value: "20")]) : .json(#"[{"id": 1, "name": "one"}]"#)
        }
        try await withTemporaryMirror(clock: clock) { mirror in
            let feed = try await mirror.feed(
                FeedDefinition("things", ["url": "\(upstream.url)/things", "key": "id", "retries": 1]))
            async let summary = feed.perform(.reload)
            await clock.sleeping(atLeast: .seconds(10))
            #expect(upstream.requests.count == 1)
            clock.advance(by: .seconds(60))
            #expect(try await summary.itemCount == 1)
        }
    }

    @Test("A temporary mirror is closed and gone afterwards, also behind an error")
    func gone() async throws {
        var path = ""
        await #expect(throws: CancellationError.self) {
            try await withTemporaryMirror { mirror in
                path = mirror.path
                #expect(FileManager.default.fileExists(atPath: path))
                throw CancellationError()
            }
        }
        #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
    }

    @Test("A sleep on a test's clock ends when its task is cancelled")
    func cancelledSleep() async throws {
        let clock = TestClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleeping()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await clock.sleep(for: .zero)
    }

    @Test("States, lists and results for previews can be made")
    func samples() {
        let state = EngineState(.endHeader, error: FeedSyncError(.unreachable, "no route"))
        let list = FeedList([Thing(id: 1, name: "one")], state)
        #expect(list.state.error?.kind == .unreachable)
        #expect(RunSummary(itemCount: 3).isAtEnd)
        #expect(TypedSearch<Thing>.Results("swift", list.items).items.count == 1)
    }

    @Test("Swift's Mirror can be used beside the library")
    func names() { #expect(Mirror(reflecting: Thing(id: 1, name: "one")).children.count == 2) }
}

/// Counts the calls of an answer.
private final class Counter: @unchecked Sendable {
    // Sendable: touched only while the lock is held.
    private let lock = NSLock()
    private var count = 0

    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}
