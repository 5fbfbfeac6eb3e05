package import Concurrency
internal import Migrations
internal import Platform
package import SQLite
internal import SchemaMigration

/// A SQLite file that holds feeds, and this process's only connection that writes it.
///
/// Other processes may read the file at any time, and work on other feeds: each transaction is one page.
///
/// Each call throws `FeedSyncError` of kind `store` if the file cannot be read or written. Calls name only what else
/// they throw.
///
/// - Isolation: an actor on a thread of its own, because SQLite blocks.
package actor Store {
    /// The file's path.
    package nonisolated let path: String

    package nonisolated let executor: ThreadExecutor
    package let transactions: Transactions
    package nonisolated let salt: String
    /// The times for which history is kept; feeds that are opened add their own.
    package var keep: Retention
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
        /// The times for which history is kept.
        package var keep = Retention.standard
        /// True to end what is read for a task that is cancelled, or beyond its `WorkLimit`; for reading only.
        package var heedsWorkLimits = false
        /// True if a read fails once the path leads to another file; for reading only.
        package var heedsReplacement = false
        /// The time to wait for another program's lock on the store; at least 5 seconds.
        package var wait = Duration.zero
        /// The schema changes that the store has, or gets.
        var migrations = Migrations.sqlite

        /// Creates options with the defaults of the configuration.
        package init(
            isDurable: Bool = false, access: Access = .create, keep: Retention = .standard,
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

    /// The mode in which a store was opened for reading.
    package struct Reading: Sendable {
        /// True if it is an updated copy, because an older feedsync wrote the file.
        package internal(set) var isCopy = false
        /// The file's stamp when it was opened; nil if SQLite's locks keep it from changing under a reader.
        var resting: FileStamp?
        /// True if a read fails once the path leads to another file.
        package internal(set) var heedsReplacement = false

        /// True if later writes are visible.
        package var followsFile: Bool { !isCopy && resting == nil }

        /// - Throws: `FeedSyncError` of kind `locked` if the file was written while it was read without locks.
        func check() throws {
            guard let resting, FileStamp(path: resting.path) != resting else { return }
            throw FeedSyncError(
                .locked, "\(resting.path) was written while it was read", advice: "run the command again")
        }
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
        // SQLite would open a file that is gone when it is closed, or one with the part of the path before the zero byte.
        guard !path.isEmpty, !path.utf8.contains(0) else {
            let problem = path.isEmpty ? "is empty" : "has a zero byte"
            throw FeedSyncError(.store, "the path of the store \(problem)", advice: "name a file")
        }
        guard let executor = ThreadExecutor() else {
            throw FeedSyncError(.store, "\(path): no thread can be started for the store", advice: "see `ulimit -u`")
        }
        self.executor = executor
        let opened = try await withTaskExecutorPreference(executor) { () async throws(FeedSyncError) in
            try await StoreOpening.open(path, options, filling)
        }
        transactions = Transactions(
            opened.connection, path: path, files: opened.files, reading: opened.reading, executor: executor)
        salt = opened.salt
        reading = opened.reading
    }

    /// The connection of the transactions.
    package var connection: Connection { transactions.connection }

    /// Runs `body` on committed data; see `Transactions`.
    package func storing<Result>(_ body: () throws -> Result) throws(FeedSyncError) -> Result {
        try transactions.storing(body)
    }

    /// Runs `body` on committed data as they are at one moment, while other processes write.
    package func snapshot<Result>(_ body: () throws -> Result) throws(FeedSyncError) -> Result {
        try storing { try connection.transaction(.deferred, body) }
    }

    /// The problem of the open file; nil if its path still leads to it.
    package var fileProblem: String? { transactions.fileProblem }

    /// Runs `body` with the store's connection, on the store's thread.
    ///
    /// - Throws: The error of `body`; `FeedSyncError` of kind `store`.
    package func copying<Result: Sendable>(
        _ body: (Connection) throws(FeedSyncError) -> Result
    ) throws(FeedSyncError) -> Result {
        try storing { try body(connection) }
    }
}

// Copies of a store's file while others work on it.
extension Store {
    /// Writes a copy of the store at one moment, while others work on it. The copy is a single file.
    ///
    /// An existing file is replaced when the copy is complete, and not by the copy of a damaged store. For a symbolic
    /// link, that is its target.
    ///
    /// - Returns: The copy's size in bytes.
    package func backUp(to file: String) throws(FeedSyncError) -> Int {
        guard !StoreFiles.isNoFile(file) else {
            throw FeedSyncError(.store, "\(file) is not a file, and a database is one", advice: "name a file")
        }
        guard !StoreFiles.areSame(file, path) else {
            throw FeedSyncError(.store, "\(file) is the store itself", advice: "name another file")
        }
        let target = FileStamp.resolved(file)
        guard FileStamp(path: "\(target)-wal") == nil else {
            throw FeedSyncError(
                .store, "\(file) is a database that a program has open: \(target)-wal is beside it",
                advice: "name another file")
        }
        let ownFiles = ["-lock", "-wal", "-shm"].map { FileStamp.resolved(path) + $0 }
        guard !ownFiles.contains(target), StoreFiles.mayBecomeBackup(file) else {
            throw FeedSyncError(
                .store, "\(file) exists and is not a database, so it is not replaced",
                advice: "name another file")
        }
        StoreFiles.removeAbandonedParts(of: target)
        let part = "\(target).part-\(getpid())"
        defer { unlink(part) }
        do {
            // Only its owner may read it, as with the store.
            guard mknod(part, S_IFREG | 0o600, 0) == 0 else { throw Self.failure(file) }
            try copy(to: part)
            guard rename(part, target) == 0 else { throw Self.failure(file) }
            return FileStamp(path: file)?.size ?? 0
        } catch let error as SQLiteError where error.isCorrupt {
            // The copy has the faults of the store.
            throw FeedSyncError(storing: error, path: path)
        } catch {
            throw FeedSyncError(storing: error, path: file)
        }
    }

    private func copy(to file: String) throws {
        try transactions.closeGroup()
        let copy = try Connection(path: file, access: .readWrite)
        try connection.copyAll(to: copy)
        // Without a log, the copy is one file.
        try copy.execute("PRAGMA journal_mode = DELETE")
        try reading?.check()
        // Pages are copied as they are, so damage shows only when the copy is read; the file that it is about to replace
        // may be the last good one.
        try copy.refuseDamage(of: path)
    }

    private static func failure(_ path: String) -> FeedSyncError {
        FeedSyncError(
            .store, "cannot write \(path): \(String(cString: strerror(errno)))",
            advice: "check that you can write to that folder")
    }
}

extension Connection {
    /// Refuses a database of which some rows may be lost. All of it is read.
    ///
    /// A fault between an index and its table passes: it loses no row, and `doctor --repair` rebuilds the index.
    /// `integrity_check` would find it, and takes longer.
    /// https://sqlite.org/pragma.html#pragma_quick_check
    ///
    /// - Parameter path: The store's file, for the error.
    /// - Throws: `FeedSyncError` of kind `store`; `SQLiteError`.
    package func refuseDamage(of path: String) throws {
        let fault = try scalar("PRAGMA quick_check(1)")?.text ?? ""
        guard fault != "ok" else { return }
        // The line before it names the database.
        let words = fault.split(separator: "\n").last ?? ""
        throw FeedSyncError(.store, "\(path) is damaged: \(words)", advice: FeedSyncError.adviceOnDamage)
    }
}
