import Concurrency
import Dispatch
import HTTP
import HTTPServer
import ScriptedServer
import Testing
import Text

@Suite("Requests at the same time") struct ConcurrencyTests {
    let server: ScriptedServer

    init() throws { server = try ScriptedServer() }

    @Test("Simultaneous requests stay within the host's number, and all are answered", arguments: [1, 4])
    func perHost(maximum: Int) async throws {
        let census = Lock((now: 0, most: 0))
        server.route("/") { request in
            census.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            defer { census.withLock { $0.now -= 1 } }
            return ServerResponse(body: Array((request.parameter("n") ?? "").utf8))
        }
        let client = makeClient(maximumPerHost: maximum)
        let url = try server.url("/")
        let answers = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for n in 0..<200 {
                group.addTask {
                    let numbered = url.replacingQuery([NamedValue(name: "n", value: "\(n)")])
                    return (n, try await client.send(Request(numbered)).body.bytes)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 200)
        #expect(answers.allSatisfy { Array("\($0.0)".utf8) == $0.1 })
        #expect(census.withLock { $0.most } <= maximum)
    }

    @Test("Simultaneous requests reach the number that a request allows")
    func requestAllowsMore() async throws {
        let gate = server.gate()
        server.route("/") { _ in
            gate.wait()
            return .status(204)
        }
        let client = makeClient()
        let request = Request(try server.url("/"), maximumPerHost: 3)
        async let first = client.send(request)
        async let second = client.send(request)
        async let third = client.send(request)
        await gate.arrived(3)
        gate.open()
        #expect(try await [first, second, third].map(\.status) == [204, 204, 204])
    }

    @Test("Two clients of one thread both get their responses, and the second goes on after the first has gone")
    func oneThread() async throws {
        server.route("/") { _ in .status(204) }
        let request = Request(try server.url("/"))
        let executor = try #require(ThreadExecutor())
        var first: Client? = makeClient()
        let second = makeClient()
        first?.run(on: executor)
        second.run(on: executor)
        #expect(try await first?.send(request).status == 204)
        #expect(try await second.send(request).status == 204)
        first = nil
        #expect(try await second.send(request).status == 204)
        let third = makeClient()
        third.run(on: executor)
        #expect(try await third.send(request).status == 204)
    }

    @Test(
        "Early requests are not sent once a response forbids them",
        arguments: [
            ServerResponse(status: 503, body: []), ServerResponse(status: 429, body: []),
            ServerResponse(status: 200, headers: [("Retry-After", "9")], body: []),
            ServerResponse(status: 200, headers: [("X-RateLimit-Remaining", "0")], body: []),
            ServerResponse(body: [], delivery: .reset),
            // Its next hop comes first.
            ServerResponse(status: 307, headers: [("Location", "/third")], body: []),
        ])
    func heldBack(response: ServerResponse) async throws {
        let gate = server.gate()
        server.route("/first") { _ in
            gate.wait()
            return response
        }
        server.route("/second") { _ in .status(204) }
        server.route("/third") { _ in .status(204) }
        let client = makeClient()
        let breaker = CircuitBreaker()
        async let first = client.send(Request(server.url("/first")), breaker: breaker)
        await gate.arrived()
        let second = Request(try server.url("/second"))
        let ahead = Task.immediate { try await client.send(second, breaker: breaker, isAhead: true) }
        async let inTurn = client.send(second, breaker: breaker)
        gate.open()
        _ = try? await first
        #expect(breaker.isShut)
        let error = await #expect(throws: HTTPError.self) { try await ahead.value }
        #expect(error?.kind == .heldBack)
        #expect(try await inTurn.status == 204)
        #expect(server.requests.map(\.path).filter { $0 != "/third" } == ["/first", "/second"])
    }

    @Test("Requests to different origins do not wait for one another")
    func otherOrigin() async throws {
        let other = try ScriptedServer()
        let gate = server.gate()
        server.route("/") { _ in
            gate.wait()
            return .status(200)
        }
        other.route("/") { _ in .status(204) }
        let client = makeClient()
        async let held = client.send(Request(server.url("/")))
        await gate.arrived()
        #expect(try await client.send(Request(other.url("/"))).status == 204)
        gate.open()
        #expect(try await held.status == 200)
    }

    @Test("Requests end when their task is cancelled, in the middle of a body too")
    func cancelledInBody() async throws {
        let gate = server.gate()
        server.route("/held") { _ in
            ServerResponse(
                body: [UInt8](repeating: 65, count: 100_000), delivery: .paused(after: 50_000) { gate.wait() })
        }
        server.route("/next") { _ in .status(204) }
        let client = makeClient()
        let (held, next) = (Request(try server.url("/held")), Request(try server.url("/next")))
        let task = Task { try await client.send(held) }
        await gate.arrived()
        task.cancel()
        let error = try await #require(throws: HTTPError.self) { try await task.value }
        #expect(error.kind == .cancelled)
        // The server still holds the first one, but its place at the origin is free.
        #expect(try await client.send(next).status == 204)
    }

    @Test("Requests that wait for their turn leave the queue when cancelled")
    func cancelledInQueue() async throws {
        let gate = server.gate()
        server.route("/held") { _ in
            gate.wait()
            return .status(200)
        }
        let client = makeClient()
        let (held, waiting) = (Request(try server.url("/held")), Request(try server.url("/waiting")))
        async let first = client.send(held)
        await gate.arrived()
        let tasks = (0..<20).map { _ in Task { try await client.send(waiting) } }
        for task in tasks { task.cancel() }
        for task in tasks {
            let error = try await #require(throws: HTTPError.self) { try await task.value }
            #expect(error.kind == .cancelled)
        }
        gate.open()
        #expect(try await first.status == 200)
        #expect(server.requests(for: "/waiting").isEmpty)
    }

    @Test("Requests of a cancelled task are not made")
    func cancelledBefore() async throws {
        let client = makeClient()
        let request = Request(try server.url("/"))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.send(request)
        }
        let error = try await #require(throws: HTTPError.self) { try await task.value }
        #expect(error.kind == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("Requests survive clients that come and go")
    func manyClients() async throws {
        server.route("/") { _ in .status(204) }
        let request = Request(try server.url("/"))
        for _ in 0..<20 {
            #expect(try await makeClient().send(request).status == 204)
        }
    }
}
