internal import SQLite

/// The lists that a run requests, of a feed that has one for each row of another, with the reasons.
package struct PartOutlook: Sendable, Hashable {
    /// The reason for requesting a list.
    package enum Reason: String, Sendable, Hashable {
        /// It was never requested.
        case never
        /// Its row has changed since the last request.
        case changed
        /// It is due, or will be.
        case due
    }

    /// One of the next lists.
    package struct Next: Sendable, Hashable {
        package let list: String
        package let reason: Reason
        /// The time at which it is due; nil for at once.
        package let dueText: String?
        package let hasFailed: Bool
    }

    /// The feed with the rows.
    package let parent: String
    /// The number of rows with a list.
    package internal(set) var rowCount = 0
    /// The numbers of lists that were never requested, whose rows have changed since, or that are due.
    package internal(set) var counts: [Reason: Int] = [:]
    /// The first lists, in their order.
    package internal(set) var next: [Next] = []
}

extension Store {
    /// The lists that a sync of due lists requests; nil for a feed with one list.
    ///
    /// - Parameter limit: The maximum number of lists to name.
    /// - Throws: `FeedSyncError` of kind `configuration` if the parent has no such column, `store`.
    package func partOutlook(
        of definition: FeedDefinition, limit: Int, now: String
    ) throws(FeedSyncError) -> PartOutlook? {
        guard let rule = definition.forEach else { return nil }
        return try snapshot {
            guard let parent = try ParentTable(of: rule, for: definition, on: connection) else {
                return PartOutlook(parent: rule.feed)
            }
            let ahead = PartsAhead(parent: parent, connection: connection)
            return try ahead.isCurrent()
                ? ahead.outlook(limit: limit, now: now) : parent.outlook(limit: limit, now: now, on: connection)
        }
    }
}

extension PartsAhead {
    /// Reads only the prepared lists and the lists that are due.
    fileprivate func outlook(limit: Int, now: String) throws -> PartOutlook {
        var outlook = PartOutlook(parent: parent.rule.feed)
        let values: [Value] = [.text(parent.feed), .text(now)]
        let changed = """
            FROM _part_ahead a JOIN feed_part l ON l.feed = a.feed AND l.parent_key = a.parent_key
            WHERE a.feed = ?1 AND ?2 IS NOT NULL AND a.is_new = 0 AND l.error IS NULL
            """
        let new = "FROM _part_ahead a WHERE feed = ?1 AND ?2 IS NOT NULL AND is_new = 1"
        let isDue = "(l.next_due_at IS NULL OR l.next_due_at <= ?2)"
        let counts = """
            SELECT (SELECT count(*) \(new)), (SELECT count(*) \(changed)),
                (SELECT count(*) FROM feed_part WHERE feed = ?1 AND next_due_at IS NULL)
                    + (SELECT count(*) FROM feed_part WHERE feed = ?1 AND next_due_at <= ?2)
                    - (SELECT count(*) \(changed) AND \(isDue))
            """
        outlook.rowCount = try rowCount()
        try connection.rows(counts, values) { row in
            for (index, reason) in [PartOutlook.Reason.never, .changed, .due].enumerated()
            where row.count(at: index) > 0 {
                outlook.counts[reason] = row.count(at: index)
            }
        }
        func add(_ reason: PartOutlook.Reason, _ query: String) throws {
            guard outlook.next.count < limit else { return }
            try connection.rows("\(query) LIMIT \(limit - outlook.next.count)", values) { row in
                guard let part = parent.part(storedKey: row.value(at: 0)) else { return }
                outlook.next.append(
                    PartOutlook.Next(
                        list: part.name, reason: reason,
                        dueText: row.text(at: 1), hasFailed: row.int64(at: 2) == 1))
            }
        }
        let columns = "SELECT l.parent_key, l.next_due_at, l.error IS NOT NULL"
        try add(.never, "SELECT parent_key, NULL, 0 \(new) ORDER BY generation DESC, position")
        try add(.changed, "\(columns) \(changed) ORDER BY l.next_due_at, a.generation DESC, a.position")
        try add(
            .due,
            """
            \(columns) FROM feed_part l WHERE l.feed = ?1 AND ?2 IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM _part_ahead a WHERE a.feed = ?1 AND a.parent_key = l.parent_key AND l.error IS NULL)
            ORDER BY l.next_due_at
            """)
        return outlook
    }
}

extension ParentTable {
    fileprivate func outlook(limit: Int, now: String, on connection: Connection) throws -> PartOutlook {
        var outlook = PartOutlook(parent: rule.feed)
        // A failed list waits, even if its row changes.
        let reason = """
            CASE WHEN l.name IS NULL THEN 'never' WHEN s.seen IS NOT \(seen) AND l.error IS NULL THEN 'changed'
                WHEN l.next_due_at IS NULL OR l.next_due_at <= ?2 THEN 'due' END
            """
        let lists = """
            FROM \(rows) LEFT JOIN feed_part l ON l.feed = ?1 AND l.parent_key = \(keyText)
            LEFT JOIN _feed_part s ON s.feed = l.name WHERE ?2 IS NOT NULL
            """
        let values: [Value] = [.text(feed), .text(now)]
        try connection.rows("SELECT \(reason), count(*) \(lists) GROUP BY 1", values) { row in
            outlook.rowCount += row.count(at: 1)
            guard let reason = row.text(at: 0).flatMap(PartOutlook.Reason.init) else { return }
            outlook.counts[reason] = row.count(at: 1)
        }
        let columns = try key.map { "t.\(try SQL.identifier($0.own))" }.joined(separator: ", ")
        try connection.rows(
            """
            SELECT \(reason), l.next_due_at, l.error IS NOT NULL, \(columns) \(lists)
            ORDER BY CASE \(reason) WHEN 'never' THEN 0 WHEN 'changed' THEN 1 ELSE 2 END, l.next_due_at,
                t._generation DESC, t._position LIMIT \(max(limit, 0))
            """, values
        ) { row in
            let key = key.indices.compactMap { FeedPart.KeyValue(row.value(at: $0 + 3)) }
            outlook.next.append(
                PartOutlook.Next(
                    list: FeedPart.name(of: feed, key: key),
                    reason: row.text(at: 0).flatMap(PartOutlook.Reason.init) ?? .due, dueText: row.text(at: 1),
                    hasFailed: row.int64(at: 2) == 1))
        }
        return outlook
    }
}
