internal import CSQLite
internal import Concurrency
internal import Platform
internal import Text

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
        /// - Parameter isResting: True if no process writes the file while it is open. It is read without a lock then,
        ///   and without a look at a log.
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
        guard access == .readWriteCreate || Platform.access(path, F_OK) == 0 else { return error }
        var error = error
        error.systemCode = reasonNotToCreate(path)
        return error
    }

    /// The `errno` that keeps files from being created beside `path`; 0 where none is evident.
    private static func reasonNotToCreate(_ path: String) -> Int32 {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        return Platform.access(folder, W_OK | X_OK) == 0 ? 0 : errno
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
        try addTextFunction()
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
    /// True if the main database has the table, by the schema that SQLite holds in memory: that of the last statement
    /// that read the file.
    ///
    /// Source: https://sqlite.org/c3ref/table_column_metadata.html
    public func hasTable(_ table: String) -> Bool { has(nil, in: table) }

    /// True if a table of the main database has the column, whose name is compared as SQLite does; as `hasTable`.
    public func hasColumn(_ column: String, in table: String) -> Bool { has(column, in: table) }

    /// The names of the columns of a table or view, in their order; none where there is no such table.
    ///
    /// - Throws: `SQLiteError`.
    public func columnNames(of table: String) throws -> [String] {
        try all("SELECT name FROM pragma_table_info(?)", [.text(table)]) { $0.text(at: 0) ?? "" }
    }

    private func has(_ column: String?, in table: String) -> Bool {
        sqlite3_table_column_metadata(handle.database, "main", table, column, nil, nil, nil, nil, nil) == SQLITE_OK
    }

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
        let coded = PercentCoding.encoded(path, keeping: "/")
        return "file:\(coded)?\(isResting ? "immutable=1" : "readonly_shm=1")"
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

extension Connection {
    /// A statement for `sql`, compiled at the first call and the same from then on, reset and with no bindings.
    ///
    /// A statement that one of the queries below is stepping through is not returned; a new one is.
    ///
    /// - Throws: `SQLiteError`, also when `sql` is not exactly one statement.
    public func cached(_ sql: String) throws(SQLiteError) -> Statement {
        let kept = statements[sql]
        if let kept, !kept.isLent {
            try kept.reset()
            kept.clearBindings()
            return kept
        }
        let statement = try prepare(sql, persistent: true)
        if kept == nil { statements.add(statement, sql) }
        return statement
    }

    /// Runs one statement to its end, with its parameters bound to `values`; its rows are ignored.
    ///
    /// - Throws: `SQLiteError`, also when there are more or fewer values than parameters.
    public func run(_ sql: String, _ values: Value...) throws(SQLiteError) {
        try run(sql, values)
    }

    /// The same, with an array of values.
    public func run(_ sql: String, _ values: [Value]) throws(SQLiteError) {
        try withCached(sql, values) { statement throws(SQLiteError) in
            while try statement.step() {}
        }
    }

    /// The first column of the first row; nil if there is no row, `.null` if it holds NULL.
    ///
    /// The statement runs to its end, so that one with RETURNING makes all its changes.
    ///
    /// - Throws: `SQLiteError`, also when there are more or fewer values than parameters.
    public func scalar(_ sql: String, _ values: Value...) throws(SQLiteError) -> Value? {
        try firstColumn(sql, values) { $0.value(at: 0) }
    }

    /// The first column of the first row as an integer; nil if there is no row or it holds NULL.
    ///
    /// - Throws: `SQLiteError`, also when there are more or fewer values than parameters.
    public func int64(_ sql: String, _ values: Value...) throws(SQLiteError) -> Int64? {
        try firstColumn(sql, values) { $0.isNull(at: 0) ? nil : $0.int64(at: 0) } ?? nil
    }

    /// Calls `body` with the statement at each row in turn.
    ///
    /// - Parameter body: reads columns of the row, and neither steps, resets nor keeps the statement.
    /// - Throws: `SQLiteError`, or the error of `body`, which ends the query.
    public func rows(_ sql: String, _ values: [Value] = [], _ body: (Statement) throws -> Void) throws {
        try takeRows(sql, values) { row in
            try body(row)
            return true
        }
    }

    /// Runs a query and calls `take` for each row, until it returns false.
    ///
    /// - Parameter take: Reads the row; it must not step the statement itself.
    /// - Throws: `SQLiteError`, or the error of `take`.
    public func takeRows(_ sql: String, _ values: [Value] = [], _ take: (Statement) throws -> Bool) throws {
        var failure: (any Error)?
        _ = try withCached(sql, values) { statement throws(SQLiteError) in
            try stepAll(statement, take, &failure)
        }
        if let failure { throw failure }
    }

    /// Runs a query once for each number, which is its only parameter, and calls `take` for each row, until it returns
    /// false.
    ///
    /// - Parameter take: Reads the row; it must not step the statement itself.
    /// - Throws: `SQLiteError`, or the error of `take`.
    public func takeRows(
        _ sql: String, forEach numbers: some Sequence<Int64>, _ take: (Statement) throws -> Bool
    ) throws {
        var failure: (any Error)?
        try withCached(sql, [.null]) { statement throws(SQLiteError) in
            for number in numbers {
                try statement.reset()
                try statement.bindInt64(number, at: 1)
                guard try stepAll(statement, take, &failure) else { return }
            }
        }
        if let failure { throw failure }
    }

    /// Steps through the rows of a statement until `take` returns false or throws.
    ///
    /// - Parameter failure: Becomes the error of `take`.
    /// - Returns: True if all rows were taken.
    private func stepAll(
        _ statement: Statement, _ take: (Statement) throws -> Bool, _ failure: inout (any Error)?
    ) throws(SQLiteError) -> Bool {
        while try statement.step() {
            do {
                guard try take(statement) else { return false }
            } catch {
                failure = error
                return false
            }
        }
        return true
    }

    /// The values that `read` makes of the rows of a query, without nil.
    ///
    /// - Parameter read: reads columns of the row, and neither steps, resets nor keeps the statement.
    /// - Throws: `SQLiteError`, or the error of `read`, which ends the query.
    package func all<Element>(
        _ sql: String, _ values: [Value] = [], _ read: (Statement) throws -> Element?
    ) throws -> [Element] {
        var elements: [Element] = []
        try rows(sql, values) { row in
            if let element = try read(row) { elements.append(element) }
        }
        return elements
    }

    /// The value that `read` makes of the first row of a query; nil if there is no row.
    ///
    /// - Parameter read: as for `all`.
    /// - Throws: `SQLiteError`, or the error of `read`.
    package func first<Element>(
        _ sql: String, _ values: [Value] = [], _ read: (Statement) throws -> Element?
    ) throws -> Element? {
        var element: Element?
        try takeRows(sql, values) { row in
            element = try read(row)
            return false
        }
        return element
    }

    private func firstColumn<T>(
        _ sql: String, _ values: [Value], _ read: (Statement) -> T
    ) throws(SQLiteError) -> T? {
        try withCached(sql, values) { statement throws(SQLiteError) in
            guard try statement.step() else { return nil }
            let first = read(statement)
            if !statement.isReadOnly {
                while try statement.step() {}
            }
            return first
        }
    }

    /// Lends a bound statement to `body` and leaves it reset, so that it holds neither a lock nor values.
    private func withCached<T>(
        _ sql: String, _ values: [Value], _ body: (Statement) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        let statement = try cached(sql)
        statement.isLent = true
        defer {
            statement.clearBindings()
            statement.isLent = false
        }
        let result: T
        do throws(SQLiteError) {
            try statement.bind(values)
            result = try body(statement)
        } catch {
            // The first error counts; an error of the reset is only its consequence.
            try? statement.reset()
            throw error
        }
        try statement.reset()
        return result
    }
}

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
        let status = sqlite3_set_authorizer(
            handle.database,
            { _, action, word, value, _, _ in
                switch action {
                case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: return SQLITE_OK
                case SQLITE_PRAGMA:
                    guard let word else { return SQLITE_DENY }
                    return Connection.tellsOfSchema(String(cString: word), hasValue: value != nil)
                        ? SQLITE_OK : SQLITE_DENY
                default: return SQLITE_DENY
                }
            }, nil)
        try handle.check(status)
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

    /// Makes temporary tables and views. Only this connection sees them, so even one that only reads its file may.
    ///
    /// - Throws: `SQLiteError`, or the error of `body`.
    public func makingTemporary<Result>(_ body: () throws -> Result) throws -> Result {
        let isReader = try int64("PRAGMA query_only") == 1
        if isReader { try execute("PRAGMA query_only = OFF") }
        defer { if isReader { try? execute("PRAGMA query_only = ON") } }
        return try body()
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

extension Connection {
    /// Ends statements of tasks that are cancelled, or beyond the limit of their work: `SQLiteError.isInterrupted`.
    ///
    /// Source: https://sqlite.org/c3ref/progress_handler.html
    public func heedWorkLimits() {
        sqlite3_progress_handler(handle.database, Self.stepsBetweenQuestions, { _ in WorkLimit.hasToEnd ? 1 : 0 }, nil)
    }

    /// A question costs less than a microsecond, and so many steps take about fifty.
    private static let stepsBetweenQuestions: Int32 = 4_000
}

extension SQLiteError {
    /// True if the statement was ended by a limit of work.
    public var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
}

extension Connection {
    /// Waits for other connections' locks by trying again every millisecond.
    ///
    /// SQLite's own time-out soon tries only ten times a second, and meets no moment between two transactions of a
    /// process that has the next one ready when it commits. https://sqlite.org/c3ref/busy_handler.html
    ///
    /// - Parameter tries: The number of tries before a statement fails as busy; statements after a failed one try less.
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
