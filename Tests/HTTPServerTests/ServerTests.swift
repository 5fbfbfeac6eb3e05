import HTTPServer
import Platform
import ScriptedServer
import Testing

@Suite(.timeLimit(.minutes(1))) struct ServerTests {
    @Test("A whole answer has its status, header fields, length and body")
    func whole() throws {
        let server = try Server { _ in .json("{}", status: 203, headers: [(name: "ETag", value: "\"é\"")]) }
        let answer = try exchange("GET /", with: server)
        #expect(answer.text.hasPrefix("HTTP/1.1 203 "))
        #expect(answer.text.contains("\r\nETag: \"é\"\r\n"))
        #expect(answer.text.contains("\r\nContent-Length: 2\r\n"))
        #expect(answer.text.messageBody == "{}")
        #expect(answer.end == .closed)
    }

    @Test("A body of megabytes arrives as it was given")
    func large() throws {
        let body = (0..<200_000).map { String($0) }.joined(separator: ",")
        let server = try Server { _ in .json(body) }
        #expect(try exchange("GET /", with: server).text.messageBody == body)
    }

    @Test("One connection serves one request after the other")
    func keepAlive() throws {
        let server = try Server { .html("<\($0.path)>") }
        let connection = try RawConnection(to: server)
        for number in 1...3 {
            connection.send("GET /\(number) HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(connection.read(through: ">").messageBody == "</\(number)>")
        }
    }

    @Test("A HEAD has the length of the body and no body")
    func head() throws {
        let server = try Server { _ in .html("12345") }
        let answer = try exchange("HEAD /", with: server)
        #expect(answer.text.contains("\r\nContent-Length: 5\r\n"))
        #expect(answer.text.messageBody.isEmpty)
    }

    @Test("A chunked answer has no length")
    func chunked() throws {
        let server = try Server { _ in ServerResponse(body: Array("hello".utf8), delivery: .chunked) }
        let answer = try exchange("GET /", with: server)
        #expect(answer.text.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(!answer.text.contains("Content-Length"))
        #expect(answer.text.messageBody == "5\r\nhello\r\n0\r\n\r\n")
    }

    @Test(
        "A truncated answer announces everything and stops short",
        arguments: [(0, ""), (3, "hel"), (-1, ""), (5, "hello"), (99, "hello")])
    func truncated(after count: Int, body: String) throws {
        let server = try Server { _ in ServerResponse(body: Array("hello".utf8), delivery: .truncated(after: count)) }
        let answer = try exchange("GET /", with: server)
        #expect(answer.text.contains("\r\nContent-Length: 5\r\n"))
        #expect(answer.text.messageBody == body)
    }

    @Test("A paused answer sends the first part, and the rest when let go")
    func paused() async throws {
        let gate = Gate()
        let server = try Server { _ in
            ServerResponse(body: Array("hello".utf8), delivery: .paused(after: 2, wait: { gate.wait() }))
        }
        let connection = try RawConnection(to: server)
        connection.send("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        await gate.arrived()
        #expect(connection.read(through: "\r\n\r\nhe").hasSuffix("\r\n\r\nhe"))
        gate.open()
        #expect(connection.readToEnd().text == "llo")
    }

    @Test("A reset closes the connection without a byte")
    func reset() throws {
        let server = try Server { _ in ServerResponse(status: 200, body: [1, 2, 3], delivery: .reset) }
        let answer = try exchange("GET /", with: server)
        #expect(answer.text.isEmpty)
        #expect(answer.end == .failed(errno: ECONNRESET))
    }

    @Test("A verbatim answer goes out as it is", arguments: ["", "HTTP/9 what?\r\n\r\n", "\u{0}\r\n"])
    func verbatim(bytes: String) throws {
        let server = try Server { _ in ServerResponse(body: Array(bytes.utf8), delivery: .verbatim) }
        #expect(try exchange("GET /", with: server).text == bytes)
    }

    @Test(
        "A response that cannot be sent is answered with a 500 that names the reason",
        arguments: [
            (ServerResponse.status(99), "99 is not a status that can be sent"),
            (.status(-1), "-1 is not a status that can be sent"),
            (.status(.max), "\(Int.max) is not a status that can be sent"),
            (
                .status(200, headers: [(name: "A", value: "1\r\nB: 2")]),
                "the response header A is not one that can be sent"
            ),
        ])
    func unsendable(response: ServerResponse, reason: String) throws {
        let server = try Server { _ in response }
        let answer = try exchange("GET /", with: server)
        #expect(answer.text.hasPrefix("HTTP/1.1 500 "))
        #expect(answer.text.messageBody == reason)
    }

    @Test("A handler that waits holds up nobody else")
    func concurrent() async throws {
        let gate = Gate()
        let server = try Server { request in
            if request.path == "/slow" { gate.wait() }
            return .html(request.path)
        }
        let slow = try RawConnection(to: server)
        slow.send("GET /slow HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        await gate.arrived()
        #expect(try exchange("GET /quick", with: server).text.messageBody == "/quick")
        gate.open()
        #expect(slow.readToEnd().text.messageBody == "/slow")
    }

    @Test("A port in use is an error with the port and the system's words")
    func portInUse() throws {
        let server = try Server { _ in .status(204) }
        let error = #expect(throws: ServerError.self) { try Server(port: server.port) { _ in .status(204) } }
        #expect(error?.code == EADDRINUSE)
        #expect(error?.description == "cannot listen on 127.0.0.1:\(server.port): Address already in use")
    }

    @Test("A stopped server refuses connections and leaves its port to the next")
    func stop() throws {
        let server = try Server { _ in .html("first") }
        _ = try exchange("GET /", with: server)
        server.stop()
        server.stop()
        let failure = #expect(throws: RawConnection.Failure.self) { try RawConnection(to: server) }
        #expect(failure?.errno == ECONNREFUSED)
        let next = try Server(port: server.port) { _ in .html("second") }
        #expect(try exchange("GET /", with: next).text.messageBody == "second")
    }

    @Test("A server that is let go of stops and lets go of its handler")
    func released() throws {
        final class Token: Sendable {}
        weak var token: Token?
        var server: Server?
        do {
            let held = Token()
            token = held
            server = try Server { _ in .html("\(held)") }
        }
        #expect(token != nil)
        _ = try exchange("GET /", with: #require(server))
        server = nil
        #expect(token == nil)
    }
}
