internal import PostgreSQL

// The feeds' tables.
extension PostgreSQLStore {
    /// Makes a feed's table, or adds to it what SQLite's has besides. Where the key is another now, or no longer fits, the table
    /// is made anew, and is empty.
    func shape(_ feed: StoredFeed, as shape: FeedTableShape) throws -> CopiedTable {
        var existing = try table(feed.table)
        if let table = existing {
            let types = Dictionary(table.columns.map { ($0.name, $0.type) }) { first, _ in first }
            let keyTypes = shape.columns.filter { shape.key.columns.contains($0.name) }
            // Where the key is no primary key, an index of hashes keeps two rows of one key away.
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
        } else {
            for sql in shape.creation { try connection.execute(sql) }
        }
        guard let table = try table(feed.table) else { throw CopyProblem.unreadable(table: feed.table) }
        return table
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
