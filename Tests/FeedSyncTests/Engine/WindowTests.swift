import Concurrency
import HTTP
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

@testable import FeedSync
@testable import Upstream

@Suite("A sync in windows")
struct WindowTests {
    /// 2026-03-01T00:00:00Z
    private static let start: Int64 = 1_772_323_200
    private static let day: Int64 = 86_400

    private struct Bench {
        let list: TimedList
        let bench: EngineBench
        var budget: Int?

        func engine() async throws -> SyncEngine {
            var options = EngineBench.options
            options.wallClock = WallClock { [list] in list.state.withLock { $0.now * 1000 } }
            if let budget {
                options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: budget))
            }
            return try await bench.another(options: options)
        }

        @discardableResult
        func sync() async throws -> RunSummary { try await engine().perform(.sync) }

        var rows: [String] {
            get throws { try bench.query("SELECT id, at FROM things WHERE _removed_at IS NULL ORDER BY id") }
        }

        var asked: [String] {
            list.state.withLock { state in
                defer { state.asked = [] }
                return state.asked
            }
        }
    }

    private func bench(
        _ list: TimedList, _ rule: String = "from: at, widest: 5d, format: unix", members: String = "",
        paging: String = "pagination: none"
    ) async throws -> Bench {
        let bench = try await EngineBench(
            members: "sync: {mode: since, param: from, until: to, start: 2026-03-01, \(rule)}\n\(members)",
            paging: paging,
            columns: "key: id\ncolumns: {id: id, at: at}")
        bench.server.route("/things") { list.answer($0) }
        return Bench(list: list, bench: bench)
    }

    private static func spread(_ days: Int64 = 12) -> TimedList {
        TimedList(
            Dictionary(uniqueKeysWithValues: (0..<days).map { (Int($0), start + $0 * day + 3600) }),
            now: start + days * day)
    }

    @Test("A full sync in windows leaves one record of each page")
    func replacedPages() async throws {
        let list = Self.spread()
        let bench = try await bench(list, "from: at, widest: 5d, full: 7d, format: unix")
        try await bench.sync()
        let before = bench.asked
        list.edit { state in
            state.now += 8 * Self.day
            state.times[1] = Self.start + Self.day + 60
        }
        try await bench.sync()
        #expect(bench.asked.prefix(2) == before.prefix(2))
        #expect(try bench.rows == list.rows)
        #expect(try bench.bench.query("SELECT request FROM _page GROUP BY request HAVING count(*) > 1") == [])
    }

    @Test("A first sync goes from the start to now, the next from the newest item, each in one run")
    func walk() async throws {
        let list = Self.spread()
        let bench = try await bench(list)
        let summary = try await bench.sync()
        #expect(try bench.rows == list.rows)
        #expect(summary.figures.pages == 3 && summary.reason == nil && summary.outcome == .ok)
        #expect(
            bench.asked == ["1772323200..1772755200", "1772755199..1773187199", "1773187198..1773360000"])
        #expect(try bench.bench.query("SELECT watermark FROM _feed") == ["1773277200"])
        #expect(try bench.bench.feed("complete, verified") == "1|0")
        #expect(try bench.bench.query("SELECT count(*), sum(pages), min(outcome) FROM run") == ["1|3|ok"])
        list.edit { state in
            state.now += 2 * Self.day
            state.times[3] = state.now - 60
        }
        try await bench.sync()
        #expect(bench.asked == ["1773277140..1773532800"])
        #expect(try bench.rows == list.rows)
        try await bench.sync()
        #expect(try bench.bench.query("SELECT outcome FROM run ORDER BY id") == ["ok", "ok", "unchanged"])
        #expect(grammarFault(try bench.bench.log) == nil)
    }

    @Test("The watermark moves with each window's last page, and a sync that was cut off goes on at its window")
    func cut() async throws {
        let list = Self.spread()
        let bench = try await bench(list)
        for (answers, mark, complete) in [(0, "", "0"), (1, "1772755200", "0"), (1, "1773187199", "0")] {
            list.edit { $0.answersBeforeFailure = answers }
            let failure = try await bench.bench.failure(.sync, bench.engine())
            #expect(failure.kind == .unreachable)
            let stored = try bench.bench.query("SELECT coalesce(watermark, '') FROM _feed").first ?? ""
            let time = Watermark(json: stored, isTime: true)?.time?.seconds
            #expect((time.map { "\($0)" } ?? "") == mark)
            #expect(try bench.bench.feed("complete") == complete)
        }
        _ = bench.asked
        list.edit { $0.answersBeforeFailure = nil }
        let summary = try await bench.sync()
        #expect(bench.asked == ["1773187198..1773360000"])
        #expect(try bench.rows == list.rows)
        #expect(summary.reason == nil)
        #expect(try bench.bench.feed("complete") == "1")
    }

    @Test("A window of several pages that was cut off goes on at its page cursor, whatever the time is by then")
    func cutPage() async throws {
        let list = Self.spread()
        let bench = try await bench(
            TimedList(list.state.withLock { $0.times }, now: Self.start + 12 * Self.day, pageSize: 2),
            "from: at, widest: 5d, format: unix",
            paging: "pagination: {style: keyset, param: after, from: id}")
        bench.list.edit { $0.answersBeforeFailure = 2 }
        _ = try await bench.bench.failure(.sync, bench.engine())
        bench.list.edit { state in
            state.answersBeforeFailure = nil
            state.now += 100
        }
        _ = bench.asked
        try await bench.sync()
        #expect(bench.asked.first == "1772323200..1772755200")
        #expect(try bench.rows == list.rows)
        #expect(try bench.bench.feed("complete") == "1")
    }

    @Test(
        "A window with an item that cannot be stored holds the watermark, and the windows behind it are read all the same"
    )
    func leftOut() async throws {
        let list = Self.spread()
        let bench = try await bench(list)
        bench.bench.server.route("/things") { request in
            request.parameter("from") == "1772755199"
                ? .json(#"[{"id":7,"at":1772900000},{"at":1}]"#) : list.answer(request)
        }
        let summary = try await bench.sync()
        #expect(summary.reason == .leftOut)
        #expect(try bench.rows.count == 8)
        #expect(try bench.bench.feed("complete") == "0")
        bench.bench.server.route("/things") { list.answer($0) }
        _ = bench.asked
        #expect(try await bench.sync().reason == nil)
        #expect(bench.asked.first == "1772755140..1773187140")
        #expect(try bench.rows == list.rows)
        #expect(try bench.bench.feed("complete") == "1")
    }

    @Test("A reload asks for the newest window, `more` for the rest of it, and neither moves the watermark")
    func reload() async throws {
        let times = Self.spread().state.withLock { $0.times }
        let list = TimedList(times, now: Self.start + 12 * Self.day, pageSize: 2)
        let bench = try await bench(list, paging: "pagination: {style: keyset, param: after, from: id}")
        _ = try await bench.engine().perform(.reload)
        list.edit { $0.now += 10 }
        _ = try await bench.engine().perform(.nextPage)
        #expect(bench.asked == ["1772928000..1773360000"])
        #expect(bench.bench.server.requests.map { $0.parameter("to") } == ["1773360000", "1773360000"])
        #expect(try bench.bench.query("SELECT coalesce(watermark, '-') FROM _feed") == ["-"])
        let summary = try await bench.sync()
        #expect(try bench.rows == list.rows)
        #expect(summary.reason == nil)
    }

    @Test(
        "Without `from`, the ends of windows are the watermark, but none after the crawl's begin by the server's clock")
    func withoutPath() async throws {
        let list = Self.spread()
        let bench = try await bench(list, "widest: 5d, format: unix")
        bench.bench.server.route("/things") { request in
            var response = list.answer(request)
            response.headers.append((name: "Date", value: "Tue, 10 Mar 2026 00:00:00 GMT"))
            return response
        }
        try await bench.sync()
        #expect(try bench.bench.query("SELECT watermark FROM _feed") == [#""2026-03-10T00:00:00Z""#])
        _ = bench.asked
        try await bench.sync()
        #expect(bench.asked.first?.hasPrefix("1773100740..") == true)
    }

    @Test("A full crawl begins at the start again, removes nothing, and is due only where `full` says so")
    func full() async throws {
        let list = Self.spread()
        let bench = try await bench(list)
        try await bench.sync()
        list.edit { $0.now += 40 * Self.day }
        _ = bench.asked
        try await bench.sync()
        #expect(bench.asked.first == "1773277140..1773709140")
        let full = try await self.bench(list, "from: at, widest: 60d, full: 7d, format: unix")
        try await full.sync()
        list.edit { state in
            state.now += 8 * Self.day
            state.times[1] = nil
        }
        _ = full.asked
        try await full.sync()
        #expect(full.asked == ["1772323200..1777507200"])
        #expect(try full.rows.count == 12)
        _ = full.asked
        try await full.sync()
        #expect(full.asked.first?.hasPrefix("1773277140") == true)
    }

    @Test(
        "A sync in windows loses nothing, whatever borders, days and zones the upstream has, and wherever runs are cut off and items change",
        arguments: TimedList.Borders.allCases, TimedList.Notation.allCases)
    func property(borders: TimedList.Borders, notation: TimedList.Notation) async throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed)
            let times = (0..<60).map { _ in Self.start + Int64.random(in: 0..<30 * Self.day, using: &random) }
            let list = TimedList(
                // Some share their time.
                Dictionary(uniqueKeysWithValues: times.enumerated().map { ($0.offset, times[$0.offset / 2 * 2]) }),
                now: Self.start + 20 * Self.day, borders: borders, notation: notation,
                zone: Int64.random(in: -11...13, using: &random) * 3600, pageSize: Int.random(in: 1...9, using: &random)
            )
            let isByItems = Bool.random(using: &random)
            let bench = try await bench(
                list,
                "\(isByItems ? "from: at, " : "")widest: \(Int.random(in: 2...9, using: &random))d, format: \(notation == .days ? "date" : "unix")",
                paging: "pagination: {style: keyset, param: after, from: id}")
            for _ in 0..<12 {
                let failure = Bool.random(using: &random) ? Int.random(in: 0...6, using: &random) : nil
                let changed = (0..<3).map { _ in Int.random(in: 0..<70, using: &random) }
                let wait = Int64.random(in: 0...2 * Self.day, using: &random)
                let moved = Lock(changed)
                list.edit { state in
                    state.now += wait
                    state.answersBeforeFailure = failure
                    // An item changes while the list is read.
                    state.beforeAnswer = { state in
                        state.now += 1
                        if let id = moved.withLock({ $0.popLast() }) { state.times[id] = state.now }
                    }
                }
                _ = try? await bench.sync()
                #expect(grammarFault(try bench.bench.log) == nil)
            }
            list.edit { state in
                (state.beforeAnswer, state.answersBeforeFailure) = (nil, nil)
                // An upstream that leaves the last day out serves it when that is over.
                state.now += 3 * Self.day
            }
            for _ in 0..<2 { try await bench.sync() }
            #expect(try bench.rows == list.rows, "\(borders) \(notation) seed \(seed)")
            #expect(try bench.bench.feed("complete") == "1", "\(borders) \(notation) seed \(seed)")
        }
    }
}

@Suite("A sync of a list that has its newest items first and takes no watermark")
struct NewestFirstTests {
    private func bench(_ times: Lock<[Int: Int]>, ascending: Bool = false) async throws -> EngineBench {
        let bench = try await EngineBench(
            members: "sync: {mode: since, from: at, overlap: 0s}", paging: "pagination: {style: page, total: total}",
            columns: "items: items\nkey: id\ncolumns: {id: id, at: at}")
        bench.server.route("/things") { Self.answer($0, times, ascending: ascending) }
        return bench
    }

    /// Items by their time, the newest first, ten a page.
    private static func answer(
        _ request: ServerRequest, _ times: Lock<[Int: Int]>, ascending: Bool = false
    ) -> ServerResponse {
        let sorted = times.withLock { $0 }.sorted { ascending ? $0.value < $1.value : $0.value > $1.value }
        let start = ((request.parameter("page").flatMap { Int($0) } ?? 1) - 1) * 10
        let items = sorted.dropFirst(start).prefix(10).map { #"{"id":\#($0.key),"at":\#($0.value)}"# }
        let body = "{\"total\":\(sorted.count),\"items\":[\(items.joined(separator: ","))]}"
        let etag = "\"\(body.utf8.reduce(5381 as UInt64) { $0 &* 33 ^ UInt64($1) })\""
        return request.header("If-None-Match") == etag
            ? .status(304, headers: [(name: "ETag", value: etag)]) : .json(body, headers: [(name: "ETag", value: etag)])
    }

    private func items(_ count: Int) -> Lock<[Int: Int]> {
        Lock(Dictionary(uniqueKeysWithValues: (1...count).map { ($0, 1_700_000_000 + $0) }))
    }

    @Test(
        "A sync of a list with its newest items first stops at the page whose items are older, and reads all changed ones above"
    )
    func stops() async throws {
        let times = items(95)
        let bench = try await bench(times)
        try await bench.sync()
        #expect(bench.server.requests.count == 10)
        // Nothing new: one request, which is answered by a 304.
        try await bench.sync()
        #expect(bench.server.requests.count == 11)
        #expect(try bench.feed("complete") == "1")
        times.withLock { times in for id in 20..<45 { times[id] = 1_700_001_000 + id } }
        let summary = try await bench.sync()
        #expect(bench.server.requests.dropFirst(11).map { $0.parameter("page") ?? "1" } == ["1", "2", "3", "1"])
        #expect(summary.figures.items.updated == 25)
        #expect(summary.reason == nil)
        #expect(try bench.feed("complete, verified, item_count") == "1|0|95")
    }

    @Test("A sync that was cut off goes on to the mark of its crawl, though its first page is as it was")
    func cut() async throws {
        let times = items(95)
        let bench = try await bench(times)
        try await bench.sync()
        times.withLock { times in for id in 20..<45 { times[id] = 1_700_001_000 + id } }
        bench.server.route("/things") { request in
            request.parameter("page") == "2" ? .status(500) : Self.answer(request, times)
        }
        _ = try await bench.failure(.sync)
        bench.server.route("/things") { Self.answer($0, times) }
        #expect(try await bench.sync().reason == nil)
        #expect(
            try bench.query("SELECT count(*) FROM things WHERE at > 1700001000") == ["25"],
            "the mark has not moved with the first page")
        #expect(try bench.feed("complete") == "1")
    }

    @Test("A list in ascending order is read to its end: older items at its top say nothing of those behind them")
    func ascending() async throws {
        let times = items(25)
        let bench = try await bench(times, ascending: true)
        try await bench.sync()
        times.withLock { $0[99] = 1_700_002_000 }
        try await bench.sync()
        #expect(try bench.query("SELECT count(*) FROM things") == ["26"])
    }
}
