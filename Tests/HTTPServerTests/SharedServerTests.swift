import Concurrency
import Foundation
import HTTPServer
import Platform
import ScriptedServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct SharedServerTests {
    private func server(
        limits: SharedServer.Limits = .init(), _ handler: @escaping SharedServer.Handler
    ) throws -> (SharedServer, UInt16) {
        let server = try SharedServer(.tcp(host: "127.0.0.1", port: 0), limits: limits, handler: handler)
        guard case .tcp(_, let port) = server.address else { throw ServerTestFailure() }
        return (server, port)
    }

    private struct ServerTestFailure: Error {}

    @Test("A handler may take its time, and holds up nobody")
    func slow() async throws {
        let (asked, askedInput) = AsyncStream.makeStream(of: Void.self)
        let (going, goingInput) = AsyncStream.makeStream(of: Void.self)
        let (server, port) = try server { request in
            guard request.path == "/slow" else { return .whole(.html("fast")) }
            askedInput.yield()
            for await _ in going { break }
            return .whole(.html("slow"))
        }
        defer { server.stop() }
        async let slow = onThread {
            let slow = try RawConnection(port: port)
            slow.send("GET /slow HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
            return slow.readToEnd().text.messageBody
        }
        for await _ in asked { break }
        for _ in 1...3 {
            let answer = try await onThread {
                let fast = try RawConnection(port: port)
                fast.send("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
                return fast.readToEnd().text.messageBody
            }
            #expect(answer == "fast")
        }
        goingInput.yield()
        #expect(try await slow == "slow")
    }

    @Test("A client that goes ends the work on what it asked for, but not a command", arguments: ["GET", "POST"])
    func gone(method: String) async throws {
        let (asked, askedInput) = AsyncStream.makeStream(of: Void.self)
        let (going, goingInput) = AsyncStream.makeStream(of: Void.self)
        let (ended, endedInput) = AsyncStream.makeStream(of: Bool.self)
        let (server, port) = try server { request in
            guard request.path == "/slow" else { return .whole(.html("")) }
            askedInput.yield()
            for await _ in going { break }
            endedInput.yield(Task.isCancelled)
            return .whole(.html(""))
        }
        let client = try RawConnection(port: port)
        client.send("\(method) /slow HTTP/1.1\r\nHost: test\r\n\r\n")
        for await _ in asked { break }
        client.close()
        if method == "POST" {
            // The loop has seen the end by the time that it answers another client.
            _ = try await onThread { try exchange("GET /", port: port) }
            goingInput.yield()
        }
        for await isCancelled in ended {
            #expect(isCancelled == (method == "GET"))
            break
        }
        server.stop()
    }

    @Test("Answers that nobody reads are given up, the oldest first, before they take much memory")
    func unread() async throws {
        try await onThread {
            var limits = SharedServer.Limits()
            limits.unsent = 32 << 20
            let (server, port) = try server(limits: limits) { _ in
                .whole(ServerResponse(body: [UInt8](repeating: 65, count: 8 << 20)))
            }
            defer { server.stop() }
            let clients = try (1...12).map { _ in try RawConnection(port: port) }
            for client in clients {
                client.send("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
                _ = client.read(upTo: 1)
            }
            let whole = clients.map { $0.readToEnd().text.utf8.count >= 8 << 20 }
            #expect(whole.last == true && whole.first == false && whole.count(where: \.self) < 12)
        }
    }

    @Test("One connection serves one request after the other, with bodies")
    func keepAlive() async throws {
        try await onThread {
            let (server, port) = try server {
                .whole(.html("<\($0.method) \(String(decoding: $0.body, as: UTF8.self))>"))
            }
            defer { server.stop() }
            let connection = try RawConnection(port: port)
            for number in 1...3 {
                connection.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\n\r\n\(number)")
                #expect(connection.read(through: ">").messageBody == "<POST \(number)>")
            }
        }
    }

    @Test("A body that is too large is refused before it is sent, and cut off where its length is unknown")
    func body() async throws {
        try await onThread {
            var limits = SharedServer.Limits()
            limits.body = 10
            let (server, port) = try server(limits: limits) { _ in .whole(.html("taken")) }
            defer { server.stop() }
            let announced = try RawConnection(port: port)
            announced.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 11\r\n\r\n")
            #expect(announced.readToEnd().text.hasPrefix("HTTP/1.1 413 "))
            let chunked = try RawConnection(port: port)
            chunked.send(
                "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n")
            #expect(!chunked.readToEnd().text.contains("taken"))
        }
    }

    @Test("A head that is too long is refused")
    func head() async throws {
        try await onThread {
            let (server, port) = try server { _ in .whole(.html("taken")) }
            defer { server.stop() }
            let connection = try RawConnection(port: port)
            connection.send("GET / HTTP/1.1\r\nHost: test\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n")
            #expect(!connection.readToEnd().text.contains("taken"))
        }
    }

    @Test("A silent client is let go")
    func silent() async throws {
        try await onThread {
            var limits = SharedServer.Limits()
            limits.idleSeconds = 1
            let (server, port) = try server(limits: limits) { _ in .whole(.html("")) }
            defer { server.stop() }
            let connection = try RawConnection(port: port)
            connection.send("GET / HT")
            #expect(connection.readToEnd().text.isEmpty)
        }
    }

    @Test(
        "A request that does not arrive in time is given up; one that waits for its answer is not",
        arguments: [
            ["GET / HT"], ["POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\n1"],
            ["GET /fast HTTP/1.1\r\nHost: test\r\n\r\n", "GET / HT"],
        ])
    func late(parts: [String]) async throws {
        let (going, goingInput) = AsyncStream.makeStream(of: Void.self)
        let (asked, askedInput) = AsyncStream.makeStream(of: Void.self)
        var limits = SharedServer.Limits()
        (limits.idleSeconds, limits.receivingSeconds) = (600, 1)
        let (server, port) = try server(limits: limits) { request in
            guard request.path == "/slow" else { return .whole(.html("<fast>")) }
            askedInput.yield()
            for await _ in going { break }
            return .whole(.html("slow"))
        }
        defer { server.stop() }
        async let slow = onThread {
            let slow = try RawConnection(port: port)
            slow.send("GET /slow HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
            return slow.readToEnd().text.messageBody
        }
        for await _ in asked { break }
        try await onThread {
            let connection = try RawConnection(port: port)
            for part in parts {
                connection.send(part)
                if part != parts.last { #expect(connection.read(through: ">").messageBody == "<fast>") }
            }
            #expect(connection.readToEnd().text.isEmpty)
        }
        goingInput.yield()
        #expect(try await slow == "slow")
    }

    @Test("One address has not all connections of a server that others than this machine reach")
    func perAddress() async throws {
        try await onThread {
            var limits = SharedServer.Limits()
            limits.connectionsPerAddress = 2
            func counted(_ host: String) throws -> Int {
                let server = try SharedServer(.tcp(host: host, port: 0), limits: limits) { _ in .whole(.html("<>")) }
                defer { server.stop() }
                guard case .tcp(_, let port) = server.address else { throw ServerTestFailure() }
                let connections = try (1...3).map { _ in try RawConnection(port: port) }
                return connections.count { connection in
                    connection.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
                    return connection.read(through: "<>").contains("<>")
                }
            }
            let counts = (open: try counted("0.0.0.0"), loopback: try counted("127.0.0.1"))
            #expect(counts == (open: 2, loopback: 3))
        }
    }

    @Test("A stream sends what comes, as it comes, to each of its readers")
    func stream() async throws {
        try await onThread {
            let source = Source()
            var limits = SharedServer.Limits()
            // The other tests may take all of the machine.
            limits.idleSeconds = 600
            let (server, port) = try server(limits: limits) { _ in
                .stream(ServerResponse(headers: [(name: "Content-Type", value: "text/plain")]), source.reader())
            }
            defer { server.stop() }
            let readers = try (1...20).map { _ in try RawConnection(port: port) }
            for reader in readers {
                reader.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(reader.read(through: "begun\n\r\n").hasSuffix("begun\n\r\n"))
            }
            for text in ["one\n", "two\n"] {
                source.send(text)
                for reader in readers { #expect(reader.read(through: text + "\r\n").hasSuffix(text + "\r\n")) }
            }
            source.finish()
            for reader in readers { #expect(reader.read(through: "0\r\n\r\n").hasSuffix("0\r\n\r\n")) }
        }
    }

    @Test("A server that stops answers those who wait with 503, ends streams, and closes its port")
    func stop() async throws {
        let source = Source()
        let (asked, askedInput) = AsyncStream.makeStream(of: Void.self)
        let (server, port) = try server { request in
            if request.path == "/stream" { return .stream(ServerResponse(), source.reader()) }
            askedInput.yield()
            try? await Task.sleep(for: .seconds(3_600))
            return .whole(.html("late"))
        }
        async let stream = onThread {
            let stream = try RawConnection(port: port)
            stream.send("GET /stream HTTP/1.1\r\nHost: test\r\n\r\n")
            let head = stream.read(through: "\r\n\r\n")
            askedInput.yield()
            return head + stream.readToEnd().text
        }
        async let waiting = onThread {
            let waiting = try RawConnection(port: port)
            waiting.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
            return waiting.readToEnd().text
        }
        for await _ in asked.prefix(2) {}
        server.stop()
        #expect(try await waiting.hasPrefix("HTTP/1.1 503 "))
        #expect(try await stream.hasSuffix("0\r\n\r\n"))
        #expect(throws: RawConnection.Failure.self) { try RawConnection(port: port) }
        // A second time changes nothing.
        server.stop()
    }

    @Test(
        "An address is a host with a port, or a path",
        arguments: [
            ("127.0.0.1:8420", true), ("localhost:0", true), ("[::1]:8420", true), ("0.0.0.0:80", false),
            ("192.168.1.4:8420", false), ("example.com:80", false), ("unix:/run/x", true),
            ("127.0.0.1.example.com:1", false),
        ])
    func address(text: String, isLocal: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.description == text)
        #expect(address.isLocal == isLocal)
    }

    @Test(
        "A text that is no address has none",
        arguments: ["", "8420", "localhost", "a:b", "::1:80", "a:70000", "unix:", ":80"])
    func noAddress(text: String) { #expect(ListenAddress(text) == nil) }

    @Test("A socket in the file system is its owner's, replaces one that was left, and goes with the server")
    func unix() async throws {
        try await onThread {
            let path = "/tmp/feedsync-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
            let abandoned = try SharedServer(.unix(path: path)) { _ in .whole(.html("")) }
            #expect(throws: ServerError.self) { try SharedServer(.unix(path: path)) { _ in .whole(.html("")) } }
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            abandoned.stop()
            #expect(stat(path, &status) != 0)
            // A killed server leaves its socket.
            let descriptor = platform_socket(AF_UNIX, platform_stream, 0, 1)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let isBound = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            #expect(isBound)
            close(descriptor)
            let server = try SharedServer(.unix(path: path)) { _ in .whole(.html("")) }
            server.stop()
        }
    }
}

extension SharedServerTests {
    @Test("A socket in a folder that gives its group to what is in it is that group's, too")
    func sharedSocket() async throws {
        try await onThread {
            let folder = "/tmp/feedsync-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
            #expect(mkdir(folder, 0o750) == 0)
            defer { rmdir(folder) }
            #expect(chmod(folder, 0o2750) == 0)
            let server = try SharedServer(.unix(path: "\(folder)/s")) { _ in .whole(.html("")) }
            var status = stat()
            #expect(stat("\(folder)/s", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o660)
            server.stop()
        }
    }

    @Test("A socket of its owner alone is closed to other users", .enabled(if: getuid() == 0, "needs root"))
    func foreignUser() async throws {
        try await onThread {
            let path = "/tmp/feedsync-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
            let server = try SharedServer(.unix(path: path)) { _ in .whole(.html("")) }
            defer { server.stop() }
            let script = "import socket; socket.socket(socket.AF_UNIX).connect('\(path)')"
            func exitCode(as user: String) throws -> Int32 {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/bin/su")
                process.arguments = ["-s", "/bin/sh", user, "-c", "cd / && python3 -c \"\(script)\""]
                process.standardError = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                return process.terminationStatus
            }
            #expect(try exitCode(as: "root") == 0)
            #expect(try exitCode(as: "nobody") != 0)
        }
    }
}

/// Text for any number of readers.
private final class Source: Sendable {
    private let readers = Lock<[Reader]>([])

    func reader() -> Reader {
        let reader = Reader()
        readers.withLock { $0.append(reader) }
        return reader
    }

    func send(_ text: String) { for reader in readers.withLock({ $0 }) { reader.send(text) } }

    func finish() { for reader in readers.withLock({ $0 }) { reader.finish() } }

    final class Reader: ResponseStream {
        private struct State {
            var parts: [ResponsePart] = [.bytes(Array("begun\n".utf8))]
            var wake: (@Sendable () -> Void)?
        }

        private let state = Lock(State())

        func begin(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }
        func next() -> ResponsePart { state.withLock { $0.parts.isEmpty ? .wait : $0.parts.removeFirst() } }
        func end() {}
        func send(_ text: String) { add(.bytes(Array(text.utf8))) }
        func finish() { add(.end) }

        private func add(_ part: ResponsePart) {
            let wake = state.withLock { state in
                state.parts.append(part)
                return state.wake
            }
            wake?()
        }
    }
}
