package import Concurrency
internal import Glibc
internal import Migrations
package import SQLite

/// A SQLite file that holds feeds, and this process's only connection that writes it.
///
/// Other processes may read the file at any time, and work on other feeds: each transaction is one page.
///
/// - Isolation: an actor on a thread of its own, because SQLite blocks.
package actor Store {
    /// The file's path.
    package nonisolated let path: String

    package nonisolated let executor: ThreadExecutor
    package let transactions: Transactions
    package nonisolated let salt: String
    package let keep: Duration
    /// The mode of reading; nil if the file is also written.
    package nonisolated let reading: Reading?

    /// Runs the actor's code on the store's own thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The options for opening a store.
    package struct Options: Sendable {
        /// True if a commit survives power failure, not only the end of the process. It then waits for the disk.
        package var isDurable = false
        /// True if the file can be made again after any failure. No commit waits for the disk then.
        package var isScratch = false
        /// The access to the file.
        package var access = Access.create
        /// The time for which runs and events are kept.
        package var keep = Duration.seconds(90 * 86_400)
        /// True to end what is read for a task that is cancelled, or beyond its `WorkLimit`; for reading only.
        package var heedsWorkLimits = false
        /// The time to wait for another program's lock on the store; at least 5 seconds.
        package var wait = Duration.zero

        /// Creates options with the defaults of the configuration.
        package init(
            isDurable: Bool = false, access: Access = .create, keep: Duration = .seconds(90 * 86_400),
            wait: Duration = .zero
        ) {
            self.isDurable = isDurable
            self.access = access
            self.keep = keep
            self.wait = wait
        }

        /// The number of tries for a lock, a millisecond apart, over at least five seconds and at most a day.
        var tries: Int { Int(max(5, min(wait.components.seconds, 86_400))) * 1_000 }
    }

    /// The access to a store's file.
    package enum Access: Sendable, Hashable {
        /// Read and write it. Create it if it does not exist.
        case create
        /// Read and write it; a missing file is an error.
        case existing
        /// Read it and change nothing: no migration, and no file next to it.
        case readOnly
    }

    /// Opens the store, creates it if it does not exist, and migrates an older one.
    ///
    /// - Parameter filling: Fills the file with a store's content before anything is read from it.
    /// - Throws: `FeedSyncError` of kind `store` if the file cannot be opened or written, is no store, or comes from a
    ///   newer feedsync; it is not changed then. The error of `filling`.
    package init(
        path: String, options: Options = Options(), filling: (@Sendable (Connection) async throws -> Void)? = nil
    ) async throws(FeedSyncError) {
        self.path = path
        keep = options.keep
        guard path != ":memory:" else {
            throw FeedSyncError(
                .store, "`:memory:` is no file, and nothing in it would be kept", advice: "name a file with --store")
        }
        guard let executor = ThreadExecutor() else {
            throw FeedSyncError(.store, "\(path): no thread can be started for the store", advice: "see `ulimit -u`")
        }
        self.executor = executor
        let opened = try await withTaskExecutorPreference(executor) { () async throws(FeedSyncError) in
            try await Self.open(path, options, filling)
        }
        transactions = Transactions(
            opened.connection, path: path, files: opened.files, reading: opened.reading, executor: executor)
        salt = opened.salt
        reading = opened.reading
    }

    /// An opened store file.
    struct Opened {
        let connection: Connection
        let salt: String
        var files: StoreFiles?
        var reading: Reading?
    }

    /// Opens the file. It may wait for another process and for the disk, so it runs on the store's thread, which the
    /// task prefers, never on a thread of the pool.
    @concurrent
    private static func open(
        _ path: String, _ options: Options, _ filling: (@Sendable (Connection) async throws -> Void)?
    ) async throws(FeedSyncError) -> sending Opened {
        do {
            guard options.access != .readOnly else {
                let opened = try openForReading(path)
                if options.heedsWorkLimits { opened.connection.heedWorkLimits() }
                return opened
            }
            return try await openForWriting(path, options, filling)
        } catch {
            throw FeedSyncError(storing: error, path: path)
        }
    }

    private static func openForWriting(
        _ path: String, _ options: Options, _ filling: (@Sendable (Connection) async throws -> Void)?
    ) async throws -> sending Opened {
        if options.access == .create { StoreFiles.make(path) }
        // Triggers maintain full-text indexes, including the user's own, and SQLite lets triggers write such an index
        // only if it trusts the schema. This lets a trigger do no more than change this file: the linked SQLite has no
        // function and no virtual table that reaches beyond it, as a test checks.
        let connection = try Connection(
            path: path, access: options.access == .create ? .readWriteCreate : .readWrite,
            busyTimeout: .milliseconds(options.tries), trustsSchema: true)
        try connection.retryWhileBusy(tries: options.tries)
        try refuseForeign(connection, path: path)
        try refuseForeignSQL(connection, path: path)
        let migrator = Migrator(Migrations.all)
        // Before anything is written, so that a store from a newer feedsync is not changed.
        let pending = try migrator.pending(in: connection)
        if options.isScratch { try connection.treatAsScratch() }
        try switchToWAL(connection, path: path, tries: options.tries)
        if StoreFiles.isShared(path) { try connection.keepLogFiles() }
        // In WAL mode NORMAL loses nothing when the process ends, and FULL nothing on power failure.
        if !options.isScratch {
            try connection.execute("PRAGMA synchronous = \(options.isDurable ? "FULL" : "NORMAL")")
        }
        try connection.execute("PRAGMA wal_autocheckpoint = \(logPages(roomFor: path))")
        // Debian's SQLite overwrites deleted data with zeros, which costs writes; no secret is stored.
        // https://sqlite.org/pragma.html#pragma_secure_delete
        try connection.execute("PRAGMA secure_delete = OFF")
        // SQLite would build a table of the allowed values of `status` for every page; our values come from an
        // enumeration. https://sqlite.org/pragma.html#pragma_ignore_check_constraints
        try connection.execute("PRAGMA ignore_check_constraints = ON")
        _ = try migrator.apply(pending, to: connection, now: WallClock.system.text)
        try await filling?(connection)
        let salt = try salt(connection)
        if StoreFiles.isShared(path) { StoreFiles.shareLogFiles(of: path) }
        // No other process uses a scratch file.
        let files = options.isScratch ? nil : StoreFiles(of: path)
        return Opened(connection: connection, salt: salt, files: files)
    }

    static func salt(_ connection: Connection) throws -> String {
        try connection.scalar("SELECT value FROM _salt")?.text ?? ""
    }

    /// The number of log pages of 4 KB after which the log is checkpointed.
    ///
    /// A checkpoint writes a page once even if it was changed many times, so it may wait for 64 MB of log; on a disk
    /// with little space, for 2 MB. https://sqlite.org/pragma.html#pragma_wal_autocheckpoint
    private static func logPages(roomFor path: String) -> Int {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return 512 }
        return logPages(room: UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue)
    }

    /// The number of log pages for a disk with this much free space, in bytes.
    static func logPages(room: UInt64) -> Int { room < 1 << 30 ? 512 : 16_384 }

    /// WAL lets `sqlite3` read while we write: https://sqlite.org/wal.html. The mode stays with the file.
    ///
    /// The switch needs exclusive access to the file. Two processes that both want it would wait for each other until
    /// one gives up, so they take turns.
    private static func switchToWAL(_ connection: Connection, path: String, tries: Int) throws {
        func isNeeded() throws -> Bool {
            let mode = try connection.scalar("PRAGMA journal_mode")?.text
            return mode != "wal"
        }
        guard try isNeeded() else { return }
        try FeedLock.alone(with: path, tries: tries) {
            if try isNeeded() { try connection.execute("PRAGMA journal_mode = WAL") }
        }
    }

    /// Throws if there are foreign tables, because the file then belongs to another program.
    static func refuseForeign(_ connection: Connection, path: String) throws {
        let tables = try connection.int64("SELECT count(*) FROM sqlite_schema") ?? 0
        let isOurs = try connection.int64("SELECT count(*) FROM sqlite_schema WHERE name = '_migration'") == 1
        guard tables == 0 || isOurs else {
            throw FeedSyncError(
                .store, "\(path) belongs to another program: it has tables, but none of feedsync's",
                advice: "choose another file with --store")
        }
    }

    /// Refuses triggers, and views in place of tables: triggers would run with every change, and a view with every
    /// read, so that anyone with write access to the store could make us run their SQL. Triggers that only write
    /// full-text indexes are allowed.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if there is one.
    static func refuseForeignSQL(_ connection: Connection, path: String) throws {
        var found: (kind: String, name: String)?
        var fullText: FullTextTrigger?
        try connection.rows(
            """
            SELECT type, name, sql FROM sqlite_schema
            WHERE type = 'trigger' OR (
                type = 'view' AND (
                    name IN ('feed', 'feed_part', 'run', 'event') OR name GLOB '_*' AND NOT name GLOB '_*_part[0-9]*'
                )
            )
            """
        ) { row in
            let kind = row.text(at: 0) ?? ""
            if kind == "trigger" {
                let known = try fullText ?? FullTextTrigger(on: connection)
                fullText = known
                if known.isKept(by: row.text(at: 2) ?? "") { return }
            }
            found = found ?? (kind, row.text(at: 1) ?? "")
        }
        let hasFeeds = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_feed'"
        if found == nil, try connection.scalar(hasFeeds) != nil {
            try connection.rows(
                """
                SELECT name FROM sqlite_schema
                WHERE type = 'view' AND name COLLATE NOCASE IN (SELECT "table" FROM _feed) LIMIT 1
                """
            ) { row in found = ("view", row.text(at: 0) ?? "") }
        }
        guard let found else { return }
        throw FeedSyncError(
            .store,
            "\(path) has a \(found.kind) named \(Excerpt.quoted(found.name, limit: 60)), which feedsync does not run",
            advice: "drop it in sqlite3 if it is yours; otherwise restore a backup")
    }

    /// The connection of the transactions.
    package var connection: Connection { transactions.connection }

    /// Runs `body` on committed data; see `Transactions`.
    package func storing<Result>(_ body: () throws -> Result) throws(FeedSyncError) -> Result {
        try transactions.storing(body)
    }

    /// The problem of the open file; nil if its path still leads to it.
    package var fileProblem: String? {
        connection.hasMoved ? "\(path) was deleted, moved or replaced since it was opened" : nil
    }

    /// Runs `body` with the store's connection, on the store's thread.
    ///
    /// - Throws: The error of `body`; `FeedSyncError` of kind `store`.
    package func copying<Result: Sendable>(
        _ body: (Connection) throws(FeedSyncError) -> Result
    ) throws(FeedSyncError) -> Result {
        try storing { try body(connection) }
    }
}
