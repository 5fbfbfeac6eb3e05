internal import SQLite

/// The record of a run and its events.
///
/// - Isolation: the store's.
struct RunLog {
    let feed: String
    private let tables: ListTables
    let run: Int64
    let connection: Connection

    init(of feed: String, run: Int64, on connection: Connection) {
        (self.feed, self.run, self.connection) = (feed, run, connection)
        tables = ListTables(of: feed)
    }

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

    /// Adds that the list has no further page, if the status is the end of a first page: that page may have failed, or
    /// was cancelled, while the rest is stored. Returns nil if the status says so already.
    func noteEnd(now: String) throws -> StatusEvent? {
        let status = try connection.scalar("SELECT status FROM \(tables.feed) WHERE name = ?", .text(feed))?.text
        return status == RefreshStatus.endHeader.rawValue ? try note(.noMoreData, page: nil, now: now) : nil
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

    /// Keeps the response of an error in place of the feed's previous one.
    func keep(_ response: FailedResponse, of error: FeedSyncError, now: String) throws {
        try connection.run(
            """
            INSERT OR REPLACE INTO _response (feed, at, run, error, url, http_status, headers, body, byte_count)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(feed), .text(now), .integer(run), .text(error.json), .text(response.url),
            Value(response.status), .text(response.headers.json), .text(response.body), Value(response.byteCount))
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

    // MARK: - Runs that cannot record their end

    /// Records a run that begins, and returns its number.
    static func begin(_ command: String, of feed: String, on connection: Connection, now: String) throws -> Int64 {
        try connection.run(
            "INSERT INTO run (feed, command, started_at) VALUES (?, ?, ?)", .text(feed), .text(command), .text(now))
        return connection.lastInsertRowID
    }

    /// Records a command that failed before a run could begin, and returns its number.
    static func add(
        _ error: FeedSyncError, of feed: String, command: String, on connection: Connection, now: String
    ) throws -> Int64 {
        try connection.run(
            """
            INSERT INTO run (feed, command, started_at, finished_at, outcome, reason, error)
            VALUES (?1, ?2, ?3, ?3, ?5, ?6, ?4)
            """, .text(feed), .text(command), .text(now), .text(error.json), .text(RunOutcome.failed.rawValue),
            Value(Completeness.reason(of: .failed)?.rawValue))
        let run = connection.lastInsertRowID
        try StoredState(of: feed, on: connection).save(error: error.json)
        return run
    }

    /// Ends an interrupted run of another process. That process is gone, or this one would not hold the lock.
    static func closeInterrupted(_ feed: String, on connection: Connection, now: String) throws -> [StatusEvent] {
        let error = FeedSyncError(.interrupted, "the process ended before the command did")
        return try closeOpen(feed, .interrupted, error, on: connection, now: now)
    }

    /// Ends the open run of a feed, if there is one, and closes its begin event.
    static func closeOpen(
        _ feed: String, _ outcome: RunOutcome, _ error: FeedSyncError, on connection: Connection, now: String
    ) throws -> [StatusEvent] {
        let open = try connection.first(
            """
            SELECT event.status, event.run, event.page
            FROM \(ListTables(of: feed).feed) AS feed JOIN event ON event.feed = feed.name
            WHERE feed.name = ? AND feed.status IN ('beginHeader', 'beginFooter') ORDER BY event.id DESC LIMIT 1
            """, [.text(feed)]
        ) { row in
            RefreshStatus(rawValue: row.text(at: 0) ?? "").map { status in
                (status: status, run: row.int64(at: 1), page: row.int64(at: 2))
            }
        }
        try connection.run(
            """
            UPDATE run SET finished_at = ?, outcome = ?, reason = ?, error = ? WHERE feed = ? AND finished_at IS NULL
            """, .text(now), .text(outcome.rawValue), Value(Completeness.reason(of: outcome)?.rawValue),
            .text(error.json),
            .text(feed))
        guard let open else { return [] }
        let log = RunLog(of: feed, run: open.run, on: connection)
        let closing: RefreshStatus = open.status == .beginHeader ? .endHeader : .endFooter
        let event = try log.note(closing, page: Int(open.page), error: error.json, now: now)
        try StoredState(of: feed, on: connection).save(error: error.json)
        return [event]
    }
}
