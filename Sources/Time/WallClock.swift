internal import Platform

/// The time of day, passed in so that tests can have their own.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Int64

    /// A clock that reads milliseconds since 1970.
    package init(milliseconds: @escaping @Sendable () -> Int64) {
        read = milliseconds
    }

    /// The system's clock.
    package static let system = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec / 1_000_000)
    }

    /// Milliseconds since 1970.
    package var milliseconds: Int64 { read() }

    /// Seconds since 1970.
    package var seconds: Int64 { read() / 1000 }

    /// Now, in UTC, ISO 8601 with milliseconds; empty beyond the year 9999.
    package var text: String { Timestamp(milliseconds: read())?.text ?? "" }
}
