import Concurrency
import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

@Suite("Syncs on a budget of a few requests a run")
struct BudgetTests {
    /// Styles of paging, each with a typical answer.
    enum Paging: String, CaseIterable {
        case page, pageWithTotal, offset, link, nextURL, cursor, keyset

        var style: PagedFeed.Style {
            switch self {
            case .page, .pageWithTotal: .page
            case .offset: .offset
            case .link: .link
            case .nextURL: .nextURL
            case .cursor: .cursor
            case .keyset: .keyset
            }
        }
    }

    private func options(_ requests: Int) -> EngineOptions {
        var options = EngineBench.options
        options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: requests))
        return options
    }

    private func bench(_ paging: Paging, mode: String, sendsETag: Bool, pages: Int) async throws -> EngineBench {
        let upstream = PagedFeed(PagedFeed.items(1...(pages * 5)), perPage: 5, style: paging.style)
        upstream.sendsETag = sendsETag
        let members = paging == .pageWithTotal ? ["total: total_count"] : []
        return try await EngineBench(
            members: "sync: {mode: \(mode)}",
            paging: "pagination: \(paging.style.pagination(size: 5, members))", upstream: upstream)
    }

    @Test(
        "A list that rests is complete after no more runs than it has pages, two requests of each run left out",
        arguments: Paging.allCases, ["new", "all", "auto"])
    func bound(paging: Paging, mode: String) async throws {
        for (budget, pages) in [(3, 6), (4, 9), (6, 17)] {
            let bench = try await bench(paging, mode: mode, sendsETag: true, pages: pages)
            var runs = 0
            while try bench.feed("complete") != "1", runs < 40 {
                runs += 1
                _ = try? await bench.another(options: options(budget)).perform(.sync)
            }
            let bound = (pages + budget - 3) / (budget - 2) + 1
            #expect(runs <= bound, "\(paging) \(mode), \(pages) pages on \(budget) requests: \(runs) runs")
            #expect(try bench.names == bench.upstreamNames(.max))
            #expect(try bench.feed("verified") == "0", "nothing that an earlier run read proves anything")
        }
    }

    @Test("A page that was just read is not read again because a stored range ends there: each run gets further")
    func justRead() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: new}", paging: "pagination: {style: next_url, next: next}")
        let list = Lock((ids: [103, 104, 107], isRefused: false))
        bench.server.route("/things") { request in
            let number = request.parameter("page").flatMap { Int($0) } ?? 1
            let (ids, isRefused) = list.withLock { list in
                defer { if number == 2 { list.isRefused = false } }
                return list
            }
            guard number != 2 || !isRefused else { return .status(403) }
            let items = PagedFeed.items(ids.dropFirst(number * 2 - 2).prefix(2)).joined(separator: ",")
            let next = number * 2 < ids.count ? "\"/things?page=\(number + 1)\"" : "null"
            return .json("{\"next\":\(next),\"items\":[\(items)]}")
        }
        try await bench.sync()
        list.withLock { $0 = ([101, 102, 103, 104, 107], true) }
        _ = try? await bench.sync()
        for _ in 1...2 { _ = try? await bench.another(options: options(3)).perform(.sync) }
        #expect(try bench.feed("complete, item_count") == "1|5")
    }

    @Test("New items that push down the only page of a cut sync are not taken for a parameter that is ignored")
    func pushedDownBehindCut() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: {style: offset, limit: 3}")
        let list = Lock([7, 2, 1])
        bench.server.route("/things") { request in
            let number = { (name: String) in request.parameter(name).flatMap { Int($0) } ?? 0 }
            let ids = list.withLock { $0 }.dropFirst(number("offset")).prefix(number("limit"))
            return .json("{\"items\":[\(PagedFeed.items(ids).joined(separator: ","))]}")
        }
        _ = try? await bench.another(options: options(1)).perform(.sync)
        list.withLock { $0 = [17, 16, 7, 2, 1] }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("complete, item_count") == "1|5")
    }

    @Test(
        "`sync` goes on where `more` stopped, with the head and one page more: the one at the border, or the head again",
        arguments: [(Paging.offset, 11), (.pageWithTotal, 11)])
    func shared(paging: Paging, requests: Int) async throws {
        let bench = try await bench(paging, mode: "new", sendsETag: true, pages: 8)
        try await bench.more(.nextPages(3))
        try await bench.sync()
        #expect(bench.server.requests.count == requests)
        #expect(try bench.feed("complete, no_more_data, item_count") == "1|1|40")
    }

    @Test("A head that moved in between is met, and what was stored is not read again")
    func movedHead() async throws {
        let bench = try await bench(.pageWithTotal, mode: "new", sendsETag: true, pages: 8)
        _ = try? await bench.another(options: options(5)).perform(.sync)
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...102), at: 0) }
        let before = bench.upstream.requestedPages.count
        try await bench.sync()
        #expect(bench.upstream.requestedPages.dropFirst(before).first == 1)
        #expect(!bench.upstream.requestedPages.dropFirst(before).contains(3))
        #expect(try bench.names == bench.upstreamNames(.max))
        #expect(try bench.feed("complete") == "1")
    }

    @Test("A page that always fails does not hide the head", arguments: ["new", "all"])
    func failingTail(mode: String) async throws {
        let bench = try await bench(.page, mode: mode, sendsETag: true, pages: 6)
        bench.upstream.fail(page: 4, with: .status(500), times: 10)
        for run in 1...4 {
            bench.upstream.edit { $0.insert(PagedFeed.items([100 + run])[0], at: 0) }
            _ = try? await bench.engine.perform(.sync)
            #expect(try bench.query("SELECT count(*) FROM things WHERE id = \(100 + run)") == ["1"])
        }
    }
}

@Suite("The requests of a run")
struct RequestCountTests {
    @Test("A run counts as many requests as the upstream, dropped prefetches included")
    func dropped() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...90), members: "sync: {mode: all}",
            paging: "pagination: {style: page, size_param: per_page, size: 10, total: total_count, prefetch: 4}")
        bench.upstream.total = .claimed(200)
        for _ in 0..<3 { _ = try? await bench.sync() }
        let counted = try #require(Int(try bench.query("SELECT sum(requests) FROM run")[0]))
        // A request that was cancelled on its way may not have arrived.
        let seen = bench.server.requests.count
        #expect((seen...seen + 4).contains(counted), "\(bench.upstream.requestedPages)")
    }
}
