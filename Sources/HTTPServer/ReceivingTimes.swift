internal import Concurrency
internal import Glibc

/// Until when each connection must have sent its request, so that none is kept open by a byte now and then.
final class ReceivingTimes: Sendable {
    private let seconds: Int
    /// The ends of those that send, by their sockets.
    private let ends = Lock<[Int32: ContinuousClock.Instant]>([:])
    private let watching = Lock<Task<Void, Never>?>(nil)

    /// - Parameter seconds: How long a request may take to arrive; it is let go at most a quarter later.
    init(seconds: Int) {
        self.seconds = seconds
    }

    /// Begins to look for those that are late, until `stop`.
    func start() {
        let pause = Duration.seconds(seconds) / 4
        watching.withLock { watching in
            watching = Task { [weak self] in
                while !Task.isCancelled {
                    try? await Task.sleep(for: pause)
                    self?.shutLate()
                }
            }
        }
    }

    func stop() { watching.withLock { $0?.cancel() } }

    /// A connection begins to send a request.
    func begin(_ socket: Int32) {
        let end = ContinuousClock.now + .seconds(seconds)
        ends.withLock { $0[socket] = end }
    }

    /// It has sent its request, or is closed: its socket's number may soon be another's.
    func end(_ socket: Int32) { ends.withLock { $0[socket] = nil } }

    private func shutLate() {
        let now = ContinuousClock.now
        // Under the lock: no socket is closed, and its number given to another, before `end` was called.
        ends.withLock { ends in
            for (socket, _) in ends.filter({ $0.value < now }) {
                ends[socket] = nil
                shutdown(socket, Int32(SHUT_RDWR))
            }
        }
    }
}
