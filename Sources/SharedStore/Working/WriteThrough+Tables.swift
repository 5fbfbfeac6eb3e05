internal import PostgreSQL
internal import SQLite

// Where tables were made or changed.
extension WriteThrough {
    /// Sends a commit with the tables as they are in SQLite now.
    ///
    /// - Parameters:
    ///   - fixed: What was written to the tables that every store has.
    ///   - rows: What was written to those of feeds; nil if that is not known, or if one of them has to be made
    ///     otherwise.
    ///   - now: The feeds' tables.
    func commitTables(_ fixed: [String: [ChangedRow]], _ rows: [String: [ChangedRow]]?, _ now: MadeTables) throws {
        let connection = target.connection
        try connection.execute("BEGIN")
        do {
            try connection.execute(claims.guarded)
            var script = Script()
            try add(fixed, to: &script)
            try addSections(to: &script)
            try connection.execute(&script)
            // Two workers that make tables at once would wait for each other in a circle.
            try lockTables()
            // What is left when the tables are made is sent with the commit.
            var end = Script()
            let feeds = try StoredFeed.all(in: source)
            let existing = try target.tables(feeds.map(\.table))
            for feed in feeds {
                let isThere = existing[feed.table] != nil
                let isSame = now[feed.table] == made[feed.table] && !recorder.remade.contains(feed.table)
                if let rows, isThere, isSame {
                    let own = rows.filter { $0.key == feed.table }
                    do { try add(own, to: &end) } catch CopyProblem.unfit { try copy(feed, &end) }
                } else if try isThere || !isEmpty(feed.table) {
                    try copy(feed, &end)
                }
                if end.count > Self.chunk { try execute(&end) }
            }
            tables = tables.filter { CopiedTable.fixed.contains($0.key) }
            try learn(feeds.map(\.table), feeds: feeds)
            try end += PostgreSQLViews.outdating(on: connection)
            end += "\(claims.renewal);\nCOMMIT"
            try connection.send(&end)
        } catch {
            // The first error counts; where the connection is lost, the server rolls back by itself.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
        underway = Underway(fixed: fixed, isWhole: rows == nil)
        made = now
        spare = [:]
    }

    /// True if PostgreSQL's tables fit the rows. A table's column types are derived from the first rows of a feed, so
    /// it has no table before them.
    ///
    /// - Parameter now: The feeds' tables in SQLite.
    func areShaped(_ rows: [String: [ChangedRow]], _ now: MadeTables) throws -> Bool {
        guard try rows.keys.allSatisfy({ try known($0) != nil }) else { return false }
        guard now != made else { return true }
        return try StoredFeed.all(in: source).map(\.table).allSatisfy { table in
            try now[table] == made[table] || known(table, hasKey: false) == nil && isEmpty(table)
        }
    }

    private func isEmpty(_ table: String) throws -> Bool {
        try source.scalar("SELECT 1 FROM \(try SQL.identifier(table)) LIMIT 1") == nil
    }

    /// Updates the views to the present tables, in a transaction of their own. While a view has a long-running reader,
    /// the next claim does it.
    func refreshViews() throws {
        guard progress.failure == nil, try PostgreSQLViews.areOutdated(on: target.connection) else { return }
        do {
            try target.connection.transaction {
                try lockTables()
                try PostgreSQLViews(feeds: target.shownFeeds()).apply(to: target.connection)
            }
        } catch let error as PostgreSQLError where error.isLocked {}
    }

    /// Deletes the history that is older than `limit`, a time as PostgreSQL reads it.
    func prune(before limit: String) throws {
        try target.connection.execute("BEGIN;\n" + claims.guarded + scope.pruning(before: limit) + "COMMIT")
        progress.committed()
    }

    /// Other workers that create tables wait until the transaction ends, so it does not wait long for readers of a
    /// table.
    private func lockTables() throws {
        try target.connection.query("SELECT pg_advisory_xact_lock(hashtext('feedsync tables ' || current_schema()))")
        try target.connection.execute("SET LOCAL lock_timeout = '5s'")
    }

    /// About so many bytes are sent at a time. What there is at first of a feed fits: PostgreSQL stores it while the
    /// next pages come.
    private static let chunk = 8 << 20

    private func execute(_ script: inout Script) throws {
        try target.connection.execute(&script)
        script.removeAll()
    }

    /// Copies all rows of a feed; the last of them are in the script then.
    private func copy(_ feed: StoredFeed, _ script: inout Script) throws {
        let table = try target.shape(feed, as: FeedTableShape(of: feed.table, types: feed.types, on: source))
        let name = PostgreSQL.Connection.identifier(table.name)
        try target.connection.execute("DELETE FROM \(name)")
        // Not by COPY: where a worker is paused in the middle of one, PostgreSQL waits for it as long as it lasts, and
        // others for the claim.
        var rows = RowArrays(into: table)
        func takeRows() {
            guard !rows.isEmpty else { return }
            rows.takeInsertion(into: &script)
            script += ";\n"
        }
        try table.stand(in: source) { row in
            try rows.append(row)
            // To count bytes costs something, too.
            guard rows.count.isMultiple(of: 100), rows.byteCount > Self.chunk else { return }
            takeRows()
            try execute(&script)
        }
        takeRows()
    }
}
