internal import SQLite

/// The lists of a feed that has one for each row of another.
extension Store {
    /// The first rows of a feed's parent that have a list, with the values for the lists' requests.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the parent has no such column, `store`.
    /// - Returns: nil if the parent has no rows yet.
    package func parentRows(
        of definition: FeedDefinition, limit: Int
    ) throws(FeedSyncError) -> [ParentRow]? {
        guard let rule = definition.forEach else { return nil }
        return try snapshot {
            try ParentTable(of: rule, for: definition, on: connection)?.first(limit, on: connection)
        }
    }

    /// The keys of the parent rows of items, by the items' keys. A key begins with the key of the row above.
    package func parentKeys(of keys: [String], in parent: String) throws(FeedSyncError) -> [String: String] {
        let count = try storing { try StoredTable(of: parent, on: connection)?.key.count ?? 0 }
        guard count > 0 else { return [:] }
        var found: [String: String] = [:]
        for key in keys {
            guard let values = try? JSONValue(parsing: key).elements, values.count > count else { continue }
            found[key] = count == 1 ? values[0].json : JSONValue.array(Array(values[..<count])).json
        }
        return found
    }

    /// The list that a feed has for a row of its parent; nil if it was never requested.
    ///
    /// - Parameter parentKey: The row's key, as JSON.
    package func part(of feed: String, parentKey: String) throws(FeedSyncError) -> FeedRecord? {
        let name = try storing {
            try connection.scalar(
                """
                SELECT name FROM feed_part WHERE feed = ?1 AND parent_key
                    IS CASE json_type(?2) WHEN 'array' THEN json(?2) ELSE json_extract(?2, '$') END
                """, .text(feed), .text(parentKey))
        }
        return try name?.text.flatMap { name throws(FeedSyncError) in try self.feed(named: name) }
    }

    /// The definition of a row's list, by the list's name, whether requested or not; nil if there is no such row.
    ///
    /// - Throws: `FeedSyncError`, as `FeedDefinition.part(for:)`.
    package func list(named name: String, of definition: FeedDefinition) throws(FeedSyncError) -> FeedDefinition? {
        guard let rule = definition.forEach else { return nil }
        let row = try snapshot { () -> ParentRow? in
            guard let parent = try ParentTable(of: rule, for: definition, on: connection),
                let part = try parent.part(named: name, on: connection)
            else { return nil }
            return try parent.row(part, on: connection)?.row
        }
        return try row.map { row throws(FeedSyncError) in try definition.part(for: row) }
    }

    /// The definition of a stored part, by the part's name; nil if its row is gone.
    package func part(named name: String, of definition: FeedDefinition) throws(FeedSyncError) -> FeedDefinition? {
        guard let rule = definition.forEach else { return nil }
        let found = try storing {
            let parent = try ParentTable(of: rule, for: definition, on: connection)
            let key = try connection.scalar("SELECT parent_key FROM feed_part WHERE name = ?", .text(name))
            return try key.flatMap { parent?.part(storedKey: $0) }.flatMap {
                try parent?.row($0, on: connection)
            }
        }
        guard let found else { return nil }
        return try definition.part(for: found.row)
    }

    /// True if a run on a feed, and not only on one of its lists, has not ended; also one that a dead process left.
    package func hasOpenRun(_ feed: String) throws(FeedSyncError) -> Bool {
        try storing {
            try connection.scalar("SELECT 1 FROM run WHERE feed = ? AND finished_at IS NULL LIMIT 1", .text(feed))
                != nil
        }
    }

    /// The counts of the lists of each feed that has some.
    package func partCounts() throws(FeedSyncError) -> [String: PartCounts] {
        try storing {
            var counts: [String: PartCounts] = [:]
            // Each from an index of its own: there may be many lists, and hardly any of them fails.
            try connection.rows(
                """
                SELECT feed, count(*), count(*) - (SELECT count(*) FROM feed_part i WHERE i.feed = l.feed AND complete = 0),
                    (SELECT count(*) FROM _feed_part
                        WHERE failures > 0 AND feed > l.feed || '/' AND feed < l.feed || '0')
                FROM feed_part l GROUP BY feed
                """
            ) { row in
                counts[row.text(at: 0) ?? ""] = PartCounts(
                    all: row.count(at: 1), complete: row.count(at: 2), failing: row.count(at: 3))
            }
            return counts
        }
    }
}

/// The counts of the lists of a feed that has one for each row of another.
package struct PartCounts: Sendable, Hashable {
    /// The number of requested lists.
    package var all = 0
    package var complete = 0
    package var failing = 0

    /// Such as `6 of 7 lists complete, 1 failing`.
    package var text: String {
        "\(complete) of \(all) lists complete" + (failing > 0 ? ", \(failing) failing" : "")
    }
}
