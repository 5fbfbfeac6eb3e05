internal import SQLite

/// The store's description of a feed's table, which does not exist before anything is stored.
struct StoredTable {
    let name: String
    let columns: [RowColumn]
    let key: [String]

    /// - Returns: Nil for a feed that the store does not know.
    init?(of feed: String, on connection: Connection) throws {
        var found: (name: String, columns: String?, key: String?)?
        try connection.rows("SELECT \"table\", columns, key_columns FROM _feed WHERE feed = ?", [.text(feed)]) { row in
            found = (row.text(at: 0) ?? "", row.text(at: 1), row.text(at: 2))
        }
        guard let found else { return nil }
        name = found.name
        (columns, key) = (RowColumn.list(found.columns), RowColumn.names(found.key))
    }
}
