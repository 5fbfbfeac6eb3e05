package import SQLite

/// The store's description of a feed's table, which does not exist before anything is stored.
package struct StoredTable {
    package let name: String
    /// The columns that its table has: one may have been dropped by hand, until the next sync adds it again.
    package let columns: [RowColumn]
    package let key: [String]

    /// - Returns: Nil for a feed that the store does not know.
    /// - Throws: `FeedSyncError` of kind `store` if the description was changed by hand; `SQLiteError`.
    package init?(of feed: String, on connection: Connection) throws {
        let recording = "SELECT \"table\", columns, key_columns FROM _feed WHERE feed = ?"
        let found = try connection.first(recording, [.text(feed)]) { row in
            (name: row.text(at: 0) ?? "", columns: row.text(at: 1), key: row.text(at: 2))
        }
        guard let found else { return nil }
        name = found.name
        guard let recorded = RowColumn.list(found.columns ?? "[]") else {
            throw FeedSyncError(
                .store, "the store's own description of `\(name)` is no list of columns",
                advice: FeedSyncError.adviceOnDamage)
        }
        let existing = try Set(ColumnStorage.declared(in: name, on: connection).keys)
        columns = existing.isEmpty ? recorded : recorded.filter { existing.contains(TableSchema.folded($0.name)) }
        key = RowColumn.names(found.key)
        guard !columns.isEmpty || recorded.isEmpty else {
            throw FeedSyncError(
                .store, "the store's own description of `\(name)` has none of its columns",
                advice: FeedSyncError.adviceOnDamage)
        }
    }

    /// The feed's table, with the name that SQLite has; nil if it does not exist.
    package static func name(of feed: String, on connection: Connection) throws -> String? {
        try connection.scalar(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table'
                AND name = (SELECT "table" FROM _feed WHERE feed = ?) COLLATE NOCASE
            """, .text(feed))?.text
    }
}
