internal import Glibc

/// What happens when the process crashes.
enum CrashReport {
    /// Leaves crashes to the operating system, unless `SWIFT_BACKTRACE` asks the Swift runtime for a report: it
    /// shows memory, which may contain secrets.
    ///
    /// Source: https://github.com/swiftlang/swift/blob/main/docs/Backtracing.rst
    static func leaveToSystem(_ environment: [String: String]) {
        guard environment["SWIFT_BACKTRACE"] == nil else { return }
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
    }
}
