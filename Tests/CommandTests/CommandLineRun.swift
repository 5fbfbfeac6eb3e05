import Concurrency
import Foundation
import Glibc

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

    /// Where a child counts the lines that it runs, when coverage is measured (`Scripts/coverage`).
    private static let coverage = ProcessInfo.processInfo.environment.filter { $0.key == "LLVM_PROFILE_FILE" }

    /// One at a time, so that no other child gets the pipes.
    private static let starting = Lock(())

    init(
        _ arguments: [String], executable: URL = binary, folder: String, environment: [String: String]
    ) throws {
        let child = try Self.starting.withLock { _ in
            try Spawn(
                [executable.path] + arguments, folder: folder,
                environment: environment.merging(Self.coverage) { own, _ in own })
        }
        id = child.id
        // Pipes are read before waiting: a full one would block the process for ever.
        result = Task {
            async let output = onThread { text(of: child.output) }
            async let errors = onThread { text(of: child.errors) }
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

/// A child process with pipes for what it prints.
private struct Spawn: Sendable {
    let id: pid_t
    let output: Int32
    let errors: Int32

    init(_ words: [String], folder: String, environment: [String: String]) throws {
        let (output, outputEnd) = try Self.pipe()
        let (errors, errorsEnd) = try Self.pipe()
        defer {
            close(outputEnd)
            close(errorsEnd)
        }
        // The shell changes the folder, and becomes the program: Glibc's module has no way to spawn in a folder.
        let words = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder] + words
        id = try ChildProcess.start(words, environment: environment, output: outputEnd, errors: errorsEnd)
        self.output = output
        self.errors = errors
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}

/// Everything that a pipe delivers.
private func text(of descriptor: Int32) -> String {
    String(decoding: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile(), as: UTF8.self)
}

private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}
