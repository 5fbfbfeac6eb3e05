internal import CMicroHTTPD
internal import Platform

/// One connection of a shared server: the bytes that came, the request that they make, and the bytes that are to go.
///
/// - Isolation: the server's thread.
final class ServerConnection {
    /// The state of the request in front.
    enum Phase {
        case head
        case body(RequestHead)
        /// The handler works on it.
        case handling(RequestHead, Task<Void, Never>)
        /// The answer goes out.
        case answering
        /// Nothing more is sent; what still comes is thrown away, so that the client reads the answer and no reset.
        case draining
    }

    let id: UInt64
    let socket: Int32
    /// The client's address; nil for a socket file.
    let client: String?
    var phase = Phase.head
    /// False once the connection ends with the answer that goes out.
    var staysOpen = true
    /// True while the system may have bytes of the client.
    var mayReceive = true
    /// True once the client sends nothing more.
    var hasClosed = false
    /// True until the system takes no more bytes.
    var maySend = true
    /// The moment of the last progress, and of the beginning of the request or the answer.
    var activeAt: ContinuousClock.Instant
    var begunAt: ContinuousClock.Instant
    /// The stream whose parts are sent as they come, and true if they are framed as chunks.
    var stream: (source: any ResponseStream, isChunked: Bool)?
    /// The bytes of the answer that are not sent.
    private(set) var unsentCount = 0

    private var input: [UInt8] = []
    private var search = HeadSearch()
    private var chunks = ChunkedBody()
    private var output: [[UInt8]] = []
    private var outputStart = 0

    init(id: UInt64, socket: Int32, client: String?, now: ContinuousClock.Instant) {
        (self.id, self.socket, self.client) = (id, socket, client)
        (activeAt, begunAt) = (now, now)
    }

    deinit { close(socket) }

    /// The events of poll that change anything: bytes that were not there, room that was not there, and the client's
    /// end.
    var awaitedEvents: Int16 {
        var events: Int32 = 0
        if !mayReceive { events |= POLLIN }
        if !maySend { events |= POLLOUT }
        if !hasClosed { events |= platform_poll_end }
        return Int16(events)
    }

    /// Takes note of events of poll; true if the connection has failed.
    func note(_ events: Int16) -> Bool {
        let events = Int32(events)
        let hasFailed = events & (platform_poll_failure | (hasClosed ? POLLHUP : 0)) != 0
        if events & POLLIN != 0 { mayReceive = true }
        if events & POLLOUT != 0 { maySend = true }
        if events & platform_poll_end != 0 { hasClosed = true }
        return hasFailed
    }

    /// The outcome of a call of `receive`.
    enum Received {
        case some
        /// Nothing for now.
        case nothing
        /// The client has closed, or the connection failed.
        case end
    }

    /// Moves bytes from the system, with a buffer that all connections share.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Received {
        let count = recv(socket, buffer.baseAddress, buffer.count, 0)
        guard count > 0 else {
            if count < 0, errno == EINTR { return .some }
            mayReceive = false
            return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? .nothing : .end
        }
        // The end of what a client sends is no byte, but is read as well.
        if count < buffer.count, !hasClosed { mayReceive = false }
        if case .draining = phase { return .some }
        input.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return .some
    }

    /// The next request, once it is there as a whole.
    ///
    /// - Throws: `RequestRefusal`.
    func request(_ limits: SharedServer.Limits) throws(RequestRefusal) -> (head: RequestHead, request: ServerRequest)? {
        if case .head = phase {
            guard let length = try search.length(in: input, limit: limits.head) else { return nil }
            let head = try RequestHead(parsing: input[..<length])
            input.removeFirst(length)
            if case .length(let count) = head.body, count > limits.body {
                // Refused before it is sent.
                throw RequestRefusal(413, "the body is too long")
            }
            if head.awaitsContinue, input.isEmpty { add(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
            phase = .body(head)
        }
        guard case .body(let head) = phase, let body = try body(of: head, limit: limits.body) else { return nil }
        search = HeadSearch()
        chunks = ChunkedBody()
        return (
            head,
            ServerRequest(
                method: head.method, target: head.target, headers: head.headers, body: body, client: client)
        )
    }

    private func body(of head: RequestHead, limit: Int) throws(RequestRefusal) -> [UInt8]? {
        switch head.body {
        case .none: return []
        case .length(let count):
            guard input.count >= count else { return nil }
            defer { input.removeFirst(count) }
            return Array(input[..<count])
        case .chunked: return try chunks.take(from: &input, limit: limit) ? chunks.bytes : nil
        }
    }

    /// True if nothing of a further request has come.
    var isSilent: Bool { input.isEmpty }

    /// Adds bytes to send; a long body is not copied.
    func add(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        unsentCount += bytes.count
        if let last = output.indices.last, output[last].count + bytes.count <= Self.longestCopy {
            output[last] += bytes
        } else {
            output.append(bytes)
        }
    }

    private static let longestCopy = 64 * 1024

    /// Sends what the system takes; false if the connection failed.
    func send(now: ContinuousClock.Instant) -> Bool {
        while let first = output.first, maySend {
            let count = first.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[outputStart...])
                let more = output.count > 1 ? platform_send_more : 0
                return Platform.send(socket, rest.baseAddress, rest.count, platform_send_quietly | more)
            }
            guard count >= 0 else {
                if errno == EINTR { continue }
                maySend = false
                return errno == EAGAIN || errno == EWOULDBLOCK
            }
            activeAt = now
            unsentCount -= count
            outputStart += count
            if outputStart == first.count {
                output.removeFirst()
                outputStart = 0
            }
        }
        return true
    }

    /// Ends the server's side of the connection.
    func beginDraining(now: ContinuousClock.Instant) {
        phase = .draining
        (activeAt, begunAt) = (now, now)
        input = []
        shutdown(socket, Int32(SHUT_WR))
    }
}
