internal import CSQLite

extension Connection {
    /// Refuses everything except queries from now on: writes, ATTACH, transactions, and every PRAGMA that does more
    /// than describe the schema.
    ///
    /// Three guards apply, since the SQL is not ours: `query_only`, an authorizer, and `isReadOnly` of the statement.
    /// https://sqlite.org/pragma.html#pragma_query_only, https://sqlite.org/c3ref/set_authorizer.html
    ///
    /// - Throws: `SQLiteError`.
    public func allowOnlyQueries() throws(SQLiteError) {
        // SQLite declares a virtual table when it is used first, and the authorizer would refuse that.
        try execute(
            "SELECT t.name FROM sqlite_schema s, pragma_table_info(s.name) t WHERE s.type = 'table' AND s.rootpage = 0")
        try execute("PRAGMA query_only = ON")
        let check:
            @convention(c) (
                UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
                UnsafePointer<CChar>?
            ) -> Int32 = { _, action, word, value, _, _ in
                switch action {
                case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: return SQLITE_OK
                case SQLITE_PRAGMA:
                    guard let word else { return SQLITE_DENY }
                    return Connection.tellsOfSchema(String(cString: word), hasValue: value != nil)
                        ? SQLITE_OK : SQLITE_DENY
                default: return SQLITE_DENY
                }
            }
        try handle.check(sqlite3_set_authorizer(handle.database, check, nil))
    }

    /// True for a PRAGMA that only reads. The ones that take a table or an index as their argument change nothing.
    private static func tellsOfSchema(_ name: String, hasValue: Bool) -> Bool {
        switch name.lowercased() {
        case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
            "integrity_check", "quick_check":
            true
        case "database_list", "collation_list", "function_list", "compile_options", "data_version", "user_version",
            "schema_version", "page_count", "page_size", "encoding", "journal_mode":
            !hasValue
        default: false
        }
    }

    /// A connection to a temporary copy of the database, which goes with it.
    ///
    /// - Throws: `SQLiteError`.
    public func temporaryCopy() throws(SQLiteError) -> Connection {
        // "If the filename is an empty string, then a private, temporary on-disk database will be created":
        // https://sqlite.org/c3ref/open.html
        let copy = try Connection(temporaryNamed: "")
        try copyAll(to: copy)
        return copy
    }

    /// Copies the database over that of another connection, as it is at one moment, while others write.
    ///
    /// Source: <https://sqlite.org/c3ref/backup_finish.html>
    ///
    /// - Throws: `SQLiteError`.
    public func copyAll(to other: Connection) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(other.handle.database, "main", handle.database, "main") else {
            throw other.handle.error(sqlite3_errcode(other.handle.database))
        }
        let step = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE || step == SQLITE_OK else { throw other.handle.error(end == SQLITE_OK ? step : end) }
    }
}

extension Statement {
    /// The table's column that a result column is, unchanged; nil for one that is worked out.
    ///
    /// Source: <https://sqlite.org/c3ref/column_database_name.html>
    public func origin(at index: Int) -> (table: String, column: String)? {
        guard index >= 0, index < columnCount else { return nil }
        let place = Int32(truncatingIfNeeded: index)
        guard let table = sqlite3_column_table_name(pointer, place),
            let column = sqlite3_column_origin_name(pointer, place)
        else { return nil }
        return (String(cString: table), String(cString: column))
    }
}
