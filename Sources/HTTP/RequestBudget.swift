internal import Concurrency

/// How many requests may still begin, and until when: what a whole command may ask of its hosts.
///
/// What is under way when it is spent goes on to its end. A redirect belongs to its request.
///
/// - Isolation: any thread.
public final class RequestBudget: Sendable {
    /// Why no further request may begin.
    public enum Limit: Sendable, Hashable {
        /// As many as were allowed have begun.
        case requests
        /// The time is over.
        case time
    }

    private struct State {
        var left: Int?
        var spent: Limit?
    }

    /// When the time is over; nil where there is no end.
    public let deadline: ContinuousClock.Instant?
    private let state: Lock<State>

    /// An allowance of that many requests and that much time from now on; nil is without limit.
    public init(requests: Int? = nil, time: Duration? = nil) {
        deadline = time.map { ContinuousClock.now + $0 }
        state = Lock(State(left: requests))
    }

    /// Takes one request of the allowance; false if none is left, or the time is over.
    public func take() -> Bool {
        state.withLock { state in
            guard limit(&state) == nil else { return false }
            state.left = state.left.map { $0 - 1 }
            return true
        }
    }

    /// Gives one request back that was taken and not made.
    public func giveBack() {
        state.withLock { state in
            state.left = state.left.map { $0 + 1 }
            if state.spent == .requests { state.spent = nil }
        }
    }

    /// Why no further request may begin; nil while one may.
    public var spent: Limit? { state.withLock { limit(&$0) } }

    private func limit(_ state: inout State) -> Limit? {
        if let spent = state.spent { return spent }
        if let deadline, ContinuousClock.now >= deadline {
            state.spent = .time
        } else if let left = state.left, left < 1 {
            state.spent = .requests
        }
        return state.spent
    }
}
