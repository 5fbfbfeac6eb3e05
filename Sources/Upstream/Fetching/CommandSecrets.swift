internal import Concurrency
internal import Text

/// The outputs of the commands in `${command:…}`: each runs once in a process, for any number of feeds.
///
/// - Isolation: any task or thread; commands run one after the other on a thread of their own.
package final class CommandSecrets: Sendable {
    struct Key: Hashable {
        let command: String
        let folder: String
    }

    private let values = Lock<[Key: Result<String, ShellCommand.Failure>]>([:])
    private let runner = Lock<SecretThread?>(nil)
    private let timeLimit: Duration
    private let isMasked: Bool

    /// Nothing run yet; a command that takes longer than `timeLimit` is ended.
    ///
    /// - Parameter isMasked: True for showing requests without running commands: a mask replaces the output of each.
    package init(timeLimit: Duration = .seconds(30), isMasked: Bool = false) {
        (self.timeLimit, self.isMasked) = (timeLimit, isMasked)
    }

    /// The output of a command; nil before it has run.
    func value(of command: String, folder: String) -> Result<String, ShellCommand.Failure>? {
        if isMasked { return .success(Secrets.mask) }
        let key = Key(command: command, folder: folder)
        return values.withLock { $0[key] }
    }

    /// Runs a command, unless it has run before; `value` has its output or its failure.
    ///
    /// - Throws: `FeedSyncError`, of kind `cancelled` if the task is: the command is ended then, and may run again.
    package func run(
        _ command: String, folder: String, environment: [String: String]
    ) async throws(FeedSyncError) {
        let key = Key(command: command, folder: folder)
        guard values.withLock({ $0[key] }) == nil else { return }
        let runner = self.runner.withLock { runner in
            runner = runner ?? SecretThread()
            return runner
        }
        guard let runner else { throw FeedSyncError(.store, "no thread can be started for the command `\(command)`") }
        let run = ShellCommand(command, folder: folder, environment: environment, timeLimit: timeLimit)
        await withTaskCancellationHandler {
            await runner.run { [values] in
                // Another feed may have run the command in the meantime.
                guard values.withLock({ $0[key] }) == nil else { return }
                let result = Result { () throws(ShellCommand.Failure) in try run.run() }
                guard result != .failure(.cancelled) else { return }
                values.withLock { $0[key] = result }
            }
        } onCancel: {
            run.stop()
        }
        if values.withLock({ $0[key] }) == nil { throw .cancelled }
    }
}

extension CommandSecrets: SecretHolder {
    /// The number of outputs.
    package var description: String { "\(values.withLock { $0.count }) command outputs" }
}

/// Runs blocking code, on a thread of its own.
private actor SecretThread {
    private let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init?() {
        guard let executor = ThreadExecutor() else { return nil }
        self.executor = executor
    }

    func run(_ body: @Sendable () -> Void) { body() }
}
