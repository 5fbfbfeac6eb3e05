import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@Suite(.timeLimit(.minutes(1))) struct ScriptedServerTests {
    @Test("Enqueued answers are given in order and the last repeats, until more are enqueued")
    func enqueue() throws {
        let server = try ScriptedServer()
        server.enqueue("/a", [.status(503), .html("one")])
        #expect(try statuses(3, of: "/a", server) == ["503", "200", "200"])
        server.enqueue("/a", [.status(204), .status(404)])
        #expect(try statuses(3, of: "/a", server) == ["204", "404", "404"])
    }

    @Test("A path nobody scripted is 404")
    func unknown() throws {
        #expect(try statuses(1, of: "/", ScriptedServer()) == ["404"])
    }

    @Test("Every request is on record, in order, for each path too")
    func record() throws {
        let server = try ScriptedServer()
        server.route("/a") { _ in .status(204) }
        for path in ["/a?n=1", "/b", "/a?n=2"] { _ = try statuses(1, of: path, server) }
        #expect(server.requests.map(\.path) == ["/a", "/b", "/a"])
        #expect(server.requests(for: "/a").map { $0.parameter("n") } == ["1", "2"])
    }

    @Test("A gate tells of arrivals and lets them through when it is opened")
    func gate() async throws {
        let server = try ScriptedServer()
        let gate = server.gate()
        server.route("/") { _ in .html(gate.wait() ? "opened" : "timed out") }
        let connection = try beginGet("/", of: server)
        await gate.arrived()
        gate.open()
        #expect(connection.readToEnd().text.messageBody == "opened")
    }

    @Test("A server that stops opens its gates first")
    func gatesOpenOnStop() async throws {
        let server = try ScriptedServer()
        let gate = server.gate()
        let wasOpened = Lock(false)
        server.route("/") { _ in
            let isOpen = gate.wait()
            wasOpened.withLock { $0 = isOpen }
            return .status(204)
        }
        let connection = try beginGet("/", of: server)
        await gate.arrived()
        server.stop()
        _ = connection.readToEnd()
        #expect(wasOpened.withLock { $0 })
    }

    @Test("Waiting for an arrival ends with the task")
    func cancelledArrival() async {
        let gate = Gate()
        let waiting = Task { await gate.arrived() }
        waiting.cancel()
        await waiting.value
    }

    @Test("A paged feed gives pages, their total, and nothing past the end")
    func pages() {
        let feed = PagedFeed(PagedFeed.items(1...5), perPage: 2)
        #expect(body(feed, "/?page=3") == #"{"total_count":5,"items":[{"id":5,"name":"item 5"}]}"#)
        #expect(body(feed, "/?page=4") == #"{"total_count":5,"items":[]}"#)
        #expect(body(feed, "/?page=\(Int.max)") == #"{"total_count":5,"items":[]}"#)
        #expect(body(feed, "/?page=2&per_page=4") == body(feed, "/?page=3"))
        feed.total = .absent
        #expect(body(feed, "/?page=4") == #"{"items":[]}"#)
        feed.total = .claimed(9)
        #expect(body(feed, "/?page=4") == #"{"total_count":9,"items":[]}"#)
        #expect(feed.requestedPages == [3, 4, .max, 2, 3, 4, 4])
    }

    @Test("A page's tag holds until its items change")
    func conditional() throws {
        let feed = PagedFeed(PagedFeed.items(1...4), perPage: 2)
        let tag = try #require(feed.answer(ServerRequest(target: "/")).headers.first { $0.name == "ETag" }?.value)
        let again = ServerRequest(target: "/", headers: [(name: "if-none-match", value: tag)])
        #expect(feed.answer(again).status == 304)
        feed.edit { $0.swapAt(0, 1) }
        #expect(feed.answer(again).status == 200)
        feed.edit { $0.swapAt(0, 1) }
        feed.sendsETag = false
        #expect(feed.answer(again).status == 200)
    }

    @Test("A fault answers its page as often as the script says, one fault after the other")
    func faults() {
        let feed = PagedFeed(PagedFeed.items(1...4), perPage: 2)
        feed.fail(page: 2, with: .status(500), times: 2)
        feed.fail(page: 2, with: .status(429))
        let statuses = (1...5).map { _ in feed.answer(ServerRequest(target: "/?page=2")).status }
        #expect(statuses == [500, 500, 429, 200, 200])
        #expect(feed.answer(ServerRequest(target: "/?page=1")).status == 200)
    }

    @Test("A held page waits at its gate and shows the items as they are when it opens")
    func hold() async throws {
        let server = try ScriptedServer()
        let feed = PagedFeed(PagedFeed.items(1...1))
        let gate = server.gate()
        feed.hold(page: 1, at: gate)
        server.route("/", to: feed)
        let connection = try beginGet("/", of: server)
        await gate.arrived()
        feed.items = []
        gate.open()
        #expect(connection.readToEnd().text.messageBody == #"{"total_count":0,"items":[]}"#)
    }
}

private func body(_ feed: PagedFeed, _ target: String) -> String {
    String(decoding: feed.answer(ServerRequest(target: target)).body, as: UTF8.self)
}

private func statuses(_ count: Int, of target: String, _ server: ScriptedServer) throws -> [String] {
    try (0..<count).map { _ in
        let answer = try exchange("GET \(target)", port: port(of: server)).text
        return answer.split(separator: " ").dropFirst().first.map { String($0) } ?? "no answer"
    }
}

/// A GET on its way: reading the answer blocks, so a test does that once nothing holds the answer up.
private func beginGet(_ target: String, of server: ScriptedServer) throws -> RawConnection {
    let connection = try RawConnection(port: port(of: server))
    connection.send("GET \(target) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
    return connection
}

private func port(of server: ScriptedServer) throws -> UInt16 {
    try #require(server.url.split(separator: ":").last.flatMap { UInt16($0) })
}
