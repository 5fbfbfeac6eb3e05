internal import Concurrency

/// GitHub's primary rate limit: a number of requests per hour; a 304 is free.
///
/// Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
final class Quota: Sendable {
    static let limit = 5_000

    private struct Window {
        var used = 0
        var resetAt = 0
    }

    private let window = Lock(Window())
    private let now: @Sendable () -> Int

    /// - Parameter now: seconds since 1970.
    init(now: @escaping @Sendable () -> Int) {
        self.now = now
    }

    /// Takes `cost` requests off, unless nothing is left.
    ///
    /// - Returns: whether there was enough, and the header fields that report it.
    func spend(_ cost: Int) -> (isGranted: Bool, headers: [(name: String, value: String)]) {
        let time = now()
        return window.withLock { window in
            if time >= window.resetAt { window = Window(used: 0, resetAt: time + 3_600) }
            let isGranted = window.used + cost <= Self.limit
            if isGranted { window.used += cost }
            let figures = [
                ("Limit", Self.limit), ("Remaining", Self.limit - window.used), ("Reset", window.resetAt),
                ("Used", window.used),
            ]
            return (isGranted, figures.map { (name: "X-RateLimit-\($0.0)", value: String($0.1)) })
        }
    }
}
