internal import Platform

/// The work that a task may have done: so much time of a core.
///
/// The work calls `isOver` now and then, in its task and on its thread. Everything between two calls counts, such as
/// writing a row that was read.
///
/// - Isolation: one task, whose parts may run on several threads, one after the other.
public final class WorkLimit: @unchecked Sendable {
    // Sendable: a task's parts do not run at the same time.

    /// The limit of the task that runs; nil for none.
    @TaskLocal public static var current: WorkLimit?

    private var left: Duration
    /// The thread that asked last, and the time of a core that it had used by then.
    private var last: (thread: UInt, time: Duration)?

    /// True once something was ended because it took longer.
    public private(set) var isExceeded = false

    /// - Parameter time: The time of a core.
    public init(_ time: Duration) { left = time }

    /// True if the work of the running task has to end: the task is cancelled, or beyond its limit.
    public static var hasToEnd: Bool {
        if let current, current.isOver() { return true }
        return withUnsafeCurrentTask { $0?.isCancelled ?? false }
    }

    /// Counts the work since the last question; true if it has to end.
    public func isOver() -> Bool {
        let (thread, now) = (platform_this_thread(), Self.threadTime)
        if let last, last.thread == thread { left -= min(now - last.time, Self.longestStep) }
        last = (thread, now)
        if left <= .zero { isExceeded = true }
        return isExceeded
    }

    /// The longest time between two questions that counts: more means that the thread worked for others.
    private static let longestStep = Duration.milliseconds(200)

    private static var threadTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
