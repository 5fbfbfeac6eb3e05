internal import SQLite

/// The changes that a page makes to its crawl.
extension FeedWriter {
    /// Adds the page to its crawl and stores both. Returns the changed crawl.
    func record(_ page: PageCommit, _ written: WrittenPage, by rules: PageRules, now: String) throws -> CrawlState {
        var crawl = rules.crawl
        let begin = crawl.position - (rules.placed > 0 ? rules.placed : 0)
        let isFollowed = crawl.pages > 0 && trail.cursors.contains(page.end.next?.text ?? "")
        if !page.isCheck, let next = page.end.next, isFollowed {
            throw FeedSyncError(
                .unfollowable, "the page cursor `\(next)` was seen before in this crawl: following it would never end",
                advice: "check `pagination` in the feed's definition", url: page.url)
        }
        if !page.isCheck {
            crawl.pages += 1
            crawl.onlyGrows = crawl.onlyGrows && rules.onlyGrows(behindMet: crawl.hasMet)
            crawl.hasMet = crawl.hasMet || !rules.metPlaces.isEmpty
            try count(page, written, by: rules, in: &crawl)
            try noteRepeats(in: &crawl, page, isRepeat: written.elements > 0 && rules.placed == 0)
        }
        crawl.mostElements = max(crawl.mostElements, written.elements)
        // The token of a later page takes the place of an earlier one.
        crawl.furthest =
            shape.definition.sync.delta == nil
            ? try further(crawl.furthest, page.furthest)
            : page.isCheck ? crawl.furthest : page.furthest ?? crawl.furthest
        crawl.skipped += page.skipped.count
        crawl.sameKey += page.skipped.sameKey
        // Rows of a page that moved elsewhere meanwhile are stored after the others.
        if rules.isOutOfOrder || page.isCheck && rules.isMoved { crawl.isOrdered = false }
        if written.keys != "[]", !page.isCheck { crawl.lastKeys = written.keys }
        if rules.isMoved { crawl.lifted = crawl.pages }
        if page.end.next == nil, !page.isCheck {
            crawl.reason = Completeness.reason(
                of: crawl, isCut: page.upstreamNext != nil && !page.isOlder,
                isPartitioned: shape.definition.partitioning != nil,
                sign: page.end.sign)
        } else if !page.isCheck {
            crawl.reason = Completeness.reason(after: page.end.sign, crawl.reason)
        }
        let id = try storedPages.record(
            page, written.keys, elements: written.elements, storedID: written.storedID,
            place: written.place, placed: written.placed, sharesRows: rules.sharesRows, crawl: crawl.id, now: now)
        // A page that is requested again is recorded beside the page as it was met: the crawl met the keys of both.
        let number =
            page.isCheck
            ? try connection.int64(
                "SELECT min(number, 0) - 1 FROM _crawl_page WHERE crawl = ? ORDER BY number LIMIT 1", Value(crawl.id))
                ?? -1
            : Int64(crawl.pages)
        try connection.run(
            "INSERT INTO _crawl_page (crawl, number, page, position, asked, met) VALUES (?, ?, ?, ?, ?, ?)",
            Value(crawl.id), Value(number), Value(id), Value(begin), Value(page.asked?.text),
            Value(page.isCheck ? nil : MetPlaces.json(rules.metPlaces)))
        // In a statement of its own, because the column has an index, which is written even if the value does not
        // change.
        if crawl.generation != (state.crawl?.id == crawl.id ? state.crawl?.generation : nil) {
            try connection.run(
                "UPDATE _crawl SET generation = ? WHERE id = ?", Value(crawl.generation), Value(crawl.id))
        }
        return crawl
    }

    /// Counts a page of the crawl.
    private func count(
        _ page: PageCommit, _ written: WrittenPage, by rules: PageRules, in crawl: inout CrawlState
    ) throws {
        crawl.elements += written.elements - page.overlap
        if crawl.pages == 1 { crawl.headGained = rules.items.inserted > 0 }
        if written.elements > page.overlap { crawl.tailGained = rules.items.inserted > 0 }
        if page.repeatsPageBefore {
            crawl.repeats += crawl.mostElements
            crawl.isDoubtful = true
        }
        // The older pages that are read through are a crawl of their own.
        if !page.isAgain || page.meetsOwnPages { crawl.repeats += max(rules.repeats - page.overlap, 0) }
        if crawl.pages > 1, !page.showsPageBefore { crawl.overlaps = false }
        guard let part = page.part else {
            // A total counts the older items, too, which are not asked for.
            let total = page.asksNewest && (page.isOlder || page.end.next != nil) ? nil : page.end.total
            if total == nil { crawl.hasTotals = false }
            if let total {
                // An unchanged first page shows the total of the list as it was then.
                if let before = crawl.total, total != before {
                    crawl.hasTotalMoved = true
                    // Items that the crawl has passed were removed: as many later ones moved up, past the next page.
                    if total < before, page.mode == .reload { crawl.hasDrifted = true }
                }
                crawl.total = total
            }
            return
        }
        let said = page.isNotModified ? crawl.begins(part) ? page.end.total : nil : page.end.total
        let hasTotal = said != nil || !crawl.begins(part) && crawl.part?.total != nil
        let hasFallen = crawl.meet(part, elements: written.elements, total: said, end: page.end.part)
        if hasFallen, page.mode == .reload { crawl.hasDrifted = true }
        // An error proves little if no total shows that all items had come.
        let provesLittle = page.end.part == .whole && page.httpStatus >= 400 && !hasTotal
        crawl.isDoubtful = crawl.isDoubtful || provesLittle
    }

    /// Writes the crawl's state.
    func save(_ crawl: CrawlState, endedAt: String?) throws {
        try connection.run(
            """
            UPDATE _crawl SET pages = ?, elements = ?, position = ?, skipped = ?, total = ?, drift = ?, reason = ?,
                ended_at = ?, furthest = ?, doubtful = ?, part = ?, part_elements = ?, part_total = ?,
                capped = ?, cap = ?, overlaps = ?, has_totals = ?, total_moved = ?, repeats = ?, is_ordered = ?,
                same_key = ? WHERE id = ?
            """, Value(crawl.pages), Value(crawl.elements), Value(crawl.position), Value(crawl.skipped),
            Value(crawl.total), Value(crawl.hasDrifted), Value(crawl.reason?.rawValue), Value(endedAt),
            Value(crawl.furthest), Value(crawl.isDoubtful), Value(crawl.part?.name), Value(crawl.part?.elements ?? 0),
            Value(crawl.part?.total), Value(crawl.isCapped), Value(crawl.cap), Value(crawl.overlaps),
            Value(crawl.hasTotals), Value(crawl.hasTotalMoved), Value(crawl.repeats), Value(crawl.isOrdered),
            Value(crawl.sameKey), Value(crawl.id))
    }

    /// The further of two values of the watermark, as JSON.
    private func further(_ one: String?, _ other: String?) throws -> String? {
        guard let one, let other else { return one ?? other }
        let read = { (json: String) in Watermark(json: json, isTime: self.shape.plan.watermarkIsTime) }
        guard let old = read(one) else { return other }
        return read(other)?.isFurther(than: old) == true ? other : one
    }

    /// Throws if too many pages in a row brought only items already met, or only `null`: such a list never ends.
    private func noteRepeats(in crawl: inout CrawlState, _ page: PageCommit, isRepeat: Bool) throws {
        crawl.repeatedPages = isRepeat ? crawl.repeatedPages + 1 : 0
        guard crawl.repeatedPages > Self.mostRepeatedPages else { return }
        throw FeedSyncError(
            .unfollowable,
            "\(Self.mostRepeatedPages) pages in a row brought only items seen before, or none: the upstream is going in circles",
            advice: "check `pagination` in the feed's definition", url: page.url)
    }

    /// A list to which a thousand items are added meanwhile is not yet a loop.
    private static let mostRepeatedPages = 100

    /// The page cursor of a page of a crawl; nil for its first page. Makes that crawl the current one.
    package func cursor(of page: PageOfCrawl) throws -> PageCursor? {
        if state.crawl?.id != page.crawl { _ = try goOn(page.crawl, from: nil, isProved: false) }
        return try storedCursor(of: page)
    }

    private func storedCursor(of page: PageOfCrawl) throws -> PageCursor? {
        try connection.scalar(
            "SELECT asked FROM _crawl_page WHERE crawl = ? AND number = ?", Value(page.crawl), Value(page.number))?
            .text.map(PageCursor.init)
    }

    /// Gives a crawl that has written nothing yet the generation of the crawl above it, so that its rows follow those.
    private func adoptGeneration(_ id: Int64) throws {
        let range = state.progress.round?.ranges[id] ?? state.progress.synced[id]
        let others = (range?.crawls ?? []).filter { $0 != id }.map { "\($0)" }.joined(separator: ", ")
        guard !others.isEmpty,
            try connection.int64("SELECT generation IS NULL FROM _crawl WHERE id = ?", Value(id)) == 1
        else { return }
        var above: (id: Int64, generation: Int64, position: Int64)?
        try connection.rows(
            """
            SELECT id, generation, position FROM _crawl WHERE id IN (\(others)) AND generation IS NOT NULL
            ORDER BY generation LIMIT 1
            """
        ) { row in above = (row.int64(at: 0), row.int64(at: 1), row.int64(at: 2)) }
        guard let above else { return }
        try connection.run("UPDATE _crawl SET generation = NULL WHERE id = ?", Value(above.id))
        try connection.run(
            "UPDATE _crawl SET generation = ?, position = position + ? WHERE id = ?", Value(above.generation),
            Value(above.position), Value(id))
        try connection.run(
            "UPDATE _crawl_page SET position = position + ? WHERE crawl = ?", Value(above.position), Value(id))
    }

    /// The keys of a page of a crawl; none for page 0.
    private func keys(ofPage number: Int, of crawl: Int64) throws -> Set<String> {
        var keys: Set<String> = []
        try connection.rows(
            """
            SELECT p.keys FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ? AND w.number = ?
            """, [Value(crawl), Value(number)]
        ) { row in keys.formUnion(RowKey.texts(ofPage: row.text(at: 0) ?? "[]")) }
        return keys
    }

    /// The number of elements in a crawl's pages.
    ///
    /// - Parameters:
    ///   - number: The page at which the crawl continues, from 1. That page and the later ones are deleted.
    ///   - next: The cursor of the next request. Cursors of overlapping pages alone tell the number of elements: an
    ///     element that two pages share may have no key.
    private func elementCount(of crawl: Int64, before number: Int, at next: PageCursor?) throws -> Int {
        guard number > 1 else { return 0 }
        let first = try cursor(of: PageOfCrawl(crawl: crawl, number: 1))
        if let next, let count = shape.definition.pagination.elementCount(from: first, to: next) { return count }
        return try connection.count(
            """
            SELECT coalesce(sum(p.elements), 0) FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ? AND w.number > 0
            """, Value(crawl))
    }

    /// Continues a crawl at its end or at one of its pages. The crawl then reads that page and the later ones again.
    ///
    /// - Parameter isProved: True if nothing can lie between the pages of its range.
    /// - Returns: The cursor to request, and the number of pages that the crawl had.
    package func goOn(_ id: Int64, from number: Int?, isProved: Bool) throws -> (cursor: PageCursor?, pages: Int) {
        var draft = state
        var trail = CrawlTrail()
        let known = try connection.count("SELECT pages FROM _crawl WHERE id = ?", Value(id))
        let open = (state.progress.round?.ranges[id] ?? state.progress.synced[id])?.cursor
        var cursor = open
        try connection.transaction {
            if let number, number <= known {
                let page = PageOfCrawl(crawl: id, number: number)
                cursor = try storedCursor(of: page)
                keysLeft = (try keys(ofPage: number, of: id), try keys(ofPage: number - 1, of: id))
                try leavePartition(at: page)
                try connection.run(
                    "DELETE FROM _crawl_page WHERE crawl = ? AND number >= ?", Value(id), Value(number))
                try connection.run(
                    "UPDATE _crawl SET pages = ?2, reason = iif(reason = ?4, reason, NULL), elements = ?3 WHERE id = ?1",
                    Value(id), Value(number - 1), Value(try elementCount(of: id, before: number, at: cursor)),
                    .text(IncompleteReason.upstreamIncomplete.rawValue))
                if let cursor {
                    let reopen = { (range: inout SyncedRange) in
                        range.end = .open(cursor)
                        // The pages that are read again follow no page yet.
                        range.loosePages.removeAll { $0 >= number }
                    }
                    draft.progress.synced.update(id, reopen)
                    draft.progress.round?.ranges.update(id, reopen)
                    try saveProgress(draft)
                }
            }
            if number == nil, isProved {
                draft.progress.synced.update(id) { $0.loosePages = [] }
                draft.progress.round?.ranges.update(id) { $0.loosePages = [] }
                try saveProgress(draft)
            }
            try adoptGeneration(id)
            draft.crawl = try CrawlState.load(id, trail: &trail, on: connection)
            try connection.run("UPDATE \(tables.state) SET crawl = ? WHERE feed = ?", Value(id), .text(feed))
        }
        if state.crawl?.id == id { trail.keepPlaces(of: self.trail) }
        follow(draft, trail)
        return (cursor, known)
    }
}
