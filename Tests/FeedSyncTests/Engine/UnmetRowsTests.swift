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

    private static let unorderedLists = [
        ("pagination: {style: offset, param: from, limit_param: size, limit: 10}", "auto"),
        ("pagination: {style: page, param: next}", "auto"),
        ("pagination: {style: page, param: next}", "always"),
        ("pagination: {style: offset, param: from, limit_param: size, limit: 10}", "always"),
    ]

    /// Serves ids by position: from `from`, or the page `next`.
    private func servePositions(_ ids: Lock<[Int]>, on bench: EngineBench) {
        bench.server.route("/things") { request in
            let page = request.parameter("next").flatMap { Int($0) } ?? 1
            let start = request.parameter("from").flatMap { Int($0) } ?? (page - 1) * 10
            let size = request.parameter("size").flatMap { Int($0) } ?? 10
            let rest = ids.withLock { $0 }.dropFirst(start)
            let items = PagedFeed.items(rest.prefix(size)).joined(separator: ",")
            return .json("{\"next\":\(rest.count > 10 ? "\"\(page + 1)\"" : "null"),\"items\":[\(items)]}")
        }
    }

    @Test(
        "An item that comes twice in place of another makes a list incomplete once, and never verified",
        arguments: unorderedLists)
    func hiddenItem(paging: String, verify: String) async throws {
        let ids = Lock((1...47).map { $0 == 17 ? 5 : $0 })
        let bench = try await EngineBench(members: "sync: {mode: all, verify: \(verify)}", paging: paging)
        servePositions(ids, on: bench)
        let run = try await bench.sync()
        #expect(run.reason == .drift)
        #expect(run.notices.contains { $0.hasPrefix("1 item came again") }, "\(run.notices)")
        for _ in 0..<2 {
            try await bench.sync()
            #expect(try bench.feed("complete, verified") == "1|0")
        }
        ids.withLock { $0 = Array(1...47) }
        try await bench.sync()
        #expect(try live(bench) == Array(1...47))
    }

    @Test("A row stays while an item comes twice in its place", arguments: unorderedLists)
    func hiddenRow(paging: String, verify: String) async throws {
        let ids = Lock(Array(1...47))
        let bench = try await EngineBench(members: "sync: {mode: all, verify: \(verify)}", paging: paging)
        servePositions(ids, on: bench)
        try await bench.sync()
        #expect(try bench.feed("complete") == "1")
        ids.withLock { $0[16] = 5 }
        for _ in 0..<4 {
            try await bench.sync()
            #expect(try live(bench) == Array(1...47))
            #expect(try bench.feed("verified") == "0")
        }
        #expect(try bench.feed("complete") == "1")
        // Others are gone, but nothing tells which.
        ids.withLock { $0 = (1...45).map { $0 == 17 ? 5 : $0 } }
        for _ in 0..<3 { try await bench.sync() }
        #expect(try live(bench) == Array(1...47))
        ids.withLock { $0 = (1...47).filter { $0 != 17 } }
        try await bench.sync()
        try await bench.sync()
        #expect(try live(bench) == (1...47).filter { $0 != 17 })
    }

    @Test("Rows behind a page that comes empty stay while the page after it has items")
    func emptyPage() async throws {
        let (ids, isEmpty) = (Lock(Array(1...57)), Lock(false))
        let bench = try await EngineBench(members: "sync: {mode: all}", paging: Self.next)
        bench.server.route("/things") { request in
            let page = request.parameter("next").flatMap { Int($0) } ?? 1
            let rest = ids.withLock { $0 }.dropFirst((page - 1) * 10)
            let items = page == 3 && isEmpty.withLock { $0 } ? [] : PagedFeed.items(rest.prefix(10))
            let next = rest.count > 10 && !items.isEmpty ? "\"\(page + 1)\"" : "null"
            return .json("{\"next\":\(next),\"items\":[\(items.joined(separator: ","))]}")
        }
        try await bench.sync()
        isEmpty.withLock { $0 = true }
        for _ in 0..<3 {
            #expect(try await bench.sync().reason == .cutOff)
            #expect(try live(bench) == Array(1...57))
        }
        isEmpty.withLock { $0 = false }
        ids.withLock { $0 = Array(1...20) }
        for _ in 0..<3 { try await bench.sync() }
        #expect(try live(bench) == Array(1...20))
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
