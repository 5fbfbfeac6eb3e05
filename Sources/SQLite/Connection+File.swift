internal import CSQLite

extension Connection {
    /// True if the path no longer leads to the open file: it was deleted, moved away or replaced.
    ///
    /// It costs one `stat`. SQLite compares with the file that it opened itself; a second descriptor on that file would
    /// drop its locks when closed. https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlhasmoved
    public var hasMoved: Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(handle.database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    /// Does not fold the log back into the file when the connection closes.
    ///
    /// Source: https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose
    public func leaveLog() throws(SQLiteError) {
        try handle.check(csqlite_db_config_set(handle.database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1))
    }

    /// Waits for the disk at no commit, and leaves the log: the file can be made again.
    public func treatAsScratch() throws(SQLiteError) {
        try leaveLog()
        try execute("PRAGMA synchronous = OFF")
    }

    /// Leaves the log and its index beside the file when the last connection closes, with the log empty.
    ///
    /// Users without write access need them: https://sqlite.org/wal.html#read_only_databases and
    /// https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlpersistwal
    public func keepLogFiles() throws(SQLiteError) {
        var isKept: Int32 = 1
        try handle.check(sqlite3_file_control(handle.database, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept))
        try execute("PRAGMA journal_size_limit = 0")
    }
}
