package import SQLite

/// The model's columns of a feed's table, as its views use them.
package enum StoredColumns {
    /// The columns of the parent's key, if there is one, then the definition's, then the remaining ones of earlier
    /// definitions; as JSON.
    package static func merged(_ definition: FeedDefinition, on connection: Connection) throws -> String {
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
