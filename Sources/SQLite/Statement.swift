internal import CSQLite

/// One compiled SQL statement: bind its parameters, step through its rows, reset it, and use it again.
///
/// - Isolation: belongs to the connection's owner; never shared between threads.
public final class Statement {
    let pointer: OpaquePointer
    private let handle: Handle
    /// True if the last step threw, so that resetting does not report the same error again.
    private var hasFailed = false
    /// True while a query of the connection steps through the statement, so that the cache must not return it.
    var isLent = false

    init(adopting pointer: OpaquePointer, of handle: Handle) {
        self.pointer = pointer
        self.handle = handle
    }

    // "If the most recent evaluation of statement S failed, then sqlite3_finalize(S) returns the appropriate error
    // code": step has thrown it. https://sqlite.org/c3ref/finalize.html
    deinit { sqlite3_finalize(pointer) }

    /// The statement's text, with its parameters as placeholders.
    public var sql: String { String(cString: sqlite3_sql(pointer)) }

    /// True if stepping makes no direct change to the database file.
    ///
    /// Source: <https://sqlite.org/c3ref/stmt_readonly.html>
    public var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

    /// Runs the statement up to its next row.
    ///
    /// - Returns: true with a row to read, false at the end.
    /// - Throws: `SQLiteError`; the statement then needs a `reset()`.
    public func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(pointer)
        switch code & 0xff {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            return false
        default:
            hasFailed = true
            throw handle.error(code, sql: sql)
        }
    }

    /// Makes the statement ready to be bound and stepped again; bindings stay.
    ///
    /// - Throws: `SQLiteError` for a failure that `step()` has not thrown yet.
    public func reset() throws(SQLiteError) {
        let code = sqlite3_reset(pointer)
        defer { hasFailed = false }
        // Resetting repeats the error of the last step, but may also meet the first one: an INSERT … RETURNING that
        // was stepped once commits only here. https://sqlite.org/c3ref/reset.html
        guard code == SQLITE_OK || hasFailed else { throw handle.error(code, sql: sql) }
    }

    /// Sets every parameter to NULL.
    public func clearBindings() {
        // Always SQLITE_OK. https://sqlite.org/c3ref/clear_bindings.html
        sqlite3_clear_bindings(pointer)
    }

    func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw handle.error(code, sql: sql) }
    }
}

@available(*, unavailable)
extension Statement: Sendable {}
