internal import SQLite

/// The view that shows all feeds of one model.
///
/// `feed` first, then every model column that any of the feeds has, then the columns that every feed has; of more columns
/// than SQLite takes, the first.
struct ModelView {
    let model: String

    private static let common = [
        "_section", "_generation", "_position", "_first_seen_at", "_changed_at", "_removed_at",
    ]
    /// https://sqlite.org/limits.html#max_column, less those that every feed has: a view with more cannot be read at all.
    private static let mostColumns = 2_000 - common.count - 1

    /// Makes the view anew if its feeds or their columns have changed; drops it with its last feed.
    func apply(to connection: Connection) throws {
        let name = TableSchema.tableName(model)
        var feeds: [(feed: String, table: String, columns: [String])] = []
        try connection.rows(
            """
            SELECT feed.name, _feed."table" FROM feed JOIN _feed ON _feed.feed = feed.name
            WHERE feed.model = ? ORDER BY _feed.id
            """, [.text(model)]
        ) { row in
            feeds.append((row.text(at: 0) ?? "", row.text(at: 1) ?? "", []))
        }
        for index in feeds.indices {
            try connection.rows(
                "SELECT json_extract(value, '$.name') FROM _feed, json_each(columns) WHERE feed = ? ORDER BY json_each.key",
                [.text(feeds[index].feed)]
            ) { row in feeds[index].columns.append(row.text(at: 0) ?? "") }
        }
        var columns: [String] = []
        var folded: [[UInt8]] = []
        var known: Set<[UInt8]> = []
        for column in feeds.flatMap(\.columns) where columns.count < Self.mostColumns {
            let name = TableSchema.folded(column)
            guard known.insert(name).inserted else { continue }
            columns.append(column)
            folded.append(name)
        }
        let names = ["feed"] + ColumnNames.columnNames(for: ["feed"] + columns).dropFirst()
        let selects = try feeds.map { feed in
            let own = Dictionary(feed.columns.map { (TableSchema.folded($0), $0) }) { first, _ in first }
            let values = try folded.map { name in try own[name].map { try SQL.identifier($0) } ?? "NULL" }
            let all = try [SQL.string(feed.feed)] + values + Self.common
            return "SELECT \(all.joined(separator: ", ")) FROM \(try SQL.identifier(feed.table))"
        }
        try UnionView.make(name, columns: names + Self.common, selects: selects, on: connection) {
            let others = "SELECT 1 FROM sqlite_schema WHERE type <> 'view' AND name = ? COLLATE NOCASE"
            guard try connection.scalar(others, .text(name)) == nil else {
                throw FeedSyncError(
                    .configuration,
                    "its `model` needs a view named `\(name)`, but the store has something else with that name",
                    advice: "rename the model, or use another store")
            }
        }
    }
}
