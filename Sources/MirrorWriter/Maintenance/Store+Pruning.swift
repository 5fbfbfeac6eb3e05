internal import Concurrency
internal import SQLite

extension Store {
    /// The number of a feed's items that were removed before a time, which `prune` would delete.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func prunableCount(of feed: String, goneBefore limit: String) throws(FeedSyncError) -> Int {
        try storing {
            guard let table = try StoredTable.name(of: feed, on: connection) else { return 0 }
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

    /// Returns the space of deleted data to the disk.
    ///
    /// - Returns: The space in bytes, and true if another program reads the file's log, which keeps its data until then.
    /// - Throws: `FeedSyncError` of kind `store`, `locked` if another process writes for too long.
    package func compact() throws(FeedSyncError) -> (freed: Int, isRead: Bool) {
        try storing {
            let before = FileStamp(path: path)?.size ?? 0
            try connection.execute("VACUUM")
            try SearchIndex.rebuildAllBehindVacuum(on: connection)
            // https://sqlite.org/pragma.html#pragma_wal_checkpoint
            let isRead = try connection.int64("PRAGMA wal_checkpoint(TRUNCATE)") == 1
            return (max(0, before - (FileStamp(path: path)?.size ?? before)), isRead)
        }
    }
}
