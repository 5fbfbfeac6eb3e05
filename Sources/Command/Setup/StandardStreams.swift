internal import Glibc

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
}
