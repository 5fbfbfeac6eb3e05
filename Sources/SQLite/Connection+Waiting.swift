internal import CSQLite
internal import Glibc

extension Connection {
    /// Waits for other connections' locks by trying again every millisecond.
    ///
    /// SQLite's own time-out soon tries only ten times a second, and meets no moment between two transactions of a
    /// process that has the next one ready when it commits. https://sqlite.org/c3ref/busy_handler.html
    ///
    /// - Parameter tries: How often, before a statement fails as busy.
    public func retryWhileBusy(tries: Int) throws(SQLiteError) {
        try handle.check(
            sqlite3_busy_handler(
                handle.database,
                { tries, count in
                    guard Int(count) < Int(bitPattern: tries) else { return 0 }
                    usleep(1000)
                    return 1
                }, UnsafeMutableRawPointer(bitPattern: tries)))
    }
}
