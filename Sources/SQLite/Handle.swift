internal import CSQLite

/// Owns one `sqlite3 *`.
///
/// The connection and each of its statements hold the handle, so that it closes after the last statement is
/// finalized, and so that a cached statement does not keep the connection that caches it alive.
final class Handle {
    let database: OpaquePointer
    /// The wait for locks after a call of `retryWhileBusy`: SQLite's handler has the address.
    let patience: UnsafeMutablePointer<Patience>

    /// Done once, before the library is used. If the library was used before, this fails, and works all the same.
    private static let configuration: Void = {
        _ = csqlite_keep_no_memory_statistics()
        _ = csqlite_keep_savepoints_in_memory()
    }()

    init(path: String, flags: Int32) throws(SQLiteError) {
        Self.configuration
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else {
            throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), path: path)
        }
        // "Whether or not an error occurs when it is opened, resources associated with the database connection
        // handle should be released": from here on deinit does. https://sqlite.org/c3ref/open.html
        database = opened
        patience = .allocate(capacity: 1)
        patience.initialize(to: Patience(tries: 0))
        guard code == SQLITE_OK else { throw error(code, path: path) }
    }

    deinit {
        sqlite3_close_v2(database)
        patience.deallocate()
    }

    /// The error that the last call on this handle left behind, if `code` is one.
    func error(_ code: Int32, sql: String? = nil, path: String? = nil) -> SQLiteError {
        let primary = code & 0xff
        // It reports "the most recent I/O error or failure to open a file", however long ago that was: ask only after
        // errors that come from the operating system. https://sqlite.org/c3ref/system_errno.html
        let isFromSystem = primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR
        return SQLiteError(
            code: code,
            message: String(cString: sqlite3_errmsg(database)),
            sql: sql,
            path: path,
            systemCode: isFromSystem ? sqlite3_system_errno(database) : 0
        )
    }

    func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw error(code) }
    }
}
