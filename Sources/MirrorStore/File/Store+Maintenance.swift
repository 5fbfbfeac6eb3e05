internal import Glibc
internal import SQLite

extension Store {
    /// The number of a feed's items that were removed before a time, which `prune` would delete.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func prunableCount(of feed: String, goneBefore limit: String) throws(FeedSyncError) -> Int {
        try storing {
            guard let table = try storedTable(of: feed) else { return 0 }
            let count = "SELECT count(*) FROM \(try SQL.identifier(table)) WHERE _removed_at < ?"
            return Int(try connection.int64(count, .text(limit)) ?? 0)
        }
    }

    /// Deletes a feed's items that were removed before a time, and its history from before `keep`.
    ///
    /// - Returns: The number of items; nil if another process works on the feed.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func prune(_ feed: String, goneBefore limit: String, now: String) throws(FeedSyncError) -> Int? {
        let found = try storing { () throws -> (id: Int64, table: String)? in
            var row: (Int64, String)?
            try connection.rows("SELECT id, \"table\" FROM _feed WHERE feed = ?", [.text(feed)]) { statement in
                row = (statement.int64(at: 0), statement.text(at: 1) ?? "")
            }
            return row
        }
        guard let found else { return 0 }
        guard let lock = try FeedLock(on: found.id, of: path, command: "prune") else { return nil }
        defer { withExtendedLifetime(lock) {} }
        return try storing {
            try connection.transaction {
                try forget(feed, before: now)
                let isThere = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE"
                guard try connection.scalar(isThere, .text(found.table)) != nil else { return 0 }
                try connection.run(
                    "DELETE FROM \(try SQL.identifier(found.table)) WHERE _removed_at < ?", .text(limit))
                return connection.changes
            }
        }
    }

    /// Returns the space of deleted data to the disk. The result is in bytes.
    ///
    /// - Throws: `FeedSyncError` of kind `store`, `locked` if another process writes for too long.
    package func compact() throws(FeedSyncError) -> Int {
        try storing {
            let before = FileStamp(path: path)?.size ?? 0
            try connection.execute("VACUUM")
            try SearchIndex.rebuildAllBehindVacuum(on: connection)
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return max(0, before - (FileStamp(path: path)?.size ?? before))
        }
    }

    /// Writes a copy of the store at one moment, while others work on it. The copy is a single file.
    ///
    /// An existing file is replaced when the copy is complete.
    ///
    /// - Returns: The copy's size in bytes.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func backUp(to file: String) throws(FeedSyncError) -> Int {
        guard !StoreFiles.areSame(file, path) else {
            throw FeedSyncError(.store, "\(file) is the store itself", advice: "name another file")
        }
        guard FileStamp(path: "\(file)-wal") == nil else {
            throw FeedSyncError(
                .store, "\(file) is a database that a program has open: \(file)-wal is beside it",
                advice: "name another file")
        }
        let ownFiles = ["-lock", "-wal", "-shm"].map { FileStamp.resolved(path) + $0 }
        guard !ownFiles.contains(FileStamp.resolved(file)), StoreFiles.mayBecomeBackup(file) else {
            throw FeedSyncError(
                .store, "\(file) exists and is not a database, so it is not replaced",
                advice: "name another file")
        }
        let part = "\(file).part-\(getpid())"
        defer { unlink(part) }
        do {
            // Only its owner may read it, as with the store.
            guard mknod(part, S_IFREG | 0o600, 0) == 0 else { throw Self.failure("create", part) }
            try copy(to: part)
            guard rename(part, file) == 0 else { throw Self.failure("replace", file) }
            return FileStamp(path: file)?.size ?? 0
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
    }

    private static func failure(_ what: String, _ path: String) -> FeedSyncError {
        FeedSyncError(
            .store, "cannot \(what) \(path): \(String(cString: strerror(errno)))",
            advice: "check that you can write to that folder")
    }
}
