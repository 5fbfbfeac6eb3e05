internal import SQLite

/// The begin and the end of a run on a feed.
extension Store {
    /// The feed's number, which its lock uses. A new feed is added to the store.
    ///
    /// - Throws: `FeedSyncError` of kind `locked` if another process has just renamed or deleted the feed. The next call
    ///   adds it.
    package func feedNumber(_ definition: FeedDefinition) throws(FeedSyncError) -> Int64 {
        let known = try transactions.inGroup {
            // Workers look at the database's record of renamed and deleted feeds.
            if connection.companion == nil { try StoredNames.of(transactions).load(from: connection) }
            return try connection.int64(
                "SELECT id FROM \(ListTables(of: definition.name).state) WHERE feed = ?", .text(definition.name))
        }
        if let known { return known }
        return try storing {
            if definition.part == nil {
                if let renamed = try unfinishedRename(to: definition) { return renamed.id }
                if StoredNames.of(transactions).remove(definition.name) { throw FeedSyncError.isGone }
            }
            return try connection.transaction { try definitions.enter(definition) }
        }
    }

    /// Opens a feed that this process has locked, and begins a run on it.
    ///
    /// - Parameter lock: Checked before each change until `close`, because its file may be deleted.
    /// - Throws: `FeedSyncError` of kind `configuration` if the feed's key has changed.
    package func open(
        _ definition: FeedDefinition, lock: FeedLock, command: String, now: String
    ) throws(FeedSyncError) -> (FeedWriter, [StatusEvent]) {
        try storing {
            return try opening(definition.name, with: lock) {
                try lock.check()
                if definition.part == nil { try finishRename(to: definition) }
                let events = try RunLog.closeInterrupted(definition.name, on: connection, now: now)
                let shape = try definitions.adopt(definition)
                keep.add(definition)
                try forget(definition.name, before: now)
                let run = try RunLog.begin(command, of: definition.name, on: connection, now: now)
                let writer = try FeedWriter(feed: definition.name, run: run, shape: shape, in: transactions)
                transactions.openFeeds.insert(definition.name)
                return (writer, events)
            }
        }
    }

    /// A writer for the next crawl of a run, once the crawl of its window has ended.
    package func goOn(after writer: FeedWriter) throws(FeedSyncError) -> FeedWriter {
        try storing {
            let next = try FeedWriter(
                feed: writer.feed, run: writer.run, shape: writer.table.shape, in: transactions)
            next.goOn(after: writer)
            return next
        }
    }

    /// Runs `body` in one transaction, if the locks are still valid.
    func changing<Result>(
        under locks: [FeedLock] = [], _ body: () throws -> Result
    ) throws(FeedSyncError) -> Result {
        try storing {
            try connection.transaction {
                for lock in locks { try lock.check() }
                return try body()
            }
        }
    }

    /// Opens a feed in a transaction. The lock is kept until the feed is closed, or released if it cannot be opened.
    func opening<Result>(_ feed: String, with lock: FeedLock, _ body: () throws -> Result) throws -> Result {
        transactions.locks[feed] = lock
        do { return try connection.transaction { try body() } } catch {
            transactions.locks[feed] = nil
            throw error
        }
    }

    /// Ends the run's access to the feed, whether or not anything was committed.
    package func close(_ writer: FeedWriter) {
        // The run has ended, and has received any error of its pages.
        try? transactions.closeGroup()
        if writer.table.state.hasNewShape { views.changeViewMayLag = true }
        views.noteRun(ofModel: writer.table.shape.definition.model, hasNewShape: writer.table.state.hasNewShape)
        let hasLists = !writer.table.shape.definition.lists.isEmpty || (try? writer.records.state.hasLists()) == true
        if hasLists { views.noteLists(of: writer.table.shape.definition, run: writer.run) }
        transactions.openFeeds.remove(writer.feed)
        transactions.locks[writer.feed] = nil
        views.refresh(in: transactions)
    }

    /// Deletes the feed's runs that ended more than `keep` ago, with their events, and its crawls of that age that
    /// wrote nothing. The last full crawl tells which rows a crawl by watermark has placed since.
    func forget(_ feed: String, before now: String) throws {
        let owner = FeedPart.feed(ofPart: feed) ?? feed
        guard let limit = Timestamp(now).flatMap({ keep.limit(of: owner, at: $0.seconds) }) else { return }
        let old = "SELECT id FROM run WHERE feed = ?1 AND finished_at < ?2"
        try connection.run("DELETE FROM event WHERE feed = ?1 AND run IN (\(old))", .text(feed), .text(limit))
        try connection.run("DELETE FROM run WHERE id IN (\(old))", .text(feed), .text(limit))
        try ChangeLog.forget(owner, keep, before: limit, on: connection)
        try connection.run("DELETE FROM _column_change WHERE feed = ?1 AND at < ?2", .text(feed), .text(limit))
        try connection.run("DELETE FROM _response WHERE feed = ?1 AND at < ?2", .text(feed), .text(limit))
        try connection.run(
            """
            DELETE FROM _crawl WHERE feed = ?1 AND generation IS NULL AND started_at < ?2
                AND id IS NOT (SELECT crawl FROM \(ListTables(of: feed).state) WHERE feed = ?1)
                AND id IS NOT (\(StoredCrawls.lastFull))
            """, .text(feed), .text(limit))
    }

    // MARK: - Runs that could not record their end

    /// Records that a command failed before a run could begin.
    package func logFailure(
        _ error: FeedSyncError, of definition: FeedDefinition, command: String, now: String
    ) throws(FeedSyncError) {
        try changing {
            let run = try RunLog.add(error, of: definition.name, command: command, on: connection, now: now)
            try FeedSchedule.follow(run, of: definition.name, every: definition.every, on: connection)
        }
    }

    /// Records that PostgreSQL refused pages of a run. The file was read again from PostgreSQL: it has none of these
    /// pages, but the run may still be open in it.
    ///
    /// - Returns: True if the feed has a row, and with it a due time.
    package func logRefusal(
        _ error: FeedSyncError, of definition: FeedDefinition, command: String, now: String
    ) throws(FeedSyncError) -> Bool {
        try storing {
            let feed = definition.name
            let known = "SELECT 1 FROM \(ListTables(of: feed).feed) WHERE name = ?"
            guard try connection.scalar(known, .text(feed)) != nil else { return false }
            return try connection.transaction {
                let open = "SELECT id FROM run WHERE feed = ? AND finished_at IS NULL ORDER BY id DESC LIMIT 1"
                let run: Int64
                if let known = try connection.int64(open, .text(feed)) {
                    run = known
                    _ = try RunLog.closeOpen(feed, .failed, error, on: connection, now: now)
                } else {
                    run = try RunLog.add(error, of: feed, command: command, on: connection, now: now)
                }
                try FeedSchedule.follow(run, of: feed, every: definition.every, on: connection)
                return true
            }
        }
    }
}
