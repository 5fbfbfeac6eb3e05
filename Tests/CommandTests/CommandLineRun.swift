import Foundation

/// One run of the binary, from start to end.
struct CommandLineRun: Sendable {
    let output: String
    let errors: String
    let code: Int32
}

/// A run of the binary that is under way.
final class RunningCommand: @unchecked Sendable {
    // Sendable: `Process` is started in `init`, and used afterwards only for signals, which any thread may send.
    private let process: Process
    private let result: Task<CommandLineRun, Never>

    /// The binary beside the test bundle.
    static let binary = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("feedsync")

    init(
        _ arguments: [String], executable: URL = binary, folder: String, environment: [String: String]
    ) throws {
        // A test run in the background ignores Ctrl-C, and whatever it starts would, too.
        signal(SIGINT, SIG_DFL)
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        self.process = process
        // Pipes are read before anybody waits: a full one would hold up the process for ever.
        result = Task {
            async let outputText = Self.text(of: output.fileHandleForReading)
            async let errorText = Self.text(of: errors.fileHandleForReading)
            let texts = await (outputText, errorText)
            await onThread { process.waitUntilExit() }
            let code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
            return CommandLineRun(output: texts.0, errors: texts.1, code: code)
        }
    }

    /// Its process id.
    var id: Int32 { process.processIdentifier }

    /// Sends it a signal.
    func send(_ number: Int32) { kill(id, number) }

    /// Waits for its end. The code of a run that a signal ended is the signal's number, negative.
    func end() async -> CommandLineRun { await result.value }

    private static func text(of handle: FileHandle) async -> String {
        await onThread { String(decoding: handle.readDataToEndOfFile(), as: UTF8.self) }
    }
}

/// Runs what blocks on a thread of its own, where it keeps no task from running.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}
