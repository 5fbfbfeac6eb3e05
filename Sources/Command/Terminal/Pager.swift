internal import Concurrency
internal import Platform

/// The program that shows long results on a terminal, page by page: `$PAGER`, or `less`.
enum Pager {
    private static let running = Lock<(process: pid_t, input: Int32?)?>(nil)

    /// Starts it; the end of a pipe to write to, or nil if there is none.
    static func start(_ environment: [String: String]) -> Int32? {
        let wanted = environment["PAGER"] ?? "less"
        guard let program = wanted.split(separator: " ").first, wanted != "cat",
            isThere(String(program), environment["PATH"] ?? "/usr/bin:/bin")
        else { return nil }
        guard let ends = try? Pipe.open() else { return nil }
        defer { Platform.close(ends.read) }
        // As in git: no pager for text that fits the screen, colours, and the text stays.
        // https://git-scm.com/docs/git-config#Documentation/git-config.txt-corepager
        let variables = environment.merging(["LESS": "FRX", "LV": "-c"]) { own, _ in own }
        guard let child = try? ChildProcess.start(["/bin/sh", "-c", wanted], environment: variables, input: ends.read)
        else {
            Platform.close(ends.write)
            return nil
        }
        running.withLock { $0 = (child, ends.write) }
        return ends.write
    }

    /// Ends the pager's input, also in the middle of a line. Later output is lost.
    static func endInput() {
        running.withLock { running in
            guard let input = running?.input ?? nil else { return }
            let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
            guard nothing >= 0 else { return }
            dup2(nothing, input)
            _ = fcntl(input, F_SETFD, FD_CLOEXEC)
            Platform.close(nothing)
        }
    }

    /// Closes the pipe to it.
    static func close() {
        running.withLock { running in
            guard let input = running?.input ?? nil else { return }
            Platform.close(input)
            running?.input = nil
        }
    }

    /// Waits until it has ended, if one is running.
    static func waitForEnd() {
        guard let child = running.withLock({ $0?.process }) else { return }
        ChildProcess.waitForEnd(of: child)
    }

    private static func isThere(_ program: String, _ path: String) -> Bool {
        if program.contains("/") { return access(program, X_OK) == 0 }
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}
