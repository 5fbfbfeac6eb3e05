internal import SQLite

extension Store {
    /// The rows of a feed, in feed order; without columns while no page of it is stored.
    ///
    /// - Parameters:
    ///   - feed: The feed's name.
    ///   - section: The section's name, where `.some(nil)` are the items without one; nil for all sections.
    ///   - offset: The number of rows to skip, from 0.
    ///   - limit: The maximum number of rows; nil for all.
    ///   - includesRemoved: True to include rows that were removed upstream.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func rows(
        of feed: String, section: String?? = nil, offset: Int = 0, limit: Int? = nil, includesRemoved: Bool = false
    ) throws(FeedSyncError) -> RowPage {
        try storing {
            // One snapshot for the columns and the rows: another process may be adding a column.
            try connection.transaction(.deferred) {
                var page = RowPage()
                guard let table = try layout(of: feed, into: &page) else { return page }
                var conditions: [String] = []
                var values: [Value] = []
                if !includesRemoved { conditions.append("_removed_at IS NULL") }
                if let section {
                    conditions.append("_section IS ?")
                    values.append(Value(section))
                }
                // One more row than requested shows if there are more.
                let oneMore = limit.map { min(max(0, $0), Int.max - 1) + 1 }
                values += [Self.limit(oneMore), Value(max(0, offset))]
                let columns = page.columns.map(\.name) + PlaceColumn.allCases.map(\.rawValue)
                try connection.rows(
                    """
                    SELECT \(try columns.map { try SQL.identifier($0) }.joined(separator: ", "))
                    FROM \(try SQL.identifier(table))
                    \(conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))")
                    ORDER BY _generation DESC, _position LIMIT ? OFFSET ?
                    """, values
                ) { row in
                    if let limit, page.rows.count >= max(0, limit) {
                        page.hasMore = true
                    } else {
                        page.rows.append(StoredRow(row, columnCount: page.columns.count))
                    }
                }
                return page
            }
        }
    }

    /// Reads the columns and the key of the feed's table. Returns its name, or nil if there is none.
    private func layout(of feed: String, into page: inout RowPage) throws -> String? {
        guard let table = try connection.scalar("SELECT \"table\" FROM _feed WHERE feed = ?", .text(feed))?.text else {
            return nil
        }
        try connection.rows(
            """
            SELECT json_extract(value, '$.name'), json_extract(value, '$.type') FROM _feed, json_each(columns)
            WHERE feed = ? ORDER BY json_each.key
            """, [.text(feed)]
        ) { row in
            page.columns.append(
                RowPage.Column(name: row.text(at: 0) ?? "", type: row.text(at: 1).flatMap(ColumnType.init)))
        }
        try connection.rows(
            "SELECT value FROM _feed, json_each(key_columns) WHERE feed = ? ORDER BY json_each.key", [.text(feed)]
        ) { row in
            page.key.append(row.text(at: 0) ?? "")
        }
        return table
    }
}
