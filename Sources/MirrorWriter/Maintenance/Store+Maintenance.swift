internal import Concurrency
package import SQLite

// Work of people on stored data: each call is one transaction under the feed's lock.
extension Store {
    // MARK: - Locks

    /// The lock on a stored feed, for a command that changes its stored data; nil if the store lacks the feed.
    ///
    /// - Throws: `FeedSyncError` of kind `locked` if another process works on the feed, or `store`.
    package func lock(storedFeed feed: String, for command: String) throws(FeedSyncError) -> FeedLock? {
        let id = try storing {
            try connection.int64("SELECT id FROM \(ListTables(of: feed).state) WHERE feed = ?", .text(feed))
        }
        guard let id else { return nil }
        guard let lock = try FeedLock(on: id, of: path, command: command) else {
            throw FeedLock.refusal(of: id, named: feed, in: path, advice: "run it again when that is done")
        }
        return lock
    }

    /// The lock on a feed that is about to be renamed or removed, and is not stored. In a store that workers share, the
    /// feed is entered first, without rows: those with an older configuration then learn that the name is gone.
    ///
    /// - Returns: Nil if the store is not shared, or cannot have a feed of that name.
    /// - Throws: `FeedSyncError` of kind `locked` if another process works on the feed, or `store`.
    package func lock(entering definition: FeedDefinition?, for command: String) throws(FeedSyncError) -> FeedLock? {
        guard connection.companion != nil, let definition else { return nil }
        do throws(FeedSyncError) {
            _ = try storing { try connection.transaction { try definitions.enter(definition) } }
        } catch {
            guard error.kind == .configuration else { throw error }
            return nil
        }
        return try lock(storedFeed: definition.name, for: command)
    }

    /// The locks of all stored feeds, for a command that changes their stored data.
    ///
    /// - Throws: `FeedSyncError` of kind `locked` if another process works on one, or `store`.
    package func lockAll(for command: String) throws(FeedSyncError) -> [FeedLock] {
        var locks: [FeedLock] = []
        for table in try storing({ try RepairableTable.all(on: connection) }) {
            if let lock = try lock(storedFeed: table.feed, for: command) { locks.append(lock) }
        }
        return locks
    }

    // MARK: - Another beginning, another key

    /// Forgets the known state of the upstream: the next sync reads everything again. Rows and history stay.
    package func reset(_ feed: String, lock: FeedLock, now: String) throws(FeedSyncError) {
        try changing(under: [lock]) {
            // An unclosed begin event would stay open in the log forever.
            _ = try RunLog.closeInterrupted(feed, on: connection, now: now)
            for list in [feed] + (try partNames(of: feed)) {
                let state = StoredState(of: list, on: connection)
                try state.forgetPlaces()
                try state.forgetFailures()
            }
        }
    }

    /// The names of a feed's parts.
    private func partNames(of feed: String) throws -> [String] {
        try connection.all("SELECT name FROM feed_part WHERE feed = ?", [.text(feed)]) { $0.text(at: 0) ?? "" }
    }

    /// Rebuilds a feed's table with the definition's key, in one transaction. Rows and history stay; changes are
    /// recorded with the new keys from then on. Positions and failures are forgotten, as by `reset`.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if rows have no value for the key, or two have the same;
    ///   nothing is changed then.
    package func rekey(
        _ declared: FeedDefinition, lock: FeedLock, now: String
    ) throws(FeedSyncError) -> KeyChange.Result {
        defer { views.refresh(in: transactions) }
        return try changing(under: [lock]) {
            _ = try RunLog.closeInterrupted(declared.name, on: connection, now: now)
            return try KeyChange(declared: declared, definitions: definitions).apply()
        }
    }

    // MARK: - Damage

    /// The differences between the store's own data and the rows of feeds, a phrase each.
    package func discrepancies() throws(FeedSyncError) -> [String] {
        try storing { try RepairableTable.all(on: connection).flatMap { try $0.discrepancies() } }
    }

    /// Rebuilds everything that can be derived from the rows: SQLite's indexes, full-text indexes, counts, sections and
    /// views. The rest is forgotten, so the next sync reads everything. Rows and history stay.
    ///
    /// - Parameter locks: The locks of all stored feeds.
    /// - Returns: The faults, as from `discrepancies`.
    /// - Throws: `FeedSyncError` of kind `store` if the tables are damaged; nothing is changed then.
    package func repair(holding locks: [FeedLock], now: String) throws(FeedSyncError) -> [String] {
        defer { views.refresh(in: transactions) }
        views.changeViewMayLag = true
        return try changing(under: locks) {
            // First, because the rest reads through indexes.
            try connection.execute("REINDEX")
            let tables = try RepairableTable.all(on: connection)
            let corrected = try tables.flatMap { try $0.discrepancies() }
            for table in tables { try table.repair(now: now) }
            for model in Set(tables.compactMap(\.model)) { try ModelView(model: model).apply(to: connection) }
            return corrected
        }
    }

    // MARK: - Space

    /// The columns that a feed's table keeps from earlier definitions.
    package func oldColumns(of declared: FeedDefinition) throws(FeedSyncError) -> [OldColumn] {
        try storing { try OldColumns(declared: declared, definitions: definitions).all() }
    }

    /// Deletes columns of earlier definitions: from the table, its index, the changes of rows and the kept response.
    ///
    /// Their values are overwritten in the file. `compact` deletes them from the file's log, too.
    ///
    /// - Returns: The columns; nil if another process works on the feed.
    /// - Throws: `FeedSyncError` of kind `configuration` if something of the user's own in the store uses one, or
    ///   `store`.
    package func dropOldColumns(of declared: FeedDefinition) throws(FeedSyncError) -> [OldColumn]? {
        let feed = declared.name
        let columns = try oldColumns(of: declared)
        guard !columns.isEmpty else { return [] }
        let id = try storing { try connection.int64("SELECT id FROM _feed WHERE feed = ?", .text(feed)) }
        guard let id, let lock = try FeedLock(on: id, of: path, command: "prune") else { return nil }
        defer { withExtendedLifetime(lock) {} }
        try storing {
            // https://sqlite.org/pragma.html#pragma_secure_delete
            try connection.execute("PRAGMA secure_delete = ON")
            try connection.transaction {
                try lock.check()
                try OldColumns(declared: declared, definitions: definitions).drop(columns.map(\.name))
            }
        }
        return columns
    }

    /// The number of a feed's items that were removed before a time, which `prune` would delete.
    package func prunableCount(of feed: String, goneBefore limit: String) throws(FeedSyncError) -> Int {
        try storing {
            guard let table = try StoredTable.name(of: feed, on: connection) else { return 0 }
            return try connection.count(
                "SELECT count(*) FROM \(try SQL.identifier(table)) WHERE _removed_at < ?", .text(limit))
        }
    }

    /// Deletes a feed's items that were removed before a time, and its history from before `keep`.
    ///
    /// - Returns: The number of items; nil if another process works on the feed.
    package func prune(_ feed: String, goneBefore limit: String, now: String) throws(FeedSyncError) -> Int? {
        let id = try storing { try connection.int64("SELECT id FROM _feed WHERE feed = ?", .text(feed)) }
        guard let id else { return 0 }
        guard let lock = try FeedLock(on: id, of: path, command: "prune") else { return nil }
        defer { withExtendedLifetime(lock) {} }
        return try changing {
            try forget(feed, before: now)
            guard let table = try StoredTable.name(of: feed, on: connection) else { return 0 }
            try connection.run("DELETE FROM \(try SQL.identifier(table)) WHERE _removed_at < ?", .text(limit))
            return connection.changes
        }
    }

    /// Returns the space of deleted data to the disk.
    ///
    /// - Returns: The space in bytes, and true if another program reads the file's log, which keeps its data until
    ///   then.
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

    // MARK: - Copies

    /// Makes the full-text indexes of feeds match their definitions, as a sync does.
    ///
    /// - Throws: `FeedSyncError`.
    package func index(_ feeds: [FeedDefinition]) throws(FeedSyncError) {
        try storing {
            for feed in feeds {
                guard try connection.scalar("SELECT 1 FROM _feed WHERE feed = ?", .text(feed.name)) != nil else {
                    continue
                }
                let resolved = try ResolvedFeed(feed, definitions.definition(of: feed.name).findings).definition
                try connection.transaction { try SearchIndex.follow(resolved, on: connection) }
            }
        }
    }

    /// Runs `body`, which writes every table of a new store. Then creates the views of the tables, and leaves a single
    /// file.
    ///
    /// - Throws: The error of `body`; `FeedSyncError` of kind `store`.
    package func filling<Result: Sendable>(
        _ body: (Connection) throws(FeedSyncError) -> Result
    ) throws(FeedSyncError) -> Result {
        try storing {
            let result = try body(connection)
            try connection.transaction { try StoreViews.makeAll(on: connection) }
            try connection.execute("PRAGMA journal_mode = DELETE")
            return result
        }
    }
}
