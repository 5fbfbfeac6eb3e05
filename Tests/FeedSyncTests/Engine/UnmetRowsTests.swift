import Concurrency
import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

/// Lists with rows that a crawl did not meet: gone ones have to go, and others to stay.
@Suite("Rows that a crawl does not meet")
struct UnmetRowsTests {
    private static let next = "pagination: {style: cursor, param: next, next: next}"

    /// A list of ids in pages, with a page number as the cursor of each but the last. Page 3 may fail.
    private func serve(
        _ ids: Lock<[Int]>, perPage: Int, isFailing: Lock<Bool> = Lock(false), on bench: EngineBench,
        before: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        bench.server.route("/things") { request in
            let page = request.parameter("next").flatMap { Int($0) } ?? 1
            before(page)
            if page == 3, isFailing.withLock({ $0 }) { return .status(500) }
            let all = ids.withLock { $0 }
            let rest = all.dropFirst((page - 1) * perPage)
            let items = PagedFeed.items(rest.prefix(perPage)).joined(separator: ",")
            return .json("{\"next\":\(rest.count > perPage ? "\"\(page + 1)\"" : "null"),\"items\":[\(items)]}")
        }
    }

    private func live(_ bench: EngineBench) throws -> [Int] {
        try bench.query("SELECT id FROM things WHERE _removed_at IS NULL ORDER BY id").compactMap { Int($0) }
    }

    @Test("A row whose two neighbours moved to one page stays, if it passed from one page to another meanwhile")
    func movedNeighbours() async throws {
        let ids = Lock(Array(1...40))
        let (isMoving, moved) = (Lock(false), [16, 14] + (1...13) + [15] + (17...40))
        let bench = try await EngineBench(members: "sync: {mode: all}", paging: Self.next)
        serve(ids, perPage: 5, on: bench) { page in
            // 15 passes from page 4 to page 3, which has been read.
            guard page == 4, isMoving.withLock({ $0 }) else { return }
            ids.withLock { $0.removeAll { $0 == 7 } }
        }
        try await bench.sync()
        ids.withLock { $0 = moved }
        isMoving.withLock { $0 = true }
        try await bench.sync()
        #expect(try live(bench).contains(15))
        isMoving.withLock { $0 = false }
        try await bench.sync()
        #expect(try live(bench) == (1...40).filter { $0 != 7 })
        #expect(try bench.query("SELECT key FROM change WHERE kind IN ('removed', 'returned')") == ["7"])
    }

    @Test("A list that becomes one page before its first load ends is that page")
    func shrunkList() async throws {
        let ids = Lock(Array(1...5))
        let bench = try await EngineBench(members: "sync: {mode: all}", paging: Self.next)
        serve(ids, perPage: 3, on: bench)
        try await bench.reload()
        ids.withLock { $0 = [1, 3] }
        let run = try await bench.sync()
        #expect(run.reason == nil)
        #expect(try live(bench) == [1, 3])
        #expect(try bench.feed("complete, verified") == "1|1")
    }

    @Test(
        "Rows that went before a run that was cut off go with the next one, though the list was reset",
        arguments: ["new", "auto", "all"])
    func reset(mode: String) async throws {
        let (ids, isFailing) = (Lock(Array(1...42)), Lock(false))
        let bench = try await EngineBench(members: "sync: {mode: \(mode)}", paging: Self.next)
        serve(ids, perPage: 3, isFailing: isFailing, on: bench)
        try await bench.sync()
        do {
            let lock = try #require(try await bench.store.lock(storedFeed: "things", for: "reset"))
            try await bench.store.reset("things", lock: lock, now: "2026-01-01T00:00:00.000Z")
        }
        ids.withLock { $0.removeAll { $0 == 5 } }
        isFailing.withLock { $0 = true }
        _ = try await bench.failure(.sync)
        isFailing.withLock { $0 = false }
        #expect(try await bench.sync().reason == nil)
        #expect(try live(bench) == (1...42).filter { $0 != 5 })
    }
}
