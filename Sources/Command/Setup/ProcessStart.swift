internal import Platform

/// File descriptors 0, 1 and 2.
enum StandardStreams {
    /// Makes sure that all three are open. Otherwise a database file could become the standard output.
    ///
    /// The replacement for a closed one cannot be written, so that lost output is still an error.
    static func secure() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// The number of further files that a command needs at once: the store's, libcurl's, those of the system's own
    /// threads.
    private static let neededFiles = 12

    /// True if that many files can be opened; without them, the libraries below trap or stall.
    static var hasRoom: Bool {
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        while copies.count < neededFiles {
            let copy = fcntl(2, F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { return false }
            copies.append(copy)
        }
        return true
    }
}

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

/// The file into which libcurl writes the keys of TLS connections: with it and the traffic, credentials can be read.
///
/// Source: <https://www.ietf.org/archive/id/draft-ietf-tls-keylogfile-02.html>
enum KeyLog {
    /// The variable that every program obeys, and that may have been set for another one.
    static let variable = "SSLKEYLOGFILE"
    /// The variable that asks feedsync for it.
    static let ownVariable = "FEEDSYNC_SSLKEYLOGFILE"

    /// Follows the environment; a warning where the common variable is refused. Call it before the first request.
    static func follow(_ environment: [String: String]) -> String? {
        if let path = environment[ownVariable], !path.isEmpty {
            setenv(variable, path, 1)
            return nil
        }
        guard let path = environment[variable], !path.isEmpty else { return nil }
        return "warning: $\(variable) is ignored, as it would lay credentials open; to have it, set $\(ownVariable)"
    }
}

/// The environment variables.
enum Environment {
    /// The variables at the start of the process; the first one of each name.
    static var current: [String: String] {
        guard let variables = platform_environment() else { return [:] }
        var count = 0
        while variables[count] != nil { count += 1 }
        var result = [String: String](minimumCapacity: count)
        // By bytes: a search for characters takes a tenth of the time in which the process starts.
        for case let entry? in UnsafeBufferPointer(start: variables, count: count) {
            guard let equals = strchr(entry, Int32(UInt8(ascii: "="))) else { continue }
            let name = String(decoding: UnsafeRawBufferPointer(start: entry, count: equals - entry), as: UTF8.self)
            if result[name] == nil { result[name] = String(cString: equals + 1) }
        }
        return result
    }
}
