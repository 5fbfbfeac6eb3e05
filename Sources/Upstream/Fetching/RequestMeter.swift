internal import Concurrency

/// Counts the cost of requests at their source, including those that fail, are dropped, or fetch a token.
///
/// - Isolation: any thread.
package final class RequestMeter: Sendable {
    private let counted = Lock(FetchCost())
    private let whole: RequestMeter?

    /// - Parameter whole: The meter that counts all of it, too.
    package init(within whole: RequestMeter? = nil) { self.whole = whole }

    /// The cost since it was last taken.
    package var cost: FetchCost { counted.withLock { $0 } }

    /// The cost since it was last taken, which is reset.
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
