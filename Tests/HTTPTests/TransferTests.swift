import HTTP
import HTTPServer
import ScriptedServer
import TemporaryFolder
import Testing
import Text

@Suite("A client") struct TransferTests {
    let server: ScriptedServer
    let client = makeClient()

    init() throws { server = try ScriptedServer() }

    @Test(
        "A client receives a body whole, with zeroed padding after it",
        arguments: [0, 1, 63, 64, 65, 4_096, 1 << 20, 5_000_000], [false, true])
    func wholeBody(size: Int, isChunked: Bool) async throws {
        let sent = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        server.route("/") { _ in ServerResponse(body: sent, delivery: isChunked ? .chunked : .whole) }
        let response = try await client.send(Request(server.url("/")))
        #expect(response.body.bytes == sent)
        #expect(response.wireByteCount > size)
        response.body.withUnsafeBytes { bytes in
            guard let end = bytes.baseAddress?.advanced(by: bytes.count) else {
                return #expect(Bool(false), "no bytes")
            }
            #expect(UnsafeRawBufferPointer(start: end, count: Body.padding).allSatisfy { $0 == 0 })
        }
    }

    @Test("The error for gzip with bytes after its end names them, and no failed disk")
    func gzipWithTrailingBytes() async throws {
        // gzip of `{"items":[]}`, then `garbage!`.
        let body: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 202, 44, 73, 205, 45, 86, 178, 138, 142, 173, 5, 0, 29, 31, 67,
            234, 12, 0, 0, 0, 103, 97, 114, 98, 97, 103, 101, 33,
        ]
        server.route("/") { _ in ServerResponse(headers: [("Content-Encoding", "gzip")], body: body) }
        let error = try await client.failure(Request(server.url("/")))
        #expect(error.kind == .contentCoding)
        #expect(error.message.contains("content coding (gzip)"))
    }

    @Test("Reused memory holds nothing of an earlier body")
    func reuse() async throws {
        for size in [300_000, 10, 200_000, 70, 3_000_000, 1] {
            let sent = [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size)
            server.route("/") { _ in ServerResponse(body: sent) }
            let body = try await client.send(Request(server.url("/"))).body
            #expect(body.bytes == sent)
            body.withUnsafeBytes { bytes in
                guard let end = bytes.baseAddress?.advanced(by: bytes.count) else { return }
                #expect(UnsafeRawBufferPointer(start: end, count: Body.padding).allSatisfy { $0 == 0 })
            }
        }
    }

    @Test("A client sends the method, headers, body and its name, and nothing else")
    func sending() async throws {
        server.route("/a") { _ in .status(204) }
        let headers: Headers = ["X-One": "1", "x-one": "2", "X-Empty": "", "Content-Type": "text/plain"]
        let url = try server.url("/a").replacingQuery([NamedValue(name: "q", value: "ü &")])
        let response = try await client.send(Request(url, method: "PUT", headers: headers, body: Array("hällo".utf8)))
        #expect(response.status == 204)
        let arrived = try #require(server.requests.first)
        #expect(arrived.method == "PUT")
        #expect(arrived.parameter("q") == "ü &")
        #expect(arrived.body == Array("hällo".utf8))
        #expect(arrived.header("User-Agent") == "http-tests/1")
        #expect(arrived.header("Content-Type") == "text/plain")
        #expect(arrived.header("X-Empty") == "")
        #expect(arrived.headers.filter { $0.name.lowercased() == "x-one" }.map(\.value) == ["1", "2"])
        #expect(arrived.header("Expect") == nil)
        #expect(arrived.header("Accept-Encoding")?.contains("gzip") == true)
    }

    @Test("A client keeps no settings of the request before", arguments: ["GET", "HEAD", "DELETE"])
    func handleReuse(method: String) async throws {
        server.route("/") { _ in ServerResponse(body: [1]) }
        let url = try server.url("/")
        _ = try await client.send(Request(url, method: "POST", headers: ["X-A": "1"], body: [1, 2, 3]))
        let response = try await client.send(Request(url, method: method))
        let arrived = try #require(server.requests.last)
        #expect(arrived.method == method)
        #expect(arrived.body.isEmpty)
        #expect(arrived.header("X-A") == nil)
        #expect(arrived.header("Content-Type") == nil)
        #expect(response.body.count == (method == "HEAD" ? 0 : 1))
    }

    @Test("A client counts a 304 and its headers, and delivers them")
    func notModified() async throws {
        server.route("/") { _ in .status(304, headers: [("ETag", "\"a\"")]) }
        let response = try await client.send(Request(server.url("/"), headers: ["If-None-Match": "\"a\""]))
        #expect(!response.isModified)
        #expect(response.etag == "\"a\"")
        #expect(response.wireByteCount > 0)
        #expect(server.requests.first?.header("If-None-Match") == "\"a\"")
    }

    @Test("A client decodes gzip and counts the bytes on the wire")
    func gzip() async throws {
        let folder = try TemporaryFolder()
        let plain = [UInt8](repeating: 65, count: 1_000_000)
        try folder.write(plain, to: "plain")
        try run("/usr/bin/gzip", "\(folder.path)/plain")
        let packed = try folder.read("plain.gz")
        server.route("/") { _ in ServerResponse(headers: [("Content-Encoding", "gzip")], body: packed) }
        let request = try Request(server.url("/"))
        let response = try await client.send(request)
        #expect(response.body.bytes == plain)
        #expect(response.wireByteCount < 10_000)

        var bounded = request
        bounded.limits.body = 999_999
        let error = try await client.failure(bounded)
        #expect(error.kind == .tooLarge, "a small gzip that unpacks to a big body")
        #expect(!error.isRetryable)
    }

    @Test("A client reports a body that is not gzip in spite of its header")
    func brokenGzip() async throws {
        server.route("/") { _ in
            ServerResponse(headers: [("Content-Encoding", "gzip")], body: [UInt8](repeating: 7, count: 500))
        }
        #expect(try await client.failure(Request(server.url("/"))).kind == .contentCoding)
    }

    @Test("A connection that ends within the header fields is a truncated response")
    func endInFields() async throws {
        server.route("/") { _ in
            ServerResponse(body: Array("HTTP/1.1 200 OK\r\nContent-Type: appl".utf8), delivery: .verbatim)
        }
        #expect(try await client.failure(Request(server.url("/"))).kind == .truncated)
    }

    @Test("A client reports a truncated body, wherever it is cut", arguments: [0, 1, 500, 999])
    func truncated(after: Int) async throws {
        server.route("/") { _ in
            ServerResponse(body: [UInt8](repeating: 65, count: 1_000), delivery: .truncated(after: after))
        }
        let error = try await client.failure(Request(server.url("/")))
        #expect(error.kind == .truncated)
        #expect(error.isRetryable)
    }

    @Test("A client reports a connection closed without an answer")
    func reset() async throws {
        server.route("/") { _ in ServerResponse(delivery: .reset) }
        let error = try await client.failure(Request(server.url("/")))
        #expect(error.kind == .connectionLost)
        #expect(error.isRetryable)
    }

    @Test("A client reports a refused connection with the URL, its secrets masked")
    func refused() async throws {
        let url = try server.url("/things?token=hush&page=2")
        server.stop()
        let error = try await client.failure(Request(url, credentials: [.query(name: "k", value: "secret")]))
        #expect(error.kind == .connect)
        #expect(error.isRetryable)
        #expect(error.url?.hasSuffix("/things?token=***&page=2") == true)
        #expect(error.description.contains("/things?token=***"))
    }

    @Test("A client reports a name that does not resolve")
    func unresolved() async throws {
        // The second one finds what the first one left.
        for _ in 1...2 {
            let error = try await client.failure(Request(WebURL("http://nowhere.invalid/")))
            #expect(error.kind == .resolve)
        }
    }

    @Test("A client ends at the total time-out and at a stall, with different errors")
    func timeouts() async throws {
        let gate = server.gate()
        server.route("/") { _ in
            ServerResponse(body: [1, 2, 3, 4], delivery: .paused(after: 2) { gate.wait() })
        }
        let url = try server.url("/")
        let timeout = try await client.failure(Request(url, timeouts: Timeouts(total: .milliseconds(20))))
        #expect(timeout.kind == .timeout)
        #expect(timeout.isRetryable)
        let stall = try await client.failure(Request(url, timeouts: Timeouts(stall: .milliseconds(1))))
        #expect(stall.kind == .stalled)
        #expect(stall.isRetryable)
    }

    @Test("A client refuses a body over the limit, announced or not", arguments: [false, true])
    func bodyLimit(isChunked: Bool) async throws {
        server.route("/") { _ in
            ServerResponse(body: [UInt8](repeating: 65, count: 1_001), delivery: isChunked ? .chunked : .whole)
        }
        var request = try Request(server.url("/"), limits: ResponseLimits(body: 1_000))
        #expect(try await client.failure(request).kind == .tooLarge)
        request.limits.body = 1_001
        #expect(try await client.send(request).body.count == 1_001)
    }

    @Test(
        "A client refuses a flood of headers",
        arguments: [
            String(repeating: "X-Flood: \(String(repeating: "a", count: 80))\r\n", count: 4_000),
            "X-Flood: \(String(repeating: "a", count: 200_000))\r\n", String(repeating: "X: 1\r\n", count: 5_001),
        ])
    func headerFlood(fields: String) async throws {
        let message = "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n"
        server.route("/") { _ in ServerResponse(body: Array(message.utf8), delivery: .verbatim) }
        let error = try await client.failure(Request(server.url("/")))
        #expect(error.kind == .tooLarge)
        #expect(!error.isRetryable)
    }

    @Test(
        "Other data than HTTP is a protocol error",
        arguments: [
            "HTP/1.1 200 OK\r\n\r\n", "hello\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        ])
    func malformed(message: String) async throws {
        server.route("/") { _ in ServerResponse(body: Array(message.utf8), delivery: .verbatim) }
        #expect(try await client.failure(Request(server.url("/"))).kind == .protocolError)
    }

    @Test("A client skips interim responses and trailers, and joins folded lines")
    func oddHeads() async throws {
        let message =
            "HTTP/1.1 103 Early Hints\r\nETag: \"no\"\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
            + "X-Folded: a\r\n  b\r\nETag:\"yes\" \r\n\r\n1\r\nx\r\n0\r\nX-Trailer: t\r\n\r\n"
        server.route("/") { _ in ServerResponse(body: Array(message.utf8), delivery: .verbatim) }
        let response = try await client.send(Request(server.url("/")))
        #expect(response.headers.values(of: "ETag") == ["\"yes\""])
        #expect(response.headers["X-Folded"] == "a b")
        #expect(response.headers["X-Trailer"] == nil)
        #expect(response.body.bytes == Array("x".utf8))
    }

    @Test(
        "A client sends nothing that could smuggle a header",
        arguments: [
            ("GET", "X-A", "b\r\nX-Evil: 1"), ("GET", "X-A", "b\u{0}c"), ("GET", "X-A", "b\n"), ("GET", "X A", "b"),
            ("GET", "X-A\r\nX-Evil", "b"), ("GET", "", "b"), ("GET", "X:A", "b"), ("GE T", "X-A", "b"),
            ("", "X-A", "b"),
            ("GET / HTTP/1.1\r\nX", "X-A", "b"),
        ])
    func smuggling(method: String, name: String, value: String) async throws {
        let url = try server.url("/")
        let headers = Headers([NamedValue(name: name, value: value)])
        let plain = try await client.failure(Request(url, method: method, headers: headers))
        let secret = try await client.failure(
            Request(url, method: method, credentials: [.header(name: name, value: value)]))
        #expect(plain.kind == .invalidRequest)
        #expect(secret.kind == .invalidRequest)
        #expect(server.requests.isEmpty)
    }
}
