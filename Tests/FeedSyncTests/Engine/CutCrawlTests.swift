import Concurrency
import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

/// Histories in which a list moves while it is read, or between a cut and the run that goes on.
@Suite("A crawl of a list that moves")
struct CutCrawlTests {
    private func bench(
        _ items: [String], style: PagedFeed.Style = .link, mode: String = "all", sendsETag: Bool = true
    ) async throws -> EngineBench {
        let upstream = PagedFeed(items, perPage: 5, style: style)
        upstream.sendsETag = sendsETag
        upstream.total = .absent
        return try await EngineBench(
            members: "sync: {mode: \(mode)}", paging: "pagination: \(style.pagination(size: 5))", upstream: upstream)
    }

    private func cut(_ bench: EngineBench, after requests: Int) async throws {
        var options = EngineBench.options
        options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: requests))
        _ = try? await bench.another(options: options).perform(.sync)
    }

    private var order: String { "SELECT id FROM things WHERE _removed_at IS NULL ORDER BY _generation DESC, _position" }

    @Test("The next crawl proves the one before, where it finds the list as that one read it", arguments: [0, 3])
    func laterProof(newItems: Int) async throws {
        let bench = try await bench(PagedFeed.items(1...23))
        try await bench.sync()
        #expect(try bench.query("SELECT complete, verified FROM run ORDER BY id") == ["1|0"])
        if newItems > 0 { bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...100 + newItems), at: 0) } }
        try await bench.sync()
        #expect(try bench.query("SELECT complete, verified FROM run ORDER BY id") == ["1|1", "1|0"])
    }

    @Test("A list that changed proves nothing of the crawl before")
    func noLaterProof() async throws {
        let bench = try await bench(PagedFeed.items(1...23))
        try await bench.sync()
        bench.upstream.edit { $0.insert(PagedFeed.items([101])[0], at: 12) }
        try await bench.sync()
        #expect(try bench.query("SELECT complete, verified FROM run ORDER BY id") == ["1|0", "1|0"])
    }

    @Test(
        "An item that came at a border of pages, and moved past the crawl, is not covered by pages that are all as they were"
    )
    func allNotModified() async throws {
        let bench = try await bench(PagedFeed.items(1...20))
        try await bench.sync()
        let upstream = bench.upstream
        upstream.edit { $0.insert(PagedFeed.items([101])[0], at: 10) }
        let isEdited = Lock(false)
        bench.server.route("/things") { request in
            // Page 3 begins with the new item, till one of page 1 goes.
            if upstream.requestedPages.last == 2, !isEdited.withLock({ $0 }), upstream.requestedPages.count > 6 {
                isEdited.withLock { $0 = true }
                upstream.edit { _ = $0.remove(at: 1) }
            }
            return upstream.answer(request)
        }
        try await bench.sync()
        #expect(isEdited.withLock { $0 })
        #expect(try bench.query("SELECT count(*) FROM things WHERE id = 101") == ["0"])
        #expect(try bench.query("SELECT verified FROM run ORDER BY id DESC LIMIT 1") == ["0"])
    }

    @Test("A row that moves up to the pages before the cut is not removed, and is where the upstream has it")
    func movesUpBehindTheCut() async throws {
        for mode in ["all", "auto"] {
            let bench = try await bench(PagedFeed.items(1...40), mode: mode, sendsETag: false)
            try await bench.sync()
            try await cut(bench, after: 4)
            bench.upstream.edit { $0.insert($0.remove(at: 33), at: 7) }
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NOT NULL") == ["0"])
            #expect(
                try bench.query(order) == bench.upstreamNames(.max).map { $0.replacing("item ", with: "") }, "\(mode)")
        }
    }

    @Test(
        "A row that is gone is removed by the run that goes on behind the cut, wherever that is", arguments: 2...5,
        [true, false])
    func goneBeforeTheCut(page: Int, sendsETag: Bool) async throws {
        let upstream = PagedFeed(PagedFeed.items((1...45).reversed()), style: .page)
        upstream.sendsETag = sendsETag
        let bench = try await EngineBench(
            members: "sync: {mode: all}",
            paging: "pagination: \(PagedFeed.Style.page.pagination(size: 10, ["total: total_count"]))",
            upstream: upstream)
        try await bench.sync()
        upstream.edit { items in
            items.remove(at: 15)
            items.insert(contentsOf: PagedFeed.items([48, 47, 46]), at: 0)
        }
        upstream.fail(page: page, with: .status(500))
        _ = try await bench.failure(.sync)
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query(order) == bench.upstreamNames(.max).map { $0.replacing("item ", with: "") })
    }

    @Test("Pages that changed before the cut are read again, and the crawl proves nothing", arguments: [true, false])
    func changesBeforeTheCut(sendsETag: Bool) async throws {
        let bench = try await bench(PagedFeed.items(1...40), sendsETag: sendsETag)
        try await bench.sync()
        try await cut(bench, after: 5)
        bench.upstream.edit { $0[12] = PagedFeed.items([101])[0] }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query(order) == bench.upstreamNames(.max).map { $0.replacing("item ", with: "") })
        #expect(try bench.feed("complete, verified") == "1|0")
    }

    @Test(
        "A crawl whose pages before the cut no request is left for is complete as of its beginning, and removes nothing by them"
    )
    func noRequestsLeft() async throws {
        let bench = try await bench(PagedFeed.items(1...40))
        try await bench.sync()
        try await cut(bench, after: 5)
        bench.upstream.edit { $0[12] = PagedFeed.items([101])[0] }
        try await cut(bench, after: 8)
        #expect(try bench.feed("complete, verified") == "1|0")
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NOT NULL") == ["0"])
        #expect(try bench.query("SELECT full_at < synced_at FROM feed") == ["1"])
        #expect(try bench.query("SELECT complete, verified FROM run ORDER BY id DESC LIMIT 1") == ["1|0"])
    }

    @Test("A run without requests for the pages before the cut keeps rows that may have moved to one of them")
    func movesBeforeTheCut() async throws {
        let upstream = PagedFeed(PagedFeed.items(1...50), style: .page)
        upstream.total = .absent
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: \(PagedFeed.Style.page.pagination(size: 10))",
            upstream: upstream)
        try await bench.sync()
        upstream.edit { $0.insert(PagedFeed.items([101])[0], at: 0) }
        try await cut(bench, after: 4)
        upstream.edit { $0.insert($0.remove(at: 45), at: 13) }
        try await cut(bench, after: 5)
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL").isEmpty)
        #expect(try bench.feed("complete, verified") == "1|0")
        try await bench.sync()
        #expect(try bench.query(order) == bench.upstreamNames(.max).map { $0.replacing("item ", with: "") })
    }

    @Test("A page beside missing rows that is gone by now is no failure: the next sync reads the list")
    func pageIsGone() async throws {
        let bench = try await bench(PagedFeed.items(1...16), style: .nextURL)
        bench.upstream.edit { _ in }
        try await bench.sync()
        bench.upstream.edit { $0.removeLast(6) }
        let upstream = bench.upstream
        bench.server.route("/things") { request in
            let page = Int(request.parameter("page") ?? "") ?? 1
            return page > 2 ? .status(404) : upstream.answer(request)
        }
        for _ in 0..<3 { _ = try await bench.sync() }
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NULL") == ["10"])
        #expect(try bench.feed("complete") == "1")
    }

    @Test("A list with a total on every page completes in each sync while items come to its head")
    func grows() async throws {
        let upstream = PagedFeed(PagedFeed.items(1...20), perPage: 5, style: .page)
        let bench = try await EngineBench(
            members: "sync: {mode: all}",
            paging: "pagination: \(PagedFeed.Style.page.pagination(size: 5, ["total: total_count"]))",
            upstream: upstream)
        let serial = Lock(100)
        bench.server.route("/things") { request in
            if request.parameter("page") == "3" {
                let id = serial.withLock { serial in
                    serial += 1
                    return serial
                }
                upstream.edit { $0.insert(PagedFeed.items([id])[0], at: 0) }
            }
            return upstream.answer(request)
        }
        for _ in 0..<4 { #expect(try await bench.sync().reason == nil) }
    }
}
