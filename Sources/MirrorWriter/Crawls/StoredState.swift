internal import SQLite

/// The state of a list, as its rows in `feed` and `_feed` have it, or those in `feed_part` and `_feed_part`.
///
/// Each change is part of the caller's transaction.
///
/// - Isolation: the store's.
package struct StoredState {
    let feed: String
    let tables: ListTables
    let connection: Connection
    /// The feed that owns the table of the rows: the feed itself, or the one whose list of a parent row this is.
    private let owner: String

    init(of feed: String, on connection: Connection) {
        self.feed = feed
        self.connection = connection
        tables = ListTables(of: feed)
        owner = FeedPart.feed(ofPart: feed) ?? feed
    }

    private var isOfPart: Bool { owner != feed }

    // MARK: - Facts

    /// The point at which the next command resumes, with the state and the trail of its crawl.
    func load() throws -> (ResumePoint, CrawlTrail) {
        let name = Value.text(feed)
        var trail = CrawlTrail()
        var point = ResumePoint()
        var crawl: Int64?
        try connection.rows(
            """
            SELECT generation, _feed.crawl, watermark, ranges, complete, verified, full_at
            FROM \(tables.feed) AS feed JOIN \(tables.state) AS _feed ON _feed.feed = feed.name WHERE name = ?
            """, [name]
        ) { row in
            point.state.generation = row.number(at: 0)
            crawl = row.isNull(at: 1) ? nil : row.int64(at: 1)
            point.watermark = row.text(at: 2)
            point.state.progress = CrawlProgress(json: row.text(at: 3))
            point.state.isComplete = row.int64(at: 4) == 1
            point.state.isVerified = row.int64(at: 5) == 1
            point.fullAt = Timestamp.milliseconds(of: row.text(at: 6))
        }
        point.state.longestPage = Int64(try connection.count("SELECT max(placed) FROM _page WHERE feed = ?", name))
        point.firstPartition = point.progress.firstPartition
        guard let crawl else { return (point, trail) }
        point.state.crawl = try CrawlState.load(crawl, trail: &trail, on: connection)
        if point.firstPartition == nil {
            point.firstPartition = try CrawlState.firstPartition(of: feed, on: connection)
        }
        point.crawlWatermark = try connection.scalar(
            "SELECT watermark FROM _crawl WHERE id = ?", Value(point.progress.round?.id ?? crawl))?.text
        return (point, trail)
    }

    /// The number of rows that the upstream has, as far as known.
    func itemCount() throws -> Int {
        try connection.count("SELECT item_count FROM \(tables.feed) WHERE name = ?", .text(feed))
    }

    /// The number of live rows, the number of items that the upstream has served to a crawl, and true if the feed has
    /// one page.
    func counts(of crawl: Int64?) throws -> (items: Int, seen: Int, hasOnePage: Bool) {
        var counts = (items: 0, seen: 0, hasOnePage: false)
        try connection.rows(
            """
            SELECT item_count, \(FeedHistory.seenCountSQL), \(FeedHistory.hasOnePageSQL("?2"))
            FROM \(tables.feed) LEFT JOIN _crawl ON _crawl.id = ?1 WHERE name = ?2
            """,
            [Value(crawl), .text(feed)]
        ) { row in counts = (row.count(at: 0), row.count(at: 1), row.count(at: 2) > 0) }
        return counts
    }

    /// The watermark, or the token of the last sync by delta, as JSON.
    func watermark() throws -> String? {
        try connection.scalar("SELECT watermark FROM \(tables.state) WHERE feed = ?", .text(feed))?.text
    }

    /// True if the feed has lists with views, or had when its definition was stored.
    func hasLists() throws -> Bool {
        try connection.scalar("SELECT lists FROM _feed WHERE feed = ?", .text(owner))?.text != nil
    }

    /// The generation for a page that writes; nil if the list's own newest one decides. The lists of a feed share its
    /// table.
    ///
    /// - Parameter newest: The list's newest generation.
    func nextGeneration(after newest: Int64) throws -> Int64? {
        guard isOfPart else { return nil }
        let shared = try connection.int64("SELECT generation FROM feed WHERE name = ?", .text(owner)) ?? 0
        return max(shared, newest) + 1
    }

    // MARK: - Changes

    /// Writes what the last of several pages decides.
    func save(_ state: FeedState, after pages: UnsavedRows) throws {
        let next = state.progress.openRange?.cursor
        try connection.run(
            """
            UPDATE \(tables.feed) SET next_page = ?, no_more_data = ?, generation = ?, item_count = item_count + ?,
                complete = ?, verified = ?, error = NULL, reloaded_at = coalesce(?, reloaded_at),
                status = coalesce(?, status)
            WHERE name = ?
            """, Value(next?.text), Value(next == nil), Value(state.generation), Value(pages.added),
            Value(state.isComplete), Value(state.isVerified), Value(pages.reloadedAt), Value(pages.status?.rawValue),
            .text(feed))
        try countInOwner(pages.added)
    }

    /// Writes the state at the end of a sync's crawl.
    ///
    /// - Parameter removed: The number of rows that the crawl removed.
    func save(_ state: FeedState, removed: Int, syncedAt: String) throws {
        let next = state.progress.openRange?.cursor
        try connection.run(
            """
            UPDATE \(tables.feed) SET complete = ?, verified = ?, synced_at = ?, item_count = item_count - ?,
                next_page = ?, no_more_data = ? WHERE name = ?
            """, Value(state.isComplete), Value(state.isVerified), .text(syncedAt), Value(removed),
            Value(next?.text), Value(next == nil), .text(feed))
        try countInOwner(-removed)
    }

    /// Writes the ranges, unless they are as they were.
    func save(_ progress: CrawlProgress, over before: CrawlProgress) throws {
        guard progress != before else { return }
        try connection.run(
            "UPDATE \(tables.state) SET ranges = ? WHERE feed = ?", Value(progress.json), .text(feed))
    }

    /// Makes a crawl the current one.
    func save(crawl: Int64) throws {
        try connection.run("UPDATE \(tables.state) SET crawl = ? WHERE feed = ?", Value(crawl), .text(feed))
    }

    func save(watermark: String?) throws {
        try connection.run("UPDATE \(tables.state) SET watermark = ? WHERE feed = ?", Value(watermark), .text(feed))
    }

    /// Writes the time of the full crawl.
    ///
    /// - Parameter crawl: The crawl whose start is that time; nil if it is now.
    func saveFull(since crawl: Int64? = nil, now: String) throws {
        try connection.run(
            """
            UPDATE \(tables.feed) SET full_at = coalesce((SELECT started_at FROM _crawl WHERE id = ?), ?)
            WHERE name = ?
            """, Value(crawl), .text(now), .text(feed))
    }

    /// Writes the error of a run.
    func save(error: String) throws {
        try connection.run("UPDATE \(tables.feed) SET error = ? WHERE name = ?", .text(error), .text(feed))
    }

    /// Deletes the error of an earlier run, if there is one.
    func clearError() throws {
        try connection.run(
            "UPDATE \(tables.feed) SET error = NULL WHERE name = ? AND error IS NOT NULL", .text(feed))
    }

    /// Records that a generation is in use, for the other lists in the same table.
    func keep(generation: Int64, over before: Int64) throws {
        guard isOfPart, generation != before else { return }
        try connection.run("UPDATE feed SET generation = ? WHERE name = ?", Value(generation), .text(owner))
    }

    /// Adds to the item count of the feed that owns the list of a parent row.
    func countInOwner(_ added: Int) throws {
        guard isOfPart, added != 0 else { return }
        try connection.run(
            "UPDATE feed SET item_count = item_count + ? WHERE name = ?", Value(added), .text(owner))
    }

    /// Drops validators, page cursor, synced ranges and watermark.
    func forgetPlaces() throws {
        let name = Value.text(feed)
        try connection.run("DELETE FROM _crawl_page WHERE crawl IN (SELECT id FROM _crawl WHERE feed = ?)", name)
        try connection.run("DELETE FROM _page WHERE feed = ?", name)
        try connection.run(
            """
            UPDATE \(tables.feed) SET status = 'none', no_more_data = 0, next_page = NULL, complete = 0, verified = 0,
                full_at = NULL WHERE name = ?
            """, name)
        try connection.run(
            "UPDATE \(tables.state) SET crawl = NULL, ranges = NULL, watermark = NULL WHERE feed = ?", name)
    }

    /// Deletes errors and the delays that they caused: the feed is due.
    func forgetFailures() throws {
        try connection.run(
            "UPDATE \(tables.feed) SET error = NULL, next_due_at = NULL WHERE name = ?", .text(feed))
        try connection.run(
            """
            UPDATE \(tables.state) SET failures = 0, failing_since = NULL, round_started_at = NULL,
                round_ended_at = NULL, poll_interval = NULL, fresh_for = NULL, planned_due_at = NULL
            WHERE feed = ?
            """, .text(feed))
    }

    /// Records the address to which the feed's upstream has moved for good; false if an earlier run did.
    package func isNew(address: String) throws -> Bool {
        let known = try connection.scalar("SELECT moved_to FROM _feed WHERE feed = ?", .text(owner))?.text
        guard known != address else { return false }
        try connection.transaction {
            try connection.run("UPDATE _feed SET moved_to = ? WHERE feed = ?", .text(address), .text(owner))
        }
        return true
    }
}
