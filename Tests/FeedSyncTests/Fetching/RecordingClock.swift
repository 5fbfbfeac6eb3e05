import Concurrency

/// A clock whose waits take no time and are recorded.
struct RecordingClock: Clock {
    typealias Duration = Swift.Duration

    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let state = Lock((now: Duration.zero, waits: [Duration]()))
    let minimumResolution = Duration.zero

    var now: Instant { Instant(offset: state.withLock { $0.now }) }
    var waits: [Duration] { state.withLock { $0.waits } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.waits.append(deadline.offset - state.now)
            state.now = deadline.offset
        }
    }
}
