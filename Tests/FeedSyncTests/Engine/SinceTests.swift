import Concurrency
import HTTPServer
import SQLite
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("A sync by watermark")
struct SinceTests {
    private static let columns = "items: items\nkey: id\ncolumns: {id: id, at: at}"

    private func items(_ ids: some Sequence<Int>) -> [String] {
        ids.map { #"{"id":\#($0),"at":"2026-01-01T00:\#($0 < 10 ? "0" : "")\#($0):00Z"}"# }
    }

    private func bench() async throws -> EngineBench {
        try await EngineBench(
            items(1...25), members: "sync: {mode: since, param: since, from: at, overlap: 1m}",
            paging: "pagination: {style: page}", columns: Self.columns)
    }

    @Test("A sync requests from its watermark itself with `overlap: 0`, and by default from a minute before it")
    func overlap() async throws {
        for (overlap, sent) in [
            (", overlap: 0", "2026-01-01T00:25:00Z"), (", overlap: 0s", "2026-01-01T00:25:00Z"),
            ("", "2026-01-01T00:24:00Z"),
        ] {
            let bench = try await EngineBench(
                items(1...25), members: "sync: {mode: since, param: since, from: at\(overlap)}",
                paging: "pagination: {style: page}", columns: Self.columns)
            try await bench.sync()
            try await bench.sync()
            #expect(bench.server.requests.last?.parameter("since") == sent)
        }
    }

    @Test("An unchanged first page does not complete a list whose other pages were not read")
    func unreadPages() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: since, from: at}", paging: "pagination: {style: page}", columns: Self.columns)
        let name = Lock("old")
        let ids = Lock(Array(1...25))
        bench.server.route("/things") { request in
            let page = request.parameter("page").flatMap { Int($0) } ?? 1
            let items = ids.withLock { $0 }.reversed().dropFirst((page - 1) * 10).prefix(10).map { id in
                #"{"id":\#(id),"at":"2026-01-01T00:\#(id < 10 ? "0" : "")\#(id):00Z"}"#
            }
            let body = "{\"items\":[\(items.joined(separator: ","))],\"name\":\"\(name.withLock { $0 })\"}"
            let tag = "\"\(body.utf8.reduce(5381) { ($0 &* 33 &+ Int($1)) & 0xFFFF_FFFF })\""
            if request.header("If-None-Match") == tag { return .status(304, headers: [("ETag", tag)]) }
            return .json(body, headers: [("ETag", tag)])
        }
        try await bench.sync()
        ids.withLock { $0 += 26...55 }
        try await bench.reload()
        #expect(try bench.feed("complete") == "0")
        try await bench.sync()
        #expect(try bench.feed("item_count, complete") == "55|1")
    }

    /// Serves ids in their order, ten a page, those changed since `since` only.
    ///
    /// - Parameters:
    ///   - minutes: The minute in which each id changed last.
    ///   - before: Called with the number of a page before it is made.
    private func serve(
        _ minutes: Lock<[Int: Int]>, on bench: EngineBench, before: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        bench.server.route("/things") { request in
            let page = request.parameter("page").flatMap { Int($0) } ?? 1
            before(page)
            let since = request.parameter("since") ?? ""
            let items = minutes.withLock { $0 }.sorted { $0.key < $1.key }
                .map { (id: $0.key, at: "2026-01-01T00:\($0.value < 10 ? "0" : "")\($0.value):00Z") }
                .filter { $0.at >= since }
            let texts = items.dropFirst((page - 1) * 10).prefix(10).map { #"{"id":\#($0.id),"at":"\#($0.at)"}"# }
            return .json("{\"total\":\(items.count),\"items\":[\(texts.joined(separator: ","))]}")
        }
    }

    private func minutes(_ ids: ClosedRange<Int>) -> [Int: Int] {
        Dictionary(uniqueKeysWithValues: ids.map { ($0, $0) })
    }

    @Test("An item that moves up past a sync by watermark comes with the next one")
    func movedUp() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: since, param: since, from: at, overlap: 0, full: never}",
            paging: "pagination: {style: page}", columns: Self.columns)
        let (list, isMoving) = (Lock(minutes(1...3)), Lock(false))
        serve(list, on: bench) { page in
            // The first item of page 3 passes to page 2, which has been read.
            guard page == 3, isMoving.withLock({ $0 }) else { return }
            isMoving.withLock { $0 = false }
            list.withLock { $0[14] = nil }
        }
        let missing = { Set((1...28).map { "\($0)" }).subtracting(try bench.query("SELECT id FROM things") + ["14"]) }
        try await bench.sync()
        list.withLock { $0 = minutes(1...28) }
        isMoving.withLock { $0 = true }
        try await bench.sync()
        #expect(try missing().count == 1)
        try await bench.sync()
        #expect(try missing() == [])
        // Nothing was new to a sync: the next one begins at its end.
        try await bench.sync()
        try await bench.sync()
        #expect(bench.server.requests.last?.parameter("since") == "2026-01-01T00:28:00Z")
    }

    @Test("A row that a sync by watermark placed stays if it passes from one page of a full crawl to another")
    func movedUpInFullCrawl() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: since, param: since, from: at, overlap: 0, full: 1s}",
            paging: "pagination: {style: page}", columns: Self.columns)
        let (list, isMoving) = (Lock(minutes(1...35)), Lock(false))
        serve(list, on: bench) { page in
            // 21 passes from page 3 to page 2, which has been read.
            guard page == 3, isMoving.withLock({ $0 }) else { return }
            isMoving.withLock { $0 = false }
            list.withLock { $0[12] = nil }
        }
        try await bench.sync()
        list.withLock { $0.merge([2: 41, 21: 42, 3: 43]) { $1 } }
        try await bench.sync()
        isMoving.withLock { $0 = true }
        try await fullCrawl(of: bench)
        let stored = "SELECT id FROM things WHERE _removed_at IS NULL ORDER BY id"
        let ids = { try bench.query(stored).compactMap { Int($0) } }
        #expect(try ids().contains(21))
        try await fullCrawl(of: bench)
        #expect(try ids() == (1...35).filter { $0 != 12 })
        #expect(try bench.feed("complete") == "1")
    }

    @Test(
        "A full crawl of few pages, or one that is proved, removes a row that a sync by watermark placed",
        arguments: [(35, false, 1), (135, false, 2), (135, true, 1)])
    func removedByFullCrawl(items: Int, isProved: Bool, crawls: Int) async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: since, param: since, from: at, overlap: 0, full: 1s}",
            paging: "pagination: {style: page\(isProved ? ", total: total" : "")}", columns: Self.columns)
        let list = Lock(minutes(1...items).mapValues { $0 % 40 })
        serve(list, on: bench)
        try await bench.sync()
        list.withLock { $0.merge([2: 41, 21: 42, 3: 43]) { $1 } }
        try await bench.sync()
        list.withLock { $0[21] = nil }
        let isStored = { try bench.query("SELECT 1 FROM things WHERE id = 21 AND _removed_at IS NULL") == ["1"] }
        for crawl in 1...crawls {
            #expect(try isStored())
            let run = try await fullCrawl(of: bench)
            #expect(run.notices.isEmpty == (crawl == crawls))
        }
        #expect(try !isStored())
    }

    @discardableResult
    private func fullCrawl(of bench: EngineBench) async throws -> RunSummary {
        try Connection(path: bench.store.path).execute("UPDATE feed SET full_at = '2026-01-01T00:00:00.000Z'")
        return try await bench.sync()
    }

    @Test("A full crawl that is due begins at the `start` again")
    func fullFromStart() async throws {
        let bench = try await EngineBench(
            items(1...25), members: "sync: {mode: since, param: since, from: at, start: 2020-01-01, full: 1s}",
            paging: "pagination: {style: page}", columns: Self.columns)
        let since = { bench.server.requests.last?.parameter("since")?.prefix(4) }
        try await bench.sync()
        #expect(since() == "2020")
        #expect(try bench.feed("full_at IS NOT NULL") == "1")
        try await bench.sync()
        #expect(since() == "2026")
        try await fullCrawl(of: bench)
        #expect(since() == "2020")
        #expect(try bench.feed("full_at > '2026-01-02'") == "1")
    }

    @Test("A sync is verified only if each sync since the last full crawl was")
    func verified() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: since, param: since, from: at, overlap: 1m}",
            paging: "pagination: {style: page, total: total}", columns: Self.columns)
        let last = Lock(5)
        bench.server.route("/things") { request in
            let since = request.parameter("since") ?? ""
            let start = ((Int(request.parameter("page") ?? "") ?? 1) - 1) * 10
            let items = self.items(1...last.withLock { $0 }).filter { $0.suffix(22).prefix(20) >= since }
            let total = items.count > 10 ? "" : "\"total\":\(items.count),"
            return .json("{\(total)\"items\":[\(items.dropFirst(start).prefix(10).joined(separator: ","))]}")
        }
        try await bench.sync()
        #expect(try bench.feed("complete, verified") == "1|1")
        // Two pages without validators and without a total: nothing proves that nothing was missed.
        last.withLock { $0 = 25 }
        for _ in 0..<2 {
            try await bench.sync()
            #expect(try bench.feed("complete, verified") == "1|0")
        }
    }

    @Test("A sync puts its watermark into `value`, in each run of an interrupted crawl, too")
    func value() async throws {
        let bench = try await EngineBench(
            items(1...25),
            members: "sync: {mode: since, param: q, value: \"at:>={watermark} all\", from: at, overlap: 1m}",
            paging: "pagination: {style: page}", columns: Self.columns)
        try await bench.sync()
        #expect(bench.server.requests.allSatisfy { $0.parameter("q") == nil })
        bench.upstream.fail(page: 2, with: .status(500))
        _ = try await bench.failure(.sync)
        try await bench.sync()
        let sent = bench.server.requests.suffix(4).map { $0.parameter("q") ?? "" }
        #expect(sent == Array(repeating: "at:>=2026-01-01T00:24:00Z all", count: 4))
        #expect(try bench.query("SELECT watermark FROM _feed") == [#""2026-01-01T00:25:00Z""#])
    }

    @Test("An interrupted sync is continued by `more` with the same watermark")
    func more() async throws {
        let bench = try await bench()
        try await bench.sync()
        bench.upstream.edit { $0 += [#"{"id":99,"at":"2026-01-01T00:50:00Z"}"#] }
        bench.upstream.fail(page: 2, with: .status(500))
        _ = try await bench.failure(.sync)
        try await bench.more()
        let sent = bench.server.requests.map { $0.parameter("since") }
        #expect(sent.last == "2026-01-01T00:24:00Z")
    }

    @Test("A watermark moves only when the sync is complete")
    func mark() async throws {
        let bench = try await bench()
        bench.upstream.fail(page: 3, with: .status(500))
        _ = try await bench.failure(.sync)
        #expect(try bench.query("SELECT watermark FROM _feed") == [""])
        try await bench.sync()
        #expect(try bench.query("SELECT watermark FROM _feed") == [#""2026-01-01T00:25:00Z""#])
    }

    @Test(
        "Items without a watermark are reported, because each sync repeats the same request",
        arguments: [
            (#"{"id":1}"#, true), (#"{"id":1,"at":"soon"}"#, true), (#"{"id":1,"at":null}"#, true),
            (#"{"id":1,"at":"2026-01-01T00:01:00Z"}"#, false), (#"{"id":1},{"id":2,"at":1767225600}"#, false),
            ("", false),
        ])
    func withoutMark(items: String, isTold: Bool) async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: since, param: since, from: at, overlap: 1m}", paging: "pagination: none",
            columns: Self.columns)
        bench.server.route("/things") { _ in .json("{\"items\":[\(items)]}") }
        for _ in 0..<2 {
            let notices = try await bench.sync().notices
            #expect(notices.contains { $0.contains("at `at`: `since` cannot advance") } == isTold, "\(notices)")
        }
    }

    @Test("The search for a way to the next page asks only for what is new since the watermark")
    func search() async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: since, param: since, from: at, start: 2020-01-01}", paging: "",
            columns: Self.columns)
        let items = (1...25).map { "{\"id\":\($0),\"at\":\"2026-01-01T00:\($0 + 10):00Z\"}" }
        bench.server.route("/things") { request in
            let page = request.parameter("page").flatMap(Int.init) ?? 1
            let served = items.dropFirst((page - 1) * 10).prefix(10).joined(separator: ",")
            return .json("{\"items\":[\(served)],\"meta\":{\"page\":\(page),\"pages\":3,\"total\":25}}")
        }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count") == "25")
        #expect(bench.server.requests.count > 3)
        #expect(bench.server.requests.allSatisfy { $0.parameter("since") != nil })
    }

    @Test("An unchanged answer without a watermark is not reported")
    func unchanged() async throws {
        let bench = try await bench()
        for _ in 0..<3 { #expect(try await bench.sync().notices == []) }
    }

    @Test("A sync sends its watermark in the body of a POST")
    func post() async throws {
        let bench = try await EngineBench(
            members:
                "sync: {mode: since, param: filter.since, from: at, overlap: 1m}\nmethod: POST\nbody: {filter: {since: \"2000-01-01\"}}",
            paging: "pagination: none", columns: Self.columns)
        let bodies = Lock<[String]>([])
        bench.server.route("/things") { request in
            bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return .json(#"{"items":[{"id":1,"at":"2026-01-01T00:01:00Z"},{"id":2}]}"#)
        }
        try await bench.sync()
        try await bench.sync()
        #expect(
            bodies.withLock { $0 } == [
                #"{"filter":{"since":"2000-01-01"}}"#, #"{"filter":{"since":"2026-01-01T00:00:00Z"}}"#,
            ])
    }
}
