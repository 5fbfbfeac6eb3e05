internal import SQLite

/// What a run asks of the lists of a feed that has one for each row of another, and why.
package struct PartOutlook: Sendable, Hashable {
    /// Why a list is asked for.
    package enum Reason: String, Sendable, Hashable {
        /// It was never asked for.
        case never
        /// Its row changed since.
        case changed
        /// It is due, or will be.
        case due
    }

    /// A list that is among the next.
    package struct Next: Sendable, Hashable {
        package let list: String
        package let reason: Reason
        /// When it is due; nil for at once.
        package let dueText: String?
        package let hasFailed: Bool
    }

    /// The feed whose rows they are of.
    package let parent: String
    /// How many rows have a list.
    package internal(set) var rowCount = 0
    /// How many lists were never asked for, have a row that changed since, or are due.
    package internal(set) var counts: [Reason: Int] = [:]
    /// Those that come first, in their order.
    package internal(set) var next: [Next] = []
}

extension Store {
    /// What a sync of a feed's lists that are due asks for; nil for a feed with one list.
    ///
    /// - Parameter limit: How many lists are named at most.
    /// - Throws: `FeedSyncError` of kind `configuration` if the parent has no such column, `store`.
    package func partOutlook(
        of definition: FeedDefinition, limit: Int, now: String
    ) throws(FeedSyncError) -> PartOutlook? {
        guard let rule = definition.forEach else { return nil }
        return try storing {
            try connection.transaction(.deferred) {
                let parent = try ParentTable(of: rule, for: definition, on: connection)
                return try parent?.outlook(limit: limit, now: now, on: connection) ?? PartOutlook(parent: rule.feed)
            }
        }
    }
}

extension ParentTable {
    fileprivate func outlook(limit: Int, now: String, on connection: Connection) throws -> PartOutlook {
        var outlook = PartOutlook(parent: rule.feed)
        // A list that failed waits, whatever becomes of its row.
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
