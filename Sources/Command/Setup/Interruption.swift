internal import Concurrency
internal import Glibc

/// Ctrl-C, Ctrl-\ and `kill`: the first lets the command close what is open, the second ends the process at once.
///
/// - Isolation: any thread. Make it before any other thread starts: threads inherit which signals are blocked.
final class Interruption: Sendable {
    private let received = Lock<Int32?>(nil)
    private let numbers: [Int32]

    init() {
        // What a shell ignores for its background jobs stays ignored.
        numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { !Self.isIgnored($0) }
        var signals = Self.set(numbers)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// The exit code that a signal asked for; nil while there was none.
    var code: ExitCode? {
        received.withLock { $0 }.map(ExitCode.signal)
    }

    /// Waits for signals until the process ends.
    ///
    /// - Parameters:
    ///   - endsGracefully: Whether the first signal leaves the command time to end by itself.
    ///   - cancel: Asks it to.
    func wait(endsGracefully: Bool, cancel: () -> Void) -> Never {
        var signals = Self.set(numbers)
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0, number != 0 else {
                // Nothing to wait for, as all are ignored.
                pause()
                continue
            }
            let isFirst = received.withLock { received in
                defer { received = received ?? number }
                return received == nil
            }
            guard isFirst, endsGracefully else {
                TemporaryFolder.removeAll()
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

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // SIG_IGN is a made-up address, and Swift compares functions in no other way.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
