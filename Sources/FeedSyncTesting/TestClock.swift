internal import Concurrency

/// A clock that goes on only when a test says so: waits for a rate limit or a retry take no time.
///
///     async let summary = feed.perform(.sync)
///     await clock.sleeping(atLeast: .seconds(10))
///     clock.advance(by: .seconds(60))
///     _ = try await summary
///
/// - Isolation: any thread.
public final class TestClock: Clock {
    /// A moment of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// The moment after a time.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The time to another moment.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// True if the first moment comes before the second.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Observer {
        let least: Duration
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Duration.zero
        var sleepers: [Int: Sleeper] = [:]
        var observers: [Observer] = []
        var next = 0
    }

    private let state = Lock(State())

    /// A clock at its beginning.
    public init() {}

    /// The moment up to which the clock has come.
    public var now: Instant { Instant(offset: state.withLock { $0.now }) }

    /// The shortest time that the clock can tell.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until the clock has come to a moment.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOver, seen) = state.withLock { state -> (Bool, [Observer]) in
                    guard deadline.offset > state.now, !Task.isCancelled else { return (true, []) }
                    state.sleepers[id] = Sleeper(deadline: deadline.offset, continuation: continuation)
                    let seen = state.observers.filter { $0.least <= deadline.offset - state.now }
                    state.observers.removeAll { $0.least <= deadline.offset - state.now }
                    return (false, seen)
                }
                for observer in seen { observer.continuation.resume() }
                guard isOver else { return }
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    continuation.resume()
                }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Sets the clock forward, and wakes those whose time has come.
    public func advance(by time: Duration) {
        let woken = state.withLock { state in
            state.now += max(time, .zero)
            let woken = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in woken.keys { state.sleepers[id] = nil }
            return woken.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Returns once a task sleeps for at least this time. A mirror with an observer, such as a reader of its items,
    /// sleeps for 200 ms at a time: name a longer one to wait for something else.
    public func sleeping(atLeast time: Duration = .nanoseconds(1)) async {
        await withCheckedContinuation { continuation in
            let isSleeping = state.withLock { state in
                if state.sleepers.values.contains(where: { $0.deadline - state.now >= time }) { return true }
                state.observers.append(Observer(least: time, continuation: continuation))
                return false
            }
            if isSleeping { continuation.resume() }
        }
    }
}
