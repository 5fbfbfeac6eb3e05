internal import SQLite

// Feeds that have a list for each row of another.
extension Store {
    /// The state that a run found after it had locked a feed with parts.
    package struct PartsOpening: Sendable {
        package let run: Int
        /// The parent's keys of the parts to request, the most urgent first. Parts are made from them one by one,
        /// because there may be many.
        let keys: [Value]
        /// The number of the parent's rows.
        package let rowCount: Int
        package let events: [StatusEvent]
        /// The table of their rows; nil if the parent has none yet.
        let parent: ParentTable?
        /// The number of items that went with their parent's rows.
        package fileprivate(set) var removed = 0

        /// The number of parts to request.
        package var count: Int { keys.count }

        /// One of the parts to request, by its index.
        func part(at index: Int) -> FeedPart? { parent?.part(storedKey: keys[index]) }
    }

    /// Opens a feed with parts that this process has locked, begins a run on it, and finds its parts. Parts whose rows
    /// are gone are deleted with their items.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the parent has no such column, or if the feed's key has
    ///   changed.
    package func openParts(
        _ definition: FeedDefinition, _ rule: ForEachRule, _ choice: PartChoice, lock: FeedLock, command: String,
        now: String
    ) throws(FeedSyncError) -> PartsOpening {
        try storing {
            // The same look-ahead as in a sync of all feeds that are due.
            let soon = Timestamp.milliseconds(of: now).flatMap {
                Timestamp(milliseconds: $0.clampedSum(Planner.interval(definition.every) / 10))?.text
            }
            return try opening(definition.name, with: lock) {
                try lock.check()
                try finishRename(to: definition)
                var events = try RunLog.closeInterrupted(definition.name, on: connection, now: now)
                try definitions.adoptOwner(definition)
                try forget(definition.name, before: now)
                let run = try RunLog.begin(command, of: definition.name, on: connection, now: now)
                guard let parent = try ParentTable(of: rule, for: definition, on: connection) else {
                    return PartsOpening(run: Int(run), keys: [], rowCount: 0, events: events, parent: nil)
                }
                let ahead = PartsAhead(parent: parent, connection: connection)
                var removed = 0
                if try !ahead.isCurrent() {
                    for part in try parent.goneParts(on: connection) {
                        let name = part.name
                        // No later command would close an interrupted run of this part.
                        events += try RunLog.closeInterrupted(name, on: connection, now: now)
                        let count = try removeItems(of: part, definition, run: run, now: now)
                        events += try logRemoval(of: count, from: name, run: run, now: now)
                        removed += count
                        try forgetPart(name)
                    }
                    try ahead.find()
                }
                let keys: [Value]
                if let only = rule.only {
                    guard let part = try parent.part(named: only, on: connection) else {
                        throw FeedSyncError(
                            .configuration, "no list `\(only)`: `\(rule.feed)` has no row for it",
                            advice: FeedSyncError.adviceOnLists)
                    }
                    keys = [part.parentKey]
                } else {
                    keys = try ahead.keys(choice, dueBefore: soon ?? now)
                }
                return PartsOpening(
                    run: Int(run), keys: keys, rowCount: try ahead.rowCount(), events: events, parent: parent,
                    removed: removed)
            }
        }
    }

    /// Some of the parts to request, each with the row of its parent: the values that a request uses, and the value
    /// that shows if the row has changed. Parts whose row no longer exists are left out.
    package func parts(
        _ places: Range<Int>, in opening: PartsOpening
    ) throws(FeedSyncError) -> [(part: FeedPart, row: ParentRow, seen: FeedPart.KeyValue?)] {
        guard let parent = opening.parent else { return [] }
        let connection = connection
        return try transactions.inGroup {
            let read = {
                try places.compactMap { place in
                    try opening.part(at: place).flatMap { part in
                        try parent.row(part, on: connection).map { (part, $0.row, $0.seen) }
                    }
                }
            }
            // One transaction, so that the file is checked once for all of them.
            return try connection.isInTransaction ? read() : connection.transaction(.deferred, read)
        }
    }

    /// Saves the value of a parent's row at the time when its list was requested.
    package func keepSeen(_ seen: FeedPart.KeyValue?, of part: FeedPart) throws(FeedSyncError) {
        try changing {
            try connection.run(
                "UPDATE _feed_part SET seen = ?1 WHERE feed = ?2 AND seen IS NOT ?1",
                seen.map { Value($0) } ?? .null, .text(part.name))
            try PartsAhead.noteAsked(part, on: connection)
        }
    }

    /// Records that the upstream no longer has the list. If that is believed, its items are removed, and the part is up
    /// to date.
    ///
    /// - Parameter isForGood: True if the upstream says that the list does not come back.
    /// - Returns: The number of removed items; nil if they stay until the list is gone again.
    package func markListGone(
        _ part: FeedPart, _ definition: FeedDefinition, isForGood: Bool, run: Int, now: String
    ) throws(FeedSyncError) -> Int? {
        try changing {
            let name = part.name
            let state = StoredState(of: name, on: connection)
            var progress = try state.load().0.progress
            let verdict = Completeness.ofGoneList(
                isForGood: isForGood, items: try state.itemCount(), progress)
            var removed: Int?
            if verdict.isComplete {
                removed = try removeItems(of: part, definition, run: Int64(run), now: now)
                try state.forgetPlaces()
                try connection.run(
                    """
                    UPDATE feed_part SET item_count = 0, complete = 1, reloaded_at = ?1, synced_at = ?1,
                        full_at = ?1, no_more_data = 1, error = NULL WHERE name = ?2
                    """, .text(now), .text(name))
            } else {
                let before = progress
                progress.wasNotFound = true
                try state.save(progress, over: before)
                try connection.run(
                    "UPDATE feed_part SET complete = 0, verified = 0, synced_at = ?, error = NULL WHERE name = ?",
                    .text(now), .text(name))
            }
            try connection.run(
                "UPDATE run SET outcome = 'ok', error = NULL, reason = ?, complete = ?, removed = ? WHERE id = ?",
                Value(verdict.reason?.rawValue), Value(verdict.isComplete), Value(removed ?? 0), Value(run))
            try connection.run(
                "UPDATE event SET removed = removed + ? WHERE id = (SELECT max(id) FROM event WHERE run = ?)",
                Value(removed ?? 0), Value(run))
            try connection.run(
                "UPDATE _feed_part SET failures = 0, failing_since = NULL WHERE feed = ?", .text(name))
            try FeedSchedule.follow(Int64(run), of: name, every: definition.every, on: connection)
            return removed
        }
    }

    /// Ends the run of a feed with parts. It is complete if each row's list is.
    package func closeParts(
        _ definition: FeedDefinition, _ rule: ForEachRule, run: Int, isSync: Bool, outcome: RunOutcome,
        metrics: RunMetrics, error: FeedSyncError?, now: String
    ) throws(FeedSyncError) -> (itemCount: Int, isComplete: Bool, reason: IncompleteReason?) {
        defer { transactions.locks[definition.name] = nil }
        return try storing {
            defer { views.refresh(in: transactions) }
            return try connection.transaction {
                let name = Value.text(definition.name)
                let missing =
                    try ParentTable(of: rule, for: definition, on: connection).map { parent in
                        let ahead = PartsAhead(parent: parent, connection: connection)
                        return try ahead.isCurrent() ? ahead.missingCount() : parent.missingCount(on: connection)
                    }
                // A parent that has never had a row has no lists.
                let isWithoutRows =
                    try missing == nil
                    && connection.int64(
                        "SELECT 1 FROM feed WHERE name = ? AND complete = 1 AND item_count = 0", .text(rule.feed)
                    ) != nil
                let isComplete = missing.map { $0.lists == 0 } ?? isWithoutRows
                let isVerified =
                    try isComplete
                    && connection.int64("SELECT 1 FROM feed_part WHERE feed = ? AND verified = 0 LIMIT 1", name) == nil
                let verdict = Completeness.ofLists(
                    outcome, isWhole: isComplete, isProved: isVerified, hasFailures: error != nil)
                let log = RunLog(of: definition.name, run: Int64(run), on: connection)
                try log.save(metrics)
                try log.finish(outcome, verdict, metrics, error: error?.json, now: now)
                try connection.run(
                    """
                    UPDATE feed SET complete = ?, verified = ?, no_more_data = ?, reloaded_at = ?, error = ?,
                        synced_at = CASE WHEN ? THEN ? ELSE synced_at END, full_at = CASE WHEN ? THEN ? ELSE full_at END
                    WHERE name = ?
                    """, Value(isComplete), Value(isVerified), Value(isComplete), .text(now), Value(error?.json),
                    Value(outcome.isSuccess && isSync), .text(now), Value(isSync && missing?.isAsked ?? isWithoutRows),
                    .text(now), name)
                try FeedSchedule.follow(Int64(run), of: definition.name, every: definition.every, on: connection)
                let count = try connection.count("SELECT item_count FROM feed WHERE name = ?", name)
                return (count, isComplete, verdict.reason)
            }
        }
    }
}

extension Store {
    /// Records that items of a list went with their parent's row. The list was not requested, so its header has no
    /// page.
    private func logRemoval(of count: Int, from list: String, run: Int64, now: String) throws -> [StatusEvent] {
        guard count > 0 else { return [] }
        var items = ItemCounts()
        items.removed = count
        let log = RunLog(of: list, run: run, on: connection)
        return try log.add(
            [RunLog.Entry(status: .beginHeader), RunLog.Entry(status: .endHeader, items: items)], now: now)
    }

    /// Marks the items of a part as removed. Returns their number.
    private func removeItems(of part: FeedPart, _ declared: FeedDefinition, run: Int64, now: String) throws -> Int {
        let owner = try definitions.definition(of: part.feed)
        var definition = declared
        definition.name = part.name
        definition.part = part
        let shape = try ResolvedFeed(definition, owner.findings)
        guard shape.definition.isResolved, try StoredTable.name(of: part.feed, on: connection) != nil else { return 0 }
        let table = try ListTable(shape, run: run, isComplete: false, on: connection)
        let records = try ListRecords(of: definition.name, in: table, on: connection)
        let rows = try records.rows.missing(key: []) { _, _ in true }
        // The list has no pages any more when this transaction ends.
        try records.remove(rows, of: shape.definition, log: table.log, longest: 0, now: now)
        try records.state.countInOwner(-rows.count)
        return rows.count
    }

    private func forgetPart(_ name: String) throws {
        try StoredState(of: name, on: connection).forgetPlaces()
        for (table, column) in [("_crawl", "feed"), ("_response", "feed"), ("feed_part", "name")] {
            try connection.run("DELETE FROM \(table) WHERE \(column) = ?", .text(name))
        }
    }
}
