internal import Concurrency

/// The number of requests that a command may still start, and its deadline.
///
/// Running requests are finished when it is spent. A redirect belongs to its request.
///
/// - Isolation: any thread.
package final class RequestBudget: Sendable {
    /// The limit that permits no further request.
    package enum Limit: Sendable, Hashable {
        /// The allowed number has been started.
        case requests
        /// The time has passed.
        case time
    }

    private struct State {
        var left: Int?
        var spent: Limit?
    }

    /// The end of the permitted time; nil without a limit.
    package let deadline: ContinuousClock.Instant?
    private let state: Lock<State>

    /// A budget of that many requests and that much time from now on; nil means no limit.
    package init(requests: Int? = nil, time: Duration? = nil) {
        deadline = time.map { ContinuousClock.now + $0 }
        state = Lock(State(left: requests))
    }

    /// Takes one request from the budget; false if none is left, or the time has passed.
    package func take() -> Bool {
        state.withLock { state in
            guard limit(&state) == nil else { return false }
            state.left = state.left.map { $0 - 1 }
            return true
        }
    }

    /// Returns a request that was taken and not made.
    package func giveBack() {
        state.withLock { state in
            state.left = state.left.map { $0 + 1 }
            if state.spent == .requests { state.spent = nil }
        }
    }

    /// The limit that permits no further request; nil while requests may start.
    package var spent: Limit? { state.withLock { limit(&$0) } }

    /// The requests that may still start; nil without a limit.
    package var left: Int? { state.withLock { $0.left } }

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
