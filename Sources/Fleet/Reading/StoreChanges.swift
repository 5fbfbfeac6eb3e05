internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLite

/// The changes in a store in PostgreSQL since a copy of it was updated.
struct StoreChanges {
    /// In a transaction in which it does not change.
    let source: StoreDatabase
    /// PostgreSQL's state at the copy's last update, from `pg_current_snapshot()`.
    let since: String
    /// The feeds that are wanted; nil for all.
    let feeds: [String]?
    let numbers: LogNumbers

    /// Tables whose rows of a changed feed are all read again.
    private static let state = ["_section", "_part_ahead", "feed_part", "_feed_part"]
    /// Tables of which only the rows that are referred to are read again.
    private static let heads = ["feed", "_feed"]

    /// Writes them to the copy, in one transaction.
    ///
    /// - Returns: The feeds of which anything changed; nil if one has another key, and all has to be read again: rows
    ///   of logs were rewritten.
    func apply(to target: SQLite.Connection) throws -> Set<String>? {
        let open = try texts("SELECT CAST(id AS TEXT) FROM run WHERE finished_at IS NULL", in: target)
        let changed = try changedFeeds(open)
        guard !changed.isEmpty else { return [] }
        guard try !haveNewKey(changed, than: target) else { return nil }
        let scope = FeedScope(feeds: changed.sorted())
        try target.transaction {
            for name in Self.heads {
                try upsert(name, where: scope.condition(of: name), key: name == "feed" ? "name" : "feed", in: target)
            }
            // The current crawl may have taken over an earlier one's generation.
            try target.execute(
                """
                UPDATE _crawl SET generation = NULL
                WHERE generation IS NOT NULL AND \(scope.sqliteCondition)
                """)
            try upsert("_crawl", where: scope.currentCrawls, key: "id", in: target)
            for name in Self.state.reversed() {
                try target.execute("DELETE FROM \(try SQL.identifier(name)) WHERE \(scope.sqliteCondition)")
            }
            for name in Self.state { try copy(name, where: scope.condition(of: name), in: target) }
            try target.execute("DELETE FROM _quota")
            try copy("_quota", where: nil, in: target)
            let runs =
                "id IN (SELECT run FROM event WHERE \(isNew)) OR id = ANY (CAST('\(PostgreSQL.Connection.array(open))' AS bigint[]))"
            try upsert("run", where: "(\(scope.condition(of: "run") ?? "true")) AND (\(runs))", key: "id", in: target)
            for name in CopiedTable.logs {
                try copy(name, where: "(\(scope.condition(of: name) ?? "true")) AND \(isNew)", in: target)
            }
            for feed in try StoredFeed.all(in: target, withTable: false) where changed.contains(feed.name) {
                try copyRows(of: feed, in: target)
            }
        }
        return changed
    }

    /// The condition for rows of a log that are newer than that.
    private var isNew: String {
        let snapshot = "CAST(\(PostgreSQL.Connection.literal(since)) AS pg_snapshot)"
        // The rows of a store that was dumped and restored have transactions of another server, whose numbers may
        // still be to come here.
        return """
            (_transaction >= pg_snapshot_xmin(\(snapshot)) AND NOT pg_visible_in_snapshot(_transaction, \(snapshot))
                AND pg_visible_in_snapshot(_transaction, pg_current_snapshot()))
            """
    }

    /// - Parameter open: The runs that had not ended in the copy.
    private func changedFeeds(_ open: [String]) throws -> Set<String> {
        let logs = CopiedTable.logs.map { "SELECT feed FROM \($0) WHERE \(isNew)" }.joined(separator: " UNION ALL ")
        let rows = try source.connection.query(
            """
            SELECT DISTINCT split_part(feed, '/', 1) FROM (\(logs) UNION ALL
                SELECT feed FROM _feed WHERE \(isWritten) UNION ALL
                SELECT feed FROM run WHERE id = ANY (CAST($1 AS bigint[])) AND finished_at IS NOT NULL) changed
            """, [PostgreSQL.Connection.array(open)])
        let changed = Set(rows.compactMap { $0[0] })
        return feeds.map { changed.intersection($0) } ?? changed
    }

    /// The condition for rows of `_feed` that were written since then. A row has only the low 32 bits of its
    /// transaction's number; the rest follows from its age.
    /// https://www.postgresql.org/docs/15/functions-info.html#FUNCTIONS-INFO-SNAPSHOT
    private var isWritten: String {
        let snapshot = "CAST(\(PostgreSQL.Connection.literal(since)) AS pg_snapshot)"
        let oldest = "pg_snapshot_xmin(\(snapshot))"
        let distance = "age(CAST(\(oldest) AS xid)) - age(xmin)"
        return """
            (age(xmin) <= age(CAST(\(oldest) AS xid)) AND NOT pg_visible_in_snapshot(
                CAST(CAST(CAST(CAST(\(oldest) AS text) AS bigint) + \(distance) AS text) AS xid8), \(snapshot)))
            """
    }

    /// True if the key of one of these feeds is not the one that the copy has.
    private func haveNewKey(_ feeds: Set<String>, than target: SQLite.Connection) throws -> Bool {
        let rows = try source.connection.query(
            "SELECT feed, key FROM _feed WHERE feed = ANY (CAST($1 AS text[]))",
            [PostgreSQL.Connection.array(feeds.sorted())])
        return try rows.contains { row in
            let before = "SELECT key FROM _feed WHERE feed = ? AND key <> ''"
            return try target.scalar(before, Value(row[0])).map { $0.text != row[1] } ?? false
        }
    }

    private func table(_ name: String) throws -> CopiedTable {
        guard let table = try source.table(name) else { throw CopyProblem.unreadable(table: name) }
        return table
    }

    private func copy(_ name: String, where condition: String?, in target: SQLite.Connection) throws {
        let copy = WorkingCopy(source: source, scope: FeedScope(feeds: feeds), target: target, numbers: numbers)
        try copy.insert(table(name), where: condition ?? "true")
    }

    private func upsert(
        _ name: String, where condition: String?, key: String, in target: SQLite.Connection
    ) throws {
        let table = try table(name)
        try source.insertRows(of: table, where: condition ?? "true", into: target, updating: [key])
    }

    /// Brings a feed's own table up to date.
    private func copyRows(of feed: StoredFeed, in target: SQLite.Connection) throws {
        guard let table = try source.table(feed.table), let key = try source.key(of: feed.table) else { return }
        let name = try SQL.identifier(feed.table)
        let own = Set(try texts("SELECT name FROM pragma_table_info(\(try SQL.string(feed.table)))", in: target))
        if own != Set(table.columns.map(\.name)) {
            // Its full-text index is made anew with it.
            try target.execute("DROP TABLE IF EXISTS \(name)")
            try table.make(in: target, key: key)
            return try source.insertRows(of: table, into: target)
        }
        // Rows that were written by transactions which the last look did not see, and some that it did. The age of a
        // transaction is right beyond the 2³² of which a row knows the number:
        // https://www.postgresql.org/docs/15/functions-info.html#FUNCTIONS-INFO-SNAPSHOT
        let isNewer =
            "age(xmin) <= age(CAST(pg_snapshot_xmin(CAST(\(PostgreSQL.Connection.literal(since)) AS pg_snapshot)) AS xid))"
        try source.insertRows(of: table, where: isNewer, into: target, updating: key.columns)
        let count = try source.connection.scalar("SELECT count(*) FROM \(PostgreSQL.Connection.identifier(feed.table))")
        guard try count.flatMap({ Int64($0) }) != target.int64("SELECT count(*) FROM \(name)") else { return }
        // Rows are gone.
        try target.execute("DELETE FROM \(name)")
        try source.insertRows(of: table, into: target)
    }

    private func texts(_ sql: String, in target: SQLite.Connection) throws -> [String] {
        try target.all(sql) { $0.text(at: 0) ?? "" }
    }
}
