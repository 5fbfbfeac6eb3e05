internal import SQLite

/// Runs that could not record their end.
extension Store {
    /// Records that a command failed before a run could begin.
    package func logFailure(
        _ error: FeedSyncError, of definition: FeedDefinition, command: String, now: String
    ) throws(FeedSyncError) {
        try storing {
            try connection.transaction { try insertFailure(error, of: definition, command: command, now: now) }
        }
    }

    private func insertFailure(
        _ error: FeedSyncError, of definition: FeedDefinition, command: String, now: String
    ) throws {
        let feed = Value.text(definition.name)
        try connection.run(
            """
            INSERT INTO run (feed, command, started_at, finished_at, outcome, reason, error)
            VALUES (?1, ?2, ?3, ?3, 'failed', 'failed', ?4)
            """, feed, .text(command), .text(now), .text(error.json))
        let run = connection.lastInsertRowID
        try connection.run(
            "UPDATE \(ListTables(of: definition.name).feed) SET error = ? WHERE name = ?", .text(error.json), feed)
        try FeedSchedule.follow(run, of: definition.name, every: definition.every, on: connection)
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
            let known = "SELECT 1 FROM \(ListTables(of: definition.name).feed) WHERE name = ?"
            guard try connection.scalar(known, .text(definition.name)) != nil else { return false }
            return try connection.transaction {
                let open = "SELECT id FROM run WHERE feed = ? AND outcome IS NULL ORDER BY id DESC LIMIT 1"
                guard let run = try connection.int64(open, .text(definition.name)) else {
                    try insertFailure(error, of: definition, command: command, now: now)
                    return true
                }
                _ = try closeOpen(definition.name, .failed, .failed, error, now: now)
                try FeedSchedule.follow(run, of: definition.name, every: definition.every, on: connection)
                return true
            }
        }
    }

    /// Ends an interrupted run of another process. That process is gone, or this one would not hold the lock.
    func closeInterrupted(_ feed: String, now: String) throws -> [StatusEvent] {
        let error = FeedSyncError(.interrupted, "the process ended before the command did")
        return try closeOpen(feed, .interrupted, .cutOff, error, now: now)
    }

    /// Ends the open run, if there is one, and closes its begin event.
    private func closeOpen(
        _ feed: String, _ outcome: RunOutcome, _ reason: IncompleteReason, _ error: FeedSyncError, now: String
    ) throws -> [StatusEvent] {
        let tables = ListTables(of: feed)
        var open: (status: RefreshStatus, run: Int64, page: Int64)?
        try connection.rows(
            """
            SELECT event.status, event.run, event.page FROM \(tables.feed) AS feed JOIN event ON event.feed = feed.name
            WHERE feed.name = ? AND feed.status IN ('beginHeader', 'beginFooter') ORDER BY event.id DESC LIMIT 1
            """, [.text(feed)]
        ) { row in
            open = RefreshStatus(rawValue: row.text(at: 0) ?? "").map { ($0, row.int64(at: 1), row.int64(at: 2)) }
        }
        try connection.run(
            """
            UPDATE run SET finished_at = ?, outcome = ?, reason = ?, error = ? WHERE feed = ? AND outcome IS NULL
            """, .text(now), .text(outcome.rawValue), .text(reason.rawValue), .text(error.json), .text(feed))
        guard let open else { return [] }
        let closing: RefreshStatus = open.status == .beginHeader ? .endHeader : .endFooter
        try connection.run(
            "INSERT INTO event (at, feed, run, status, page, error) VALUES (?, ?, ?, ?, ?, ?)", .text(now), .text(feed),
            Value(open.run), .text(closing.rawValue), Value(open.page), .text(error.json))
        let id = Int(connection.lastInsertRowID)
        try connection.run(
            "UPDATE \(tables.feed) SET status = ?, error = ? WHERE name = ?", .text(closing.rawValue),
            .text(error.json),
            .text(feed))
        return [
            StatusEvent(
                id: id, at: now, feed: feed, run: Int(open.run), status: closing, page: Int(open.page),
                items: ItemCounts(), error: error.json)
        ]
    }
}
