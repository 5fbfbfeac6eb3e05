internal import SQLite

extension Store {
    /// The lock on a stored feed, for a command that changes its stored data; nil if the store lacks the feed.
    ///
    /// - Throws: `FeedSyncError` of kind `locked` if another process works on the feed, or `store`.
    package func lock(storedFeed feed: String, for command: String) throws(FeedSyncError) -> FeedLock? {
        let id = try storing {
            try connection.int64("SELECT id FROM \(ListTables(of: feed).state) WHERE feed = ?", .text(feed))
        }
        guard let id else { return nil }
        guard let lock = try FeedLock(on: id, of: path, command: command) else {
            throw FeedLock.refusal(of: id, in: path, advice: "run it again when that is done")
        }
        return lock
    }

    /// Forgets the known state of the upstream: the next sync reads everything again. Rows and history stay.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func reset(_ feed: String, lock: FeedLock, now: String) throws(FeedSyncError) {
        try storing {
            try connection.transaction {
                try lock.check()
                // An unclosed begin event would stay open in the log forever.
                _ = try closeInterrupted(feed, now: now)
                for list in [feed] + (try partNames(of: feed)) {
                    try forgetPlaces(of: list)
                    try forgetFailures(of: list)
                }
            }
        }
    }

    /// The names of a feed's parts.
    private func partNames(of feed: String) throws -> [String] {
        var names: [String] = []
        try connection.rows("SELECT name FROM feed_part WHERE feed = ?", [.text(feed)]) { row in
            names.append(row.text(at: 0) ?? "")
        }
        return names
    }

    /// Drops validators, page cursor, synced ranges and watermark.
    func forgetPlaces(of feed: String) throws {
        let name = Value.text(feed)
        try connection.run("DELETE FROM _crawl_page WHERE crawl IN (SELECT id FROM _crawl WHERE feed = ?)", name)
        try connection.run("DELETE FROM _page WHERE feed = ?", name)
        try connection.run(
            """
            UPDATE \(ListTables(of: feed).feed) SET status = 'none', no_more_data = 0, next_page = NULL, complete = 0, verified = 0,
                full_at = NULL WHERE name = ?
            """, name)
        try connection.run(
            "UPDATE \(ListTables(of: feed).state) SET crawl = NULL, ranges = NULL, watermark = NULL WHERE feed = ?",
            name)
    }

    /// Deletes errors and the delays that they caused: the feed is due.
    func forgetFailures(of feed: String) throws {
        try connection.run(
            "UPDATE \(ListTables(of: feed).feed) SET error = NULL, next_due_at = NULL WHERE name = ?", .text(feed))
        try connection.run(
            """
            UPDATE \(ListTables(of: feed).state) SET failures = 0, failing_since = NULL, round_started_at = NULL, round_ended_at = NULL,
                poll_interval = NULL, fresh_for = NULL, planned_due_at = NULL
            WHERE feed = ?
            """, .text(feed))
    }
}
