internal import Concurrency
internal import Platform

/// Ctrl-C, Ctrl-\ and `kill`: after the first, the command finishes its open work; the second ends the process at once.
///
/// - Isolation: any thread. Create it before any other thread starts: threads inherit the blocked signals.
final class Interruption: Sendable {
    private let received = Lock<Int32?>(nil)
    private let numbers: [Int32]
    /// An element for each request to read the configuration again.
    let rereads: AsyncStream<Void>
    private let reread: AsyncStream<Void>.Continuation

    init() {
        (rereads, reread) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Signals that a shell ignores for background jobs stay ignored.
        numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { platform_ignores($0) == 0 }
        var signals = Self.set(numbers)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// The exit code for the signal; nil if there was none.
    var code: ExitCode? {
        received.withLock { $0 }.map(ExitCode.signal)
    }

    /// Waits for signals until the process ends.
    ///
    /// - Parameters:
    ///   - endsGracefully: True if the command may finish by itself after the first signal.
    ///   - rereads: True if a SIGHUP asks it to read the configuration again. A terminal that hangs up ends it.
    ///   - cancel: Asks the command to finish.
    func wait(endsGracefully: Bool, rereads: Bool, cancel: () -> Void) -> Never {
        let mayReread = rereads && ![STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { isatty($0) == 1 }
        var signals = Self.set(numbers)
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0, number != 0 else {
                // All signals are ignored, so there is nothing to wait for.
                pause()
                continue
            }
            if number == SIGHUP, mayReread, received.withLock({ $0 == nil }) {
                reread.yield()
                continue
            }
            let isFirst = received.withLock { received in
                defer { received = received ?? number }
                return received == nil
            }
            guard isFirst, endsGracefully else {
                TemporaryFolder.removeAll()
                OutputFile.discard()
                if number == SIGINT {
                    // The pager keeps the terminal until its reader leaves it, and would wait for ever for the rest of
                    // the command's output.
                    cancel()
                    Pager.endInput()
                    Pager.waitForEnd()
                }
                _exit(ExitCode.signal(number).rawValue)
            }
            cancel()
        }
    }

    private static func set(_ numbers: [Int32]) -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        return signals
    }
}
