internal import CSQLite
internal import Platform
internal import Text

/// An error of SQLite, or of this wrapper.
///
/// Unknown codes are kept as they are. Bound values are never part of an error.
public struct SQLiteError: Error, Sendable, Hashable {
    /// The extended result code, such as 2067 for a broken UNIQUE constraint.
    ///
    /// Source: <https://sqlite.org/rescode.html>
    public var code: Int32
    /// SQLite's English text for the error.
    public var message: String
    /// The text of the statement that failed, or of the SQL from the failing statement on; nil outside a statement.
    public var sql: String?
    /// The database file, where opening it failed.
    public var path: String?
    /// The operating system's `errno` behind an I/O or opening error; 0 where there is none.
    public var systemCode: Int32
    /// Advice from a failed `CommitCompanion`; nil for an error of SQLite.
    public var advice: String?

    /// An error with the given parts.
    public init(code: Int32, message: String, sql: String? = nil, path: String? = nil, systemCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.sql = sql
        self.path = path
        self.systemCode = systemCode
    }

    /// An error of the wrapper itself.
    static func misuse(_ message: String, sql: String? = nil, path: String? = nil) -> SQLiteError {
        SQLiteError(code: SQLITE_MISUSE, message: message, sql: sql, path: path)
    }
}

extension SQLiteError {
    /// The low eight bits of the code: the class of the error.
    public var primaryCode: Int32 { code & 0xff }

    /// True if another connection held a lock for longer than the busy time-out.
    public var isBusy: Bool { primaryCode == SQLITE_BUSY || isLostRace }

    /// True if others kept the connection from reading the log for the ten seconds that SQLite tries by itself.
    ///
    /// Source: https://sqlite.org/rescode.html#protocol
    public var isLostRace: Bool { primaryCode == SQLITE_PROTOCOL }

    /// True if the disk is full, or the database has reached its `max_page_count`.
    public var isFull: Bool { primaryCode == SQLITE_FULL }

    /// True if a write went to a database that can only be read.
    public var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

    /// True if the file is something other than a SQLite database.
    public var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }

    /// True if the file is a SQLite database with broken content.
    public var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT }

    /// True if the file could not be opened or created.
    public var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }

    /// True if a PRIMARY KEY, UNIQUE, NOT NULL, CHECK, foreign key or STRICT type constraint was broken.
    public var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// True if the operating system failed to read, write, lock or sync.
    public var isIO: Bool { primaryCode == SQLITE_IOERR }
}

extension SQLiteError: CustomStringConvertible {
    /// One line: the message, the system's reason, the code, then the file or the start of the statement.
    ///
    /// The statement is left out if the file or the disk is at fault, since any other statement would have failed, too.
    public var description: String {
        var text = message
        if systemCode != 0, let reason = strerror(systemCode) { text += ": \(String(cString: reason))" }
        text += " (SQLite error \(code))"
        if let path { text += ", file \(path)" }
        if let sql, !isOfTheFile { text += ", in: \(Self.oneLine(sql))" }
        return text
    }

    private var isOfTheFile: Bool {
        isCorrupt || isNotADatabase || isFull || isReadOnly || isCannotOpen || isBusy || isIO
    }

    private static func oneLine(_ sql: String) -> String {
        let longest = 200
        let line = sql.onOneLine
        return line.count > longest ? "\(line.prefix(longest))…" : line
    }
}
