import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("PageCursors that lead astray, or come and go")
struct PageCursorTests {
    private let paging = "pagination: {style: link}"

    private func page(_ ids: ClosedRange<Int>?, next: String?) -> ServerResponse {
        let items = ids.map { PagedFeed.items($0).joined(separator: ",") } ?? ""
        return .json(
            "{\"items\":[\(items)]}", headers: next.map { [(name: "Link", value: "<\($0)>; rel=next")] } ?? [])
    }

    @Test("A, B, A, B is an error, and what came before it stays")
    func circle() async throws {
        let bench = try await EngineBench(paging: paging)
        bench.server.route("/things") { [self] _ in page(1...2, next: "/b") }
        bench.server.route("/b") { [self] _ in page(3...4, next: "/things") }
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .unfollowable)
        #expect(try bench.names == (1...4).map { "item \($0)" })
        #expect(bench.server.requests.map(\.path).prefix(3) == ["/things", "/b", "/things"])
        #expect(try bench.log.last == "endFooter!unfollowable")
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test("The items of a page that names itself are stored, and the list ends")
    func itself() async throws {
        let bench = try await EngineBench(paging: paging)
        bench.server.route("/things") { [self] _ in page(1...2, next: "/b") }
        bench.server.route("/b") { [self] _ in page(3...4, next: "/b") }
        #expect(try await bench.sync().reason == nil)
        #expect(bench.server.requests.map(\.path).prefix(2) == ["/things", "/b"])
        #expect(try bench.names == (1...4).map { "item \($0)" })
        #expect(try bench.feed("no_more_data, complete") == "1|1")
    }

    @Test("A token that leads to itself is the end, and the items beside it are stored")
    func sameToken() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: cursor, param: c, next: next}")
        bench.server.route("/things") { request in
            let ids = request.parameter("c") == nil ? 1...2 : 3...4
            return .json("{\"next\":\"same\",\"items\":[\(PagedFeed.items(ids).joined(separator: ","))]}")
        }
        #expect(try await bench.more(.allPages).isAtEnd)
        #expect(try bench.feed("item_count, next_page, status") == "4||noMoreData")
        #expect(bench.server.requests.count == 2)
    }

    @Test(
        "A full page whose token is the one that it was asked with ends no list, unless the page says that it is the last",
        arguments: [
            (30, "", "20|0|0"), (20, ",\"has_more\":false", "20|1|1"), (14, "", "14|1|0"),
        ])
    func scroll(items: Int, members: String, expected: String) async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: {style: cursor, param: s, next: s}")
        let read = Lock(0)
        bench.server.route("/things") { request in
            let start = request.parameter("s") == nil ? 0 : read.withLock { $0 }
            read.withLock { $0 = start + 10 }
            let ids = Array(1...items).dropFirst(start).prefix(10)
            let end = start + 10 >= items ? members : ""
            return .json("{\"s\":\"same\"\(end),\"items\":[\(PagedFeed.items(ids).joined(separator: ","))]}")
        }
        for _ in 1...2 {
            let run = try await bench.sync()
            #expect(run.reason == (items == 30 ? .upstreamIncomplete : nil))
            #expect(run.notices.contains { $0.contains("a token that stays the same") } == (items == 30))
            #expect(try bench.feed("item_count, complete, verified") == expected)
        }
    }

    @Test("A keyset goes on from the last object, nulls passed over, with the number's digits as they came")
    func keysetDigits() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: keyset, param: after, from: at.s}")
        bench.server.route("/things") { request in
            guard request.parameter("after") == nil else { return .json(#"{"items":[]}"#) }
            return .json(#"{"items":[{"id":1,"at":{"s":1.5}},{"at":{"s":1700000000.10},"id":2},null]}"#)
        }
        try await bench.more(.allPages)
        #expect(bench.server.requests.last?.parameter("after") == "1700000000.10")
        #expect(try bench.feed("item_count, status") == "2|noMoreData")
    }

    @Test("A keyset whose last item lacks the value is an error, and nothing of the page is stored")
    func keysetWithoutValue() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: keyset, param: after, from: at}")
        bench.server.route("/things") { _ in .json(#"{"items":[{"id":1,"at":1},{"id":2}]}"#) }
        let error = try await bench.failure(.reload)
        #expect(error.kind == .unfollowable)
        #expect(error.message.contains("`at`"))
        #expect(try bench.feed("item_count, status") == "0|endHeader")
    }

    @Test(
        "A keyset that takes its boundary along is complete, counts no item twice and loses those that went",
        arguments: [1, 3, 4, 7])
    func inclusiveKeyset(count: Int) async throws {
        let bench = try await EngineBench(
            members: "sync: {mode: all}", paging: "pagination: {style: keyset, param: from, from: id}")
        let ids = Lock(Array(1...count))
        bench.server.route("/things") { request in
            let first = Int(request.parameter("from") ?? "") ?? 1
            let ids = ids.withLock { $0 }
            let page = PagedFeed.items(ids.filter { $0 >= first }.prefix(3)).joined(separator: ",")
            return .json("{\"total\":\(ids.count),\"items\":[\(page)]}")
        }
        for _ in 1...2 {
            let summary = try await bench.sync()
            #expect(summary.reason == nil && summary.notices.isEmpty, "\(summary.notices)")
            #expect(try bench.names == (1...count).map { "item \($0)" })
            #expect(try bench.feed("complete, no_more_data") == "1|1")
        }
        guard count == 7 else { return }
        ids.withLock { $0.removeAll { $0 == 2 } }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.query("SELECT id FROM things WHERE _removed_at IS NOT NULL") == ["2"])
        #expect(try bench.feed("item_count, complete") == "6|1")
    }

    @Test("A keyset whose parameter is ignored ends in an error, not in the same page for ever")
    func ignoredKeyset() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: keyset, param: from, from: id}")
        bench.server.route("/things") { _ in
            .json("{\"items\":[\(PagedFeed.items(1...3).joined(separator: ","))]}")
        }
        #expect(try await bench.failure(.allPages).kind == .unfollowable)
        #expect(try bench.feed("next_page, complete") == "3|0")
    }

    @Test("Headers and credentials go along to the next page, the latter not to another origin that is allowed")
    func credentials() async throws {
        let other = try ScriptedServer()
        let bench = try await EngineBench(
            members: "headers: {X-Own: y}\nauth: {bearer: s3cret}\nallow_origins: ['\(other.url)']", paging: paging)
        bench.server.route("/things") { [self] _ in page(1...2, next: "/b") }
        bench.server.route("/b") { [self] _ in page(3...4, next: "\(other.url)/c") }
        other.route("/c") { [self] _ in page(5...6, next: "d") }
        other.route("/d") { [self] _ in page(7...8, next: nil) }
        try await bench.more(.allPages)
        #expect(bench.server.requests.map { $0.header("Authorization") } == ["Bearer s3cret", "Bearer s3cret"])
        #expect(bench.server.requests.map { $0.header("X-Own") } == ["y", "y"])
        #expect(other.requests.map(\.path) == ["/c", "/d"])
        #expect(other.requests.allSatisfy { $0.header("Authorization") == nil })
        #expect(try bench.names == (1...8).map { "item \($0)" })
    }

    @Test(
        "A next page is requested as the upstream gave it, in whatever form",
        arguments: [
            ("?n=2", "/things"), ("things?n=2", "/things"), ("/b/c?n=2", "/b/c"), ("./b?n=2#top", "/b"),
            ("ORIGIN/b?n=2", "/b"), ("HTTP:HOST/b?n=2", "/b"), ("HOST/b?n=2", "/b"),
        ])
    func forms(next: String, path: String) async throws {
        let bench = try await EngineBench(paging: "pagination: {style: next_url, next: paging.next}")
        let origin = bench.server.url
        let text = next.replacing("ORIGIN", with: origin).replacing("HOST", with: origin.dropFirst("http:".count))
        for route in ["/things", "/b", "/b/c"] {
            bench.server.route(route) { request in
                request.parameter("n") == nil
                    ? .json("{\"paging\":{\"next\":\"\(text)\"},\"items\":[{\"id\":1}]}")
                    : .json(#"{"paging":{"next":""},"items":[{"id":2}]}"#)
            }
        }
        try await bench.reload()
        #expect(try bench.feed("next_page") == "\(origin)\(path)?n=2")
        try await bench.more(.allPages)
        #expect(bench.server.requests.map(\.path) == ["/things", path])
        #expect(try bench.feed("item_count, no_more_data, complete") == "2|1|1")
    }

    @Test("Tokens that go A, B, A, B are an error, and what came before it stays")
    func tokenCircle() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: cursor, param: c, next: next}")
        bench.server.route("/things") { request in
            let token = request.parameter("c")
            let ids = token == nil ? 1...2 : token == "a" ? 3...4 : 5...6
            let next = token == "a" ? "b" : "a"
            return .json("{\"next\":\"\(next)\",\"items\":[\(PagedFeed.items(ids).joined(separator: ","))]}")
        }
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .unfollowable)
        #expect(error.message.contains("`a`"))
        #expect(try bench.names == (1...4).map { "item \($0)" })
        #expect(try bench.feed("next_page, status") == "b|endFooter")
    }

    @Test(
        "Another origin is refused whatever leads there, with the way to allow it, and gets no request",
        arguments: ["link", "{style: next_url, next: next}", "{style: next_url, header: X-Next}"])
    func foreignByStyle(pagination: String) async throws {
        let other = try ScriptedServer()
        let bench = try await EngineBench(members: "auth: {bearer: s3cret}", paging: "pagination: \(pagination)")
        bench.server.route("/things") { _ in
            let next = "\(other.url)/things?token=s3cret"
            return .json(
                "{\"next\":\"\(next)\",\"items\":[{\"id\":1}]}",
                headers: [(name: "Link", value: "<\(next)>; rel=next"), (name: "X-Next", value: next)])
        }
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .unfollowable)
        #expect(error.advice?.contains("`allow_origins: [\(other.url)]`") == true)
        #expect(!error.json.contains("s3cret"))
        #expect(other.requests.isEmpty)
        #expect(try bench.feed("item_count, status") == "1|endFooter")
        #expect(try bench.query("SELECT next_page FROM feed WHERE next_page LIKE '%s3cret%'").isEmpty)
    }

    @Test("Another origin is refused, and gets no request")
    func foreign() async throws {
        let bench = try await EngineBench(members: "auth: {bearer: s3cret}", paging: paging)
        let other = try ScriptedServer()
        bench.server.route("/things") { [self] _ in page(1...2, next: "\(other.url)/things") }
        #expect(try await bench.failure(.allPages).kind == .unfollowable)
        #expect(other.requests.isEmpty)
    }

    @Test("Empty pages on the way are followed")
    func emptyOnTheWay() async throws {
        let bench = try await EngineBench(paging: paging)
        bench.server.route("/things") { [self] request in
            let number = Int(request.parameter("n") ?? "") ?? 0
            return page(
                number == 420 ? 3...4 : number == 0 ? 1...2 : nil, next: number < 420 ? "?n=\(number + 7)" : nil)
        }
        #expect(try await bench.more(.allPages).figures.pages == 61)
        #expect(try bench.names == (1...4).map { "item \($0)" })
    }

    @Test("An empty page whose link merely counts on is the end")
    func countedLink() async throws {
        let bench = try await EngineBench(paging: paging)
        bench.server.route("/things") { [self] request in
            let number = Int(request.parameter("n") ?? "") ?? 1
            return page(number < 3 ? number * 2 - 1...number * 2 : nil, next: "?n=\(number + 1)")
        }
        #expect(try await bench.sync().figures.pages == 3)
        #expect(try bench.feed("item_count, complete") == "4|1")
    }

    @Test("More than a hundred empty pages in a row are an error that says so")
    func emptyForEver() async throws {
        let bench = try await EngineBench(paging: paging)
        bench.server.route("/things") { [self] request in
            let number = Int(request.parameter("n") ?? "") ?? 0
            return page(nil, next: number < 2_100 ? "?n=\(number + 7)" : nil)
        }
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .unfollowable)
        #expect(error.message.contains("100 pages in a row"))
        #expect(try bench.query("SELECT pages FROM run") == ["100"])
    }

    @Test("Empty pages with the same item now and then are an error, too, whatever tokens they have")
    func nothingNew() async throws {
        let bench = try await EngineBench(paging: "pagination: {style: cursor, param: c, next: next}")
        bench.server.route("/things") { request in
            let number = Int(request.parameter("c")?.dropFirst() ?? "0") ?? 0
            let items = number.isMultiple(of: 7) ? PagedFeed.items(1...1)[0] : ""
            return .json("{\"next\":\"t\(number + 1)\",\"items\":[\(items)]}")
        }
        let error = try await bench.failure(.allPages)
        #expect(error.kind == .unfollowable)
        #expect(error.message.contains("brought only items seen before, or none"))
        #expect(bench.server.requests.count < 110)
    }

    @Test("A page that was the end because a header was absent is asked without a condition, and may go on")
    func endByAbsence() async throws {
        let bench = try await EngineBench(paging: paging)
        let etag = [(name: "ETag", value: "\"same\"")]
        let body = "{\"items\":[\(PagedFeed.items(1...2).joined(separator: ","))]}"
        bench.server.enqueue("/things", [.json(body, headers: etag)])
        #expect(try await bench.reload().isAtEnd)
        bench.server.enqueue("/things", [.json(body, headers: etag + [(name: "Link", value: "</b>; rel=next")])])
        bench.server.route("/b") { [self] _ in page(3...4, next: nil) }
        #expect(try await bench.more(.allPages).outcome == .noMoreData)
        #expect(try await bench.reload().outcome == .unchanged)
        #expect(bench.server.requests.last?.header("If-None-Match") == nil)
        try await bench.more(.allPages)
        #expect(try bench.names == (1...4).map { "item \($0)" })
    }

    @Test(
        "A 304 that leads elsewhere is asked again for its body; one that says nothing, or the same, is not",
        arguments: [(nil, 3, "/b"), ("</b>; rel=next", 3, "/b"), ("</c>; rel=next", 4, "/c")]
            as [(String?, Int, String)])
    func notModified(link: String?, requests: Int, next: String) async throws {
        let bench = try await EngineBench(paging: paging)
        let isMoved = Lock(false)
        let body = "{\"items\":[\(PagedFeed.items(1...2).joined(separator: ","))]}"
        bench.server.route("/things") { request in
            let etag = [(name: "ETag", value: "\"same\"")]
            if request.header("If-None-Match") != nil {
                return .status(304, headers: etag + (link.map { [(name: "Link", value: $0)] } ?? []))
            }
            defer { isMoved.withLock { $0 = true } }
            let next = isMoved.withLock({ $0 }) ? "</c>; rel=next" : "</b>; rel=next"
            return .json(body, headers: etag + [(name: "Link", value: next)])
        }
        try await bench.reload()
        #expect(try await bench.reload().outcome == .unchanged)
        #expect(try bench.feed("next_page") == bench.server.url + next)
        try await bench.reload()
        #expect(bench.server.requests.count == requests)
    }
}
