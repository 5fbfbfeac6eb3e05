package import SQLite

/// The view that shows all feeds of one model.
///
/// It has `feed` first, then every model column of any of the feeds, then the columns that every feed has. If there are
/// more columns than SQLite allows, it has the first ones.
package struct ModelView {
    let model: String

    package init(model: String) {
        self.model = model
    }

    private static let common = PlaceColumn.allCases.map(\.rawValue)
    /// https://sqlite.org/limits.html#max_column, less the columns of every feed. A view with more cannot be read at
    /// all.
    private static let mostColumns = 2_000 - common.count - 1

    /// The maximum number of feeds in a view that is updated at once for each feed.
    private static let mostAtOnce = 50

    /// Updates the view for a new feed or changed columns. If the view has so many feeds that this would cost more than
    /// their pages, it is updated once after the run instead (`StoreViews`).
    package func follow(on connection: Connection) throws {
        guard try connection.count("SELECT count(*) FROM feed WHERE model = ?", .text(model)) <= Self.mostAtOnce else {
            return
        }
        try apply(to: connection)
    }

    /// Replaces the view if its feeds or their columns have changed. Drops it with its last feed.
    package func apply(to connection: Connection) throws {
        let name = TableSchema.tableName(model)
        var feeds: [(feed: String, table: String, columns: [String])] = []
        try connection.rows(
            """
            SELECT feed.name, _feed."table", json_extract(value, '$.name')
            FROM feed JOIN _feed ON _feed.feed = feed.name LEFT JOIN json_each(columns)
            WHERE feed.model = ? ORDER BY _feed.id, json_each.key
            """, [.text(model)]
        ) { row in
            let feed = row.text(at: 0) ?? ""
            if feeds.last?.feed != feed { feeds.append((feed, row.text(at: 1) ?? "", [])) }
            if let column = row.text(at: 2) { feeds[feeds.count - 1].columns.append(column) }
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
