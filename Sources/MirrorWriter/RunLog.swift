internal import SQLite

/// The record of a run and its events.
///
/// - Isolation: the store's.
struct RunLog {
    let feed: String
    /// The tables that hold the feed's state.
    let tables: ListTables
    let run: Int64
    let connection: Connection

    /// A line of the event log that is to be stored.
    struct Entry {
        var status: RefreshStatus
        var page: Int?
        var items = ItemCounts()
        /// The error, as JSON.
        var error: String?
    }

    /// Adds an event and makes its status the feed's.
    func note(_ status: RefreshStatus, page: Int?, error: String? = nil, now: String) throws -> StatusEvent {
        try connection.run("UPDATE \(tables.feed) SET status = ? WHERE name = ?", .text(status.rawValue), .text(feed))
        return try add([Entry(status: status, page: page, error: error)], now: now)[0]
    }

    /// Adds events. The caller updates the feed's status in the same transaction.
    func add(_ entries: [Entry], now: String) throws -> [StatusEvent] {
        try connection.run(
            entries.count < Self.insertions.count ? Self.insertions[entries.count] : Self.insertion(of: entries.count),
            entries.flatMap { entry in
                [
                    .text(now), .text(feed), Value(run), .text(entry.status.rawValue), Value(entry.page),
                    Value(entry.items.inserted), Value(entry.items.updated), Value(entry.items.unchanged),
                    Value(entry.items.removed), Value(entry.error),
                ]
            })
        // AUTOINCREMENT numbers the rows of one statement consecutively: https://sqlite.org/autoinc.html
        let first = Int(connection.lastInsertRowID) - entries.count + 1
        return entries.enumerated().map { index, entry in
            StatusEvent(
                id: first + index, at: now, feed: feed, run: Int(run), status: entry.status, page: entry.page,
                items: entry.items, error: entry.error)
        }
    }

    /// Statements that insert a number of events; a page has at most three.
    private static let insertions = (0...3).map(insertion)

    private static func insertion(of count: Int) -> String {
        """
        INSERT INTO event (at, feed, run, status, page, inserted, updated, unchanged, removed, error)
        VALUES \(Array(repeating: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count: count).joined(separator: ", "))
        """
    }

    /// Writes the run's counts.
    func save(_ metrics: RunMetrics) throws {
        try connection.run(
            """
            UPDATE run SET pages = ?, requests = ?, bytes = ?, inserted = ?, updated = ?, unchanged = ?, removed = ?
            WHERE id = ?
            """, Value(metrics.pages), Value(metrics.requests), Value(metrics.bytes), Value(metrics.items.inserted),
            Value(metrics.items.updated), Value(metrics.items.unchanged), Value(metrics.items.removed), Value(run))
    }

    /// Writes the number of rows that the run removed. They are reported with the last page, which proved them.
    ///
    /// - Parameter added: The number that the last event lacks.
    func save(removed: Int, added: Int) throws {
        try connection.run("UPDATE run SET removed = ? WHERE id = ?", Value(removed), Value(run))
        guard added > 0 else { return }
        try connection.run(
            "UPDATE event SET removed = removed + ? WHERE id = (SELECT max(id) FROM event WHERE run = ?)",
            Value(added), Value(run))
    }

    /// Ends the run.
    ///
    /// - Parameter error: As JSON.
    func finish(
        _ outcome: RunOutcome, _ completeness: Completeness.OfRun, _ metrics: RunMetrics, error: String?, now: String
    ) throws {
        try connection.run(
            """
            UPDATE run SET finished_at = ?, outcome = ?, complete = ?, verified = ?, reason = ?, requests = ?, bytes = ?,
                error = ?
            WHERE id = ?
            """, .text(now), .text(outcome.rawValue), Value(completeness.isComplete), Value(completeness.isVerified),
            Value(completeness.reason?.rawValue), Value(metrics.requests), Value(metrics.bytes), Value(error),
            Value(run))
    }

    /// Records that a run whose crawl was complete is proved after all.
    func prove(_ run: Int64) throws {
        try connection.run("UPDATE run SET verified = 1 WHERE id = ? AND complete = 1", Value(run))
    }

    /// Adds changes of columns.
    ///
    /// - Parameter owner: The feed that owns the table.
    func add(_ changes: [ColumnChange], of owner: String, now: String) throws {
        for change in changes {
            try connection.run(
                "INSERT INTO _column_change (at, feed, run, kind, \"column\", before, after) VALUES (?, ?, ?, ?, ?, ?, ?)",
                .text(now), .text(owner), Value(run), .text(change.kind.rawValue),
                .text(change.column), Value(change.before?.rawValue), Value(change.after?.rawValue))
        }
    }
}
