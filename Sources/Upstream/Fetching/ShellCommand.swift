internal import Concurrency
internal import Platform

/// One run of a command for `${command:…}`: its output is the value.
///
/// It is in a process group of its own, so that it can be ended with all its children.
final class ShellCommand: Sendable {
    /// The reason for a missing value, as the end of a sentence that starts with the command.
    enum Failure: Error, Hashable {
        case problem(String)
        case cancelled
    }

    private let text: String
    private let folder: String
    private let environment: [String: String]
    private let timeLimit: Duration
    /// The end of a pipe that wakes the thread that waits for the output; nil once the run is over.
    private let alarm = Lock<Int32?>(nil)
    private let isStopped = Lock(false)

    /// The most bytes that a value may have.
    static let outputLimit = 64 * 1024

    /// A command in a folder, empty for the current one, with these environment variables.
    init(_ text: String, folder: String, environment: [String: String], timeLimit: Duration) {
        self.text = text
        self.folder = folder
        self.environment = environment
        self.timeLimit = timeLimit
    }

    /// Ends the run, from any thread; one that has not begun does not begin.
    func stop() {
        isStopped.withLock { $0 = true }
        closeAlarm()
    }

    /// Runs the command and blocks until it has ended.
    func run() throws(Failure) -> String {
        let (wake, wakeEnd) = try Self.starting(Pipe.open)
        defer { close(wake) }
        alarm.withLock { $0 = wakeEnd }
        defer { closeAlarm() }
        guard !isStopped.withLock({ $0 }) else { throw .cancelled }
        let (output, child) = try start()
        defer { close(output) }
        let deadline = ContinuousClock.now.advanced(by: timeLimit)
        let bytes: [UInt8]
        let status: Int32
        do throws(Failure) {
            bytes = try read(output, wake: wake, until: deadline)
            status = try Self.end(of: child, wake: wake, timeLimit, until: deadline)
        } catch {
            kill(-child, SIGKILL)
            ChildProcess.waitForEnd(of: child)
            throw error
        }
        return try Self.value(of: bytes, status: status)
    }

    private func closeAlarm() {
        alarm.withLock { end in
            if let end { close(end) }
            end = nil
        }
    }

    private static func value(of bytes: [UInt8], status: Int32) throws(Failure) -> String {
        let signal = status & 0x7F
        guard signal == 0 else { throw .problem("was killed by signal \(signal)") }
        let code = status >> 8 & 0xFF
        guard code == 0 else { throw .problem("failed with status \(code)") }
        guard var value = String(validating: bytes, as: UTF8.self) else { throw .problem("did not print valid UTF-8") }
        while value.last?.isNewline == true { value.removeLast() }
        guard !value.isEmpty else { throw .problem("printed nothing") }
        return value
    }
}

extension ShellCommand {
    /// Starts the shell; its output can be read from the descriptor.
    private func start() throws(Failure) -> (output: Int32, child: pid_t) {
        let (output, outputEnd) = try Self.starting(Pipe.open)
        defer { close(outputEnd) }
        do throws(Failure) {
            return (output, try spawn(writingTo: outputEnd))
        } catch {
            close(output)
            throw error
        }
    }

    private func spawn(writingTo outputEnd: Int32) throws(Failure) -> pid_t {
        // The C library's module has no way to spawn in a folder, and `cd` looks elsewhere for a name that begins with
        // neither `/` nor `.`.
        let folder = folder.hasPrefix("/") ? folder : "./\(folder)"
        let words = ["/bin/sh", "-c", #"cd -- "$1" && exec /bin/sh -c "$2""#, "feedsync", folder, text]
        return try Self.starting { () throws(ChildProcess.Failure) in
            try ChildProcess.start(words, environment: environment, output: outputEnd, leadsGroup: true)
        }
    }

    private static func starting<Result>(
        _ body: () throws(ChildProcess.Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(ChildProcess.Failure) {
            return try body()
        } catch {
            throw .problem("cannot be started: \(error.text)")
        }
    }
}

extension ShellCommand {
    /// Everything up to the end of the output.
    private func read(
        _ output: Int32, wake: Int32, until deadline: ContinuousClock.Instant
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let left = Self.milliseconds(until: deadline)
            var polled = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: 0, revents: 0),
            ]
            let count = poll(&polled, nfds_t(polled.count), left)
            if count < 0, errno == EINTR { continue }
            if polled[1].revents != 0 { throw .cancelled }
            guard count != 0 else { throw Self.tooLong(timeLimit) }
            let length = Platform.read(output, &chunk, chunk.count)
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { return bytes }
            bytes += chunk.prefix(length)
            guard bytes.count <= Self.outputLimit else { throw .problem("printed more than 64 KiB") }
        }
    }

    /// The status of a child that has closed its output, and is so about to end in all likelihood.
    private static func end(
        of child: pid_t, wake: Int32, _ timeLimit: Duration, until deadline: ContinuousClock.Instant
    ) throws(Failure) -> Int32 {
        var pause: Int32 = 1
        while true {
            var status: Int32 = 0
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child { return status }
            guard ended == 0 || errno == EINTR else { throw .problem("cannot be waited for") }
            let left = milliseconds(until: deadline)
            guard left > 0 else { throw tooLong(timeLimit) }
            var polled = pollfd(fd: wake, events: 0, revents: 0)
            if poll(&polled, 1, min(pause, left)) > 0, polled.revents != 0 { throw .cancelled }
            pause = min(pause * 2, 64)
        }
    }

    private static func tooLong(_ limit: Duration) -> Failure {
        .problem("did not finish within \(DurationText.text(limit))")
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        return left < .seconds(3600) ? Int32(left / .milliseconds(1)) + 1 : 3_600_000
    }
}
