internal import SQLite

// Renames and deletes a feed with all its data in the store.
extension Store {
    /// The columns with names of feeds, by their tables; `_crawl_page` has the numbers of crawls instead.
    package static let nameColumns = [
        ("feed", "name"), ("_feed", "feed"), ("run", "feed"), ("event", "feed"), ("_crawl", "feed"), ("_page", "feed"),
        ("_section", "feed"), ("_change", "feed"), ("_consumer", "feed"),
        ("_response", "feed"), ("feed_part", "name"), ("feed_part", "feed"), ("_feed_part", "feed"),
        ("_part_ahead", "feed"), ("_column_change", "feed"),
    ]

    /// The condition that a column has the name of a feed or of one of its lists.
    private static func isNamed(_ column: String) -> String {
        "(\(column) = ?1 OR substr(\(column), 1, length(?1) + 1) = ?1 || '/')"
    }

    /// Records that a feed is about to be renamed. Once the configuration has the new name, the next run finishes the
    /// renaming, even if this process ends. While it has the old name, the feed keeps it.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the store has data of the new name, or `store`.
    package func announceRename(of feed: String, to name: String, lock: FeedLock) throws(FeedSyncError) {
        try changing(under: [lock]) {
            try checkName(name, for: feed)
            try connection.run("UPDATE _feed SET new_name = NULL WHERE new_name = ?", .text(name))
            try connection.run("UPDATE _feed SET new_name = ? WHERE feed = ?", .text(name), .text(feed))
        }
    }

    /// Withdraws the record of `announceRename`.
    package func withdrawRename(of feed: String) throws(FeedSyncError) {
        try storing { try connection.run("UPDATE _feed SET new_name = NULL WHERE feed = ?", .text(feed)) }
    }

    /// True if a feed is about to get this name.
    package func isBeingRenamed(_ feed: String, to name: String) throws(FeedSyncError) -> Bool {
        try storing {
            let sql = "SELECT 1 FROM _feed WHERE feed = ? AND new_name = ?"
            return try connection.scalar(sql, .text(feed), .text(name)) != nil
        }
    }

    /// Gives a feed its new name everywhere, so that places, validators and history stay.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the store has data with the new name, or `store`.
    package func renameFeed(_ feed: String, to name: String, lock: FeedLock) throws(FeedSyncError) {
        try changing(under: [lock]) {
            try renameRows(feed, to: name)
        }
        StoredNames.of(transactions).remove(feed)
    }

    /// Deletes all of a feed's data in the store, including its table.
    package func delete(_ feed: String, lock: FeedLock) throws(FeedSyncError) {
        try changing(under: [lock]) {
            try StoreViews.without(on: connection) {
                let table = try StoredTable.name(of: feed, on: connection)
                if let table {
                    try SearchIndex.drop(of: table, on: connection)
                    try connection.execute("DROP TABLE \(try SQL.identifier(table))")
                }
                try connection.run(
                    "DELETE FROM _crawl_page WHERE crawl IN (SELECT id FROM _crawl WHERE \(Self.isNamed("feed")))",
                    .text(feed))
                for (table, column) in Self.nameColumns.reversed() {
                    try connection.run("DELETE FROM \(table) WHERE \(Self.isNamed(column))", .text(feed))
                }
            }
        }
        StoredNames.of(transactions).remove(feed)
    }

    /// A feed that was about to get the definition's name when a process ended: its number and its old name.
    ///
    /// Only with the same definition: otherwise it is another feed, and the configuration was never changed.
    func unfinishedRename(to definition: FeedDefinition) throws -> (id: Int64, feed: String)? {
        try connection.first(
            """
            SELECT id, feed FROM _feed WHERE new_name = ?1 AND definition = ?2
                AND NOT EXISTS (SELECT 1 FROM _feed WHERE feed = ?1)
            """, [.text(definition.name), .text(definition.canonicalText(salt: salt))]
        ) { row in (id: row.int64(at: 0), feed: row.text(at: 1) ?? "") }
    }

    /// Finishes a renaming whose process ended. The name in the configuration shows if the file was changed.
    ///
    /// In a store that workers share, a run with the old name leaves the record: otherwise the run with the new name
    /// would begin an empty feed.
    ///
    /// - Throws: `FeedSyncError` of kind `locked` if the feed has another name now, or is removed.
    func finishRename(to definition: FeedDefinition) throws {
        let name = Value.text(definition.name)
        guard try connection.scalar("SELECT 1 FROM _feed WHERE feed = ?", name) == nil else {
            // A worker may have an older configuration than the command that renames, and tells nothing of the file.
            if connection.companion == nil {
                try connection.run("UPDATE _feed SET new_name = NULL WHERE feed = ? AND new_name IS NOT NULL", name)
            }
            return
        }
        guard let old = try unfinishedRename(to: definition) else {
            throw FeedSyncError.isGone
        }
        try renameRows(old.feed, to: definition.name)
    }

    private func renameRows(_ feed: String, to name: String) throws {
        try checkName(name, for: feed)
        // https://sqlite.org/pragma.html#pragma_defer_foreign_keys
        try connection.execute("PRAGMA defer_foreign_keys = ON")
        try StoreViews.without(on: connection) {
            for (table, column) in Self.nameColumns {
                try connection.run(
                    "UPDATE \(table) SET \(column) = ?2 || substr(\(column), length(?1) + 1) WHERE \(Self.isNamed(column))",
                    .text(feed), .text(name))
            }
            let table = TableSchema.tableName(name)
            if let old = try StoredTable.name(of: name, on: connection), old != table {
                // The name of an index contains the name of its table.
                let searched = try SearchIndex.storedColumns(of: old, on: connection)
                try SearchIndex.drop(of: old, on: connection)
                // Names that differ only in case are one name to SQLite.
                let between = "_renamed"
                try connection.execute(
                    "ALTER TABLE \(try SQL.identifier(old)) RENAME TO \(try SQL.identifier(between))")
                try connection.execute(
                    "ALTER TABLE \(try SQL.identifier(between)) RENAME TO \(try SQL.identifier(table))")
                if !searched.isEmpty { try SearchIndex(table: table, columns: searched).make(on: connection) }
            }
            try connection.run(
                "UPDATE _feed SET \"table\" = ?, new_name = NULL WHERE feed = ?", .text(table), .text(name))
        }
    }

    /// - Throws: `FeedSyncError` of kind `configuration` if the store has another object with the name.
    private func checkName(_ name: String, for feed: String) throws {
        let table = TableSchema.tableName(name)
        let stored = "SELECT feed FROM _feed WHERE (feed = ?1 OR \"table\" = ?2) AND feed <> ?3"
        if let other = try connection.scalar(stored, .text(name), .text(table), .text(feed))?.text {
            throw FeedSyncError(
                .configuration, "the store already has a feed `\(other)`",
                advice: "choose another name, or delete that one with feedsync remove \(other) --data")
        }
        let others = "SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND name <> ?2 COLLATE NOCASE"
        let own = try StoredTable.name(of: feed, on: connection) ?? ""
        guard try connection.scalar(others, .text(table), .text(own)) == nil else {
            throw FeedSyncError(
                .configuration, "the store already has something else named `\(table)`", advice: "choose another name")
        }
    }
}

extension FeedSyncError {
    /// The error of a run on a feed that another process has renamed or deleted.
    static var isGone: FeedSyncError {
        FeedSyncError(.locked, "it was renamed or removed a moment ago", advice: "run the command again")
    }
}
