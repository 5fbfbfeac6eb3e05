internal import SQLite

extension FeedWriter {
    /// What a crawl has to be for its rows to be a synced range, as a condition on `_crawl`: it met all that it could meet,
    /// and nothing can have passed it unseen.
    static let isSyncedRange =
        // Not by IN: SQLite makes a table of such a list each time.
        "(complete = 1 OR coalesce(reason = 'cap' OR reason = 'max_pages' OR reason = 'left_out', 0)) AND is_unchecked = 0"

    /// A synced range at a page's places, if the crawl that wrote them last makes them that.
    func ground(at page: Place) throws -> SyncedRange? {
        var ground: SyncedRange?
        try connection.rows(
            "SELECT reason FROM _crawl WHERE feed = ? AND generation = ? AND \(Self.isSyncedRange)",
            [.text(feed), Value(page.generation)]
        ) { row in ground = SyncedRange(reason: row.text(at: 0).flatMap(IncompleteReason.init)) }
        return ground
    }

    /// The page cursor that led to a page of the crawl; nil for its first.
    func cursor(ofPage number: Int) throws -> PageCursor? {
        if shape.definition.partitioning != nil {
            return try connection.scalar(
                "SELECT asked FROM _crawl_page WHERE crawl = ? AND number = ?", Value(state.crawl?.id), Value(number))?
                .text.map(PageCursor.init)
        }
        return try connection.scalar(
            """
            SELECT p.cursor FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ? AND w.number = ?
            """, Value(state.crawl?.id), Value(number - 1))?.text.map(PageCursor.init)
    }

    /// What a page that is asked for once more tells, measured by what the crawl has met.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - end: Where the list goes on behind it.
    ///   - known: The page as it was met last.
    func check(_ page: DecodedPage?, _ end: NextPage, number: Int, known: StoredPage?) throws -> RunRules.Check {
        if try outgrows(number, end) { return .outgrown }
        let keys = page?.keys ?? "[]"
        if keys == known?.keys, try page.map(table.holds) ?? true { return .same }
        guard keys != "[]" else { return .mended }
        // What stands last on it was met on it or before, unless it came up from a later page.
        let first = try connection.int64(
            """
            SELECT page FROM temp.\(try gatherFirstPages())
            WHERE key = (SELECT value FROM json_each(?) ORDER BY key DESC LIMIT 1)
            """, .text(keys))
        if let first, first >= number { return first == number ? .mended : .movedUp }
        if first != nil { return end.next == nil ? .mended : .pushedDown }
        guard end.next != nil, let page else { return .movedUp }
        switch try mode {
        case "new": return try table.lastPlace(of: page).flatMap(ground) == nil ? .cutLoose : .movedUp
        case "all": return .cutLoose
        // What came since the crawl began is asked for again.
        default: return .movedUp
        }
    }

    /// The name of a table with the first page on which the crawl met each key: gathered once, for the pages that are
    /// asked again have later numbers.
    private func gatherFirstPages() throws -> String {
        // The connection may have other feeds' runs at the same time.
        let name = "_first_page_\(run)"
        guard !hasFirstPages else { return name }
        try connection.execute("CREATE TEMP TABLE \(name) (key, page, PRIMARY KEY (key)) WITHOUT ROWID")
        try connection.run(
            """
            INSERT OR IGNORE INTO temp.\(name) SELECT j.value, w.number
            FROM _crawl_page w JOIN _page p ON p.id = w.page, json_each(p.keys) j WHERE w.crawl = ? ORDER BY w.number
            """, Value(state.crawl?.id))
        hasFirstPages = true
        return name
    }

    /// Drops what the run gathered for itself.
    func dropGathered() {
        guard hasFirstPages else { return }
        try? connection.execute("DROP TABLE IF EXISTS temp._first_page_\(run)")
        hasFirstPages = false
    }

    /// Ends a sync's run: what its crawl came to, and what follows from it for rows, a synced range and watermark.
    func close(_ closing: CrawlClosing, outcome: String, now: String) throws -> Int {
        var removed = 0
        var draft = state
        try connection.transaction {
            switch closing {
            case .incomplete(let reason):
                try connection.run(
                    "UPDATE _crawl SET complete = 0, reason = ?, ended_at = ? WHERE id = ?", .text(reason.rawValue),
                    .text(now), Value(state.crawl?.id))
                if reason.leavesSyncedRange { try promote("complete = 0, reason = '\(reason.rawValue)'") }
                draft.crawl?.reason = reason
            case .complete where try mode == "all" && isDoubtful():
                // Nothing is taken for gone before a second crawl ends alike.
                try connection.run(
                    "UPDATE _crawl SET complete = 0, reason = 'cap', ended_at = ? WHERE id = ?", .text(now),
                    Value(state.crawl?.id))
                draft.crawl?.reason = .cap
            case .complete:
                removed = try complete(now: now)
                draft.figures.items.removed += removed
                draft.crawl?.reason = nil
            }
            try connection.run(
                """
                UPDATE feed SET complete = (SELECT complete FROM _crawl WHERE id = ?), synced_at = ?,
                    item_count = item_count - ? WHERE name = ?
                """, Value(state.crawl?.id), .text(now), Value(removed), .text(feed))
            try connection.run(
                "UPDATE run SET removed = ? WHERE id = ?", Value(draft.figures.items.removed), Value(run))
            state = draft
            try finishRun(outcome: removed > 0 ? "ok" : outcome, figures: draft.figures, error: nil, now: now)
        }
        return removed
    }

    private func complete(now: String) throws -> Int {
        let crawl = Value(state.crawl?.id)
        let removed = try mode == "all" ? remove(now: now) : 0
        try connection.run(
            "UPDATE _crawl SET complete = 1, reason = NULL, stopped_by = NULL, ended_at = ? WHERE id = ?", .text(now),
            crawl)
        try promote(
            "complete = 1, reason = NULL",
            ifNot: resumePoint.isAtEnd ? "complete = 1 AND is_unchecked = 0" : Self.isSyncedRange
        )
        try moveWatermark()
        return removed
    }

    /// Lets earlier crawls be as good as this one, whose rows it met again in their place: those that were cut off, and
    /// those that nobody had checked.
    ///
    /// - Parameter known: What a crawl is that is as good already; one that went to the end leaves nothing to be said of
    ///   the rows of others.
    private func promote(_ resumePoint: String, ifNot known: String = FeedWriter.isSyncedRange) throws {
        try connection.run(
            """
            UPDATE _crawl SET \(resumePoint), is_unchecked = 0
            WHERE feed = ?1 AND NOT (\(known)) AND generation IN (
                SELECT p.generation FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ?2)
            """, .text(feed), Value(state.crawl?.id))
        try connection.run("UPDATE _crawl SET is_unchecked = 0 WHERE id = ?", Value(state.crawl?.id))
    }

    /// Moves the watermark to the furthest item, but not past the moment at which the crawl began.
    private func moveWatermark() throws {
        var mark: Watermark?
        try connection.rows(
            "SELECT furthest, coalesce(server_date, started_at) FROM _crawl WHERE id = ?", [Value(state.crawl?.id)]
        ) { row in
            let start = row.text(at: 1).flatMap { Timestamp($0)?.seconds }
            mark = row.text(at: 0).flatMap { Watermark(json: $0, isTime: shape.plan.watermarkIsTime) }?.notAfter(start)
        }
        guard let mark else { return }
        let stored = try connection.scalar("SELECT watermark FROM _feed WHERE feed = ?", .text(feed))?.text
            .flatMap { Watermark(json: $0, isTime: shape.plan.watermarkIsTime) }
        guard stored.map({ mark.isFurther(than: $0) }) ?? true else { return }
        try connection.run("UPDATE _feed SET watermark = ? WHERE feed = ?", .text(mark.json), .text(feed))
    }

    private var mode: String {
        get throws {
            try connection.scalar("SELECT mode FROM _crawl WHERE id = ?", Value(state.crawl?.id))?.text ?? "reload"
        }
    }

    /// Whether the crawl's end proves too little, and the crawl before did not end as this one.
    private func isDoubtful() throws -> Bool {
        try connection.int64(
            """
            SELECT a.doubtful AND NOT EXISTS (
                SELECT 1 FROM _crawl b WHERE b.feed = a.feed AND b.doubtful AND b.elements = a.elements
                    AND b.id = (SELECT max(id) FROM _crawl WHERE feed = a.feed AND mode = 'all' AND id < a.id))
            FROM _crawl a WHERE id = ?
            """, Value(state.crawl?.id)) == 1
    }

    /// Marks the rows that the crawl did not meet.
    private func remove(now: String) throws -> Int {
        if try metEverything() { return 0 }
        try gatherMet()
        defer { try? connection.execute("DROP TABLE IF EXISTS temp._met") }
        var sections = SectionTally()
        var count = 0
        var places = PlaceRanges()
        try connection.rows(
            """
            UPDATE \(try SQL.identifier(tableName)) AS t SET _removed_at = ?
            WHERE _removed_at IS NULL AND \(try isComparable) AND NOT EXISTS (SELECT 1 FROM temp._met m WHERE \(try isMet))
            RETURNING _section, _generation, _position
            """, [.text(now)]
        ) { row in
            let place = Place(generation: row.int64(at: 1), position: row.int64(at: 2))
            sections.leave(row.text(at: 0), at: place, forAnother: true)
            places.insert(place)
            count += 1
        }
        try sections.apply(to: feed, on: connection, firstPlace: firstPlace)
        try lapse(places, longest: state.longestPage)
        return count
    }

    /// The keys that the crawl met, a column for each of the key's, with the last of its pages that has them.
    func gatherMet() throws {
        let count = shape.definition.key.count
        let names = (0..<count).map { "k\($0)" }.joined(separator: ", ")
        let values = (0..<count).map { Self.comparable(count == 1 ? "j.value" : "json_extract(j.value, '$[\($0)]')") }
        try connection.execute("DROP TABLE IF EXISTS temp._met")
        try connection.execute("CREATE TEMP TABLE _met (\(names), page, PRIMARY KEY (\(names))) WITHOUT ROWID")
        try connection.run(
            """
            INSERT OR REPLACE INTO temp._met SELECT \(values.joined(separator: ", ")), w.number
            FROM _crawl_page w JOIN _page p ON p.id = w.page, json_each(p.keys) j WHERE w.crawl = ?
            """, Value(state.crawl?.id))
    }

    /// Whether a row `t` is one that the crawl met, as a condition on `temp._met m`.
    var isMet: String {
        get throws {
            try shape.definition.key.enumerated().map { index, name in
                "m.k\(index) = \(Self.comparable("t.\(try SQL.identifier(name))"))"
            }.joined(separator: " AND ")
        }
    }

    /// Whether the key of a row `t` can be compared: the JSON functions of SQLite 3.40 cut a text at a zero byte.
    var isComparable: String {
        get throws {
            try shape.definition.key.map { "instr(t.\(try SQL.identifier($0)), char(0)) = 0" }.joined(
                separator: " AND ")
        }
    }

    /// SQLite reads the digits of a real not quite as they were written: the last ones do not count.
    private static func comparable(_ value: String) -> String {
        "CASE typeof(\(value)) WHEN 'real' THEN printf('%.14g', \(value)) ELSE \(value) END"
    }
}
