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

    /// The model's columns of a feed's table, as its views use them: those of the parent's key, if there is one, then
    /// the definition's, then the remaining ones of earlier definitions; as JSON.
    package static func columns(merging definition: FeedDefinition, on connection: Connection) throws -> String {
        let parent = definition.part?.key.map(\.name) ?? []
        let names = Set((parent + definition.columns.map(\.name)).map(TableSchema.folded))
        var members = parent.map { "{\"name\":\(JSONText.string($0))}" } + definition.columns.map(\.json)
        try connection.rows(
            """
            SELECT json_each.value, json_extract(json_each.value, '$.name') FROM _feed, json_each(columns)
            WHERE feed = ? ORDER BY json_each.key
            """, [.text(definition.owner)]
        ) { row in
            guard !names.contains(TableSchema.folded(row.text(at: 1) ?? "")) else { return }
            members.append(row.text(at: 0) ?? "")
        }
        return "[\(members.joined(separator: ","))]"
    }
}
