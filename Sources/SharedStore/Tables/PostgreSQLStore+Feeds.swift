internal import Feeds
internal import PostgreSQL

// The feeds' tables.
extension PostgreSQLStore {
    /// Creates a feed's table, or adds the columns that only SQLite's has. If the key is another now, or no longer
    /// fits, the table is created again, empty.
    func shape(_ feed: StoredFeed, as shape: FeedTableShape) throws -> CopiedTable {
        // The tables of PostgreSQL itself come before those of any schema.
        guard !feed.table.hasPrefix("pg_") else {
            throw CopyProblem.refused(
                "the table `\(feed.table)` would have the name of one of PostgreSQL's own",
                advice: "feedsync rename \(feed.name) to a name that does not begin with pg")
        }
        var existing = try table(feed.table)
        if let table = existing {
            let types = Dictionary(table.columns.map { ($0.name, $0.type) }) { first, _ in first }
            let keyTypes = shape.columns.filter { shape.key.columns.contains($0.name) }
            // Without a primary key, a unique index of hashes does the same.
            let fits =
                keyTypes.allSatisfy { types[$0.name] == $0.type || types[$0.name] == .text }
                && (shape.hasPrimaryKey || table.primaryKey.isEmpty)
            if try !fits || key(of: feed.table) != shape.key {
                try PostgreSQLViews(feeds: []).drop(from: connection)
                try connection.execute("DROP TABLE \(PostgreSQL.Connection.identifier(feed.table))")
                existing = nil
            }
        }
        if let table = existing {
            let names = Set(table.columns.map(\.name))
            for column in shape.columns where !names.contains(column.name) {
                for sql in shape.addition(of: column) { try connection.execute(sql) }
            }
            try retype(table, as: shape, types: feed.types)
        } else {
            try checkName(of: feed)
            for sql in shape.creation { try connection.execute(sql) }
        }
        guard let table = try table(feed.table) else { throw CopyProblem.unreadable(table: feed.table) }
        return table
    }

    /// - Throws: `CopyProblem` if something else than a table or a view has the name.
    private func checkName(of feed: StoredFeed) throws {
        let taken = try connection.scalar(
            """
            SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relname = $1 AND c.relkind NOT IN ('r', 'p', 'v', 'm', 'f')
            """, [feed.table])
        guard taken == nil else {
            throw CopyProblem.refused(
                "the name of the table `\(feed.table)` is taken in PostgreSQL, by an index, a sequence or the like",
                advice: "feedsync rename \(feed.name) to another name")
        }
    }

    /// Gives columns the types that their values have by now. If there are such columns, the table is empty then.
    private func retype(_ table: CopiedTable, as shape: FeedTableShape, types: [String: ColumnType]) throws {
        let wanted = Dictionary(shape.columns.map { ($0.name, $0.type) }) { first, _ in first }
        let changed = table.columns.filter { column in
            guard let type = wanted[column.name], type != column.type, !shape.key.columns.contains(column.name) else {
                return false
            }
            return types[column.name] != nil || type.isWider(than: column.type)
        }
        guard !changed.isEmpty else { return }
        try PostgreSQLViews(feeds: []).drop(from: connection)
        let name = PostgreSQL.Connection.identifier(table.name)
        try connection.execute("DELETE FROM \(name)")
        for column in changed {
            let type = wanted[column.name]?.sql ?? column.type.sql
            try connection.execute(
                "ALTER TABLE \(name) ALTER COLUMN \(PostgreSQL.Connection.identifier(column.shortName)) TYPE \(type) USING CAST(NULL AS \(type))"
            )
        }
    }

    /// The feeds with their tables, as the views show them.
    func shownFeeds() throws -> [PostgreSQLViews.Feed] {
        let feeds = try StoredFeed.all(in: connection)
        let tables = try tables(feeds.map(\.table))
        let keys = try keys(of: feeds.map(\.table))
        return feeds.compactMap { feed in
            guard let table = tables[feed.table], let key = keys[feed.table] else { return nil }
            return PostgreSQLViews.Feed(
                name: feed.name, model: feed.model, table: table, key: key.columns, hasParts: feed.hasParts,
                columns: feed.columns)
        }
    }
}
