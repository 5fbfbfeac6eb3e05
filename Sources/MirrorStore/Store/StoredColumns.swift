internal import SQLite

/// The model's columns that a feed's table has, as its views know them.
enum StoredColumns {
    /// The definition's columns, then those that the table has from earlier definitions; JSON.
    static func merged(_ definition: FeedDefinition, on connection: Connection) throws -> String {
        let names = Set(definition.columns.map { TableSchema.folded($0.name) })
        var members = definition.columns.map(\.json)
        try connection.rows(
            """
            SELECT json_each.value, json_extract(json_each.value, '$.name') FROM _feed, json_each(columns)
            WHERE feed = ? ORDER BY json_each.key
            """, [.text(definition.name)]
        ) { row in
            guard !names.contains(TableSchema.folded(row.text(at: 1) ?? "")) else { return }
            members.append(row.text(at: 0) ?? "")
        }
        return "[\(members.joined(separator: ","))]"
    }
}
