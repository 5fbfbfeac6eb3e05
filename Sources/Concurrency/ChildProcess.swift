internal import Platform

/// Starts other programs.
package enum ChildProcess {
    /// The system did not start the program.
    package struct Failure: Error {
        /// The number of the error, as in `errno`.
        package let code: Int32
        /// The system's text for the error.
        package var text: String { String(cString: strerror(code)) }
    }

    /// Starts a program and returns its process id; the caller must wait for its end.
    ///
    /// feedsync blocks the signals that it waits for, and the shell that started it may have it ignore some. The
    /// program inherits none of that: it gets all signals, with their default actions.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - environment: All of its environment.
    ///   - input: Its standard input; nil for none.
    ///   - output: Its standard output; nil for that of this process.
    ///   - errors: Its standard error; nil for that of this process.
    ///   - leadsGroup: True for a process group of its own, so that the program can be ended with all its children.
    package static func start(
        _ words: [String], environment: [String: String], input: Int32? = nil, output: Int32? = nil,
        errors: Int32? = nil, leadsGroup: Bool = false
    ) throws(Failure) -> Int32 {
        var actions = emptySpawnActions()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }

        var attributes = emptySpawnAttributes()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))

        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child = pid_t()
        let code = posix_spawn(&child, words[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw Failure(code: code) }
        return child
    }

    /// Waits for a program's end, however long that takes.
    package static func waitForEnd(of child: Int32) {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }
}
