internal import CSQLite
internal import Concurrency

extension Connection {
    /// Ends statements of tasks that are cancelled, or beyond the limit of their work: `SQLiteError.isInterrupted`.
    ///
    /// Source: https://sqlite.org/c3ref/progress_handler.html
    public func heedWorkLimits() {
        sqlite3_progress_handler(handle.database, Self.stepsBetweenQuestions, { _ in endsWork() ? 1 : 0 }, nil)
    }

    /// A question costs less than a microsecond, and so many steps take about fifty.
    private static let stepsBetweenQuestions: Int32 = 4_000
}

private func endsWork() -> Bool {
    if let limit = WorkLimit.current, limit.isOver() { return true }
    return withUnsafeCurrentTask { $0?.isCancelled ?? false }
}

extension SQLiteError {
    /// True if the statement was ended by a limit of work.
    public var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
}
