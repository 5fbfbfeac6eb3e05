internal import Feeds
internal import JSON
internal import PostgreSQL
internal import PostgreSQLStore
internal import Text

extension WriteThrough {
    /// Deletes columns of a feed from PostgreSQL: from its table, its views, the changes of rows and the kept
    /// responses.
    ///
    /// The file is not used afterwards: it has the columns still.
    ///
    /// - Throws: `PostgreSQLError`, also if something of the user's own depends on a column.
    func dropColumns(_ names: [String], of feed: StoredFeed) throws {
        let connection = try target.connection
        let quoted = PostgreSQL.Connection.identifier
        guard let table = try target.table(feed.table) else { return }
        let gone = table.columns.filter { names.contains($0.name) }.map(\.shortName)
        try connection.transaction {
            try connection.execute(claims.guarded)
            try lockTables()
            try PostgreSQLViews(feeds: []).drop(from: connection)
            for column in gone {
                try connection.execute("ALTER TABLE \(quoted(table.name)) DROP COLUMN \(quoted(column))")
            }
            try connection.query(
                "UPDATE \(quoted(table.name)) SET _exact = nullif(_exact - $1::text[], '{}') WHERE _exact ?| $1::text[]",
                [PostgreSQL.Connection.array(gone)])
            try forget(names, of: feed.name)
            try PostgreSQLViews(feeds: target.shownFeeds()).apply(to: connection)
        }
        progress.committed()
        // A dropped column's values stay in the rows until they are written anew.
        try connection.execute("VACUUM FULL \(quoted(table.name))")
        for other in ["_change", "_response"] { try connection.execute("VACUUM \(other)") }
    }

    /// Deletes what else the store has of columns.
    private func forget(_ names: [String], of feed: String) throws {
        let values = [feed, PostgreSQL.Connection.array(names)]
        try target.connection.query(
            """
            UPDATE _feed SET columns = (SELECT coalesce(json_agg(value ORDER BY number), '[]')::text
                FROM json_array_elements(columns::json) WITH ORDINALITY AS e (value, number)
                WHERE value ->> 'name' <> ALL ($2::text[])) WHERE feed = $1
            """, values)
        let rest = "SELECT 1 FROM json_each(before) WHERE key <> ALL ($2::text[])"
        let isHit = "feed = $1 AND EXISTS (SELECT 1 FROM json_each(before) WHERE key = ANY ($2::text[]))"
        try target.connection.query(
            "DELETE FROM _change WHERE kind = 'changed' AND \(isHit) AND NOT EXISTS (\(rest))", values)
        try target.connection.query(
            """
            UPDATE _change SET before = (SELECT json_object_agg(key, value) FROM json_each(before)
                WHERE key <> ALL ($2::text[])) WHERE \(isHit)
            """, values)
        try target.connection.query("DELETE FROM _response WHERE feed = $1 OR split_part(feed, '/', 1) = $1", [feed])
    }
}
