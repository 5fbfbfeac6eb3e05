internal import Concurrency
internal import Platform

/// The thread of a shared server: it waits for all connections at once, and hands whole requests to the handler.
///
/// - Isolation: the thread, except for `post`.
final class ConnectionLoop: @unchecked Sendable {
    // Sendable: other threads only post messages, under a lock.

    /// A message of another thread.
    enum Message: Sendable {
        case answer(UInt64, SharedAnswer)
        /// A stream has more to send.
        case more(UInt64)
        case stop
    }

    private let limits: SharedServer.Limits
    private let handler: SharedServer.Handler
    /// The executor of handlers: a thread of their own, so that work that blocks Swift's pool delays no answer.
    private let executor: ThreadExecutor
    private let isLocal: Bool
    private var listener: Int32
    /// A pipe whose bytes say that the mailbox has messages.
    private let bell: (read: Int32, write: Int32)
    private let mailbox = Lock<[Message]>([])

    private var connections: [UInt64: ServerConnection] = [:]
    private var countByClient: [String: Int] = [:]
    private var streamCount = 0
    private var streamCountByClient: [String: Int] = [:]
    private var lastID: UInt64 = 0
    private var isListening = false
    private var now = ContinuousClock.now
    private var lookedAt = ContinuousClock.now
    private var stoppedAt: ContinuousClock.Instant?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

    /// - Parameter socket: A socket that listens, which the loop closes.
    /// - Returns: nil where the system has no more files or threads.
    init?(
        _ socket: ListeningSocket, isLocal: Bool, limits: SharedServer.Limits, handler: @escaping SharedServer.Handler
    ) {
        bell = (try? Pipe.open()) ?? (-1, -1)
        listener = socket.descriptor
        guard bell.read >= 0, let executor = ThreadExecutor() else {
            for file in [bell.read, bell.write, listener] where file >= 0 { close(file) }
            buffer.deallocate()
            return nil
        }
        (self.executor, self.isLocal, self.limits, self.handler) = (executor, isLocal, limits, handler)
    }

    deinit {
        for file in [bell.read, bell.write, listener] where file >= 0 { close(file) }
        buffer.deallocate()
    }

    /// Gives the thread something to do.
    ///
    /// - Isolation: any thread.
    func post(_ message: Message) {
        let isFirst = mailbox.withLock { mailbox in
            mailbox.append(message)
            return mailbox.count == 1
        }
        guard isFirst else { return }
        // The pipe has room: it holds a byte or two, because the thread reads them before it takes the messages.
        _ = Platform.write(bell.write, "m", 1)
    }

    /// Serves until it is stopped.
    func run() {
        listen(true)
        var files: [pollfd] = []
        var waiting: [ServerConnection] = []
        while stoppedAt == nil || !connections.isEmpty {
            files.removeAll(keepingCapacity: true)
            waiting.removeAll(keepingCapacity: true)
            files.append(pollfd(fd: bell.read, events: Int16(POLLIN), revents: 0))
            // A negative number is passed over.
            files.append(pollfd(fd: isListening ? listener : -1, events: Int16(POLLIN), revents: 0))
            for connection in connections.values {
                files.append(pollfd(fd: connection.socket, events: connection.awaitedEvents, revents: 0))
                waiting.append(connection)
            }
            let count = poll(&files, nfds_t(files.count), connections.isEmpty ? -1 : Self.pause(stoppedAt != nil))
            // Without a pause, a wait that fails for good would take all of a core.
            if count < 0, errno != EINTR { usleep(10_000) }
            now = .now
            if count > 0 {
                if files[0].revents != 0 { takeMessages() }
                for (file, connection) in zip(files.dropFirst(2), waiting) where file.revents != 0 {
                    handle(file.revents, of: connection)
                }
                if files[1].revents != 0 { accept() }
            }
            closeLate()
        }
    }

    /// The milliseconds between two looks for connections that are late.
    private static func pause(_ isStopping: Bool) -> Int32 { isStopping ? 10 : 500 }

    private func handle(_ events: Int16, of connection: ServerConnection) {
        // A message or another connection may have ended it.
        guard connections[connection.id] != nil else { return }
        let hasFailed = connection.note(events)
        if hasFailed || connection.hasClosed && isWaiting(connection) { return drop(connection) }
        proceed(connection)
    }

    private func takeMessages() {
        _ = Platform.read(bell.read, buffer.baseAddress, buffer.count)
        let messages = mailbox.withLock { mailbox in
            defer { mailbox = [] }
            return mailbox
        }
        for message in messages { take(message) }
    }

    private func take(_ message: Message) {
        switch message {
        case .answer(let id, let answer):
            guard let connection = connections[id], case .handling(let head, _) = connection.phase else { return }
            begin(answer, to: head, on: connection)
            proceed(connection)
        case .more(let id):
            if let connection = connections[id] { proceed(connection) }
        case .stop: beginToStop()
        }
    }

    /// True if the client waits for work that is for nobody once it has gone.
    private func isWaiting(_ connection: ServerConnection) -> Bool {
        if case .handling = connection.phase { return true }
        return connection.stream != nil
    }

    // MARK: Connections

    /// Takes new connections, or leaves them waiting.
    private func listen(_ isWanted: Bool) {
        if stoppedAt == nil { isListening = isWanted }
    }

    private func accept() {
        while connections.count < limits.connections {
            var address = sockaddr_storage()
            let socket = platform_accept(listener, &address)
            guard socket >= 0 else {
                // Without files for more, it would be told of the next one for ever.
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno), !connections.isEmpty { listen(false) }
                return
            }
            let client = address.text
            if let client, !isLocal, countByClient[client, default: 0] >= limits.connectionsPerAddress {
                close(socket)
                continue
            }
            add(socket, client)
        }
        listen(false)
    }

    private func add(_ socket: Int32, _ client: String?) {
        lastID += 1
        let connection = ServerConnection(id: lastID, socket: socket, client: client, now: now)
        connections[lastID] = connection
        if let client { countByClient[client, default: 0] += 1 }
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        proceed(connection)
    }

    private func drop(_ connection: ServerConnection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        // A command goes on when its client has gone.
        if case .handling(let head, let task) = connection.phase, head.method != "POST" { task.cancel() }
        endStream(of: connection)
        if let client = connection.client {
            let count = countByClient[client, default: 1] - 1
            countByClient[client] = count == 0 ? nil : count
        }
        listen(true)
    }

    private func endStream(of connection: ServerConnection) {
        guard let (source, _) = connection.stream else { return }
        connection.stream = nil
        source.end()
        streamCount -= 1
        let client = connection.client ?? ""
        let count = streamCountByClient[client, default: 1] - 1
        streamCountByClient[client] = count == 0 ? nil : count
    }

    // MARK: Requests and answers

    /// Receives, sends and answers as far as that goes now.
    private func proceed(_ connection: ServerConnection) {
        while true {
            guard send(connection) else { return drop(connection) }
            switch connection.phase {
            case .handling: return
            case .answering:
                guard connection.unsentCount == 0, connection.stream == nil else { return bound(connection) }
                guard connection.staysOpen, stoppedAt == nil else {
                    connection.beginDraining(now: now)
                    continue
                }
                connection.phase = .head
                (connection.activeAt, connection.begunAt) = (now, now)
                if !connection.isSilent, read(connection) { continue }
            case .head, .body, .draining: break
            }
            guard connection.mayReceive else { return }
            switch connection.receive(buffer) {
            case .nothing: return
            case .end: return drop(connection)
            case .some:
                if case .draining = connection.phase { continue }
                connection.activeAt = now
                _ = read(connection)
            }
        }
    }

    /// Hands the next request to the handler; false if it is not there as a whole.
    private func read(_ connection: ServerConnection) -> Bool {
        do throws(RequestRefusal) {
            guard let (head, request) = try connection.request(limits) else { return false }
            connection.staysOpen = head.staysOpen
            let id = connection.id
            let task = Task(executorPreference: executor) { [weak self, handler] in
                let answer = await handler(request)
                self?.post(.answer(id, answer))
            }
            connection.phase = .handling(head, task)
        } catch {
            connection.staysOpen = false
            let response = ServerResponse(
                status: error.status, headers: [("Content-Type", "text/plain; charset=utf-8")],
                body: Array("\(error.reason)\n".utf8))
            add(response, isHead: false, to: connection)
        }
        return true
    }

    private func begin(_ answer: SharedAnswer, to head: RequestHead, on connection: ServerConnection) {
        let isHead = head.method == "HEAD"
        switch answer {
        case .whole(let response): add(response, isHead: isHead, to: connection)
        case .stream(let response, let source):
            let client = connection.client ?? ""
            guard !isHead else { return add(response, isHead: true, to: connection) }
            guard streamCount < limits.streams, stoppedAt == nil,
                isLocal || streamCountByClient[client, default: 0] < limits.streamsPerAddress
            else {
                return add(.status(503, headers: [("Retry-After", "5")]), isHead: false, to: connection)
            }
            if head.isOld { connection.staysOpen = false }
            guard
                let bytes = ResponseHeadText.bytes(
                    response, head.isOld ? .untilClose : .chunked, staysOpen: connection.staysOpen)
            else { return add(.status(500), isHead: false, to: connection) }
            connection.add(bytes)
            connection.stream = (source, !head.isOld)
            streamCount += 1
            streamCountByClient[client, default: 0] += 1
            beginAnswer(on: connection)
            let id = connection.id
            source.begin(wake: { [weak self] in self?.post(.more(id)) })
        }
    }

    private func add(_ response: ServerResponse, isHead: Bool, to connection: ServerConnection) {
        let hasBody = response.status != 204 && response.status != 304
        let framing = hasBody ? ResponseHeadText.Framing.length(response.body.count) : .none
        beginAnswer(on: connection)
        guard let head = ResponseHeadText.bytes(response, framing, staysOpen: connection.staysOpen) else {
            return add(.status(500), isHead: isHead, to: connection)
        }
        connection.add(head)
        if hasBody, !isHead { connection.add(response.body) }
    }

    private func beginAnswer(on connection: ServerConnection) {
        connection.phase = .answering
        (connection.activeAt, connection.begunAt) = (now, now)
    }

    /// Sends what is there and what a stream has; false if the connection failed.
    private func send(_ connection: ServerConnection) -> Bool {
        while true {
            guard connection.send(now: now) else { return false }
            guard connection.unsentCount == 0, let (source, isChunked) = connection.stream else { return true }
            switch stoppedAt == nil ? source.next() : .end {
            case .wait: return true
            case .bytes(let bytes):
                if connection.maySend { connection.activeAt = now }
                if isChunked { connection.add(Array("\(String(bytes.count, radix: 16))\r\n".utf8)) }
                connection.add(bytes)
                if isChunked { connection.add([13, 10]) }
            case .end:
                if isChunked { connection.add(Array("0\r\n\r\n".utf8)) }
                endStream(of: connection)
            case .failure: return false
            }
        }
    }

    /// Lets go of the oldest answers that nobody reads, where all together are too long.
    private func bound(_ connection: ServerConnection) {
        guard connection.unsentCount > Self.shortAnswer else { return }
        var unread = connections.values.filter { $0.unsentCount > 0 }
        var count = unread.reduce(0) { $0 + $1.unsentCount }
        guard count > limits.unsent else { return }
        unread.sort { $0.begunAt > $1.begunAt }
        while count > limits.unsent, unread.count > 1, let oldest = unread.popLast() {
            count -= oldest.unsentCount
            drop(oldest)
        }
    }

    /// An answer that need not be counted: a thousand of them are no more than one that is.
    private static let shortAnswer = 64 * 1024

    // MARK: Time

    private func closeLate() {
        guard now - lookedAt >= .milliseconds(stoppedAt == nil ? 250 : 10) else { return }
        lookedAt = now
        for connection in Array(connections.values) where isLate(connection) { drop(connection) }
        // Files may be free again.
        if connections.count < limits.connections { listen(true) }
    }

    private func isLate(_ connection: ServerConnection) -> Bool {
        if let stoppedAt, now - stoppedAt > .seconds(1) { return true }
        let isIdle = now - connection.activeAt > .seconds(limits.idleSeconds)
        switch connection.phase {
        case .head, .body: return isIdle || now - connection.begunAt > .seconds(limits.receivingSeconds)
        case .handling: return false
        case .answering: return isIdle && connection.unsentCount > 0
        case .draining: return now - connection.begunAt > .seconds(2)
        }
    }

    private func beginToStop() {
        listen(false)
        stoppedAt = now
        // A child that is being started has the socket, too, until it becomes another program: closing is not enough.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        listener = -1
        for connection in Array(connections.values) {
            switch connection.phase {
            case .head, .body: drop(connection)
            case .handling(let head, let task):
                task.cancel()
                connection.staysOpen = false
                begin(.whole(.status(503)), to: head, on: connection)
                proceed(connection)
            case .answering, .draining: proceed(connection)
            }
        }
    }
}

extension sockaddr_storage {
    /// The address of a client in digits; nil for a socket file.
    fileprivate var text: String? {
        var storage = self
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isKnown = withUnsafePointer(to: &storage) { pointer -> Bool in
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET:
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    var address = $0.pointee.sin_addr
                    return inet_ntop(AF_INET, &address, &text, socklen_t(text.count)) != nil
                }
            case AF_INET6:
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    var address = $0.pointee.sin6_addr
                    return inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil
                }
            default: false
            }
        }
        guard isKnown else { return nil }
        let digits = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return digits.hasPrefix("::ffff:") ? String(digits.dropFirst(7)) : digits
    }
}
