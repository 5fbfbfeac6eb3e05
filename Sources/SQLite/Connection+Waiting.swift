internal import CSQLite
internal import Glibc

extension Connection {
    /// Waits for other connections' locks by trying again every millisecond.
    ///
    /// SQLite's own time-out soon tries only ten times a second, and meets no moment between two transactions of a
    /// process that has the next one ready when it commits. https://sqlite.org/c3ref/busy_handler.html
    ///
    /// - Parameter tries: How often, before a statement fails as busy; those that follow one that failed try less.
    public func retryWhileBusy(tries: Int) throws(SQLiteError) {
        let patience = handle.patience
        patience.pointee = Patience(tries: tries)
        try handle.check(
            sqlite3_busy_handler(
                handle.database,
                { patience, count in
                    guard let patience = patience?.assumingMemoryBound(to: Patience.self),
                        patience.pointee.mayTry(again: Int(count), at: Patience.now)
                    else { return 0 }
                    usleep(1000)
                    return 1
                }, patience))
    }
}

/// How long a connection waits for locks.
///
/// What fails because of a lock is followed by more that needs it: the failure is to be stored. Each waits half as long as
/// the one before, so that all of them together wait twice as long as the first.
struct Patience {
    private let tries: Int
    /// The tries of the next wait.
    private var left: Int
    /// When a wait was given up, in milliseconds; nil as long as none was.
    private var lastEnd: Int64?

    init(tries: Int) {
        self.tries = tries
        left = tries
    }

    /// Whether to try once more.
    ///
    /// - Parameters:
    ///   - count: How often the same lock was tried before.
    ///   - now: In milliseconds, from any moment on.
    mutating func mayTry(again count: Int, at now: Int64) -> Bool {
        // Whoever had the lock then may be done by now.
        if count == 0, let lastEnd, now &- lastEnd > tries { left = tries }
        guard count >= left else { return true }
        left /= 2
        lastEnd = now
        return false
    }

    static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) &* 1_000 &+ Int64(now.tv_nsec) / 1_000_000
    }
}
