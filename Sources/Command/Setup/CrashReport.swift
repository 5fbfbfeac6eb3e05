internal import Platform

/// The handling of crashes.
enum CrashReport {
    /// Leaves crashes to the operating system, unless `SWIFT_BACKTRACE` asks the Swift runtime for a report: it
    /// shows memory, which may contain secrets.
    ///
    /// Source: https://github.com/swiftlang/swift/blob/main/docs/Backtracing.rst
    static func leaveToSystem(_ environment: [String: String]) {
        guard environment["SWIFT_BACKTRACE"] == nil else { return }
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
        // SQLite maps the index of the store's log into memory.
        platform_end_when_memory_is_lost(
            """
            feedsync: STORE-shm, the index of the store's log, was cut by another program while feedsync was using it
            Try: feedsync doctor

            """, ExitCode.store.rawValue)
    }

    /// Keeps memory, which holds every credential, out of core files: none is written or passed to a crash collector.
    ///
    /// `SWIFT_BACKTRACE` disables this, too, for debugging.
    static func refuseCoreFiles(_ environment: [String: String]) {
        guard environment["SWIFT_BACKTRACE"] == nil else { return }
        // The limit alone does not count where the system pipes cores to a program.
        // https://man7.org/linux/man-pages/man5/core.5.html
        platform_refuse_dumps()
        var limit = rlimit()
        guard platform_get_limit(platform_core, &limit) == 0 else { return }
        limit.rlim_cur = 0
        _ = platform_set_limit(platform_core, &limit)
    }
}
