package import SQLite

/// The store's description of a feed's table, which does not exist before anything is stored.
package struct StoredTable {
    package let name: String
    package let columns: [RowColumn]
    package let key: [String]

    /// - Returns: Nil for a feed that the store does not know.
    /// - Throws: `FeedSyncError` of kind `store` if the description was changed by hand; `SQLiteError`.
    package init?(of feed: String, on connection: Connection) throws {
        var found: (name: String, columns: String?, key: String?)?
        try connection.rows("SELECT \"table\", columns, key_columns FROM _feed WHERE feed = ?", [.text(feed)]) { row in
            found = (row.text(at: 0) ?? "", row.text(at: 1), row.text(at: 2))
        }
        guard let found else { return nil }
        name = found.name
        guard let columns = RowColumn.list(found.columns ?? "[]") else {
            throw FeedSyncError(
                .store, "the store's own description of `\(name)` is no list of columns",
                advice: FeedSyncError.adviceOnDamage)
        }
        (self.columns, key) = (columns, RowColumn.names(found.key))
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
