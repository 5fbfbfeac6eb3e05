import Concurrency
import Foundation
import Platform

/// One run of the binary, from start to end.
struct CommandLineRun: Sendable {
    let output: String
    let errors: String
    let code: Int32
}

/// A run of the binary that is under way.
///
/// Started with `posix_spawn`: Foundation's `Process` crashes now and then if several threads start one at once.
final class RunningCommand: Sendable {
    /// Its process id.
    let id: Int32
    private let result: Task<CommandLineRun, Never>

    /// The binary beside the test bundle.
    static let binary = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("feedsync")

    /// The file in which a child counts its executed lines, when coverage is measured (`Scripts/coverage`).
    private static let coverage = ProcessInfo.processInfo.environment.filter { $0.key == "LLVM_PROFILE_FILE" }

    /// The time limit of a command, after which it is killed: a failed test says more than one that never ends.
    private static let timeLimit = Duration.seconds(300)

    init(
        _ arguments: [String], executable: URL = binary, folder: String, environment: [String: String]
    ) throws {
        let child = try Spawn(
            [executable.path] + arguments, folder: folder,
            environment: environment.merging(Self.coverage) { own, _ in own })
        id = child.id
        let deadline = ContinuousClock.now + Self.timeLimit
        // Pipes are read before waiting: a full one would block the process for ever.
        result = Task {
            async let output = onThread { child.text(of: child.output, until: deadline) }
            async let errors = onThread { child.text(of: child.errors, until: deadline) }
            let texts = await (output, errors)
            let status = await onThread {
                var status: Int32 = 0
                while waitpid(child.id, &status, 0) < 0, errno == EINTR {}
                return status
            }
            let signal = status & 0x7f
            return CommandLineRun(output: texts.0, errors: texts.1, code: signal == 0 ? status >> 8 & 0xff : -signal)
        }
    }

    /// Sends it a signal.
    func send(_ number: Int32) { kill(id, number) }

    /// Waits for its end. The code of a run that a signal ended is the signal's number, negative.
    func end() async -> CommandLineRun { await result.value }
}

/// A child process with pipes for its output.
private struct Spawn: Sendable {
    let id: pid_t
    let output: Int32
    let errors: Int32

    init(_ words: [String], folder: String, environment: [String: String]) throws {
        let output = try Pipe.open()
        let errors = try Pipe.open()
        defer {
            close(output.write)
            close(errors.write)
        }
        // The shell changes the folder, and becomes the program: the C library's module has no way to spawn in a folder.
        let words = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder] + words
        id = try ChildProcess.start(words, environment: environment, output: output.write, errors: errors.write)
        self.output = output.read
        self.errors = errors.read
    }

    /// All output of a pipe. At the deadline the process is killed, and other holders of the pipe are not waited for.
    func text(of descriptor: Int32, until deadline: ContinuousClock.Instant) -> String {
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&polled, 1, Int32(max(left.components.seconds + 1, 0) * 1000))
            if count < 0, errno == EINTR { continue }
            guard count != 0 else {
                kill(id, SIGKILL)
                return String(decoding: bytes, as: UTF8.self) + "\n(killed: it did not end)\n"
            }
            let length = read(descriptor, &chunk, chunk.count)
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk.prefix(length)
        }
    }
}

private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}
