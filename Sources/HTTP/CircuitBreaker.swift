internal import Concurrency

/// Holds back waiting requests once a response says not to ask for more.
///
/// It shuts by itself at a redirect and at any outcome but a 2xx or 304 without a wait, before the next request goes
/// out.
///
/// - Isolation: any thread.
package final class CircuitBreaker: Sendable {
    private let hasShut = Lock(false)
    private let outer: CircuitBreaker?

    /// A breaker that lets requests pass until it is shut.
    ///
    /// - Parameter outer: The breaker of all requests to the host. It is shut with this one.
    package init(within outer: CircuitBreaker? = nil) { self.outer = outer }

    /// True if waiting requests are no longer sent.
    package var isShut: Bool { hasShut.withLock { $0 } }

    /// Shuts it for good.
    package func shut() {
        hasShut.withLock { $0 = true }
        outer?.shut()
    }

    /// Records the outcome of a request.
    func note(_ outcome: Result<Response, HTTPError>) {
        guard case .success(let response) = outcome, response.asksForMore else { return shut() }
    }
}

extension Response {
    fileprivate var asksForMore: Bool {
        ((200..<300).contains(status) || status == 304) && headers["Retry-After"] == nil
            && rateLimit(now: 0)?.isSpent != true
    }
}
