internal import Concurrency
internal import Platform
internal import SQLite
internal import SchemaMigration

/// Opens a store's file: to write it, after its migrations, or to read it and change nothing.
///
/// A file of another program is refused, and so is SQL in a store that feedsync did not write.
enum StoreOpening {
    /// An opened store file.
    struct Opened {
        let connection: Connection
        let salt: String
        var files: StoreFiles?
        var reading: Store.Reading?
    }

    /// Opens the file. It may wait for another process and for the disk, so it runs on the store's thread, which the
    /// task prefers, never on a thread of the pool.
    @concurrent
    static func open(
        _ path: String, _ options: Store.Options, _ filling: (@Sendable (Connection) async throws -> Void)?
    ) async throws(FeedSyncError) -> sending Opened {
        do {
            guard options.access != .readOnly else {
                var opened = try openForReading(path, options.migrations)
                opened.reading?.heedsReplacement = options.heedsReplacement
                if options.heedsWorkLimits { opened.connection.heedWorkLimits() }
                return opened
            }
            return try await openForWriting(path, options, filling)
        } catch {
            throw FeedSyncError(storing: error, path: path)
        }
    }

    private static func openForWriting(
        _ path: String, _ options: Store.Options, _ filling: (@Sendable (Connection) async throws -> Void)?
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
        let migrator = Migrator(options.migrations)
        // Before anything is written, so that a store from a newer feedsync is not changed.
        let pending = try migrator.pending(in: connection)
        if options.isScratch { try connection.treatAsScratch() }
        try switchToWAL(connection, path: path, tries: options.tries)
        if StoreFiles.isShared(path) { try connection.keepLogFiles() }
        // In WAL mode NORMAL loses nothing when the process ends, and FULL nothing on power failure.
        if !options.isScratch {
            try connection.execute("PRAGMA synchronous = \(options.isDurable ? "FULL" : "NORMAL")")
            // macOS leaves it in the disk's memory otherwise: https://sqlite.org/pragma.html#pragma_fullfsync
            if options.isDurable { try connection.execute("PRAGMA fullfsync = ON") }
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
            found = try connection.first(
                """
                SELECT name FROM sqlite_schema
                WHERE type = 'view' AND name COLLATE NOCASE IN (SELECT "table" FROM _feed) LIMIT 1
                """
            ) { row in (kind: "view", name: row.text(at: 0) ?? "") }
        }
        guard let found else { return }
        throw FeedSyncError(
            .store,
            "\(path) has a \(found.kind) named \(Excerpt.quoted(found.name, limit: 60)), which feedsync does not run",
            advice: "drop it in sqlite3 if it is yours; otherwise restore a backup")
    }

    /// Opens the file to read it. Neither the file nor the folder needs to be writable, nothing is migrated, and no
    /// file is left beside it.
    ///
    /// | the reader may write | beside the file | how it is opened |
    /// | --- | --- | --- |
    /// | file and folder | anything | as a writer that SQLite allows only queries: its log goes with the last reader |
    /// | not both | a log | read-only, with the log and its index as they are |
    /// | not both | no log | nobody has it open: read-only and without locks; each read checks that nobody wrote since |
    ///
    /// Source: https://sqlite.org/wal.html#read_only_databases
    static func openForReading(_ path: String, _ migrations: [Migration]) throws -> sending Opened {
        let file = FileStamp.resolved(path)
        var reading = Store.Reading()
        var connection = try connect(file, &reading)
        try connection.retryWhileBusy(tries: 5000)
        try refuseForeign(connection, path: path)
        try refuseForeignSQL(connection, path: path)
        let migrator = Migrator(migrations)
        let pending = try migrator.pending(in: connection)
        if pending.isEmpty {
            try connection.execute("PRAGMA query_only = ON")
        } else {
            // An upgrade should not make a store unreadable until the next sync.
            connection = try connection.temporaryCopy()
            _ = try migrator.apply(pending, to: connection, now: WallClock.system.text)
            reading.isCopy = true
        }
        return Opened(connection: connection, salt: try salt(connection), reading: reading)
    }

    private static func connect(_ file: String, _ reading: inout Store.Reading) throws -> Connection {
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
        if access(file, W_OK) == 0, access(folder, W_OK | X_OK) == 0 {
            return try Connection(path: file, access: .readWrite)
        }
        let log = FileStamp(path: "\(file)-wal")
        if log == nil, FileStamp(path: "\(file)-journal") == nil { return try restingConnection(file, &reading) }
        do throws(SQLiteError) {
            return try Connection(path: file, access: .readOnlyBeside(isResting: false))
        } catch {
            guard error.isCannotOpen || error.isReadOnly, let log else { throw error }
            if log.size == 0 { return try restingConnection(file, &reading) }
            throw FeedSyncError(
                .store, "\(file)-wal has what was written last, and cannot be read without writing: \(error.message)",
                advice: "run any command of feedsync as the store's owner, or read a copy: feedsync backup makes one")
        }
    }

    private static func restingConnection(_ file: String, _ reading: inout Store.Reading) throws -> Connection {
        // Before it is opened, so that no change is missed.
        reading.resting = FileStamp(path: file)
        return try Connection(path: file, access: .readOnlyBeside(isResting: true))
    }
}
