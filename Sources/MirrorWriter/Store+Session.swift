internal import SQLite

extension Store {
    /// The feed's number, which its lock uses. A new feed is added to the store.
    package func feedNumber(_ definition: FeedDefinition) throws(FeedSyncError) -> Int64 {
        try storing {
            let known = "SELECT id FROM \(ListTables(of: definition.name).state) WHERE feed = ?"
            if let id = try connection.int64(known, .text(definition.name)) { return id }
            if let part = definition.part { return try connection.transaction { try enter(part, definition) } }
            if let renamed = try unfinishedRename(to: definition) { return renamed.id }
            return try connection.transaction { try enter(definition) }
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
                let events = try closeInterrupted(definition.name, now: now)
                let shape = try definition.part.map { try adopt($0, definition) } ?? adopt(definition)
                keep.add(definition)
                try forget(definition.name, before: now)
                try connection.run(
                    "INSERT INTO run (feed, command, started_at) VALUES (?, ?, ?)", .text(definition.name),
                    .text(command), .text(now))
                let run = connection.lastInsertRowID
                let (state, trail, resumePoint) = try StoredState(of: definition.name, on: connection).load()
                let writer = try FeedWriter(
                    feed: definition.name, run: run, shape: shape, state: state, trail: trail, resumePoint: resumePoint,
                    in: transactions)
                transactions.openFeeds.insert(definition.name)
                return (writer, events)
            }
        }
    }

    /// A writer for the next crawl of a run, once the crawl of its window has ended.
    package func goOn(after writer: FeedWriter) throws(FeedSyncError) -> FeedWriter {
        try storing {
            let (state, trail, resumePoint) = try writer.records.state.load()
            let next = try FeedWriter(
                feed: writer.feed, run: writer.run, shape: writer.table.shape, state: state, trail: trail,
                resumePoint: resumePoint, in: transactions)
            next.goOn(after: writer)
            return next
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

    static func otherKey(_ feed: String, hasParts: Bool) -> FeedSyncError {
        FeedSyncError(
            .configuration, "`key` differs from the one the stored rows use",
            advice: hasParts
                ? "restore the old `key`, or delete the rows with feedsync remove \(feed) --data and add the feed again"
                : "feedsync rekey \(feed), or restore the old `key`")
    }

    /// Ends the run's access to the feed, whether or not anything was committed.
    package func close(_ writer: FeedWriter) {
        // The run has ended, and has received any error of its pages.
        try? transactions.closeGroup()
        if writer.table.hasNewShape { views.changeViewMayLag = true }
        let model = writer.table.shape.definition.model
        if let model, writer.table.hasNewShape || !views.modelsOfThisProcess.contains(model) {
            views.modelsThatMayLag.insert(model)
        }
        let hasLists = !writer.table.shape.definition.lists.isEmpty || (try? writer.records.state.hasLists()) == true
        if hasLists { views.runsWithLists.append((writer.run, writer.table.shape.definition)) }
        transactions.openFeeds.remove(writer.feed)
        transactions.locks[writer.feed] = nil
        views.refresh(in: transactions)
    }

    /// Deletes the feed's runs that ended more than `keep` ago, with their events, and its crawls of that age that
    /// wrote nothing.
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
            """, .text(feed), .text(limit))
    }

    private func enter(_ definition: FeedDefinition) throws -> Int64 {
        if let id = try connection.int64("SELECT id FROM _feed WHERE feed = ?", .text(definition.name)) { return id }
        let schema = TableSchema(definition)
        let table = Value.text(schema.name)
        if let other = try connection.scalar("SELECT feed FROM _feed WHERE \"table\" = ?", table)?.text {
            throw FeedSyncError(
                .configuration, "its table already belongs to feed `\(other)`",
                advice: "rename the feed, or use another store")
        }
        if definition.isResolved, definition.forEach == nil {
            try schema.create(on: connection)
            views.changeViewMayLag = true
        } else {
            try schema.checkName(on: connection)
        }
        try connection.run(
            "INSERT INTO feed (name, model, url) VALUES (?, ?, ?)", .text(definition.name), Value(definition.model),
            .text(definition.shownURL))
        try connection.run(
            """
            INSERT INTO _feed (id, feed, "table", key, key_columns, columns, definition)
            VALUES (\(Self.nextNumber), ?, ?, ?, ?, ?, ?)
            """, .text(definition.name), .text(schema.name), .text(definition.isResolved ? definition.keyText : ""),
            .text(definition.keyColumnsJSON),
            .text(definition.columns.json), .text(definition.canonicalText(salt: salt)))
        let id = connection.lastInsertRowID
        if let model = definition.model {
            try ModelView(model: model).follow(on: connection)
            views.modelsThatMayLag.insert(model)
        }
        return id
    }

    /// Applies a changed definition to the store: rows stay, the upstream's state is dropped.
    ///
    /// - Returns: The definition with the findings of earlier runs.
    func adopt(_ declared: FeedDefinition) throws -> ResolvedFeed {
        let name = Value.text(declared.name)
        let stored = try storedDefinition(of: declared.name)
        let canonical = declared.canonicalText(salt: salt)
        let shape = try resolved(declared, stored, canonical: canonical)
        let definition = shape.definition
        guard stored.key.isEmpty || stored.key == definition.keyText else {
            throw Self.otherKey(declared.name, hasParts: false)
        }
        // The table or a column may have been dropped by hand. Values derived from its rows are then no longer true, and
        // a page that has not changed would not bring the column's values again.
        let extended = try definition.isResolved ? TableSchema(definition).extend(on: connection) : .none
        if extended == .table {
            views.changeViewMayLag = true
            try connection.run("DELETE FROM _section WHERE feed = ?", name)
            try connection.run("UPDATE feed SET item_count = 0 WHERE name = ?", name)
        }
        if stored.definition != canonical || extended != .none { try forgetUpstream(shape, canonical: canonical) }
        try SearchIndex.follow(definition, on: connection)
        guard stored.definition != canonical || stored.model != definition.model || stored.url != definition.shownURL
        else {
            return shape
        }
        try connection.run(
            "UPDATE feed SET model = ?, url = ? WHERE name = ?", Value(definition.model), .text(definition.shownURL),
            name)
        for model in Set([stored.model, definition.model].compactMap(\.self)) {
            try ModelView(model: model).follow(on: connection)
            views.modelsThatMayLag.insert(model)
        }
        return shape
    }

    /// - Throws: `FeedSyncError` of kind `store` if the store does not have the feed.
    func storedDefinition(of feed: String) throws -> StoredDefinition {
        var row: StoredDefinition?
        try connection.rows(
            """
            SELECT key, definition, model, url, found FROM _feed JOIN feed ON feed.name = _feed.feed WHERE feed = ?
            """, [.text(feed)]
        ) { row = StoredDefinition($0) }
        if let row { return row }
        throw FeedSyncError(
            .store, "\(path): the tables `feed` and `_feed` disagree about the feed",
            advice: "the store is damaged; restore a backup, or use another with --store")
    }

    /// The definition with the findings of earlier runs, as far as they still hold.
    func resolved(
        _ declared: FeedDefinition, _ stored: StoredDefinition, canonical: String
    ) throws(FeedSyncError) -> ResolvedFeed {
        var findings = stored.findings
        if stored.definition != canonical {
            // The key stays, because it tells rows apart. The places of items and pages may have changed.
            findings.items = nil
            findings.pagination = nil
            findings.triedElementCount = nil
            findings.triedKeys = nil
            findings.strayItemCount = nil
            findings.sign = nil
        }
        return try ResolvedFeed(declared, findings)
    }

    /// The stored values of a feed's definition.
    struct StoredDefinition {
        let key: String
        let definition: String
        let model: String?
        let url: String
        let findings: Findings

        fileprivate init(_ row: Statement) {
            key = row.text(at: 0) ?? ""
            definition = row.text(at: 1) ?? ""
            model = row.text(at: 2)
            url = row.text(at: 3) ?? ""
            findings = row.text(at: 4).flatMap(Findings.init) ?? Findings()
        }
    }

    /// Drops the validators, page cursor, synced ranges and watermark, which belong to another definition.
    func forgetUpstream(_ shape: ResolvedFeed, canonical: String) throws {
        let definition = shape.definition
        let name = Value.text(definition.name)
        try forgetPlaces(of: definition.name)
        if definition.part != nil {
            try connection.run("UPDATE _feed_part SET definition = ? WHERE feed = ?", .text(canonical), name)
            return try ListTable.record(shape, on: connection)
        }
        try connection.run(
            """
            UPDATE _feed SET definition = ?, columns = ?, found = ?, key = ?, key_columns = ?, moved_to = NULL WHERE feed = ?
            """, .text(canonical), .text(try StoredColumns.merged(definition, on: connection)),
            .text(shape.findings.json), .text(definition.isResolved ? definition.keyText : ""),
            .text(definition.keyColumnsJSON), name)
    }
}
