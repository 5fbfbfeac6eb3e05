internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLite

/// The history in a copy of a store that PostgreSQL no longer has, because it was older than it is to be kept.
///
/// Nothing in PostgreSQL says that rows are gone. A worker deletes all runs of a feed that ended before some time, so
/// while PostgreSQL has the oldest one of the copy, it has the others. A look asks for one run of each feed and list.
struct PrunedHistory {
    /// In a transaction in which it does not change.
    let source: StoreDatabase

    /// Deletes it from the copy, in one transaction.
    func delete(from target: SQLite.Connection) throws {
        let feeds = try missing(oldestRuns(in: target)).values
        guard !feeds.isEmpty else { return }
        // A run's changes went with it. Those that are older than what is kept, of a run that is not, go with that run.
        var runs: [Int64: String] = [:]
        for feed in feeds {
            let own = """
                SELECT id FROM run WHERE feed = ?1 AND finished_at IS NOT NULL UNION SELECT run FROM _change WHERE feed = ?1
                """
            try target.rows(own, [.text(feed)]) { row in runs[row.int64(at: 0)] = feed }
        }
        let gone = Dictionary(grouping: try missing(runs)) { $0.value }
        try target.transaction {
            for (feed, runs) in gone {
                let numbers = Value.text("[\(runs.map { "\($0.key)" }.joined(separator: ","))]")
                for table in ["event", "_change"] {
                    try target.run(
                        "DELETE FROM \(table) WHERE feed = ? AND run IN (SELECT value FROM json_each(?))", .text(feed),
                        numbers)
                }
                for (table, column) in [("run", "id"), ("_column_change", "run")] {
                    try target.run("DELETE FROM \(table) WHERE \(column) IN (SELECT value FROM json_each(?))", numbers)
                }
            }
        }
    }

    /// The oldest ended run of each feed and list, with its feed.
    private func oldestRuns(in target: SQLite.Connection) throws -> [Int64: String] {
        var runs: [Int64: String] = [:]
        // The other columns are those of the row with the least: https://sqlite.org/lang_select.html#bareagg
        let oldest = "SELECT id, feed, min(finished_at) FROM run WHERE finished_at IS NOT NULL GROUP BY feed"
        try target.rows(oldest) { row in runs[row.int64(at: 0)] = row.text(at: 1) ?? "" }
        return runs
    }

    /// The runs that PostgreSQL does not have.
    private func missing(_ runs: [Int64: String]) throws -> [Int64: String] {
        let rows = try source.connection.query(
            """
            SELECT n FROM unnest(CAST($1 AS bigint[])) n WHERE NOT EXISTS (SELECT FROM run WHERE run.id = n)
            """, [PostgreSQL.Connection.array(runs.keys.map(String.init))])
        let missing = Set(rows.compactMap { $0[0].flatMap { Int64($0) } })
        return runs.filter { missing.contains($0.key) }
    }
}
