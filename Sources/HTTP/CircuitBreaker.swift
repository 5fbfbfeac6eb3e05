internal import Concurrency

/// Holds requests back that wait for their turn, once something speaks against asking for more.
///
/// It shuts by itself at any outcome but a 2xx or 304 that says nothing of waiting, and at a redirect: before the next
/// request goes out.
///
/// - Isolation: any thread.
public final class CircuitBreaker: Sendable {
    private let hasShut = Lock(false)

    /// An open gate.
    public init() {}

    /// Whether what waits for its turn is not to be sent any more.
    public var isShut: Bool { hasShut.withLock { $0 } }

    /// Shuts it for good.
    public func shut() { hasShut.withLock { $0 = true } }

    /// Hears how a request ended.
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
