internal import PostgreSQL
internal import SQLite

// Where tables were made or changed.
extension WriteThrough {
    /// Commits with the tables as they are in SQLite now.
    ///
    /// - Parameters:
    ///   - fixed: What was written to the tables that every store has.
    ///   - rows: What was written to those of feeds; nil if that is not known, or if one of them has to be made otherwise.
    func commitTables(_ fixed: [String: [ChangedRow]], _ rows: [String: [ChangedRow]]?) throws {
        let connection = target.connection
        let now = try schemasNow()
        try connection.transaction {
            try connection.execute(claims.guarded)
            var script = Script()
            try add(fixed, to: &script)
            try addSections(to: &script)
            try connection.execute(&script)
            // Two workers that make tables at once would wait for each other in a circle.
            try lockTables()
            for feed in try StoredFeed.all(in: source) {
                let isThere = try target.table(feed.table) != nil
                let isSame = now[feed.table] == schemas[feed.table] && !recorder.remade.contains(feed.table)
                if let rows, isThere, isSame {
                    var script = Script()
                    try add(rows.filter { $0.key == feed.table }, to: &script)
                    try connection.execute(&script)
                } else if try isThere || !isEmpty(feed.table) {
                    try copy(feed)
                }
            }
            try connection.execute(claims.renewal)
        }
        schemas = now
        tables = [:]
        spare = [:]
        viewsLag = true
    }

    /// Whether PostgreSQL has a table for each of the rows. The types of its columns follow from the first rows of a feed, so
    /// there is none before they come.
    func areShaped(_ rows: [String: [ChangedRow]]) throws -> Bool {
        try rows.keys.allSatisfy { try known($0) != nil }
    }

    private func isEmpty(_ table: String) throws -> Bool {
        try source.scalar("SELECT 1 FROM \(try SQL.identifier(table)) LIMIT 1") == nil
    }

    /// Makes the views what the tables are by now, in a transaction of their own.
    func refreshViews() throws {
        guard viewsLag, progress.failure == nil else { return }
        try target.connection.transaction {
            try lockTables()
            try PostgreSQLViews(feeds: target.shownFeeds()).apply(to: target.connection)
        }
        viewsLag = false
    }

    /// Deletes the history that is older than `limit`, a time as PostgreSQL reads it.
    func prune(before limit: String) throws {
        try target.connection.execute("BEGIN;\n" + claims.guarded + scope.pruning(before: limit) + "COMMIT")
        progress.committed()
    }

    /// The feeds' tables as SQLite made them.
    func schemasNow() throws -> [String: String] {
        var schemas: [String: String] = [:]
        try source.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'table'") { row in
            schemas[row.text(at: 0) ?? ""] = row.text(at: 1)
        }
        return schemas
    }

    private func lockTables() throws {
        try target.connection.query("SELECT pg_advisory_xact_lock(hashtext('feedsync tables ' || current_schema()))")
    }

    /// So many rows are sent at a time.
    private static let chunk = 500

    /// All rows of a feed.
    private func copy(_ feed: StoredFeed) throws {
        let table = try target.shape(feed, as: FeedTableShape(of: feed.table, types: feed.types, on: source))
        let name = PostgreSQL.Connection.identifier(table.name)
        try target.connection.execute("DELETE FROM \(name)")
        // Not by COPY: where a worker is paused in the middle of one, PostgreSQL waits for it as long as it lasts, and others for
        // the claim.
        var rows = RowArrays(into: table)
        func insert() throws {
            guard !rows.isEmpty else { return }
            var script = Script()
            rows.takeInsertion(into: &script)
            try target.connection.execute(&script)
        }
        try table.stand(in: source) { row in
            try rows.append(row)
            if rows.count == Self.chunk { try insert() }
        }
        try insert()
    }
}
