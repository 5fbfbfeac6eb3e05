internal import SQLite

extension Store {
    /// The feeds that have been worked on, in the order of their names.
    package func feeds() throws(FeedSyncError) -> [FeedRecord] {
        try records("SELECT * FROM feed ORDER BY name", read: FeedRecord.init)
    }

    /// The feed of this name; nil before the first command on it.
    package func feed(named name: String) throws(FeedSyncError) -> FeedRecord? {
        let isPart = FeedPart.feed(ofPart: name) != nil
        return try records(
            isPart ? "SELECT *, NULL AS model FROM feed_part WHERE name = ?" : "SELECT * FROM feed WHERE name = ?",
            [.text(name)], read: FeedRecord.init
        ).first
    }

    /// The refresh status of a feed, or of one of its lists; nil if no command has worked on it.
    ///
    /// Pages that wait for their commit need not be committed for it.
    package func status(of name: String) throws(FeedSyncError) -> RefreshStatus? {
        try transactions.inGroup {
            try connection.scalar("SELECT status FROM \(ListTables(of: name).feed) WHERE name = ?", .text(name))?.text
                .flatMap(RefreshStatus.init)
        }
    }

    /// The feed's discovered settings; nil if none are kept.
    package func findings(of feed: String) throws(FeedSyncError) -> Findings? {
        try records("SELECT found FROM _feed WHERE feed = ?", [.text(feed)]) { row in
            try row.text("found").flatMap(Findings.init)
        }.first.flatMap(\.self)
    }

    /// The history of each feed that a command has worked on, by name, or of one feed. Times too far after now are
    /// ignored.
    package func histories(of feed: String? = nil) throws(FeedSyncError) -> [String: FeedHistory] {
        try storing {
            let histories = try FeedHistory.load(feed, now: WallClock.system.milliseconds, on: connection)
            return Dictionary(histories.map { ($0.feed, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Runs, the newest first.
    ///
    /// - Parameters:
    ///   - feed: The runs' feed; nil for all feeds.
    ///   - id: Only runs before this one; nil to begin with the newest.
    ///   - limit: The maximum number of runs; nil for all kept ones.
    package func runs(
        of feed: String? = nil, before id: Int? = nil, limit: Int? = nil
    ) throws(FeedSyncError) -> [RunRecord] {
        // A process that writes its own store numbers runs in the order of their starts, and no index has their times.
        let isByNumber = try !hasTimesOfRuns()
        let (order, earlier) =
            isByNumber
            ? ("id DESC", "id < ?")
            : ("started_at DESC, id DESC", "(started_at, id) < (SELECT started_at, id FROM run WHERE id = ?)")
        let conditions = [feed == nil ? nil : "feed = ?", id == nil ? nil : earlier].compactMap(\.self)
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        return try records(
            "SELECT * FROM run \(condition) ORDER BY \(order) LIMIT ?",
            Self.values(feed) + (id.map { [Value($0)] } ?? []) + [Self.limit(limit)], read: RunRecord.init)
    }

    /// True for a copy of a store in PostgreSQL, where each worker numbers its own runs.
    private func hasTimesOfRuns() throws(FeedSyncError) -> Bool {
        try storing { try connection.scalar("SELECT 1 FROM pragma_index_info(?)", .text(Self.timesOfRuns)) != nil }
    }

    /// The index of runs by their starts, in a copy of a store in PostgreSQL.
    package static let timesOfRuns = "_run_started"

    /// The number of kept runs.
    package func runCount(of feed: String? = nil) throws(FeedSyncError) -> Int {
        try storing { try connection.count("SELECT count(*) FROM run WHERE ?1 IS NULL OR feed = ?1", Value(feed)) }
    }

    /// The greatest number of a kept run.
    package func greatestRun() throws(FeedSyncError) -> Int? {
        try storing { try connection.int64("SELECT max(id) FROM run").map { Int($0) } }
    }

    /// The last run of a feed; nil if there is none.
    package func lastRun(of feed: String) throws(FeedSyncError) -> Int? {
        try storing {
            try connection.int64(
                "SELECT id FROM run WHERE feed = ? AND finished_at IS NOT NULL ORDER BY finished_at DESC, id DESC LIMIT 1",
                .text(feed)
            ).map { Int($0) }
        }
    }

    /// The start of the last run of a feed, or of one of its lists, that changed something; nil if none is kept.
    package func lastChange(of feed: String) throws(FeedSyncError) -> String? {
        let condition = try isOf(feed)
        return try storing {
            try connection.scalar(
                """
                SELECT max(started_at) FROM run WHERE \(condition) AND (inserted > 0 OR updated > 0 OR removed > 0)
                """, .text(feed))?.text
        }
    }

    /// The runs of feeds that have ended since some time, and those of their lists that failed.
    ///
    /// The run of a feed has the figures of its lists, but not of those that failed.
    ///
    /// - Parameter times: As the store writes them, by the feeds' names. Their ends, because runs of several workers
    ///   are numbered in no common order.
    package func endedRuns(since times: [String: String]) throws(FeedSyncError) -> [RunRecord] {
        let times = Value.text(JSONValue.object(JSONObject(times.map { ($0.key, .string($0.value)) })).json)
        let feeds = try records(
            """
            SELECT run.* FROM json_each(?) mark
                CROSS JOIN run ON run.feed = mark.key AND run.finished_at >= mark.value
            """, [times], read: RunRecord.init)
        // List by list, because no index has the runs of all lists of a feed by their ends.
        let lists = try records(
            """
            SELECT run.* FROM json_each(?) mark CROSS JOIN feed_part ON feed_part.feed = mark.key
                CROSS JOIN run ON run.feed = feed_part.name AND run.finished_at >= mark.value
            WHERE run.outcome NOT IN ('ok', 'unchanged', 'no_more_data')
            """, [times], read: RunRecord.init)
        return feeds + lists
    }

    /// The events after another, in their order.
    ///
    /// - Parameters:
    ///   - feed: The events' feed; nil for all feeds.
    ///   - id: The number of the last known event; 0 to begin with the first one kept.
    ///   - limit: The maximum number of events; nil for all.
    package func events(
        of feed: String? = nil, after id: Int = 0, limit: Int? = nil
    ) throws(FeedSyncError) -> [StatusEvent] {
        try records(
            "SELECT * FROM event WHERE \(feed == nil ? "" : "\(try isOf(feed)) AND ")id > ? ORDER BY id LIMIT ?",
            Self.values(feed) + [Value(id), Self.limit(limit)], read: StatusEvent.init)
    }

    /// The newest events, in their order.
    ///
    /// - Parameters:
    ///   - feed: The events' feed; nil for all feeds.
    ///   - count: The maximum number of events.
    package func events(of feed: String? = nil, last count: Int) throws(FeedSyncError) -> [StatusEvent] {
        try records(
            "SELECT * FROM event \(feed == nil ? "" : "WHERE \(try isOf(feed))") ORDER BY id DESC LIMIT ?",
            Self.values(feed) + [Self.limit(count)], read: StatusEvent.init
        ).reversed()
    }

    /// The changes of a feed's columns, in their order.
    ///
    /// - Parameters:
    ///   - since: The earliest time, as the store writes times; nil for all.
    ///   - run: The earliest run; nil for all.
    package func columnChanges(
        of feed: String, since: String? = nil, run: Int? = nil
    ) throws(FeedSyncError) -> [ColumnChangeRecord] {
        try records(
            "SELECT * FROM _column_change WHERE feed = ? AND at >= ? AND run >= ? ORDER BY id",
            [.text(feed), .text(since ?? ""), Value(run ?? 0)], read: ColumnChangeRecord.init)
    }

    /// The changes of a feed's columns after one of them.
    ///
    /// - Parameter id: The number of the last known one.
    /// - Returns: The changes, and the number of the last one in the store.
    package func columnChanges(
        of feed: String, after id: Int64
    ) throws(FeedSyncError) -> (records: [ColumnChangeRecord], end: Int64) {
        let end = try storing { try connection.int64("SELECT max(id) FROM _column_change") ?? 0 }
        let changes = try records(
            "SELECT * FROM _column_change WHERE feed = ? AND id > ? AND id <= ? ORDER BY id",
            [.text(feed), .integer(id), .integer(end)], read: ColumnChangeRecord.init)
        return (changes, end)
    }

    /// The newest changes of a feed's columns, the newest first.
    ///
    /// - Parameter id: Only those before this one; nil to begin with the newest.
    package func columnChanges(
        of feed: String, before id: Int? = nil, last count: Int
    ) throws(FeedSyncError) -> [ColumnChangeRecord] {
        try records(
            "SELECT * FROM _column_change WHERE feed = ? AND id < ? ORDER BY id DESC LIMIT ?",
            [.text(feed), Value(id ?? .max), Self.limit(count)], read: ColumnChangeRecord.init)
    }

    /// The lists of a feed that has one for each row of another, by their names.
    ///
    /// - Parameter name: Only lists after this one; nil to begin with the first.
    package func parts(of feed: String, after name: String? = nil, limit: Int) throws(FeedSyncError) -> [FeedRecord] {
        try records(
            "SELECT *, NULL AS model FROM feed_part WHERE feed = ? AND name > ? ORDER BY name LIMIT ?",
            [.text(feed), .text(name ?? ""), Self.limit(limit)], read: FeedRecord.init)
    }

    /// The hosts' limits, by origin, resource and credential.
    package func quota() throws(FeedSyncError) -> [QuotaRecord] {
        // The view `quota` has the same rows, but may have been changed by other programs; credentials are numbered,
        // since the store has only hashes of them.
        try records(
            """
            SELECT origin, resource, remaining, reset_at, blocked_until,
                dense_rank() OVER (PARTITION BY origin ORDER BY credential) AS credential
            FROM _quota ORDER BY origin, resource, credential
            """, read: QuotaRecord.init)
    }

    /// The condition for rows of the feed whose name is bound first, or of one of its lists.
    func isOf(_ feed: String?) throws(FeedSyncError) -> String {
        let parts = try storing {
            try connection.scalar("SELECT 1 FROM feed_part WHERE feed = ? LIMIT 1", Value(feed))
        }
        // Only if there are lists, because SQLite would sort the result of two conditions.
        return parts == nil ? "feed = ?1" : ListTables.isOf("?1")
    }

    /// One record for each row of a query.
    func records<Record>(
        _ sql: String, _ values: [Value] = [], read: (RecordRow) throws -> Record
    ) throws(FeedSyncError) -> [Record] {
        try storing {
            var names: [String: Int]?
            return try connection.all(sql, values) { statement -> Record? in
                let columns = names ?? RecordRow.columns(of: statement)
                names = columns
                return .some(try read(RecordRow(statement: statement, columns: columns)))
            }
        }
    }

    private static func values(_ feed: String?) -> [Value] { feed.map { [.text($0)] } ?? [] }

    /// "If the LIMIT expression evaluates to a negative value, then there is no upper bound":
    /// https://sqlite.org/lang_select.html#the_limit_clause
    static func limit(_ limit: Int?) -> Value { Value(limit.map { max(0, $0) } ?? -1) }
}
