import HTTPServer
import SQLite
import ScriptedServer
import Testing

@testable import StoreFile
@testable import Upstream

@Suite("Prefetch")
struct PrefetchTests {
    private static func paging(_ prefetch: Int, total: Bool = false) -> String {
        "pagination: {style: page, param: page, size_param: per_page, size: 10, prefetch: \(prefetch)"
            + (total ? ", total: total_count}" : "}")
    }

    private func bench(
        _ count: Int = 60, prefetch: Int = 4, total: Bool = false, members: String = "", retries: Int = 0
    ) async throws -> EngineBench {
        try await EngineBench(
            PagedFeed.items(1...count), members: members, paging: Self.paging(prefetch, total: total),
            retries: retries)
    }

    @Test("Pages are committed in order, though the answers come in another")
    func order() async throws {
        let bench = try await bench()
        let (first, last) = (bench.server.gate(), bench.server.gate())
        bench.upstream.hold(page: 2, at: first)
        bench.upstream.hold(page: 5, at: last)
        async let summary = bench.more(.allPages)
        // All four are under way before the first of them is answered, and no more than four.
        await first.arrived()
        await last.arrived()
        #expect(!bench.upstream.requestedPages.contains(6))
        // They go out before the first page is committed.
        try await bench.stored(10)
        #expect(try bench.log == ["beginHeader", "endHeader", "beginFooter"], "prefetchs are silent")
        last.open()
        first.open()
        #expect(try await summary.figures.pages == 7)
        #expect(try bench.names == bench.upstreamNames(60))
        #expect(try bench.query("SELECT page FROM event WHERE status LIKE 'begin%'") == (1...7).map(String.init))
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("No request goes past the last page by the total")
    func total() async throws {
        let bench = try await bench(35, prefetch: 16, total: true)
        try await bench.more(.allPages)
        #expect(bench.upstream.requestedPages.sorted() == [1, 2, 3, 4])
        #expect(try bench.names == bench.upstreamNames(35))
    }

    @Test("No request goes past the pages that are wanted", arguments: ["", "max_pages: 3"])
    func wanted(members: String) async throws {
        let bench = try await bench(prefetch: 8, members: members)
        try await bench.more(members.isEmpty ? .nextPages(3) : .allPages)
        #expect(bench.upstream.requestedPages.sorted() == [1, 2, 3])
        #expect(try bench.names == bench.upstreamNames(30))
    }

    @Test("A prefetched page after an end is dropped")
    func end() async throws {
        let bench = try await bench(30)
        #expect(try await bench.more(.allPages).isAtEnd)
        #expect(try bench.names == bench.upstreamNames(30))
        #expect(try bench.log.last == "noMoreData")
        #expect(try bench.feed("next_page, no_more_data, complete") == "|1|1")
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("Nothing behind a page that fails is committed, and the next command fetches that page again")
    func failure() async throws {
        let bench = try await bench()
        bench.upstream.fail(page: 3, with: .json("nonsense"))
        #expect(try await bench.failure(.allPages).kind == .undecodable)
        #expect(try bench.feed("item_count, next_page, status") == "20|3|endFooter")
        #expect(grammarFault(try bench.log) == nil)
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(60))
    }

    @Test("A stop ends the requests that are under way, and the next command goes on behind the last page")
    func stop() async throws {
        let bench = try await bench()
        let gate = bench.server.gate()
        bench.upstream.hold(page: 3, at: gate)
        let task = Task { try await bench.failure(.allPages) }
        await gate.arrived()
        task.cancel()
        #expect(try await task.value.kind == .cancelled)
        gate.open()
        #expect(grammarFault(try bench.log) == nil)
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(60))
    }

    @Test("An upstream that gives fewer items than it is asked for loses none", arguments: [1, 4, 16])
    func cutSizes(prefetch: Int) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...35), style: .offset, mostPerPage: 4)
        let bench = try await EngineBench(
            paging: "pagination: {style: offset, limit: 10, prefetch: \(prefetch)}", upstream: upstream)
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(try bench.query("SELECT count(*) FROM event WHERE status = 'endFooter'") == ["8"])
    }

    @Test("A page that is shorter than the others drops the offsets that were worked out without it")
    func shortPage() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...60), paging: "pagination: {style: offset, limit: 10, prefetch: 4}")
        bench.server.route("/things") { request in
            let offset = Int(request.parameter("offset") ?? "") ?? 0
            let items = PagedFeed.items(1...60).dropFirst(offset).prefix(offset == 20 ? 7 : 10)
            return .json("{\"items\":[\(items.joined(separator: ","))]}")
        }
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(60))
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("An unchanged feed costs one request in mode `new`, and one a page in mode `all`")
    func unchanged() async throws {
        for (mode, pages) in [("new", [1]), ("all", [1, 2, 3, 4, 5, 6, 7])] {
            let bench = try await bench(members: "sync: {mode: \(mode)}")
            bench.upstream.edit { $0.reverse() }
            try await bench.sync()
            let before = bench.upstream.requestedPages.count
            let outcome = try await bench.sync().outcome
            #expect(outcome == .unchanged)
            #expect(bench.upstream.requestedPages.dropFirst(before).sorted() == pages)
            #expect(try bench.feed("complete") == "1")
        }
    }

    @Test("A sync that may meet a synced range asks for one page ahead alone")
    func syncedRange() async throws {
        let bench = try await bench(prefetch: 16, members: "sync: {mode: new}")
        bench.upstream.sendsETag = false
        try await bench.sync()
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...102), at: 0) }
        let before = bench.upstream.requestedPages.count
        try await bench.sync()
        #expect(bench.upstream.requestedPages.dropFirst(before).allSatisfy { $0 <= 4 })
        #expect(try bench.names.prefix(3) == ["item 101", "item 102", "item 1"])
    }

    @Test("Items that are inserted while pages are under way are there after a sync")
    func drift() async throws {
        let bench = try await bench(total: true, members: "sync: {mode: all}")
        let gate = bench.server.gate()
        bench.upstream.hold(page: 3, at: gate)
        async let summary = bench.sync()
        await gate.arrived()
        bench.upstream.edit { $0.insert(contentsOf: PagedFeed.items(101...112), at: 5) }
        gate.open()
        _ = try await summary
        try await bench.sync()
        #expect(try bench.names.sorted() == bench.upstreamNames(72).sorted())
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("A host that asks for patience gets one request at a time from then on")
    func trouble() async throws {
        let bench = try await bench(retries: 3)
        let gate = bench.server.gate()
        bench.upstream.fail(
            page: 2, with: ServerResponse(status: 503, headers: [("Retry-After", "0")], body: []))
        // Behind page 1 four requests go out; page 2 is asked for again, and page 6 only once page 5 has come.
        bench.upstream.hold(page: 5, at: gate)
        async let summary = bench.more(.allPages)
        await gate.arrived()
        gate.open()
        _ = try await summary
        #expect(try bench.names == bench.upstreamNames(60))
        #expect(bench.upstream.requestedPages.count { $0 == 2 } == 2)
    }

    @Test(
        "With a known end, one request waits at the host, and is sent as soon as the one before is answered",
        .timeLimit(.minutes(1)))
    func waitingInLine() async throws {
        let bench = try await bench(prefetch: 1, total: true)
        await bench.store.wait(milliseconds: 60_000)
        let (first, second, third) = (bench.server.gate(), bench.server.gate(), bench.server.gate())
        for (page, gate) in [(1, first), (2, second), (3, third)] { bench.upstream.hold(page: page, at: gate) }
        async let summary = bench.more(.allPages)
        await first.arrived()
        // Page 1 cannot be stored for now, so none behind it can be worked on.
        let other = try Connection(path: bench.store.path, access: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        first.open()
        await second.arrived()
        #expect(bench.upstream.requestedPages == [1, 2], "one at a time")
        second.open()
        await third.arrived()
        #expect(bench.upstream.requestedPages == [1, 2, 3])
        third.open()
        try other.execute("COMMIT")
        _ = try await summary
        #expect(bench.upstream.requestedPages == Array(1...7), "page 7 shows that the total is right")
        #expect(try bench.names == bench.upstreamNames(60))
    }

    @Test("A request that waits for its turn is not sent behind an answer that asks for patience, but for its page")
    func heldBack() async throws {
        for (rules, response) in [
            ("", ServerResponse(status: 503, headers: [("Retry-After", "0")], body: [])),
            ("responses: [{status: 200, body: {busy: true}, do: retry}]", .json(#"{"busy": true}"#)),
        ] {
            let bench = try await bench(prefetch: 1, total: true, members: rules, retries: 3)
            bench.upstream.fail(page: 2, with: response)
            try await bench.more(.allPages)
            #expect(bench.upstream.requestedPages == [1, 2, 2, 3, 4, 5, 6, 7], "\(rules)")
            #expect(try bench.names == bench.upstreamNames(60))
        }
    }

    @Test("A prefetch that is stopped during a host's pause is not sent again, and the pause is remembered")
    func stoppedInPause() async throws {
        let bench = try await bench(prefetch: 1, total: true, retries: 3)
        bench.upstream.fail(page: 2, with: ServerResponse(status: 429, headers: [("Retry-After", "25")], body: []))
        var options = EngineBench.options
        options.clock = EndedClock()
        let error = try await bench.failure(.allPages, bench.another(options: options))
        #expect(error.kind == .cancelled)
        #expect(bench.upstream.requestedPages.count { $0 == 2 } == 1)
        #expect(try bench.query("SELECT count(*) FROM quota WHERE blocked_until IS NOT NULL") == ["1"])
    }

    @Test("`prefetch` is a number from 1 to 16, and no part of what the pages are")
    func definition() throws {
        #expect(throws: ConfigurationError.self) {
            try EngineBench.definition("url: http://a.b\n\(EngineBench.columns)\n\(Self.paging(17))")
        }
        let texts = try [1, 4].map { number in
            try EngineBench.definition("url: http://a.b\n\(EngineBench.columns)\n\(Self.paging(number))").pagination
                .canonicalText
        }
        #expect(texts[0] == texts[1])
    }

    @Test(
        "Numbers are worked out up to the last page that is known of",
        arguments: [
            (nil, nil, ["3", "4", "5"]), (40, nil, ["3", "4"]), (41, nil, ["3", "4", "5"]), (20, nil, []),
            (nil, 3, ["3"]), (nil, 2, []), (1000, 4, ["3", "4"]), (1000, nil, ["3", "4", "5", "6"]),
        ] as [(Int?, Int?, [String])])
    func numbers(total: Int?, pages: Int?, expected: [String]) throws {
        let style = try EngineBench.definition(
            "url: http://a.b\n\(EngineBench.columns)\npagination: {style: page, pages: pages, prefetch: 4}"
        ).pagination
        let facts = PaginationInput(
            cursor: nil, elementCount: 10, crawlElementCount: 10,
            values: [pages.map { .integer(Int64($0)) }])
        #expect(style.predicted(behind: PageCursor("2"), after: facts, total: total).map(\.text) == expected)
    }
}

/// A clock whose time is over: every wait ends at once with a cancellation.
private struct EndedClock: Clock {
    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { throw CancellationError() }
}
