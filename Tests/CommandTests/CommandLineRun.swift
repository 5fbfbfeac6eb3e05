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
                environment: environment.merging(Self.coverage) { own, _ in own }.map { "\($0)=\($1)" })
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

    init(_ words: [String], folder: String, environment: [String]) throws {
        let (output, outputEnd) = try Self.pipe()
        let (errors, errorsEnd) = try Self.pipe()
        defer {
            close(outputEnd)
            close(errorsEnd)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, outputEnd, 1)
        posix_spawn_file_actions_adddup2(&actions, errorsEnd, 2)
        // A test run in the background ignores Ctrl-C, and so would its children.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        // The shell changes the folder, and becomes the program: Glibc's module has no way to spawn in a folder.
        let words = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder] + words
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var id = pid_t()
        let code = posix_spawn(&id, words[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        self.id = id
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
