internal import Concurrency
internal import Platform

/// A program that receives changes on stdin. Exit code 0 acknowledges them.
struct HookProgram: Sendable {
    /// A name without a `/` is searched in `PATH`.
    let words: [String]
    /// An empty folder is the current one.
    let folder: String
    let environment: [String: String]

    /// Longer than any program for notification takes.
    private static let timeLimit = Duration.seconds(300)

    /// Runs the program and waits for its end. Its output goes to stderr.
    ///
    /// - Throws: `FeedSyncError` of kind `unreachable` if it fails, `cancelled` if the task is.
    func run(reading text: [UInt8]) async throws(FeedSyncError) {
        let child = try start(reading: text)
        let deadline = ContinuousClock.now.advanced(by: Self.timeLimit)
        var pause = Duration.milliseconds(2)
        while true {
            var status: Int32 = 0
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child { return try check(status) }
            guard ended == 0 || errno == EINTR else { throw failure("cannot be waited for") }
            let isLate = ContinuousClock.now > deadline
            if Task.isCancelled || isLate {
                kill(-child, SIGKILL)
                ChildProcess.waitForEnd(of: child)
                throw isLate ? failure("did not end within 5 minutes") : .cancelled
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    private func start(reading text: [UInt8]) throws(FeedSyncError) -> pid_t {
        // A file without a name: a pipe would fill up if the program did not read.
        guard let file = tmpfile() else { throw failure("cannot be told: \(String(cString: strerror(errno)))") }
        defer { fclose(file) }
        let input = fileno(file)
        _ = fcntl(input, F_SETFD, FD_CLOEXEC)
        guard fwrite(text, 1, text.count, file) == text.count, fflush(file) == 0, lseek(input, 0, SEEK_SET) == 0 else {
            throw failure("cannot be told: \(String(cString: strerror(errno)))")
        }
        let folder = folder.hasPrefix("/") ? folder : "./\(folder)"
        let shell = ["/bin/sh", "-c", #"cd -- "$1" && shift && exec "$@""#, "feedsync", folder]
        do throws(ChildProcess.Failure) {
            return try ChildProcess.start(
                shell + words, environment: environment, input: input, output: STDERR_FILENO, leadsGroup: true)
        } catch {
            throw failure("cannot be started: \(error.text)")
        }
    }

    private func check(_ status: Int32) throws(FeedSyncError) {
        let signal = status & 0x7F
        guard signal == 0 else { throw failure("was killed by signal \(signal)") }
        let code = status >> 8 & 0xFF
        guard code == 0 else { throw failure("failed with status \(code)") }
    }

    private func failure(_ problem: String) -> FeedSyncError {
        FeedSyncError(.unreachable, "on_change: `\(words.joined(separator: " "))` \(problem)")
    }
}
