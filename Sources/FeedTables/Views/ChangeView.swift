package import SQLite

/// The view `change`: the logged changes of stored rows, and the new rows of each feed's table.
package enum ChangeView {
    /// Replaces the view if feeds, their tables or their keys have changed.
    static func apply(to connection: Connection) throws {
        // A feed of that name is older than the view.
        let isTaken = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'change' COLLATE NOCASE"
        guard try connection.scalar(isTaken) == nil else { return }
        // `at` is a word of other programs' SQL, which read the view by its text. The keys of feeds are texts and
        // numbers: here, as in PostgreSQL, all are texts.
        var selects = [#"SELECT "at", feed, run, kind, CAST(key AS TEXT), before FROM _change"#]
        try connection.rows(
            """
            SELECT feed, "table", key_columns FROM _feed
            WHERE "table" IN (SELECT name FROM sqlite_schema WHERE type = 'table') ORDER BY id
            """
        ) { row in
            let key = RowColumn.names(row.text(at: 2))
            guard !key.isEmpty else { return }
            let text = try self.key(key)
            let feed = try SQL.string(row.text(at: 0) ?? "")
            // Grouped, so that SQLite looks the pages up by their times instead of going through them for each row.
            selects.append(
                """
                SELECT t._first_seen_at, \(feed), e.run, 'new', CAST(\(text) AS TEXT), NULL
                FROM \(try SQL.identifier(row.text(at: 1) ?? "")) t JOIN (
                    SELECT "at", max(run) AS run FROM event
                    WHERE \(ListTables.isOf(feed)) AND inserted > 0 GROUP BY "at"
                ) e ON e."at" = t._first_seen_at
                """)
        }
        try UnionView.make(
            "change", columns: ["at", "feed", "run", "kind", "key", "before"], selects: selects, on: connection
        ) {}
    }
}

extension ChangeView {
    /// The key of a row of `t` in the change log's form: the value of one column, or a JSON array of several.
    package static func key(_ columns: [String]) throws(SQLiteError) -> String {
        let values = try columns.map { column throws(SQLiteError) in "t.\(try SQL.identifier(column))" }
        return values.count == 1 ? values[0] : "'[' || \(values.map(json).joined(separator: " || ',' || ")) || ']'"
    }

    /// A value as JSON. Views may not use SQLite's own JSON functions if the schema is not trusted, as here. DuckDB
    /// reads the text of a view as its own SQL, in which texts have the type `VARCHAR`, and `char` is not a function.
    private static func json(_ value: String) -> String {
        let escapes = [("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")]
        let text = escapes.reduce("CAST(\(value) AS TEXT)") { "replace(\($0), '\($1.0)', '\($1.1)')" }
        return """
            CASE WHEN typeof(\(value)) IN ('text', 'VARCHAR') THEN '"' || \(text) || '"' ELSE CAST(\(value) AS TEXT) END
            """
    }
}
