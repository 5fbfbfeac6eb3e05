internal import Concurrency

/// Counts what requests cost, where they are made: also those that fail, are dropped, or fetch a token.
///
/// - Isolation: any thread.
package final class RequestMeter: Sendable {
    private let counted = Lock(FetchCost())
    private let whole: RequestMeter?

    /// - Parameter whole: What it counts is counted there, too.
    package init(within whole: RequestMeter? = nil) { self.whole = whole }

    /// What was counted since it was last taken.
    package var cost: FetchCost { counted.withLock { $0 } }

    /// What was counted since it was last taken; it begins anew.
    package func take() -> FetchCost {
        counted.withLock { counted in
            defer { counted = FetchCost() }
            return counted
        }
    }

    package func add(_ cost: FetchCost) {
        counted.withLock { $0.add(cost) }
        whole?.add(cost)
    }
}
