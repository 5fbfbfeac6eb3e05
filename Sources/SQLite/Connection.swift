internal import CSQLite
internal import Glibc

/// One connection to one SQLite database file.
///
/// It has extended result codes and foreign keys on and double-quoted strings off, is in defensive mode, and does not
/// trust the schema unless told to. It closes when it and its statements are released.
///
/// - Isolation: has no mutex and belongs to one owner, such as an actor; never shared between threads.
public final class Connection {
    /// The access of a connection to its file.
    public enum Access: Sendable, Hashable {
        /// Reads a file that exists.
        case readOnly
        /// Reads and writes a file that exists.
        case readWrite
        /// Reads and writes, after creating the file if there is none.
        case readWriteCreate
        /// Reads a file in a folder where none can be made: it has its log and the log's index beside it, or neither.
        ///
        /// - Parameter isResting: Nobody writes the file while it is open. It is read without a lock then, and without
        ///   a look at a log.
        case readOnlyBeside(isResting: Bool)
    }

    let handle: Handle
    /// Statements by their text, for `cached`.
    var statements = StatementCache()
    /// Commits each transaction to another database first.
    public var companion: (any CommitCompanion)?

    /// Opens the database file at `path` and reads its header.
    ///
    /// - Parameters:
    ///   - path: a path, never a URI; only `:memory:` is special, a database that lives as long as the connection.
    ///   - busyTimeout: how long a statement waits for another connection's lock; in whole milliseconds, from 0
    ///     to about 24 days.
    ///   - trustsSchema: whether triggers and views in the file may use functions and virtual tables that SQLite does
    ///     not call harmless: https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigtrustedschema
    /// - Throws: `SQLiteError` with its `path`, also for a file that is not a database.
    public init(
        path: String, access: Access = .readWriteCreate, busyTimeout: Duration = .seconds(5),
        trustsSchema: Bool = false
    ) throws(SQLiteError) {
        handle = try Self.open(path, access)
        do throws(SQLiteError) {
            try handle.check(sqlite3_busy_timeout(handle.database, busyTimeout.wholeMilliseconds))
            try configure(trustsSchema: trustsSchema)
            // Opening does not look at the content; the first read does.
            try execute("SELECT 1 FROM sqlite_schema LIMIT 1")
        } catch {
            var error = Self.explained(error, path, access)
            error.path = path
            error.sql = nil
            throw error
        }
    }

    /// Opens a database that is in no file with a name.
    init(temporaryNamed name: String) throws(SQLiteError) {
        handle = try Handle(path: name, flags: Access.readWriteCreate.flags)
        try configure(trustsSchema: false)
    }

    private static func open(_ path: String, _ access: Access) throws(SQLiteError) -> Handle {
        let name = try fileName(for: path)
        do throws(SQLiteError) {
            return try Handle(path: access.address(of: name), flags: access.flags)
        } catch {
            var error = explained(error, name, access)
            error.path = path
            throw error
        }
    }

    /// The error with the reason that SQLite hides where a file is missing and cannot be created.
    ///
    /// SQLite tries to read a database that it cannot create, and an existing file may need others beside it,
    /// such as the log: https://sqlite.org/wal.html#read_only_databases
    private static func explained(_ error: SQLiteError, _ path: String, _ access: Access) -> SQLiteError {
        guard error.isCannotOpen, error.systemCode == ENOENT else { return error }
        guard access == .readWriteCreate || Glibc.access(path, F_OK) == 0 else { return error }
        var error = error
        error.systemCode = reasonNotToCreate(path)
        return error
    }

    /// The `errno` that keeps files from being created beside `path`; 0 where none is evident.
    private static func reasonNotToCreate(_ path: String) -> Int32 {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        return Glibc.access(folder, W_OK | X_OK) == 0 ? 0 : errno
    }

    private static func fileName(for path: String) throws(SQLiteError) -> String {
        guard !path.isEmpty else { throw .misuse("the path of the database is empty", path: path) }
        guard !path.utf8.contains(0) else { throw .misuse("the path of the database contains a NUL character") }
        // "when a database filename actually does begin with a ":" character you should prefix the filename with a
        // pathname such as "./" to avoid ambiguity"; "file:" may begin a URI, if the library was built so.
        // https://sqlite.org/c3ref/open.html
        let isSpecial = path != ":memory:" && (path.utf8.first == UInt8(ascii: ":") || path.hasPrefix("file:"))
        return isSpecial ? "./" + path : path
    }

    private func configure(trustsSchema: Bool) throws(SQLiteError) {
        // https://sqlite.org/c3ref/c_dbconfig_defensive.html
        let options: [(option: Int32, enabled: Int32)] = [
            (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
            (SQLITE_DBCONFIG_DQS_DDL, 0),
            (SQLITE_DBCONFIG_DQS_DML, 0),
            (SQLITE_DBCONFIG_TRUSTED_SCHEMA, trustsSchema ? 1 : 0),
            (SQLITE_DBCONFIG_DEFENSIVE, 1),
        ]
        for (option, enabled) in options {
            try handle.check(csqlite_db_config_set(handle.database, option, enabled))
        }
    }

    /// Runs any number of statements one after another; their rows are ignored.
    ///
    /// - Throws: `SQLiteError` of the first statement that fails; those before it have taken effect.
    public func execute(_ sql: String) throws(SQLiteError) {
        var script = try Script(sql)
        while let pointer = try script.next(in: handle) {
            let statement = Statement(adopting: pointer, of: handle)
            while try statement.step() {}
        }
    }

    /// Compiles exactly one statement.
    ///
    /// - Parameter persistent: tells SQLite that the statement will be kept for long and used often.
    /// - Throws: `SQLiteError`, also when `sql` holds no statement or a second one.
    public func prepare(_ sql: String, persistent: Bool = false) throws(SQLiteError) -> Statement {
        var script = try Script(sql)
        let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        guard let pointer = try script.next(in: handle, flags: flags) else {
            throw .misuse("the SQL holds no statement", sql: sql)
        }
        let statement = Statement(adopting: pointer, of: handle)
        guard try script.isAtEnd(in: handle) else { throw .misuse("the SQL holds more than one statement", sql: sql) }
        return statement
    }
}

extension Connection {
    /// The rows that the last INSERT, UPDATE or DELETE changed, triggers and foreign key actions not counted.
    public var changes: Int { Int(clamping: sqlite3_changes64(handle.database)) }

    /// The rowid of the last successful INSERT; may be set, to see whether a later statement inserts.
    ///
    /// An `INSERT … ON CONFLICT DO UPDATE` that updates leaves it as it was.
    public var lastInsertRowID: Int64 {
        get { sqlite3_last_insert_rowid(handle.database) }
        set { sqlite3_set_last_insert_rowid(handle.database, newValue) }
    }

    /// True if the file can only be read, by request or because the operating system protects it.
    public var isReadOnly: Bool { sqlite3_db_readonly(handle.database, "main") == 1 }
}

@available(*, unavailable)
extension Connection: Sendable {}

extension Connection.Access {
    fileprivate var flags: Int32 {
        // NOMUTEX: threads may use SQLite at once if each has its own connection, which is what a single owner ensures.
        // https://sqlite.org/c3ref/open.html
        let always = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        return switch self {
        case .readOnly: always | SQLITE_OPEN_READONLY
        case .readWrite: always | SQLITE_OPEN_READWRITE
        case .readWriteCreate: always | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnlyBeside: always | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        }
    }

    /// The path, or a URI with options, for SQLite to open.
    ///
    /// `immutable` takes no lock and reads no log, `readonly_shm` creates no file: https://sqlite.org/c3ref/open.html,
    /// https://sqlite.org/wal.html#read_only_databases
    fileprivate func address(of path: String) -> String {
        guard case .readOnlyBeside(let isResting) = self else { return path }
        let isPlain: (UInt8) -> Bool = { ($0 >= 45 && $0 <= 57) || (97...122).contains($0 | 0x20) || $0 == 95 }
        let coded = path.utf8.map { byte in
            isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "file:\(coded.joined())?\(isResting ? "immutable=1" : "readonly_shm=1")"
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, held between 0 and `Int32.max`.
    fileprivate var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard !overflow else { return .max }
        let part = (attoseconds + attosecondsPerMillisecond - 1) / attosecondsPerMillisecond
        return Int32(clamping: whole.addingReportingOverflow(part).overflow ? .max : whole + part)
    }
}
