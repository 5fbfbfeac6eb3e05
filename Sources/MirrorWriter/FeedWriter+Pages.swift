internal import SQLite

extension FeedWriter {
    /// The newest stored page for a request; nil if there is none.
    package func storedPage(_ request: String, _ credential: Int64) throws -> StoredPage? {
        let key = RequestKey(request: request, credential: credential)
        if let known = lookedUp[key] { return known }
        guard try mayBeStored(key) else { return nil }
        var page: StoredPage?
        try connection.rows(
            """
            SELECT id, etag, last_modified, generation, position, placed, elements, keys, cursor, total, skipped,
                same_key
            FROM _page WHERE feed = ? AND request = ? AND credential = ? ORDER BY id DESC LIMIT 1
            """, [.text(feed), .text(request), Value(credential)]
        ) { row in
            page = StoredPage(
                id: row.int64(at: 0), validators: Validators(etag: row.text(at: 1), lastModified: row.text(at: 2)),
                place: row.place(at: 3), placed: Int64(row.count(at: 5)),
                elements: row.count(at: 6), skipped: row.count(at: 10), sameKey: row.count(at: 11),
                keys: row.text(at: 7) ?? "[]",
                cursor: row.text(at: 8).map(PageCursor.init),
                total: row.countIfAny(at: 9))
        }
        lookedUp[key] = .some(page)
        return page
    }

    /// The stored page for a request that continues the crawl; nil if the crawl has already met some of its rows on
    /// another page, or the page itself. Its rows are then not next to each other in the crawl's order, and it has to be
    /// read item by item.
    package func storedPageToContinue(_ request: String, _ credential: Int64) throws -> StoredPage? {
        guard let page = try storedPage(request, credential), let crawl = state.crawl, page.placed > 0,
            let last = crawl.lastPlace, !last.precedes(page.place)
        else { return try storedPage(request, credential) }
        let shared = try connection.int64(
            """
            SELECT 1 FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ?1 AND p.generation = ?2 AND p.position < ?4 AND p.position + p.placed > ?3 LIMIT 1
            """, Value(crawl.id), Value(page.place.generation), Value(page.place.position),
            Value(page.place.position + page.placed))
        return shared == nil ? page : nil
    }

    /// False if the feed had no pages when the run first looked, and the run has stored none for the request.
    private func mayBeStored(_ key: RequestKey) throws -> Bool {
        if !hasLookedForPages {
            hasLookedForPages = true
            let page = try connection.scalar("SELECT 1 FROM _page WHERE feed = ? LIMIT 1", .text(feed))
            requestsOfFirstRun = page == nil ? [] : nil
        }
        return requestsOfFirstRun?.contains(key.hashValue) ?? true
    }

    /// Begins the crawl of a first page. Pages of earlier crawls are kept for their validators. The records of the
    /// crawls that read them are deleted, unless a later crawl may continue there.
    func startCrawl(_ page: PageCommit, in progress: inout CrawlProgress, now: String) throws -> CrawlState {
        let serverDate = page.serverDate.flatMap { Timestamp(sinceEpoch: $0)?.text }
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

    /// The id of the page's record: the stored one if only its validators are new.
    func recordPage(
        _ page: PageCommit, _ keys: String, elements: Int, storedID: Int64?, place: Place, placed: Int64,
        sharesRows: Bool, crawl: Int64, now: String
    ) throws -> Int64 {
        // Another page wrote a row of this one, so no validator covers all its rows.
        let validators = sharesRows ? Validators(etag: nil, lastModified: nil) : page.validators
        let known = try storedPage(page.request, page.credential)
        let key = RequestKey(request: page.request, credential: page.credential)
        lookedUp[key] = nil
        requestsOfFirstRun?.insert(key.hashValue)
        let isKnown =
            known.map {
                $0.id == storedID
                    || $0.keys == keys && $0.place == place && $0.cursor == page.upstreamNext
                        && $0.total == page.end.total && $0.elements == elements
                        && $0.skipped == page.skipped.count && $0.sameKey == page.skipped.sameKey
            } ?? false
        if let known, isKnown {
            if known.validators != validators {
                try connection.run(
                    "UPDATE _page SET etag = ?, last_modified = ? WHERE id = ?", Value(validators.etag),
                    Value(validators.lastModified), Value(known.id))
            }
            return known.id
        }
        if known != nil { try dropPages(page) }
        try connection.run(
            """
            INSERT INTO _page (feed, crawl, request, credential, generation, position, placed, elements, keys, is_first,
                skipped, same_key, cursor, http_status, total, etag, last_modified, fetched_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(feed), Value(crawl), .text(page.request), Value(page.credential), Value(place.generation),
            Value(place.position), Value(placed), Value(elements), .text(keys), Value(page.direction == .header),
            Value(page.skipped.count), Value(page.skipped.sameKey), Value(page.upstreamNext?.text),
            Value(page.httpStatus), Value(page.end.total), Value(validators.etag), Value(validators.lastModified),
            .text(now))
        return connection.lastInsertRowID
    }

    /// Drops the stored pages of a page's request that no crawl needs.
    private func dropPages(_ page: PageCommit) throws {
        try connection.run(
            """
            DELETE FROM _page WHERE feed = ?1 AND request = ?2 AND credential = ?3 AND id NOT IN (
                SELECT w.page FROM _crawl_page w JOIN _crawl c ON c.id = w.crawl WHERE c.feed = ?1)
            """, .text(feed), .text(page.request), Value(page.credential))
    }

    /// Updates a page's validators. A page without any may share rows with others, or its rows were written since.
    package func refresh(_ page: StoredPage, _ validators: Validators) throws {
        lookedUp = [:]
        try connection.run(
            """
            UPDATE _page SET etag = ?, last_modified = ?
            WHERE id = ? AND (etag IS NOT NULL OR last_modified IS NOT NULL)
            """, Value(validators.etag), Value(validators.lastModified), Value(page.id))
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
        if !pages.isEmpty { lookedUp = [:] }
        for page in pages {
            try connection.run(
                "UPDATE _page SET generation = ?, position = ? WHERE id = ?", Value(generation), Value(page.to),
                Value(page.id))
        }
        // Other pages may have had some of these rows.
        for run in runs {
            var places = PlaceRanges()
            places.insert(Place(generation: run.generation, position: run.from), count: run.count)
            try lapse(places, longest: max(state.longestPage, run.count))
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

    /// Clears the validators of pages that have a row at one of these places, because another page wrote the row.
    func lapse(_ places: PlaceRanges, longest: Int64) throws {
        if !places.ranges.isEmpty { lookedUp = [:] }
        for range in places.ranges {
            try connection.run(
                """
                UPDATE _page SET etag = NULL, last_modified = NULL
                WHERE feed = ? AND generation = ? AND position > ? AND position < ? AND position + placed > ?
                    AND (etag IS NOT NULL OR last_modified IS NOT NULL)
                """, .text(feed), Value(range.generation), Value(range.positions.lowerBound - longest),
                Value(range.positions.upperBound), Value(range.positions.lowerBound))
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
