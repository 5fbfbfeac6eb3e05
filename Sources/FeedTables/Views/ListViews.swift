package import SQLite

/// The views of the lists in a feed's items: `issues_labels` has a row for each label of each issue.
///
/// Nothing is stored twice: they read the column's JSON. `_feed.lists` has the members that the elements had so far.
package enum ListViews {
    /// Makes the views follow the definition and the items of a run.
    ///
    /// - Parameter run: The run whose rows may have members that no row had before.
    package static func follow(_ definition: FeedDefinition, run: Int64, on connection: Connection) throws {
        let feed = Value.text(definition.owner)
        let text = try connection.scalar("SELECT lists FROM _feed WHERE feed = ?", feed)?.text
        let wanted = definition.listColumns
        guard text != nil || !wanted.isEmpty,
            let table = try StoredTable.name(of: definition.owner, on: connection)
        else { return }
        let known = ListShape.all(text)
        let began = try connection.scalar("SELECT started_at FROM run WHERE id = ?", Value(run))?.text ?? ""
        let lists = try wanted.map { column in
            var list = known.first { $0.column == column } ?? ListShape(column: column)
            try collect(&list, in: table, since: known.contains(list) ? began : "", on: connection)
            return list
        }
        guard lists != known || text == nil else { return }
        try connection.transaction {
            try drop(known, of: table, on: connection)
            let json = lists.isEmpty ? nil : "[\(lists.map(\.json).joined(separator: ","))]"
            try connection.run("UPDATE _feed SET lists = ? WHERE feed = ?", Value(json), feed)
            try make(lists, of: definition.owner, on: connection)
        }
    }

    /// Adds what the elements in rows have that changed since a time.
    private static func collect(
        _ list: inout ListShape, in table: String, since time: String, on connection: Connection
    ) throws {
        var found = list
        try connection.rows(
            """
            SELECT DISTINCT e.type = 'object', m.key FROM \(try elements(of: list.column, in: table))
                LEFT JOIN json_each(CASE e.type WHEN 'object' THEN e.value ELSE '{}' END) m
            WHERE max(_first_seen_at, _changed_at) >= ?
            """, [.text(time)]
        ) { row in
            if row.int64(at: 0) == 0 { found.hasPlain = true }
            if let member = row.text(at: 1) { found.add(member) }
        }
        list = found
    }

    /// The rows `t` of a table with the elements `e` of a column's list, as a part of FROM.
    ///
    /// Without SQLite's other functions for JSON: in a view they are refused where the schema is not trusted, as by
    /// `feedsync sql`. https://sqlite.org/c3ref/c_deterministic.html
    private static func elements(of column: String, in table: String) throws -> String {
        let column = "t.\(try SQL.identifier(column))"
        let list = "CASE substr(\(column), 1, 1) WHEN '[' THEN \(column) END"
        return "\(try SQL.identifier(table)) t JOIN json_each(\(list)) e"
    }

    private static func make(_ lists: [ListShape], of feed: String, on connection: Connection) throws {
        guard let stored = try StoredTable(of: feed, on: connection) else { return }
        // Texts of columns of other types may begin as a list does.
        for list in lists where stored.columns.contains(where: { $0.name == list.column && $0.type == .json }) {
            let view = list.viewName(of: stored.name)
            // Something of the user's own keeps its name.
            guard try connection.scalar("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE", .text(view)) == nil
            else { continue }
            let header = try list.columnNames(key: stored.key).map { try SQL.identifier($0) }
            let members = try list.members.map { member in
                "(SELECT value FROM json_each(CASE e.type WHEN 'object' THEN e.value END) WHERE key = \(try SQL.string(member)))"
            }
            let values =
                try stored.key.map { "t.\(try SQL.identifier($0))" } + ["e.key"]
                + (list.hasPlain ? ["CASE e.type WHEN 'object' THEN NULL ELSE e.value END"] : []) + members
            try connection.execute(
                """
                CREATE VIEW \(try SQL.identifier(view)) (\(header.joined(separator: ", "))) AS
                SELECT \(values.joined(separator: ", "))
                FROM \(try elements(of: list.column, in: stored.name)) WHERE t._removed_at IS NULL
                """)
        }
    }

    private static func drop(_ lists: [ListShape], of table: String, on connection: Connection) throws {
        for list in lists {
            let view = list.viewName(of: table)
            let isOurs = "SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ? COLLATE NOCASE"
            guard try connection.scalar(isOurs, .text(view)) != nil else { continue }
            try connection.execute("DROP VIEW \(try SQL.identifier(view))")
        }
    }

    /// The feeds that have such views.
    private static func all(on connection: Connection) throws -> [(feed: String, table: String, lists: [ListShape])] {
        try connection.all("SELECT feed, \"table\", lists FROM _feed WHERE lists IS NOT NULL ORDER BY id") { row in
            (feed: row.text(at: 0) ?? "", table: row.text(at: 1) ?? "", lists: ListShape.all(row.text(at: 2)))
        }
    }

    /// Drops the views of all feeds, which `makeAll` makes again.
    static func dropAll(on connection: Connection) throws {
        for feed in try all(on: connection) { try drop(feed.lists, of: feed.table, on: connection) }
    }

    /// Makes the views of all feeds.
    static func makeAll(on connection: Connection) throws {
        for feed in try all(on: connection) { try make(feed.lists, of: feed.feed, on: connection) }
    }
}
