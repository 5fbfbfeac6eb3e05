internal import SQLite

/// The store's record of the times at which a feed was requested and is due.
///
/// Each call is part of the transaction in which it is made.
enum FeedSchedule {
    /// Keeps the polling advice of the response to the first page.
    static func note(_ advice: PollingAdvice, of feed: String, on connection: Connection) throws {
        try connection.run(
            """
            UPDATE \(ListTables(of: feed).state) SET poll_interval = coalesce(?1, CASE WHEN ?3 THEN NULL ELSE poll_interval END),
                fresh_for = coalesce(?2, CASE WHEN ?3 THEN NULL ELSE fresh_for END)
            WHERE feed = ?4
            """, Value(advice.pollInterval), Value(advice.freshFor), Value(advice.isModified), .text(feed))
    }

    /// Records the end of a run and sets `next_due_at`.
    static func follow(_ run: Int64, of feed: String, every: Duration?, on connection: Connection) throws {
        // A run that was cut off (limited, cancelled, interrupted) is no round: the feed stays as due as it was. The
        // same holds for `reload` and `more`, which postpone no sync.
        try connection.run(
            """
            UPDATE \(ListTables(of: feed).state) AS _feed SET round_started_at = run.started_at, round_ended_at = run.finished_at,
                failing_since = CASE WHEN run.outcome = 'failed' THEN coalesce(failing_since, run.finished_at) END,
                failures = CASE WHEN run.outcome = 'failed' THEN failures + 1 ELSE 0 END
            FROM run WHERE _feed.feed = ?1 AND run.id = ?2 AND run.command = 'sync'
                AND run.outcome IN ('ok', 'unchanged', 'no_more_data', 'failed')
            """, .text(feed), Value(run))
        let endedAt = try connection.scalar("SELECT finished_at FROM run WHERE id = ?", Value(run))?.text
        let now = Timestamp.milliseconds(of: endedAt) ?? WallClock.system.milliseconds
        guard var history = try FeedHistory.load(feed, now: now, on: connection).first else { return }
        // A due time set by hand was for the run that has ended, unless that run was cut off.
        let hasRound = try connection.int64(
            "SELECT round_ended_at IS (SELECT finished_at FROM run WHERE id = ?1) FROM \(ListTables(of: feed).state) WHERE feed = ?2",
            Value(run), .text(feed))
        if hasRound == 1 || !history.isSetByHand {
            history.plannedDueAt = history.nextDueAt
            let dueAt = Value(Planner.plan(history, every: every).dueText)
            try connection.run(
                "UPDATE \(ListTables(of: feed).feed) SET next_due_at = ? WHERE name = ?", dueAt, .text(feed))
            try connection.run(
                "UPDATE \(ListTables(of: feed).state) SET planned_due_at = ? WHERE feed = ?", dueAt, .text(feed))
        }
    }
}
