/// The continuous clock for work with a deadline: a sleep that would pass the deadline ends
/// there, with an error.
struct DeadlineClock: Clock {
    /// The end of the permitted time.
    let deadline: ContinuousClock.Instant

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    /// Sleeps until that time.
    ///
    /// - Throws: `CancellationError` if that is after the deadline, once the deadline is reached; and when the task is
    ///   cancelled.
    func sleep(until time: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: min(time, deadline), tolerance: tolerance)
        if time > deadline { throw CancellationError() }
    }
}
