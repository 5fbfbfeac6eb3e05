internal import Glibc
internal import Migrations
internal import SQLite

extension Store {
    /// The mode in which a store was opened for reading.
    package struct Reading: Sendable {
        /// True if it is an updated copy, because an older feedsync wrote the file.
        package internal(set) var isCopy = false
        /// The file's stamp when it was opened; nil if SQLite's locks keep it from changing under a reader.
        var resting: FileStamp?

        /// True if later writes are visible.
        package var followsFile: Bool { !isCopy && resting == nil }

        /// - Throws: `FeedSyncError` of kind `locked` if the file was written while it was read without locks.
        func check() throws {
            guard let resting, FileStamp(path: resting.path) != resting else { return }
            throw FeedSyncError(
                .locked, "\(resting.path) was written while it was read", advice: "run the command again")
        }
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
    static func openForReading(_ path: String) throws -> sending Opened {
        let file = FileStamp.resolved(path)
        var reading = Reading()
        var connection = try connect(file, &reading)
        try connection.retryWhileBusy(tries: 5000)
        try refuseForeign(connection, path: path)
        try refuseForeignSQL(connection, path: path)
        let pending = try Migrator(Migrations.all).pending(in: connection)
        if pending.isEmpty {
            try connection.execute("PRAGMA query_only = ON")
        } else {
            // An upgrade should not make a store unreadable until the next sync.
            connection = try connection.temporaryCopy()
            _ = try Migrator(Migrations.all).apply(pending, to: connection, now: WallClock.system.text)
            reading.isCopy = true
        }
        return Opened(connection: connection, salt: try salt(connection), reading: reading)
    }

    private static func connect(_ file: String, _ reading: inout Reading) throws -> Connection {
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

    private static func restingConnection(_ file: String, _ reading: inout Reading) throws -> Connection {
        // Before it is opened, so that no change is missed.
        reading.resting = FileStamp(path: file)
        return try Connection(path: file, access: .readOnlyBeside(isResting: true))
    }
}

/// The stamp that shows if a file was written.
package struct FileStamp: Sendable, Hashable {
    let path: String
    package let size: Int
    private let device: UInt
    private let inode: UInt
    private let seconds: Int
    private let nanoseconds: Int

    /// The stamp of the file at a path; nil if there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.path = path
        size = Int(status.st_size)
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }

    /// The file to which symbolic links lead: its log is beside it, not beside a link.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
