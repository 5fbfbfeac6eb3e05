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
