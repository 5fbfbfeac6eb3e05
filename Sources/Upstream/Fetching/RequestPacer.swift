internal import Concurrency
internal import HTTP

/// Spaces the requests to an origin, as feeds' `rate` says; shared by the feeds of a process.
///
/// - Isolation: any thread.
package final class RequestPacer: Sendable {
    private let turns = Lock<[Origin: ContinuousClock.Instant]>([:])

    /// Creates a pacer that no request has met yet.
    package init() {}

    /// The wait before a request, which takes the next turn.
    ///
    /// - Parameter interval: the time from it to the next one.
    func wait(
        for origin: Origin, interval: Duration, now: ContinuousClock.Instant = .now
    ) -> Duration {
        turns.withLock { turns in
            let turn = max(turns[origin] ?? now, now)
            turns[origin] = turn + interval
            return turn - now
        }
    }
}
