internal import SQLite

/// What a crawl has seen when it has reached the end of the list.
extension FeedWriter {
    /// What the crawl has seen, when it has reached the end of the list. A first load is complete from now on, whatever a
    /// proof will say.
    func examine() throws -> CrawlFacts {
        var facts = CrawlFacts()
        var pages: [PageOfCrawl] = []
        facts.hasTotals = true
        facts.isInSequence = shape.definition.pagination.prefetch <= 1
        facts.overlaps = true
        // What stopped at a synced range has only its own pages to prove.
        let awaitsProof = state.progress.awaitsProof
        let list =
            state.progress.round != nil || awaitsProof ? crawlsOfList : [state.crawl?.id].compactMap(\.self)
        facts.isFirst =
            awaitsProof || state.progress.synced.isEmpty || state.progress.round?.hasMoved ?? (list.count > 1)
        var trail = CrawlTrail()
        for id in list {
            let isOwn = id == state.crawl?.id
            guard var crawl = isOwn ? state.crawl : try CrawlState.load(id, trail: &trail, on: connection) else {
                continue
            }
            // The head was read by this run, and is as it was.
            if id == list.first, !isOwn, state.crawl?.pages == 1, state.crawl?.generation == nil {
                crawl.checked = max(crawl.checked, 1)
                try markChecked(PageOfCrawl(crawl: id, number: 1), isSame: true)
            }
            facts.pageCount += crawl.pages
            facts.hasTotals = facts.hasTotals && crawl.hasTotals && crawl.total != nil
            facts.hasTotalMoved =
                facts.hasTotalMoved || crawl.hasTotalMoved || facts.total.map { $0 != crawl.total } ?? false
            facts.cursorsCount = try facts.cursorsCount || !shape.definition.pagination.isShifting && cursorsCount(id)
            facts.hasMovedDown = facts.hasMovedDown || !crawl.isOrdered
            facts.hasRepeats = facts.hasRepeats || crawl.repeats > 0
            facts.overlaps = facts.overlaps && (crawl.overlaps || crawl.pages < 2)
            facts.total = crawl.total ?? facts.total
            if crawl.pages > crawl.checked {
                pages += (crawl.checked + 1...crawl.pages).map { PageOfCrawl(crawl: id, number: $0) }
            }
            let conditional = try connection.int64(
                """
                SELECT count(*) FROM _crawl_page w JOIN _page p ON p.id = w.page
                WHERE w.crawl = ? AND w.number > ? AND coalesce(p.etag, p.last_modified) IS NOT NULL
                """, Value(id), Value(crawl.checked))
            // Pages whose rows were written from elsewhere have lost theirs.
            facts.haveValidators = facts.haveValidators || conditional ?? 0 > 0
        }
        if let round = state.progress.round {
            // Crawls of earlier runs that only met rows in their places are in no range.
            facts.hasTotalMoved =
                try facts.hasTotalMoved
                || connection.int64(
                    "SELECT count(DISTINCT total) > 1 FROM _crawl WHERE feed = ?1 AND (round = ?2 OR id = ?2)",
                    .text(feed),
                    Value(round.id)) == 1
        }
        facts.pages = pages
        facts.total = state.crawl?.total ?? facts.total
        if facts.total != nil { facts.met += try metCount() + otherElements() }
        if shape.definition.partitioning != nil { facts.total = nil }
        let isFirst = state.progress.round?.mode == .all && state.progress.synced.isEmpty
        if isFirst, facts.total.map({ $0 <= facts.met }) ?? true, try missingRows().isEmpty {
            var draft = state
            draft.isComplete = true
            try connection.transaction {
                try connection.run("UPDATE \(tables.feed) SET complete = 1 WHERE name = ?", .text(feed))
            }
            state = draft
        }
        return facts
    }

    /// Whether new items come to the end of the list: it is in ascending order, and none came to its head since.
    func growsAtEnd() throws -> Bool {
        guard let crawl = state.crawl, shape.definition.partitioning == nil else { return false }
        guard let before = resumePoint.progress.synced.ranges.first else { return try isAscending() }
        guard !crawl.headGained else { return false }
        return try before.growsAtEnd || isAscending()
    }

    /// Whether a list of several pages is in ascending order of its keys, which are whole numbers.
    func isAscending() throws -> Bool {
        var last: Int64?
        var pages = 0
        var isAscending = true
        for crawl in crawlsOfList where isAscending {
            try connection.rows(
                """
                SELECT p.keys FROM _crawl_page w JOIN _page p ON p.id = w.page
                WHERE w.crawl = ? AND w.number > 0 AND p.elements > 0 ORDER BY w.number
                """, [Value(crawl)]
            ) { row in
                pages += 1
                for text in isAscending ? RowKey.texts(ofPage: row.text(at: 0) ?? "[]") : [] {
                    let key = Int64(text)
                    // A page may begin with the last item of the one before.
                    isAscending = isAscending && key.map { $0 >= last ?? .min } ?? false
                    last = key
                }
            }
        }
        return isAscending && pages > 1
    }

    /// Whether the page cursors that led to a crawl's pages, and the one behind them if it is known, have the number of items
    /// before them in them.
    func cursorsCount(_ crawl: Int64, end: PageCursor? = nil) throws -> Bool {
        var tokens: [(text: String, before: Int)] = []
        var before = 0
        try connection.rows(
            """
            SELECT w.asked, p.elements FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ? AND w.number > 0 ORDER BY w.number
            """, [Value(crawl)]
        ) { row in
            if let text = row.text(at: 0) { tokens.append((text, before)) }
            before += row.count(at: 1)
        }
        if let end { tokens.append((end.text, before)) }
        return TokenCount.isOfItems(tokens)
    }

    /// Whether the crawl has read the list from its head to its end, and did not stop at what older ones had read.
    var isOfWholeList: Bool {
        guard let id = state.crawl?.id, state.progress.round == nil else { return true }
        return state.progress.synced.isWhole && state.progress.synced[id]?.crawls == [id]
    }

    /// The different items that the crawl met; for one that stopped at a synced range, those that are stored.
    func metCount() throws -> Int {
        guard isOfWholeList else {
            return try connection.count("SELECT item_count FROM \(tables.feed) WHERE name = ?", .text(feed))
        }
        // What says that it is gone was met, though its row has no place; totals count it, too.
        if shape.definition.removed == nil, crawlsOfList.count == 1,
            let count = trail.metCount(besides: state.crawl?.generation)
        {
            return Int(clamping: count)
        }
        return try metKeys().count
    }

    /// The elements of the crawl's pages that are not items, `null` among them: totals count them, too.
    func otherElements() throws -> Int {
        // Only a total is held against them.
        guard isOfWholeList, state.crawl?.total != nil else { return state.progress.otherElements }
        let known = crawlsOfList.count == 1 ? trail.others : nil
        let count = try known ?? others ?? otherElements(of: crawlsOfList)
        others = count
        return count
    }

    /// The elements of some crawls' pages that are not items.
    func otherElements(of crawls: [Int64]) throws -> Int {
        let crawls = crawls.map { "\($0)" }.joined(separator: ", ")
        return try connection.count(
            """
            SELECT sum(p.elements - json_array_length(p.keys)) FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl IN (\(crawls)) AND w.number > 0
            """)
    }
}
