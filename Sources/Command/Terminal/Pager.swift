internal import Concurrency
internal import Glibc

/// The program that shows long results on a terminal, page by page: `$PAGER`, or `less`.
enum Pager {
    private static let running = Lock<pid_t?>(nil)

    /// Starts it; the end of a pipe to write to, or nil if there is none.
    static func start(_ environment: [String: String]) -> Int32? {
        let wanted = environment["PAGER"] ?? "less"
        guard let program = wanted.split(separator: " ").first, wanted != "cat",
            isThere(String(program), environment["PATH"] ?? "/usr/bin:/bin")
        else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        // As git has it: no pager for what fits the screen, colours, and the text stays. https://git-scm.com/docs/git-config#Documentation/git-config.txt-corepager
        let variables = environment.merging(["LESS": "FRX", "LV": "-c"]) { own, _ in own }
        guard let child = spawn(wanted, variables, reading: ends[0]) else {
            close(ends[1])
            return nil
        }
        running.withLock { $0 = child }
        return ends[1]
    }

    /// Waits until it has ended, if one is running.
    static func waitForEnd() {
        guard let child = running.withLock({ $0 }) else { return }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }

    private static func spawn(_ line: String, _ environment: [String: String], reading input: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // feedsync blocks the signals that it waits for, and its child would, too.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let words = ["/bin/sh", "-c", line]
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child = pid_t()
        return posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, &variables) == 0 ? child : nil
    }

    private static func isThere(_ program: String, _ path: String) -> Bool {
        if program.contains("/") { return access(program, X_OK) == 0 }
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}
