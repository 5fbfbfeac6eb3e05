internal import SQLite

/// Runs that could not record their end.
extension Store {
    /// Records that a command failed before a run could begin.
    package func logFailure(
        _ error: FeedSyncError, of definition: FeedDefinition, command: String, now: String
    ) throws(FeedSyncError) {
        try storing {
            try connection.transaction {
                let run = try RunLog.add(error, of: definition.name, command: command, on: connection, now: now)
                try FeedSchedule.follow(run, of: definition.name, every: definition.every, on: connection)
            }
        }
    }

    /// Records that PostgreSQL refused pages of a run. The file was read again from PostgreSQL: it has none of these
    /// pages, but the run may still be open in it.
    ///
    /// - Returns: True if the feed has a row, and with it a due time.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func logRefusal(
        _ error: FeedSyncError, of definition: FeedDefinition, command: String, now: String
    ) throws(FeedSyncError) -> Bool {
        try storing {
            let feed = definition.name
            let known = "SELECT 1 FROM \(ListTables(of: feed).feed) WHERE name = ?"
            guard try connection.scalar(known, .text(feed)) != nil else { return false }
            return try connection.transaction {
                let open = "SELECT id FROM run WHERE feed = ? AND outcome IS NULL ORDER BY id DESC LIMIT 1"
                let run: Int64
                if let known = try connection.int64(open, .text(feed)) {
                    run = known
                    _ = try RunLog.closeOpen(feed, .failed, .failed, error, on: connection, now: now)
                } else {
                    run = try RunLog.add(error, of: feed, command: command, on: connection, now: now)
                }
                try FeedSchedule.follow(run, of: feed, every: definition.every, on: connection)
                return true
            }
        }
    }
}
