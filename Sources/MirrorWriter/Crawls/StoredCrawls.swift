internal import SQLite

/// The crawls of a feed, as `_crawl` has them.
///
/// - Isolation: the store's.
struct StoredCrawls {
    let feed: String
    let connection: Connection

    // MARK: - Facts

    /// The number of pages of a crawl.
    func pageCount(of crawl: Int64) throws -> Int {
        try connection.count("SELECT pages FROM _crawl WHERE id = ?", Value(crawl))
    }

    /// The total that the upstream reported to a crawl last; nil if it reported none.
    func total(of crawl: Int64) throws -> Int? {
        try connection.first("SELECT total FROM _crawl WHERE id = ?", [Value(crawl)]) { $0.countIfAny(at: 0) }
    }

    /// The generations of the rows that crawls wrote.
    func generations(of crawls: [Int64]) throws -> Set<Int64> {
        Set(
            try crawls.compactMap { crawl in
                try connection.int64("SELECT generation FROM _crawl WHERE id = ?", Value(crawl))
            })
    }

    /// The generations of the rows that crawls by watermark have placed since the last full crawl, in the order of their
    /// changes.
    func generationsByWatermark() throws -> Set<Int64> {
        var generations: Set<Int64> = []
        try connection.rows(
            """
            SELECT generation FROM _crawl WHERE feed = ?1 AND mode = ?2 AND generation IS NOT NULL
                AND id > coalesce((\(Self.lastFull)), 0)
            """, [.text(feed), .text(CrawlMode.since.rawValue)]
        ) { row in generations.insert(row.int64(at: 0)) }
        return generations
    }

    /// Selects the last crawl of every page that met everything, of the feed `?1`.
    static let lastFull = "SELECT max(id) FROM _crawl WHERE feed = ?1 AND mode = 'all' AND complete = 1"

    /// The generations of the rows that a round met.
    func generations(ofRound round: Int64) throws -> Set<Int64> {
        let generations = try connection.all(
            """
            SELECT DISTINCT p.generation FROM _crawl c JOIN _crawl_page w ON w.crawl = c.id JOIN _page p ON p.id = w.page
            WHERE c.feed = ?1 AND (c.round = ?2 OR c.id = ?2) AND p.placed > 0
            UNION SELECT generation FROM _crawl WHERE feed = ?1 AND (round = ?2 OR id = ?2) AND generation IS NOT NULL
            """, [.text(feed), Value(round)]
        ) { $0.int64(at: 0) }
        return Set(generations)
    }

    /// The first generation that a round wrote; nil if it has only met rows in place.
    func firstGeneration(ofRound round: Int64) throws -> Int64? {
        try connection.int64(
            "SELECT min(generation) FROM _crawl WHERE feed = ?1 AND (round = ?2 OR id = ?2)", .text(feed), Value(round))
    }

    /// True if the crawls of a round, also those that only met rows in place, saw different totals.
    func hasSeveralTotals(round: Int64) throws -> Bool {
        try connection.int64(
            "SELECT count(DISTINCT total) > 1 FROM _crawl WHERE feed = ?1 AND (round = ?2 OR id = ?2)",
            .text(feed), Value(round)) == 1
    }

    /// True if one of the crawls ended with a reason.
    func have(_ reason: IncompleteReason, _ crawls: [Int64]) throws -> Bool {
        try connection.int64(
            "SELECT 1 FROM _crawl WHERE reason = ?1 AND id IN (SELECT value FROM json_each(?2)) LIMIT 1",
            .text(reason.rawValue), .text("\(crawls)")) != nil
    }

    /// True if items came again on later pages of one of the crawls.
    func haveRepeats(_ crawls: [Int64]) throws -> Bool {
        try connection.int64(
            "SELECT 1 FROM _crawl WHERE repeats > 0 AND id IN (SELECT value FROM json_each(?)) LIMIT 1",
            .text("\(crawls)")) != nil
    }

    /// True if a crawl found a partition with more items than the upstream serves.
    func isCapped(_ crawl: Int64) throws -> Bool {
        try connection.int64("SELECT capped FROM _crawl WHERE id = ?", Value(crawl)) == 1
    }

    /// The token or watermark value that a crawl's items reached, as JSON.
    func furthest(of crawl: Int64) throws -> String? {
        try connection.scalar("SELECT furthest FROM _crawl WHERE id = ?", Value(crawl))?.text
    }

    /// The furthest watermark value of a round's items, and its start in seconds since 1970 by the server's clock.
    func furthest(ofRound round: Int64, isTime: Bool) throws -> (mark: Watermark?, start: Int64?) {
        var furthest: Watermark?
        var start: Int64?
        try connection.rows(
            "SELECT furthest, coalesce(server_date, started_at) FROM _crawl WHERE feed = ? AND (round = ? OR id = ?) ORDER BY id",
            [.text(feed), Value(round), Value(round)]
        ) { row in
            start = start ?? row.text(at: 1).flatMap { Timestamp($0)?.seconds }
            guard let mark = row.text(at: 0).flatMap({ Watermark(json: $0, isTime: isTime) }) else { return }
            if furthest.map({ mark.isFurther(than: $0) }) ?? true { furthest = mark }
        }
        return (furthest, start)
    }

    // MARK: - Changes

    /// Adds a crawl and returns its number.
    func begin(_ mode: CrawlMode, watermark: String?, serverDate: String?, now: String) throws -> Int64 {
        try connection.run(
            "INSERT INTO _crawl (feed, mode, started_at, server_date, watermark) VALUES (?, ?, ?, ?, ?)",
            .text(feed), .text(mode.rawValue), .text(now), Value(serverDate), Value(watermark))
        return connection.lastInsertRowID
    }

    /// Makes a crawl part of a round.
    func join(_ crawl: Int64, round: Int64?) throws {
        try connection.run("UPDATE _crawl SET round = ? WHERE id = ?", Value(round), Value(crawl))
    }

    /// Writes a crawl's state.
    func save(_ crawl: CrawlState, endedAt: String?) throws {
        try connection.run(
            """
            UPDATE _crawl SET pages = ?, elements = ?, position = ?, skipped = ?, total = ?, drift = ?, reason = ?,
                ended_at = ?, furthest = ?, doubtful = ?, part = ?, part_elements = ?, part_total = ?,
                capped = ?, cap = ?, overlaps = ?, has_totals = ?, total_moved = ?, repeats = ?, is_ordered = ?,
                same_key = ? WHERE id = ?
            """, Value(crawl.pages), Value(crawl.elements), Value(crawl.position), Value(crawl.skipped),
            Value(crawl.total), Value(crawl.hasDrifted), Value(crawl.reason?.rawValue), Value(endedAt),
            Value(crawl.furthest), Value(crawl.hasDoubtfulEnd), Value(crawl.partition?.name),
            Value(crawl.partition?.elements ?? 0), Value(crawl.partition?.total), Value(crawl.isCapped),
            Value(crawl.cap), Value(crawl.overlaps), Value(crawl.hasTotals), Value(crawl.hasTotalMoved),
            Value(crawl.repeats), Value(crawl.isOrdered), Value(crawl.sameKey), Value(crawl.id))
    }

    /// Writes a crawl's generation. In a statement of its own, because the column has an index, which is written even
    /// if the value does not change.
    func save(generation: Int64?, of crawl: Int64) throws {
        try connection.run("UPDATE _crawl SET generation = ? WHERE id = ?", Value(generation), Value(crawl))
    }

    /// Records that a crawl met everything.
    func complete(_ crawl: Int64?, now: String) throws {
        try connection.run(
            "UPDATE _crawl SET complete = 1, reason = NULL, ended_at = ? WHERE id = ?", .text(now), Value(crawl))
    }

    /// Records the reason why a crawl is incomplete.
    func leave(_ crawl: Int64?, _ reason: IncompleteReason) throws {
        try connection.run("UPDATE _crawl SET reason = ? WHERE id = ?", .text(reason.rawValue), Value(crawl))
    }

    /// Makes a crawl end before a page, which is read again. The upstream's word that it left items out is kept.
    ///
    /// - Parameter elements: The number of elements before the page.
    func goBack(to page: PageOfCrawl, elements: Int) throws {
        try connection.run(
            "UPDATE _crawl SET pages = ?2, reason = iif(reason = ?4, reason, NULL), elements = ?3 WHERE id = ?1",
            Value(page.crawl), Value(page.number - 1), Value(elements),
            .text(IncompleteReason.upstreamIncomplete.rawValue))
    }

    /// Writes the partition that a crawl is reading, and the total of all.
    func save(_ part: CrawlPartition?, total: Int, of crawl: Int64) throws {
        try connection.run(
            "UPDATE _crawl SET part = ?, part_elements = ?, part_total = ?, total = ? WHERE id = ?",
            Value(part?.name), Value(part?.elements ?? 0), Value(part?.total), Value(total), Value(crawl))
    }

    /// Gives a crawl that has written nothing yet the generation of the crawl above it, so that its rows follow those.
    ///
    /// - Parameter others: The other crawls of its range.
    func adoptGeneration(_ crawl: Int64, of others: [Int64]) throws {
        guard !others.isEmpty,
            try connection.int64("SELECT generation IS NULL FROM _crawl WHERE id = ?", Value(crawl)) == 1
        else { return }
        let above = try connection.first(
            """
            SELECT id, generation, position FROM _crawl
            WHERE id IN (SELECT value FROM json_each(?)) AND generation IS NOT NULL ORDER BY generation LIMIT 1
            """, [.text("\(others)")]
        ) { row in (id: row.int64(at: 0), generation: row.int64(at: 1), position: row.int64(at: 2)) }
        guard let above else { return }
        try save(generation: nil, of: above.id)
        try connection.run(
            "UPDATE _crawl SET generation = ?, position = position + ? WHERE id = ?", Value(above.generation),
            Value(above.position), Value(crawl))
        try CrawlPages(feed: feed, connection: connection).move(crawl, by: above.position)
    }
}
