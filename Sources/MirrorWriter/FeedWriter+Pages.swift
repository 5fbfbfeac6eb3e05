internal import SQLite

extension FeedWriter {
    /// The newest stored page for a request; nil if there is none.
    package func storedPage(_ request: String, _ credential: Int64) throws -> StoredPage? {
        try storedPages.newest(RequestKey(request: request, credential: credential))
    }

    /// The stored page for a request that continues the crawl; nil if the crawl has already met some of its rows: they
    /// are then not next to each other in the crawl's order, and the page has to be read item by item.
    package func storedPageToContinue(_ request: String, _ credential: Int64) throws -> StoredPage? {
        guard let page = try storedPage(request, credential) else { return nil }
        guard let crawl = state.crawl, page.placed > 0, let last = crawl.lastPlace, !last.precedes(page.place) else {
            return page
        }
        return try storedPages.areMet(page, by: crawl.id) ? nil : page
    }

    /// Updates a page's validators.
    package func refresh(_ page: StoredPage, _ validators: Validators) throws {
        try storedPages.refresh(page, validators)
    }

    /// Begins the crawl of a first page. Pages of earlier crawls are kept for their validators. The records of the
    /// crawls that read them are deleted, unless a later crawl may continue there.
    func startCrawl(_ page: PageCommit, in progress: inout CrawlProgress, now: String) throws -> CrawlState {
        let serverDate = page.serverDate.flatMap { Timestamp(sinceEpoch: $0)?.text }
        // What a reload read of a window is no part of a sync's crawl.
        if page.mode == .since, progress.round?.mode != .since { progress.round = nil }
        // If no stored range can be joined, every page has to be read.
        let isRound = progress.round != nil || page.mode == .all || page.mode == .since || progress.synced.isEmpty
        let mode = page.mode == .since ? page.mode : isRound ? progress.round?.mode ?? .all : page.mode
        try connection.run(
            "INSERT INTO _crawl (feed, mode, started_at, server_date, watermark) VALUES (?, ?, ?, ?, ?)",
            .text(feed), .text(mode.rawValue), .text(now), Value(serverDate), Value(page.watermark))
        var crawl = CrawlState(id: connection.lastInsertRowID)
        crawl.mode = mode
        crawl.cap = state.crawl?.cap
        if isRound {
            progress.beginRound(crawl.id, mode)
            crawl.round = progress.round?.id
            try connection.run("UPDATE _crawl SET round = ? WHERE id = ?", Value(crawl.round), Value(crawl.id))
        }
        // A full crawl uses no pages of older crawls, unless it is given up.
        let kept = progress.synced.ranges.filter { !isRound || $0.needsPages }.flatMap(\.crawls)
        try connection.run(
            """
            DELETE FROM _crawl_page WHERE crawl IN (SELECT id FROM _crawl WHERE feed = ?1 AND id <> ?2
                AND round IS NOT ?3 AND id NOT IN (\(kept.map { "\($0)" }.joined(separator: ", "))))
            """, .text(feed), Value(crawl.id), Value(crawl.round ?? crawl.id))
        return crawl
    }

    /// Gives the rows of the crawl's unchanged pages the places at which the crawl met them, in its generation. Without
    /// this, a crawl with a changed page would leave the upstream's order.
    func lift(_ crawl: CrawlState, to generation: Int64, sections: inout SectionTally) throws {
        struct Run {
            var generation: Int64, from: Int64, count: Int64, to: Int64
        }
        var runs: [Run] = []
        var pages: [(id: Int64, to: Int64)] = []
        try connection.rows(
            """
            SELECT p.id, p.generation, p.position, p.placed, w.position FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ? AND w.number > max(?, 0) AND p.generation <> ? AND p.placed > 0 ORDER BY w.number
            """, [Value(crawl.id), Value(crawl.lifted), Value(generation)]
        ) { row in
            let run = Run(
                generation: row.number(at: 1), from: row.number(at: 2), count: Int64(row.count(at: 3)),
                to: row.number(at: 4))
            pages.append((row.int64(at: 0), run.to))
            if let last = runs.last, last.generation == run.generation, last.from + last.count == run.from,
                last.to + last.count == run.to
            {
                runs[runs.count - 1].count += run.count
            } else {
                runs.append(run)
            }
        }
        for run in runs {
            try move(
                from: Place(generation: run.generation, position: run.from), count: run.count,
                to: Place(generation: generation, position: run.to), sections: &sections)
        }
        for page in pages {
            try storedPages.place(page.id, at: Place(generation: generation, position: page.to))
        }
        // Other pages may have had some of these rows.
        for run in runs {
            var places = PlaceRanges()
            places.insert(Place(generation: run.generation, position: run.from), count: run.count)
            try storedPages.lapse(places, longest: max(state.longestPage, run.count))
        }
    }

    /// Moves the rows of `count` places.
    func move(from: Place, count: Int64, to: Place, sections: inout SectionTally) throws {
        try connection.rows(
            """
            UPDATE \(try SQL.identifier(tableName)) SET _generation = ?, _position = _position + ?
            WHERE _generation = ? AND _position >= ? AND _position < ? RETURNING _section, _position
            """,
            [
                Value(to.generation), Value(to.position - from.position), Value(from.generation), Value(from.position),
                Value(from.position + count),
            ]
        ) { row in
            let section = row.text(at: 0)
            let place = Place(generation: to.generation, position: row.number(at: 1))
            let old = Place(generation: from.generation, position: place.position - to.position + from.position)
            sections.leave(section, at: old, forAnother: false)
            sections.note(section, at: place)
        }
    }

    /// The current place of a section's first item.
    func firstPlace(_ section: String?) throws -> Place? {
        var place: Place?
        try connection.rows(
            """
            SELECT _generation, _position FROM \(try SQL.identifier(tableName))
            WHERE _section IS ? AND _removed_at IS NULL ORDER BY _generation DESC, _position LIMIT 1
            """, [Value(section)]
        ) { row in
            place = row.place(at: 0)
        }
        return place
    }
}
