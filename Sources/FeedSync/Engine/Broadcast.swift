internal import Concurrency

/// One value at a time, to everybody who listens: the current one first, then each as it comes.
final class Broadcast<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var current: Value?
        var listeners: [Int: AsyncStream<Value>.Continuation] = [:]
        var next = 0
    }

    private let state: Lock<State>
    private let buffering: AsyncStream<Value>.Continuation.BufferingPolicy

    /// - Parameter buffering: what to keep for a listener that is slower than the values come.
    init(_ current: Value?, buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded) {
        state = Lock(State(current: current))
        self.buffering = buffering
    }

    deinit {
        for listener in state.withLock({ $0.listeners.values.map { $0 } }) { listener.finish() }
    }

    /// The value that was sent last.
    var current: Value? { state.withLock { $0.current } }

    /// Tells everybody.
    func send(_ value: Value) {
        let listeners: [AsyncStream<Value>.Continuation] = state.withLock { state in
            state.current = value
            return state.listeners.isEmpty ? [] : Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(value) }
    }

    /// A stream that begins with the current value.
    var values: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: buffering)
        let id = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = continuation
            if let current = state.current { continuation.yield(current) }
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[id] = nil }
        }
        return stream
    }
}
