internal import SQLite

extension FeedSession {
    /// Whether the rows at a page's places were written last by a walk that was complete.
    ///
    /// Only a sync asks its pages again: what moved up past a `more` meanwhile was not met.
    func isKnownGround(_ page: Place) throws -> Bool {
        try connection.int64(
            "SELECT complete AND (mode <> 'reload' OR NOT ?) FROM _walk WHERE feed = ? AND generation = ?",
            Value(shape.definition.pagination.isShifting), .text(feed), Value(page.generation)) == 1
    }

    /// The continuation that led to a page of the walk; nil for its first.
    func continuation(ofPage number: Int) throws -> Continuation? {
        try connection.scalar(
            """
            SELECT p.continuation FROM _walk_page w JOIN _page p ON p.id = w.page WHERE w.walk = ? AND w.number = ?
            """, Value(state.walk?.id), Value(number - 1))?.text.map(Continuation.init)
    }

    /// What a page that is asked for once more tells, measured by what the walk has met.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - known: The page as it was met last.
    func check(_ page: DecodedPage?, number: Int, known: StoredPage?) throws -> RunRules.Check {
        let keys = page?.keys ?? "[]"
        if keys == known?.keys, try page.map(table.holds) ?? true { return .same }
        let met = "SELECT value FROM _walk_page w JOIN _page p ON p.id = w.page, json_each(p.keys) WHERE w.walk = ?2"
        // What stands last on it was met on it or before, unless it came up from a later page.
        let last = try connection.int64(
            """
            SELECT (SELECT value FROM json_each(?1) ORDER BY key DESC LIMIT 1) IN (\(met) AND w.number <= ?3)
                OR json_array_length(?1) = 0
            """, .text(keys), Value(state.walk?.id), Value(number))
        return last == 1 ? .mended : .movedUp
    }

    /// The pages of the walk on which the rows may be that it did not meet: those with the rows that stand before and
    /// behind them. Where items move from page to page it is any: the rows may have had other neighbours since.
    func pagesBesideMissing() throws -> [Int] {
        try gatherMet()
        defer { try? connection.execute("DROP TABLE IF EXISTS temp._met") }
        let table = try SQL.identifier(tableName)
        if shape.definition.pagination.isShifting {
            let isAnyMissing = try connection.int64(
                """
                SELECT EXISTS (SELECT 1 FROM \(table) t WHERE _removed_at IS NULL AND \(try isComparable)
                    AND NOT EXISTS (SELECT 1 FROM temp._met m WHERE \(try isMet)))
                """)
            return isAnyMissing == 1 ? Array(1...max(1, state.walk?.pages ?? 1)) : []
        }
        var pages: Set<Int> = []
        try connection.rows(
            """
            WITH listed AS (
                SELECT row_number() OVER (ORDER BY _generation DESC, _position) AS place,
                    (SELECT m.page FROM temp._met m WHERE \(try isMet)) AS page
                FROM \(table) t WHERE _removed_at IS NULL AND \(try isComparable)
            )
            SELECT DISTINCT beside.page FROM listed JOIN listed beside
                ON beside.place IN (listed.place - 1, listed.place + 1)
            WHERE listed.page IS NULL AND beside.page IS NOT NULL
            """
        ) { row in pages.insert(Int(row.int64(at: 0))) }
        return pages.sorted()
    }

    /// Ends a sync's run: what its walk came to, and what follows from it for rows, known ground and watermark.
    func close(_ closing: WalkClosing, outcome: String, now: String) throws -> Int {
        var removed = 0
        var draft = state
        try connection.transaction {
            switch closing {
            case .incomplete(let reason):
                try connection.run(
                    "UPDATE _walk SET complete = 0, reason = ?, ended_at = ? WHERE id = ?", .text(reason.rawValue),
                    .text(now), Value(state.walk?.id))
                draft.walk?.reason = reason
            case .complete where try mode == "all" && isDoubtful():
                // Nothing is taken for gone before a second walk ends alike.
                try connection.run(
                    "UPDATE _walk SET complete = 0, reason = 'cap', ended_at = ? WHERE id = ?", .text(now),
                    Value(state.walk?.id))
                draft.walk?.reason = .cap
            case .complete:
                removed = try complete(now: now)
                draft.figures.items.removed += removed
                draft.walk?.reason = nil
            }
            try connection.run(
                """
                UPDATE feed SET complete = (SELECT complete FROM _walk WHERE id = ?), synced_at = ?,
                    item_count = item_count - ? WHERE name = ?
                """, Value(state.walk?.id), .text(now), Value(removed), .text(feed))
            try connection.run(
                "UPDATE run SET removed = ? WHERE id = ?", Value(draft.figures.items.removed), Value(run))
            state = draft
            try finishRun(outcome: removed > 0 ? "ok" : outcome, figures: draft.figures, error: nil, now: now)
        }
        return removed
    }

    private func complete(now: String) throws -> Int {
        let walk = Value(state.walk?.id)
        let removed = try mode == "all" ? remove(now: now) : 0
        try connection.run(
            "UPDATE _walk SET complete = 1, reason = NULL, stopped_by = NULL, ended_at = ? WHERE id = ?", .text(now),
            walk)
        // What an earlier walk wrote before it was cut off has been met again, in its place.
        try connection.run(
            """
            UPDATE _walk SET complete = 1, mode = ?3
            WHERE feed = ?1 AND (complete = 0 OR mode = 'reload') AND generation IN (
                SELECT p.generation FROM _walk_page w JOIN _page p ON p.id = w.page WHERE w.walk = ?2)
            """, .text(feed), walk, .text(mode))
        try moveWatermark()
        return removed
    }

    /// Moves the watermark to the furthest item, but not past the moment at which the walk began.
    private func moveWatermark() throws {
        var mark: Watermark?
        try connection.rows(
            "SELECT furthest, coalesce(server_date, started_at) FROM _walk WHERE id = ?", [Value(state.walk?.id)]
        ) { row in
            let start = row.text(at: 1).flatMap { text in Array(text.utf8).withUnsafeBytes { Timestamp($0)?.seconds } }
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
            try connection.scalar("SELECT mode FROM _walk WHERE id = ?", Value(state.walk?.id))?.text ?? "reload"
        }
    }

    /// Whether the walk's end proves too little, and the walk before did not end as this one.
    private func isDoubtful() throws -> Bool {
        try connection.int64(
            """
            SELECT a.doubtful AND NOT EXISTS (
                SELECT 1 FROM _walk b WHERE b.feed = a.feed AND b.doubtful AND b.elements = a.elements
                    AND b.id = (SELECT max(id) FROM _walk WHERE feed = a.feed AND mode = 'all' AND id < a.id))
            FROM _walk a WHERE id = ?
            """, Value(state.walk?.id)) == 1
    }

    /// Marks the rows that the walk did not meet.
    private func remove(now: String) throws -> Int {
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

    /// The keys that the walk met, a column for each of the key's, with the last of its pages that has them.
    private func gatherMet() throws {
        let count = shape.definition.key.count
        let names = (0..<count).map { "k\($0)" }.joined(separator: ", ")
        let values = (0..<count).map { Self.comparable(count == 1 ? "j.value" : "json_extract(j.value, '$[\($0)]')") }
        try connection.execute("DROP TABLE IF EXISTS temp._met")
        try connection.execute("CREATE TEMP TABLE _met (\(names), page, PRIMARY KEY (\(names))) WITHOUT ROWID")
        try connection.run(
            """
            INSERT OR REPLACE INTO temp._met SELECT \(values.joined(separator: ", ")), w.number
            FROM _walk_page w JOIN _page p ON p.id = w.page, json_each(p.keys) j WHERE w.walk = ?
            """, Value(state.walk?.id))
    }

    /// Whether a row `t` is one that the walk met, as a condition on `temp._met m`.
    private var isMet: String {
        get throws {
            try shape.definition.key.enumerated().map { index, name in
                "m.k\(index) = \(Self.comparable("t.\(try SQL.identifier(name))"))"
            }.joined(separator: " AND ")
        }
    }

    /// Whether the key of a row `t` can be compared: the JSON functions of SQLite 3.40 cut a text at a zero byte.
    private var isComparable: String {
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
