internal import SQLite

extension Store {
    /// The definition of a stored part, by the part's name; nil if its row is gone.
    package func part(named name: String, of definition: FeedDefinition) throws(FeedSyncError) -> FeedDefinition? {
        guard let rule = definition.forEach else { return nil }
        let found = try storing {
            let parent = try ParentTable(of: rule, for: definition, on: connection)
            let key = try connection.scalar("SELECT parent_key FROM feed_part WHERE name = ?", .text(name))
            return try key.flatMap { parent?.part(storedKey: $0) }.flatMap {
                try parent?.row($0, definition, on: connection)
            }
        }
        guard let found else { return nil }
        return try definition.part(for: found.row)
    }

    /// The counts of the lists of each feed that has some.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
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
