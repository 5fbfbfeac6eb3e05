/// The continuous clock for work that has to be over at some time: whoever would sleep beyond it is woken then, and
/// told that nothing comes of it.
struct DeadlineClock: Clock {
    /// When everything is to be over.
    let deadline: ContinuousClock.Instant

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    /// Sleeps until that time.
    ///
    /// - Throws: `CancellationError` where it lies beyond the deadline, which is slept to only; and when the task is
    ///   cancelled.
    func sleep(until time: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: min(time, deadline), tolerance: tolerance)
        if time > deadline { throw CancellationError() }
    }
}
