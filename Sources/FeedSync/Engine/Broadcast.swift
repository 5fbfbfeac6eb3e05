internal import Concurrency

/// Sends one value at a time to all listeners: the current one first, then each new one.
final class Broadcast<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var current: Value?
        var listeners: [Int: AsyncStream<Value>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state: Lock<State>
    private let buffering: AsyncStream<Value>.Continuation.BufferingPolicy

    /// - Parameter buffering: The values kept for a listener that reads more slowly than values are sent.
    init(_ current: Value?, buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded) {
        state = Lock(State(current: current))
        self.buffering = buffering
    }

    deinit {
        finish()
    }

    /// The value that was sent last.
    var current: Value? { state.withLock { $0.current } }

    /// Sends a value to all listeners.
    func send(_ value: Value) { change { $0 = value } }

    /// Changes the current value and sends it to all listeners, in the order of the changes.
    func update(_ body: (inout Value) -> Void) {
        change { value in
            guard var changed = value else { return }
            body(&changed)
            value = changed
        }
    }

    private func change(_ body: (inout Value?) -> Void) {
        state.withLock { state in
            body(&state.current)
            guard let current = state.current, !state.isFinished else { return }
            for listener in state.listeners.values { listener.yield(current) }
        }
    }

    /// Ends all streams. A stream that is requested later has only the last value.
    func finish() {
        let listeners: [AsyncStream<Value>.Continuation] = state.withLock { state in
            defer { state.listeners = [:] }
            state.isFinished = true
            return Array(state.listeners.values)
        }
        // Outside of the lock: each listener calls `onTermination`, which takes the lock.
        for listener in listeners { listener.finish() }
    }

    /// A stream that begins with the current value.
    var values: AsyncStream<Value> { values(onEnd: {}) }

    /// A stream that begins with the current value.
    ///
    /// - Parameter onEnd: Called once, when the stream has no reader any more or is finished.
    func values(onEnd: @escaping @Sendable () -> Void) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: buffering)
        let id: Int? = state.withLock { state in
            if let current = state.current { continuation.yield(current) }
            guard !state.isFinished else { return nil }
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            if let id { self?.state.withLock { $0.listeners[id] = nil } }
            onEnd()
        }
        if id == nil { continuation.finish() }
        return stream
    }
}
