import Concurrency
import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("A total is believed against the feed")
struct TotalsAgainstUsTests {
    private static let items = PagedFeed.items(1...10).joined(separator: ",")

    private func bench(
        _ body: String, paging: String, columns: String = EngineBench.columns,
        headers: [(name: String, value: String)] = []
    ) async throws -> EngineBench {
        let bench = try await EngineBench(paging: paging, columns: columns)
        bench.server.route("/things") { _ in .json(body, headers: headers) }
        return bench
    }

    private static let headers: [[(name: String, value: String)]] = [
        [("X-Total-Count", "95")], [("X-WP-Total", "95")], [("x-total", "95")], [("Content-Range", "items 0-9/95")],
    ]

    @Test(
        "A total is believed in any place, and with any pagination",
        arguments: [
            "", "pagination: none", "pagination: link", "pagination: {style: next_url, next: next}",
            "pagination: {style: cursor, param: c, next: next}",
        ])
    func ofOnlyPage(paging: String) async throws {
        for body in [
            #"{"total":95,"items":[\#(Self.items)]}"#, #"{"meta":{"total":{"value":95}},"items":[\#(Self.items)]}"#,
        ] {
            let bench = try await bench(body, paging: paging)
            #expect(try await bench.sync().reason == .cap)
            #expect(try bench.feed("complete, item_count") == "0|10")
        }
        for headers in Self.headers {
            let bench = try await bench(#"{"items":[\#(Self.items)]}"#, paging: paging, headers: headers)
            #expect(try await bench.sync().reason == .cap, "\(headers)")
            #expect(try bench.query("SELECT total FROM _crawl") == ["95"])
        }
    }

    @Test(
        "A total is not believed for the feed, nor if it is the page's own count or counts bytes",
        arguments: [
            ("Content-Range", "bytes 0-9/95"), ("Content-Range", "items 0-9/*"), ("X-Total-Count", "10"),
            ("X-Total-Count", "3"), ("X-Total-Count", "many"),
        ])
    func complete(name: String, value: String) async throws {
        let bench = try await bench(
            #"{"total":10,"items":[\#(Self.items)]}"#, paging: "pagination: none", headers: [(name, value)])
        #expect(try await bench.sync().reason == nil)
    }

    /// A list, its count, and the number of requests behind that which fail.
    private struct Counted {
        var ids = Array((1...20).reversed())
        var counted = 20
        var failures = 0
    }

    /// A list of 20 items in pages of ten, whose pages state a number of items or pages.
    ///
    /// - Parameter statusBehind: The status of an error behind them; nil for an empty page.
    private func bench(
        _ style: String, count: String, mode: String = "all", statusBehind: Int? = nil
    ) async throws -> (EngineBench, Lock<Counted>) {
        let size = style == "offset" ? ", limit: 10" : ""
        let bench = try await EngineBench(
            members: "sync: {mode: \(mode)}", paging: "pagination: {style: \(style), \(count): \(count)\(size)}")
        let list = Lock(Counted())
        bench.server.route("/things") { request in
            let (ids, counted) = list.withLock { ($0.ids, $0.counted) }
            let number = { (name: String) in request.parameter(name).flatMap { Int($0) } }
            let start = number("offset") ?? ((number("page") ?? 1) - 1) * 10
            // A page of a list by offset begins with the last item of the page before.
            if let statusBehind, start >= ids.count - (style == "offset" ? 1 : 0) {
                return .json(#"{"error":"Only the first 100 results are available"}"#, status: statusBehind)
            }
            let fails = list.withLock { list in
                guard start >= counted, list.failures > 0 else { return false }
                list.failures -= 1
                return true
            }
            if fails { return .status(503) }
            let items = PagedFeed.items(ids.dropFirst(start).prefix(number("limit") ?? 10)).joined(separator: ",")
            return .json(#"{"\#(count)":\#(count == "total" ? counted : (counted + 9) / 10),"items":[\#(items)]}"#)
        }
        return (bench, list)
    }

    @Test(
        "A count that alone ends a list of full pages is checked with one request behind it",
        arguments: [("page", "total"), ("page", "pages"), ("offset", "total")])
    func countThatLags(style: String, count: String) async throws {
        let (bench, list) = try await bench(style, count: count)
        try await bench.sync()
        let checks = {
            bench.server.requests.count { $0.parameter("page") == "3" || $0.parameter("offset") == "19" }
        }
        #expect(checks() == 1)
        #expect(try bench.feed("item_count, complete") == "20|1")
        // It is not checked again while the last page is as it was.
        try await bench.sync()
        #expect(checks() == 1)
        // An item is new at the head, and the count does not know of it.
        list.withLock { $0.ids.insert(21, at: 0) }
        for _ in 1...2 {
            let run = try await bench.sync()
            #expect(run.reason == nil && run.figures.items.removed == 0, "\(run.notices)")
            #expect(try bench.feed("item_count, complete") == "21|1")
        }
        list.withLock { $0.counted = 21 }
        #expect(try await bench.sync().reason == nil)
        list.withLock { ($0.ids, $0.counted) = (Array($0.ids.dropLast()), 20) }
        #expect(try await bench.sync().figures.items.removed == 1)
        #expect(try bench.feed("item_count, complete") == "20|1")
    }

    @Test(
        "A counted end that a command could not look behind is looked behind by the next sync",
        arguments: ["new", "all"])
    func countCheckedLater(mode: String) async throws {
        let (bench, list) = try await bench("page", count: "total", mode: mode)
        list.withLock { ($0.ids, $0.counted) = (Array((1...40).reversed()), 20) }
        try await bench.more(.nextPages(2))
        #expect(try bench.feed("item_count, verified") == "20|0")
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete, verified") == "40|1|0", "The count is wrong.")
    }

    @Test(
        "A counted end is checked on any budget, in few runs", arguments: [3, 4, 5, 6], [30, 40])
    func countOnBudget(most: Int, counted: Int) async throws {
        let (bench, list) = try await bench("page", count: "total")
        list.withLock { ($0.ids, $0.counted) = (Array((1...40).reversed()), counted) }
        var options = EngineBench.options
        for _ in 1...5 where try bench.query("SELECT complete FROM feed") != ["1"] {
            options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: most))
            _ = try? await bench.another(options: options).perform(.sync)
        }
        #expect(try bench.feed("item_count, complete") == "40|1")
    }

    @Test("A server that always fails behind its last page fails no sync, on any budget", arguments: [2, 3, 9])
    func failsBehind(most: Int) async throws {
        let (bench, list) = try await bench("page", count: "total", statusBehind: 500)
        for (count, runs) in [(30, 4), (20, 4), (30, 4)] {
            list.withLock { ($0.ids, $0.counted) = (Array((1...count).reversed()), count) }
            for _ in 1...runs {
                var options = EngineBench.options
                options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: most))
                do {
                    _ = try await bench.another(options: options).perform(.sync)
                } catch let error as FeedSyncError {
                    #expect(error.kind == .cancelled, "\(error)")
                }
            }
            if most == 9 { #expect(try bench.feed("item_count, complete") == "\(count)|1") }
        }
    }

    @Test(
        "A count is believed if the request behind it fails, and proves nothing unless the page is not there",
        arguments: [(400, 1), (404, 1), (422, 1), (403, 0), (500, 0)])
    func countThatCannotBeChecked(status: Int, isVerified: Int) async throws {
        for style in ["page", "offset"] {
            let (bench, _) = try await bench(style, count: "total", statusBehind: status)
            for _ in 1...2 { #expect(try await bench.sync().reason == nil) }
            #expect(try bench.feed("item_count, complete, verified") == "20|1|\(isVerified)", "\(style)")
            #expect(try bench.query("SELECT verified FROM run") == Array(repeating: "\(isVerified)", count: 2))
        }
    }

    @Test("A row behind a counted end stays while the page there cannot be read, and the next sync looks again")
    func rowBehindUncheckedCount() async throws {
        let (bench, list) = try await bench("page", count: "total")
        try await bench.sync()
        list.withLock { $0.ids.insert(21, at: 0) }
        list.withLock { $0.failures = 1 }
        #expect(try await bench.sync().reason == .cutOff)
        #expect(try bench.feed("item_count") == "21")
        for _ in 1...2 {
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.feed("item_count, complete") == "21|1")
        }
    }

    @Test("Words about a limit behind a counted end are a cap")
    func capBehindCount() async throws {
        let (bench, list) = try await bench("page", count: "pages", statusBehind: 422)
        list.withLock { ($0.ids, $0.counted) = (Array((1...100).reversed()), 100) }
        #expect(try await bench.sync().reason == .cap)
    }

    @Test(
        "A total is believed after the last of several pages, too, if `total` names it",
        arguments: [
            ("{style: next_url, next: next, total: n}", "?c=1"),
            ("{style: cursor, param: c, next: next, total: n}", "1"),
        ])
    func severalPages(paging: String, next: String) async throws {
        let bench = try await bench("", paging: "pagination: \(paging)")
        bench.server.route("/things") { request in
            let isFirst = request.parameter("c") == nil
            let items = PagedFeed.items(isFirst ? 1...10 : 11...20).joined(separator: ",")
            return .json("{\"n\":95,\(isFirst ? "\"next\":\"\(next)\"," : "")\"items\":[\(items)]}")
        }
        #expect(try await bench.sync().reason == .cap)
        #expect(try bench.feed("complete, item_count") == "0|20")
    }

    @Test(
        "A total in the header of every page, the empty one at the end too, proves a list of numbered pages",
        arguments: [("20", "1|1|20"), ("0", "1|0|20"), ("25", "0|0|20")])
    func headerOfEmptyPage(ofEmptyPage: String, expected: String) async throws {
        for paging in ["{style: page, param: p}", "{style: offset, param: o}"] {
            let bench = try await bench("", paging: "pagination: \(paging)")
            bench.server.route("/things") { request in
                let start =
                    request.parameter("o").flatMap { Int($0) }
                    ?? ((request.parameter("p").flatMap { Int($0) } ?? 1) - 1) * 10
                let items = start < 20 ? PagedFeed.items(start + 1...start + 10).joined(separator: ",") : ""
                let total = start < 20 ? "20" : ofEmptyPage
                return .json("{\"items\":[\(items)]}", headers: [("X-Total-Count", total)])
            }
            try await bench.sync()
            #expect(try bench.feed("complete, verified, item_count") == expected, "\(paging)")
        }
    }

    @Test("The first page shows a column that no item has, and a path that matches nothing")
    func unmatched() async throws {
        let bench = try await bench(
            #"{"count":95,"next":"?c=1","items":[{"id":1,"stargazers_count":2,"owner":{"login":"x"}}]}"#,
            paging: "pagination: {style: next_url, next: nxt}",
            columns: "items: items\nkey: id\ncolumns: {id: id, stars: stargazer_count, owner: owner.logn}")
        let notices = try await bench.reload().notices.joined(separator: "; ")
        #expect(
            notices.contains(
                "no item of the first page has `stargazer_count`, for the column `stars`; did you mean `stargazers_count`?"
            ))
        #expect(notices.contains("`owner.logn`, for the column `owner`; did you mean `owner.login`?"))
        #expect(
            notices.contains("`nxt`, in the feed's `pagination`, matches nothing in the body; did you mean `next`?"))
        #expect(try bench.feed("complete") == "0")
        let again = try await bench.reload().notices.joined(separator: "; ")
        #expect(!again.contains("no item of the first page"))
    }

    @Test(
        "The first page shows each path that pages and sections go by",
        arguments: [
            ("style: next_url, next: nowhere", "`nowhere`, in the feed's `pagination`, matches nothing in the body"),
            ("style: cursor, param: c, next: tokn", "`tokn`, in the feed's `pagination`, matches nothing in the body"),
            (
                "style: cursor, param: c, next: token, more: has_mor",
                "`has_mor`, in the feed's `pagination`, matches nothing in the body; did you mean `has_more`?"
            ),
            ("style: page, total: nothing", "`nothing`, in the feed's `pagination`, matches nothing in the body"),
            (
                "style: offset, limit: 1, limit_param: limit, total: cunt",
                "matches nothing in the body; did you mean `count`?"
            ),
            ("style: page, pages: pgs", "`pgs`, in the feed's `pagination`, matches nothing in the body"),
            ("style: none", "no item of the first page has `knd`, for `section`; did you mean `kind`?"),
        ])
    func unmatchedPath(paging: String, notice: String) async throws {
        let bench = try await bench(
            #"{"count":95,"has_more":true,"items":[{"id":1,"kind":"a"}]}"#,
            paging: "pagination: {\(paging)}", columns: "items: items\nkey: id\nsection: knd")
        let notices = try await bench.reload().notices.joined(separator: "; ")
        #expect(notices.contains(notice), "\(notices)")
    }

    @Test("A page without a way on gets no note where it has all items")
    func theOnlyPage() async throws {
        let bench = try await bench(
            #"{"count":1,"items":[{"id":1}]}"#, paging: "pagination: {style: next_url, next: links.next}",
            columns: "items: items\nkey: id")
        #expect(try await bench.reload().notices == [])
    }
}
