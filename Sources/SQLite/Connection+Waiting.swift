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

/// The time for which a connection waits for locks.
///
/// After a wait has failed, the connection still needs the lock to store the failure. Each wait is half as long as the
/// one before, so that all together take at most twice the first.
struct Patience {
    private let tries: Int
    /// The tries of the next wait.
    private var left: Int
    /// The time at which the last wait was given up, in milliseconds; nil before that.
    private var lastEnd: Int64?

    init(tries: Int) {
        self.tries = tries
        left = tries
    }

    /// True if another try is permitted.
    ///
    /// - Parameters:
    ///   - count: The number of earlier tries for the same lock.
    ///   - now: The present in milliseconds, from any origin.
    mutating func mayTry(again count: Int, at now: Int64) -> Bool {
        // The owner of the lock at that time may be done by now.
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
