import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

/// A way of paging with an end and a total.
private struct Shape: Sendable, CustomTestStringConvertible {
    let style: PagedFeed.Style
    let end: PagedFeed.End
    let total: PagedFeed.Total

    var testDescription: String { "\(style), end \(end), total \(total)" }

    /// Every style with every end; with every kind of total where the style reads one.
    static var all: [Shape] {
        PagedFeed.Style.allCases.flatMap { style in
            let totals: [PagedFeed.Total] = style.readsTotal ? totals : [.actual, .claimed(999), .absent]
            return style.ends.flatMap { end in totals.map { Shape(style: style, end: end, total: $0) } }
        }
    }

    private static let totals: [PagedFeed.Total] = [
        .actual, .claimed(7), .claimed(999), .written(#""many""#), .written(#""35""#), .written("-5"),
        .written("1e300"), .written("null"), .absent,
    ]

    var pagination: String {
        style.pagination(
            (style.readsTotal ? ["total: total_count"] : []) + (end == .flag ? ["more: has_more"] : []))
    }

    var isTotalTrue: Bool { total == .actual || total == .written(#""35""#) }

    /// True if the total is greater than the list: it is read even if no definition asks for it.
    var promisesMore: Bool { total == .claimed(999) }

    /// The requests that may have gone out in vain by the time that the end came: where there is more, they are lined
    /// up.
    var needlessRequests: Int { promisesMore && end != .flag ? 1 : 0 }

    /// The requests that 35 items in pages of 10 need.
    var requests: Int {
        if style.readsTotal { return isTotalTrue || end == .flag ? 4 : 5 }
        return end == .emptyPage ? 5 : 4
    }
}

extension PagedFeed.Style {
    fileprivate var readsTotal: Bool { self == .page || self == .offset }

    fileprivate func pagination(_ members: [String]) -> String { pagination(size: nil, members) }
}

@Suite("Every style against every end")
struct EndsTests {
    @Test(
        "Every style brings every row once, and distinguishes a true end from one that is too early",
        arguments: Shape.all)
    private func matrix(shape: Shape) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...35), style: shape.style, end: shape.end)
        upstream.total = shape.total
        let bench = try await EngineBench(paging: "pagination: \(shape.pagination)", upstream: upstream)
        // The upstream says of a page that it is there, and that it is not: that is no end.
        guard !shape.promisesMore || !shape.style.readsTotal || shape.end != .status(404) else {
            let error = try await bench.failure(.allPages)
            #expect(error.httpStatus == 404)
            #expect(error.advice?.contains("35 of 999 items have been received") == true)
            #expect(error.advice?.contains("`responses: [{status: 404, do: end}]`") == true)
            #expect(try bench.feed("no_more_data, item_count") == "0|35")
            return
        }
        let crawl = try await bench.more(.allPages)
        #expect(crawl.outcome == .ok)
        #expect(crawl.reason == (shape.promisesMore ? .cap : nil))
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(
            try bench.feed("status, no_more_data, next_page, item_count, complete")
                == "noMoreData|1||35|\(shape.promisesMore ? 0 : 1)")
        let most = shape.requests + shape.needlessRequests
        #expect((shape.requests...most).contains(bench.server.requests.count))

        try await bench.reload()
        #expect(try await bench.more(.allPages).outcome == .noMoreData)
        let before = bench.server.requests.count
        let again = try await bench.sync()
        #expect(again.outcome == .unchanged)
        #expect(try bench.names == bench.upstreamNames(35))
        // The proof that a crawl missed nothing may ask for the head again.
        #expect((shape.requests...most + 1).contains(bench.server.requests.count - before))
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("Every style loses no row to a server that lowers the size", arguments: PagedFeed.Style.allCases)
    func cut(style: PagedFeed.Style) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...35), style: style, mostPerPage: 10)
        let members = style.readsTotal ? ["total: total_count"] : []
        let bench = try await EngineBench(
            paging: "pagination: \(style.pagination(size: 100, members))", upstream: upstream)
        #expect(try await bench.more(.allPages).reason == nil)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(bench.server.requests.first?.query.contains { $0.value == "100" } == true)
    }

    @Test("Every style loses no row to a number of pages computed from the requested size", arguments: [10, 20, 100])
    func cutPages(size: Int) async throws {
        let paging = "pagination: {style: page, size_param: n, size: \(size), pages: pages}"
        let bench = try await EngineBench(paging: paging)
        let items = bench.upstream.items
        bench.server.route("/things") { request in
            let start = (Int(request.parameter("page") ?? "") ?? 1) * 10 - 10
            let slice = items.dropFirst(start).prefix(10).joined(separator: ",")
            return .json("{\"pages\":\((items.count + size - 1) / size),\"items\":[\(slice)]}")
        }
        #expect(try await bench.more(.allPages).reason == nil)
        #expect(try bench.names == bench.upstreamNames(35))
        #expect(bench.server.requests.count == (size == 10 ? 4 : 5))
    }

    @Test("The items of a page that `responses` calls the end are stored")
    func itemsOfEnd() async throws {
        let bench = try await EngineBench(
            members: "responses: [{body: {last: true}, do: end}]", paging: "pagination: {style: next_url, next: next}")
        bench.server.route("/things") { request in
            let page = Int(request.parameter("page") ?? "") ?? 1
            let items = PagedFeed.items(page * 10 - 9...page * 10).joined(separator: ",")
            return .json("{\"last\":\(page == 3),\"next\":\"?page=\(page + 1)\",\"items\":[\(items)]}")
        }
        #expect(try await bench.sync().figures.pages == 3)
        #expect(try bench.feed("item_count, complete") == "30|1")
    }

    @Test("An envelope without the member of the items is an empty page")
    func noMember() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: page, total: total}")
        let items = Lock(12)
        bench.server.route("/things") { request in
            let start = (Int(request.parameter("page") ?? "") ?? 1) * 10 - 9
            let last = min(start + 9, items.withLock { $0 })
            guard start <= last else { return .json("{\"start\":\(start),\"total\":\(items.withLock { $0 })}") }
            return .json("{\"total\":null,\"items\":[\(PagedFeed.items(start...last).joined(separator: ","))]}")
        }
        #expect(try await bench.sync().figures.pages == 3)
        #expect(try bench.feed("item_count, complete") == "12|1")
        items.withLock { $0 = 0 }
        _ = try await bench.sync()
        _ = try await bench.sync()
        #expect(try bench.feed("item_count") == "0")
    }

    @Test(
        "A page past the end whose way to the items ends in nothing is an empty one",
        arguments: ["null", "{}", "[]", #"{"items":null}"#])
    func noWay(data: String) async throws {
        let bench = try await EngineBench(
            paging: "pagination: page", columns: "items: data.items\nkey: id\ncolumns: {id: id}")
        bench.server.route("/things") { request in
            let start = (Int(request.parameter("page") ?? "") ?? 1) * 10 - 9
            guard start <= 20 else { return .json(#"{"code":0,"msg":"success","data":\#(data)}"#) }
            let items = PagedFeed.items(start...start + 9).joined(separator: ",")
            return .json(#"{"code":0,"msg":"success","data":{"items":[\#(items)]}}"#)
        }
        for _ in 1...2 {
            let run = try await bench.sync()
            #expect(run.reason == nil)
            #expect(try bench.feed("item_count, complete, no_more_data") == "20|1|1")
        }
    }

    @Test("The page after the last one is requested again, whatever validators its error had")
    func validatorsOfError() async throws {
        let bench = try await EngineBench(PagedFeed.items(1...10), paging: "pagination: page")
        let isThere = Lock(false)
        bench.server.route("/things") { request in
            let etag = [(name: "ETag", value: "\"same\"")]
            guard request.parameter("page") != "1" else {
                return .json("{\"items\":[\(PagedFeed.items(1...10).joined(separator: ","))]}", headers: etag)
            }
            guard isThere.withLock({ $0 }) else { return .json("{}", status: 404, headers: etag) }
            return request.header("If-None-Match") != nil ? .status(304) : .status(204)
        }
        try await bench.more(.allPages)
        isThere.withLock { $0 = true }
        try await bench.sync()
        let second = bench.server.requests.last { $0.parameter("page") == "2" }
        #expect(second?.header("If-None-Match") == nil)
        #expect(try bench.feed("item_count, complete") == "10|1")
    }

    @Test("A page without content is not the end if the page before it says that more follows")
    func noContent() async throws {
        let bench = try await EngineBench(
            PagedFeed.items(1...10), paging: "pagination: {style: keyset, param: after, from: id, more: has_more}")
        let isBroken = Lock(true)
        bench.server.route("/things") { request in
            let isFirst = request.parameter("after") == nil
            guard isFirst || !isBroken.withLock({ $0 }) else { return .status(204) }
            let items = PagedFeed.items(isFirst ? 1...10 : 11...15).joined(separator: ",")
            return .json("{\"has_more\":\(isFirst),\"items\":[\(items)]}")
        }
        let cut = try await bench.sync()
        #expect(cut.reason == .upstreamIncomplete)
        #expect(cut.notices.contains { $0.contains("set `responses: [{status: 204, do: end}]`") }, "\(cut.notices)")
        #expect(try bench.feed("item_count, complete, verified") == "10|0|0")
        isBroken.withLock { $0 = false }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("item_count, complete, verified") == "15|1|1")
    }

    @Test("An empty first page is the end", arguments: PagedFeed.Style.allCases)
    func nothing(style: PagedFeed.Style) async throws {
        let bench = try await EngineBench(
            paging: "pagination: \(style.pagination())", upstream: PagedFeed(style: style))
        #expect(try await bench.more(.allPages).isAtEnd)
        #expect(try bench.feed("status, item_count, complete") == "noMoreData|0|1")
        #expect(bench.server.requests.count == 1)
    }

    @Test("Full pages are followed to the one after them", arguments: PagedFeed.Style.allCases)
    func fullPages(style: PagedFeed.Style) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...20), style: style)
        let bench = try await EngineBench(paging: "pagination: \(style.pagination())", upstream: upstream)
        #expect(try await bench.more(.allPages).reason == nil)
        #expect(try bench.names == bench.upstreamNames(20))
        #expect(bench.server.requests.count == (style.isComputed ? 3 : 2))
    }

    @Test(
        "Shrinking pages are followed, and null and skipped elements count",
        arguments: [
            "{style: page, size_param: limit, size: 10, total: total}", "{style: offset, limit: 10, total: total}",
        ])
    func shrinking(pagination: String) async throws {
        let bench = try await EngineBench(paging: "pagination: \(pagination)")
        let pages = [
            PagedFeed.items(1...10), PagedFeed.items(11...13) + ["null", "7"] + PagedFeed.items(14...15),
            PagedFeed.items(16...25), PagedFeed.items(26...26),
        ]
        let starts = [0, 10, 17, 27]
        bench.server.route("/things") { request in
            let number = request.parameter("page").flatMap { Int($0) }.map { $0 - 1 }
            let index = number ?? starts.firstIndex { "\($0)" == request.parameter("offset") } ?? 9
            let items = index < pages.count ? pages[index] : []
            return .json("{\"total\":28,\"items\":[\(items.joined(separator: ","))]}")
        }
        let crawl = try await bench.more(.allPages)
        #expect(try bench.names == (1...26).map { "item \($0)" })
        #expect(crawl.reason == .leftOut)
        // An offset may be lined up that a page which shrank proves wrong.
        #expect((4...(pagination.contains("offset") ? 8 : 4)).contains(bench.server.requests.count))
    }

    @Test("A client error after the last page is the end, with a notice", arguments: [400, 404, 416, 422])
    func clientError(status: Int) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...20), end: .status(status))
        upstream.total = .absent
        let bench = try await EngineBench(upstream: upstream)
        let crawl = try await bench.more(.allPages)
        #expect(crawl.isAtEnd)
        #expect(crawl.reason == nil)
        let notice = try #require(crawl.notices.last)
        #expect(notice.hasPrefix("the upstream answered \(status) "))
        #expect(notice.contains("to `3`: \"there is no page here\"; this counts as the end"))
        #expect(try bench.query("SELECT http_status FROM _page ORDER BY id DESC LIMIT 1") == ["\(status)"])
    }

    @Test(
        "A client error behind the page that earlier ones call the last is the end, without a notice",
        arguments: [("X-WP-TotalPages", "2", false), ("X-Total-Pages", "1", true), ("X-Other", "2", true)])
    func toldEnd(header: String, value: String, isNoted: Bool) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...20), end: .status(400))
        upstream.total = .absent
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: {style: page, param: page}", upstream: upstream)
        bench.server.route("/things") { request in
            var answer = upstream.answer(request)
            if answer.status == 200 { answer.headers.append((name: header, value: value)) }
            return answer
        }
        for _ in 1...2 {
            let run = try await bench.sync()
            #expect(run.notices.contains { $0.contains("this counts as the end") } == isNoted, "\(run.notices)")
            #expect(try bench.feed("item_count, complete") == "20|1")
        }
    }

    @Test(
        "An error behind full pages where the list went on before removes no rows until two ends are alike, and one in markup is named",
        arguments: [
            // The error's body, the items that are left of 40, the header of their number, the notice, and the doubt.
            ("<!doctype html><title>404</title>", 30, false, true, true),
            ("<h1>Not Found</h1>", 30, false, true, true),
            ("<Error><Code>NoSuchKey</Code></Error>", 30, false, true, true),
            // The page before is not full, or the total has come.
            ("<h1>Not Found</h1>", 35, false, false, false), ("<h1>Not Found</h1>", 30, true, false, false),
            // They may be the upstream's own words, but the list now ends with a full page.
            (#"{"detail":"Invalid page."}"#, 30, false, false, true), ("404 page not found", 30, false, false, true),
            ("", 30, false, false, true),
        ])
    func markup(body: String, left: Int, hasTotal: Bool, isNoted: Bool, isDoubtful: Bool) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...40))
        upstream.total = .absent
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: {style: page, param: page}", upstream: upstream)
        bench.server.route("/things") { request in
            let page = request.parameter("page").flatMap { Int($0) } ?? 1
            let count = upstream.items.count
            guard (page - 1) * 10 < count else { return ServerResponse(status: 404, body: Array(body.utf8)) }
            var answer = upstream.answer(request)
            if hasTotal { answer.headers.append((name: "X-Total-Count", value: "\(count)")) }
            return answer
        }
        try await bench.sync()
        #expect(try bench.feed("item_count, complete, verified") == "40|1|0")
        upstream.edit { $0.removeLast(40 - left) }
        let run = try await bench.sync()
        #expect(run.notices.contains { $0.contains("proves little") && $0.contains("404, do: end}]`") } == isNoted)
        #expect(try bench.feed("item_count, complete") == (isDoubtful ? "40|0" : "\(left)|1"))
        try await bench.sync()
        #expect(try bench.feed("item_count, complete, verified") == "\(left)|1|0")
    }

    @Test("An error in markup behind a first page of unusual length is the end, as the page may be the whole list")
    func markupBehindFirstPage() async throws {
        let upstream = PagedFeed(PagedFeed.items(1...3))
        upstream.total = .absent
        let bench = try await EngineBench(paging: "pagination: {style: page, param: page}", upstream: upstream)
        bench.server.route("/things") { request in
            guard request.parameter("page").flatMap({ Int($0) }) ?? 1 > 1 else { return upstream.answer(request) }
            return ServerResponse(status: 404, body: Array("<h1>Not Found</h1>".utf8))
        }
        let run = try await bench.sync()
        #expect(!run.notices.contains { $0.contains("proves little") })
        #expect(try bench.feed("item_count, complete") == "3|1")
    }

    @Test(
        "An upstream that serves only the first results, as GitHub does, has a cap", arguments: [400, 416, 422])
    func cap(status: Int) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...20), end: .status(status))
        upstream.total = .claimed(5000)
        let bench = try await EngineBench(upstream: upstream)
        #expect(try await bench.more(.allPages).reason == .cap)
        #expect(try bench.feed("status, item_count, no_more_data, complete") == "noMoreData|20|1|0")
    }

    @Test(
        "An error behind full pages that speaks of a limit is a cap, and nothing is removed by it, however often it comes",
        arguments: [
            (422, "Only the first 20 results are available"), (400, "Result window is too large"),
            (404, "pagination is limited"),
        ])
    func capInWords(status: Int, words: String) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...40))
        upstream.total = .absent
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: page", upstream: upstream)
        let isCapped = Lock(true)
        bench.server.route("/things") { request in
            guard isCapped.withLock({ $0 }), request.parameter("page") == "3" else { return upstream.answer(request) }
            return .json("{\"message\":\"\(words)\"}", status: status)
        }
        let first = try await bench.sync()
        #expect(first.reason == .cap)
        #expect(first.notices.contains { $0.contains("`responses: [{status: \(status), do: end}]`") })
        isCapped.withLock { $0 = false }
        #expect(try await bench.sync().reason == nil)
        isCapped.withLock { $0 = true }
        for _ in 1...3 { #expect(try await bench.sync().reason == .cap) }
        #expect(try bench.feed("item_count, complete") == "40|0")
    }

    @Test(
        "A client error is no end on the first page, or if the upstream itself led to the page",
        arguments: PagedFeed.Style.allCases, [400, 404, 416, 422])
    func failures(style: PagedFeed.Style, status: Int) async throws {
        let upstream = PagedFeed(PagedFeed.items(1...20), style: style)
        let bench = try await EngineBench(paging: "pagination: \(style.pagination())", upstream: upstream)
        upstream.fail(page: 1, with: .status(status))
        #expect(try await bench.failure(.reload).kind == .rejected)
        try await bench.reload()
        guard style != .page, style != .offset else { return }
        upstream.fail(page: 2, with: .status(status))
        let error = try await bench.failure(.nextPage)
        #expect(error.kind == .rejected)
        #expect(error.httpStatus == status)
        #expect(try bench.feed("no_more_data, status") == "0|endFooter")
        try await bench.more(.allPages)
        #expect(try bench.names == bench.upstreamNames(20))
    }

    @Test(
        "A refusal or a temporary failure is never the end, wherever it comes",
        arguments: [401, 403, 410, 429, 500, 503])
    func noEnd(status: Int) async throws {
        let bench = try await EngineBench()
        bench.upstream.fail(page: 2, with: .status(status))
        #expect(try await bench.failure(.allPages).httpStatus == status)
        #expect(try bench.feed("item_count, next_page, no_more_data") == "10|2|0")
    }

    @Test("A rule may make any response the end, even the first page")
    func rule() async throws {
        let bench = try await EngineBench(members: "responses: [{status: 409, do: empty}, {status: 404, do: fail}]")
        bench.upstream.fail(page: 1, with: .json(#"{"message":"Git Repository is empty."}"#, status: 409))
        #expect(try await bench.more(.allPages).isAtEnd)
        #expect(try bench.feed("status, item_count, complete") == "noMoreData|0|1")
        bench.upstream.total = .absent
        bench.upstream.fail(page: 2, with: .status(404))
        try await bench.reload()
        #expect(try await bench.failure(.nextPage).httpStatus == 404)
    }

    @Test("A page cursor of several members reaches the end, with items that are members of an object")
    func mediaWiki() async throws {
        let bench = try await EngineBench(
            members: "query: {action: query}", paging: "pagination: {style: cursor, next: continue}",
            columns: "items: {path: query.pages, keyed_by: page_id}\nkey: '~'\ncolumns: {title: title}")
        bench.server.route("/things") { request in
            switch (request.parameter("gapcontinue"), request.parameter("continue")) {
            case (nil, nil):
                .json(
                    #"{"continue":{"gapcontinue":"B & C","continue":"gapcontinue||"},"query":{"pages":{"9":{"title":"A"},"2":{"title":"B"}}}}"#
                )
            case ("B & C", "gapcontinue||"):
                .json(#"{"batchcomplete":"","query":{"pages":{"10":{"title":"C"},"11":null}}}"#)
            default: .status(500)
            }
        }
        try await bench.more(.allPages)
        let rows = try bench.query("SELECT page_id, title FROM things ORDER BY _generation DESC, _position")
        #expect(rows == ["9|A", "2|B", "10|C"])
        #expect(bench.server.requests.last?.parameter("action") == "query")
        #expect(try bench.feed("no_more_data, complete") == "1|1")
    }
}
