import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import Upstream

@Suite("A fetch") struct FetcherTests {
    @Test("A fetch brings a page with its cost and its quota")
    func page() async throws {
        let bench = try FetchBench()
        bench.server.enqueue("/things", [.json("[]", headers: [("X-RateLimit-Remaining", "7")])])
        let page = try await bench.fetch()
        #expect(page.kind == .content)
        #expect(bench.meter.cost.requestCount == 1 && bench.meter.cost.byteCount > 2)
        #expect(bench.meter.cost.quota.map(\.remaining) == [7])
        #expect(page.quota.map(\.remaining) == [7])
        #expect(page.serverDate != nil)
        #expect(bench.clock.waits.isEmpty && bench.events.isEmpty)
    }

    @Test("A fetch tries again with a growing back-off, and reports it")
    func retries() async throws {
        let bench = try FetchBench()
        bench.server.enqueue("/things", [.status(500), .status(408), .json("[]")])
        let page = try await bench.fetch()
        #expect(page.kind == .content && bench.meter.cost.requestCount == 3)
        #expect(bench.clock.waits == [.milliseconds(250), .milliseconds(500)])
        #expect(
            bench.events == [
                .retry(attempt: 2, because: "500 Internal Server Error"), .waiting(for: .milliseconds(250)),
                .retry(attempt: 3, because: "408 Request Timeout"), .waiting(for: .milliseconds(500)),
            ])
    }

    @Test(
        "A fetch waits for as long as the host demands",
        arguments: [
            (.status(503, headers: [("Retry-After", "7")]), 7), (.status(429, headers: [("Retry-After", "30")]), 30),
            (.status(403, headers: [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1795000012")]), 12),
            (.status(429, headers: [("RateLimit", "limit=5, remaining=0, reset=9")]), 9),
        ] as [(ServerResponse, Int)])
    func toldWait(response: ServerResponse, seconds: Int) async throws {
        let bench = try FetchBench()
        bench.server.enqueue("/things", [response, .json("[]")])
        #expect(try await bench.fetch().kind == .content)
        #expect(bench.clock.waits == [.seconds(seconds)])
    }

    @Test("A fetch gives up at once if the host demands a longer wait than is permitted")
    func tooLong() async throws {
        let bench = try FetchBench()
        bench.server.enqueue("/things", [.status(429, headers: [("Retry-After", "3600")])])
        let failure = try await bench.failure()
        #expect(failure.kind == .limited && failure.httpStatus == 429)
        #expect(
            failure.message
                == "the upstream answered 429 Too Many Requests, and asked us to wait until 2026-11-18T12:06:40Z")
        #expect(
            failure.advice == "run it again after 2026-11-18T12:06:40Z, or allow a longer wait with --max-wait")
        #expect(bench.meter.cost.quota.map(\.blockedUntil) == [FetchBench.now + 3600])
        #expect(bench.meter.cost.requestCount == 1 && bench.clock.waits.isEmpty)
    }

    @Test(
        "A fetch ends limited after every attempt, and leaves the host alone for a while, even without a wait",
        arguments: [[], [("Retry-After", "0")], [("Retry-After", "Tue, 17 Nov 2026 00:00:00 GMT")]])
    func limitedInTheEnd(headers: [(String, String)]) async throws {
        let bench = try FetchBench()
        bench.server.enqueue("/things", [.status(429, headers: headers)])
        let failure = try await bench.failure()
        #expect(failure.kind == .limited)
        #expect(failure.message == "the upstream answered 429 Too Many Requests (3 attempts)")
        // A longer wait than the one that was allowed would not have been made use of.
        #expect(failure.advice == "run it again after 2026-11-18T11:06:42Z")
        #expect(bench.meter.cost.requestCount == 3)
        #expect(bench.meter.cost.quota.map(\.blockedUntil) == [FetchBench.now + 2])
    }

    @Test(
        "A fetch ends in the error of the last attempt",
        arguments: [
            (.status(503), .unreachable, 503, 3), (.status(408), .unreachable, 408, 3),
            (.json(#"{"error":"rate limit exceeded"}"#, status: 400), .limited, 400, 3),
            (.status(401), .refused, 401, 1), (.status(403), .refused, 403, 1), (.status(404), .rejected, 404, 1),
            (.status(302), .unfollowable, 302, 1),
            (ServerResponse(body: Array("0123456789".utf8), delivery: .truncated(after: 5)), .unreachable, nil, 3),
            (ServerResponse(body: Array("no HTTP\r\n\r\n".utf8), delivery: .verbatim), .unreachable, nil, 3),
            (.status(302, headers: [("Location", "/things")]), .unfollowable, nil, 1),
            (.status(302, headers: [("Location", "ftp://example.com/")]), .unfollowable, nil, 1),
        ] as [(ServerResponse, FeedSyncError.Kind, Int?, Int)])
    func errors(response: ServerResponse, kind: FeedSyncError.Kind, status: Int?, requests: Int) async throws {
        let bench = try FetchBench()
        bench.server.enqueue("/things", [response])
        let failure = try await bench.failure()
        #expect(failure.kind == kind)
        #expect(failure.httpStatus == status)
        #expect(bench.meter.cost.requestCount == requests)
        #expect(failure.url == "\(bench.server.url)/things")
        #expect(failure.advice != nil)
    }

    @Test("A fetch ends unreachable if nothing listens")
    func refusedConnection() async throws {
        let bench = try FetchBench(retries: 0)
        bench.server.stop()
        let failure = try await bench.failure()
        #expect(failure.kind == .unreachable && bench.meter.cost.requestCount == 1)
    }

    @Test("A fetch ends undecodable if the body is too large")
    func tooLarge() async throws {
        let bench = try FetchBench()
        bench.server.enqueue("/things", [.json("[1,2,3]")])
        var request = try bench.plan().page(for: nil).request
        request.limits.body = 3
        let page = PreparedPage(
            request: request, identity: "", credentialFingerprint: 0, cursor: nil, secrets: Secrets())
        let failure = await #expect(throws: FeedSyncError.self) { try await bench.fetcher.fetch(page) }
        #expect(failure?.kind == .undecodable)
    }

    @Test("A fetch sends the validators and takes a 304 for a success")
    func notModified() async throws {
        let bench = try FetchBench()
        bench.server.enqueue("/things", [.status(304)])
        let page = try await bench.fetch(validators: Validators(etag: "\"1\"", lastModified: "then"))
        #expect(page.kind == .notModified)
        let request = try #require(bench.server.requests.first)
        #expect(request.header("If-None-Match") == "\"1\"" && request.header("If-Modified-Since") == "then")
    }

    @Test("A fetch tries once more, unconditionally, after a 304 without validators")
    func unaskedNotModified() async throws {
        let bench = try FetchBench("headers: {If-None-Match: stale}")
        bench.server.enqueue("/things", [.status(304), .json("[]")])
        #expect(try await bench.fetch().kind == .content)
        #expect(bench.server.requests.map { $0.header("If-None-Match") } == ["stale", nil])
        bench.server.enqueue("/things", [.status(304)])
        #expect(bench.meter.take().requestCount == 2)
        let failure = try await bench.failure()
        #expect(failure.kind == .unreachable && bench.meter.take().requestCount == 2)
        #expect(failure.message == "the upstream answered 304 Not Modified to an unconditional request")
    }

    @Test("A fetch obeys the definition's rules")
    func rules() async throws {
        let bench = try FetchBench(
            """
            responses:
              - {status: 422, do: end}
              - {body: {state: busy}, do: retry}
              - {body: {state: broken}, do: fail}
              - {status: 404, do: empty}
            """)
        bench.server.enqueue("/things", [.status(422)])
        #expect(try await bench.fetch().kind == .end(status: 422))
        bench.server.enqueue("/things", [.status(404)])
        #expect(try await bench.fetch().kind == .empty)
        bench.server.enqueue("/things", [.json(#"{"state":"busy"}"#), .json("[]")])
        #expect(try await bench.fetch().kind == .content)
        #expect(bench.clock.waits == [.milliseconds(250)])
        bench.server.enqueue("/things", [.json(#"{"state":"broken","message":"out of order"}"#)])
        #expect(bench.meter.take().requestCount == 4)
        let broken = try await bench.failure()
        #expect(broken.kind == .rejected && bench.meter.take().requestCount == 1)
        #expect(broken.message == #"the upstream answered 200 OK: "out of order""#)
        bench.server.enqueue("/things", [.json(#"{"state":"busy"}"#)])
        let busy = try await bench.failure()
        #expect(busy.kind == .unreachable && bench.meter.take().requestCount == 3)
    }

    @Test("A fetch follows a redirect to another origin without the credentials")
    func redirect() async throws {
        let other = try ScriptedServer()
        other.enqueue("/moved", [.json("[]")])
        let bench = try FetchBench("auth: {bearer: '${TOKEN}'}\nquery: {key: '${TOKEN}'}")
        bench.server.enqueue("/things", [.status(302, headers: [("Location", "\(other.url)/moved")])])
        let page = try await bench.fetch(environment: ["TOKEN": "hunter2"])
        #expect(page.kind == .content && bench.meter.cost.requestCount == 2)
        #expect(bench.server.requests.first?.header("Authorization") == "Bearer hunter2")
        #expect(bench.server.requests.first?.parameter("key") == "hunter2")
        let moved = try #require(other.requests.first)
        #expect(moved.header("Authorization") == nil && moved.query.isEmpty)
    }

    @Test("A fetch ends cancelled when its task is cancelled")
    func cancelled() async throws {
        let bench = try FetchBench()
        let gate = bench.server.gate()
        bench.server.route("/things") { _ in
            gate.wait()
            return .json("[]")
        }
        let task = Task { try await bench.failure() }
        await gate.arrived()
        task.cancel()
        #expect(try await task.value.kind == .cancelled)
    }

    @Test("A fetch ends cancelled when its task is cancelled in a wait")
    func cancelledWait() async throws {
        let bench = try FetchBench()
        bench.server.route("/things") { _ in .status(500) }
        let page = try bench.plan().page(for: nil)
        let meter = RequestMeter()
        let fetcher = Fetcher(
            client: Client(userAgent: "feedsync-tests"), rules: [], policy: RetryPolicy(), clock: ContinuousClock(),
            random: { 1 }, now: { FetchBench.now }, meter: meter,
            progress: { if case .waiting = $0 { withUnsafeCurrentTask { $0?.cancel() } } })
        let failure = await #expect(throws: FeedSyncError.self) { try await fetcher.fetch(page) }
        #expect(failure?.kind == .cancelled && meter.cost.requestCount == 1)
    }
}
