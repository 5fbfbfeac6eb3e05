internal import CMicroHTTPD
internal import Concurrency

/// One request of a shared server: its arrival, its wait for an answer, and the answer.
///
/// - Isolation: the server's thread, except for the state that `state` guards.
final class SharedExchange: @unchecked Sendable {
    // Sendable: all but `state` is touched on the server's thread alone.
    private let target: String
    private var body: [UInt8] = []
    private var hasHead = false
    private var reader: StreamReader?
    private var task: Task<Void, Never>?
    private let state = Lock(State())

    private struct State {
        /// The suspended connection; nil while the library works on it.
        var waiting: Pointer?
        var answer: SharedAnswer?
        /// Woken before it was set aside.
        var isWoken = false
        var isAbandoned = false
        var isEnded = false
    }

    /// A connection of the library's.
    private struct Pointer: @unchecked Sendable {
        // Sendable: used only while the connection is set aside, to take it up again.
        let connection: OpaquePointer
    }

    init(target: String) {
        self.target = target
    }

    /// Handles one call of the access handler: the head, pieces of the body, the end, and again once there is an
    /// answer.
    func receive(
        method: UnsafePointer<CChar>?, piece: UnsafeRawBufferPointer, connection: OpaquePointer, context: SharedContext
    ) -> MHD_Result {
        guard hasHead else {
            hasHead = true
            let fields = requestHeaders(of: connection)
            let length = fields.first { $0.name.lowercased() == "content-length" }.map { Int($0.value) ?? .max }
            // Refused before it is sent.
            guard length ?? 0 <= context.bodyLimit else { return answer(.status(413), on: connection) }
            return .YES
        }
        guard piece.isEmpty else {
            body.append(contentsOf: piece)
            return body.count <= context.bodyLimit ? .YES : .NO
        }
        let ready: SharedAnswer? = state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
        if let ready { return send(ready, on: connection) }
        guard task == nil else { return .YES }
        context.receiving.end(cmhd_socket(connection))
        let request = ServerRequest(
            method: method.map { String(cString: $0) } ?? "", target: target, headers: requestHeaders(of: connection),
            body: body)
        body = []
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { setAside(connection, &state) }
            return state.isAbandoned
        }
        guard !isAbandoned else { return answer(.status(503), on: connection) }
        task = Task(executorPreference: context.executor) { [self, handler = context.handler] in
            let answer = await handler(request)
            state.withLock { state in
                guard !state.isEnded, !state.isAbandoned else { return }
                state.answer = answer
                Self.takeUp(&state)
            }
        }
        return .YES
    }

    private func send(_ ready: SharedAnswer, on connection: OpaquePointer) -> MHD_Result {
        switch ready {
        case .whole(let response): return answer(response, on: connection)
        case .stream(let response, let stream):
            let reader = StreamReader(stream) { [unowned self] in self.rest(connection) }
            reader.isStopping = { [unowned self] in self.isAbandoned }
            self.reader = reader
            stream.begin(wake: { [weak self] in self?.wake() })
            return answer(response, streaming: reader, on: connection)
        }
    }

    /// Sets the connection aside until there is more to send; false where there is by now.
    private func rest(_ connection: OpaquePointer) -> Bool {
        state.withLock { state in
            guard !state.isAbandoned else { return false }
            defer { state.isWoken = false }
            if !state.isWoken { setAside(connection, &state) }
            return !state.isWoken
        }
    }

    private func setAside(_ connection: OpaquePointer, _ state: inout State) {
        cmhd_suspend_connection(connection)
        state.waiting = Pointer(connection: connection)
    }

    private static func takeUp(_ state: inout State) {
        guard let waiting = state.waiting else { return }
        state.waiting = nil
        cmhd_resume_connection(waiting.connection)
    }

    private func wake() {
        state.withLock { state in
            guard !state.isEnded else { return }
            if state.waiting == nil { state.isWoken = true }
            Self.takeUp(&state)
        }
    }

    /// Stops the server's part in the request: a waiting client gets an answer, and a stream its end.
    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            if state.waiting != nil, state.answer == nil { state.answer = .whole(.status(503)) }
            Self.takeUp(&state)
        }
    }

    /// Nobody waits for the answer any more.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.waiting = nil
        }
        task?.cancel()
        reader?.end()
    }

    /// True once the server stops.
    fileprivate var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
}

/// A stream that the library asks for piece by piece.
///
/// - Isolation: the server's thread.
final class StreamReader {
    private let stream: any ResponseStream
    /// Sets the connection aside; false where it must be asked again.
    private let rest: () -> Bool
    private var pending: ArraySlice<UInt8> = []
    private var hasEnded = false

    init(_ stream: any ResponseStream, rest: @escaping () -> Bool) {
        self.stream = stream
        self.rest = rest
    }

    func read(into buffer: UnsafeMutablePointer<CChar>, size: Int) -> Int {
        while pending.isEmpty {
            guard !hasEnded else { return cmhd_end_of_stream() }
            switch stream.next() {
            case .bytes(let bytes): pending = bytes[...]
            case .end: return cmhd_end_of_stream()
            case .wait: if rest() { return 0 }
            }
            if isStopping() { return cmhd_end_of_stream() }
        }
        let count = min(size, pending.count)
        pending.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        pending = pending.dropFirst(count)
        return count
    }

    /// True once the server stops.
    var isStopping: () -> Bool = { false }

    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        stream.end()
    }
}
