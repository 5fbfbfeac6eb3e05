internal import SQLite

/// The facts of a crawl at the end of the list.
extension FeedWriter {
    /// The facts of a crawl that has reached the end of the list.
    package func examine() throws -> CrawlFacts {
        var facts = CrawlFacts()
        facts.hasTotals = true
        facts.isInSequence = shape.definition.pagination.prefetch <= 1
        facts.overlaps = true
        // A crawl that stopped at a synced range has only its own pages to prove.
        let list = state.progress.round != nil ? crawlsOfList : [state.crawl?.id].compactMap(\.self)
        var trail = CrawlTrail()
        for id in list {
            let isOwn = id == state.crawl?.id
            guard let crawl = isOwn ? state.crawl : try CrawlState.load(id, trail: &trail, on: connection) else {
                continue
            }
            let head = PageOfCrawl(crawl: id, number: 1)
            // This run read the head, and it is unchanged.
            if id == list.first, !isOwn, state.crawl?.pages == 1, state.crawl?.generation == nil {
                askedAgain.insert(head)
                try markChecked(head, isSame: true)
            }
            facts.hasTotals = facts.hasTotals && crawl.hasTotals && crawl.total != nil
            facts.hasTotalMoved =
                facts.hasTotalMoved || crawl.hasTotalMoved || facts.total.map { $0 != crawl.total } ?? false
            facts.cursorsCount = try facts.cursorsCount || cursorsCount(id)
            facts.hasMovedDown = facts.hasMovedDown || !crawl.isOrdered
            facts.hasRepeats = facts.hasRepeats || crawl.repeats > 0
            facts.overlaps = facts.overlaps && (crawl.overlaps || crawl.pages < 2)
            facts.total = crawl.total ?? facts.total
        }
        facts.isPartial = try saysPartial()
        if let before = state.progress.driftEnd { facts.isLikeDrift = try metKeys().count == before }
        facts.endsInRepeat = shape.definition.partitioning == nil && state.crawl?.isDoubtful == true
        facts.sharesValues = try sharesValues()
        state.crawl?.sharesValues = facts.sharesValues
        facts.pages = try pages(of: list)
        facts.pageCount = facts.pages.count
        if let round = state.progress.round {
            // Crawls of earlier runs that only met rows in place belong to no range.
            facts.hasTotalMoved =
                try facts.hasTotalMoved
                || connection.int64(
                    "SELECT count(DISTINCT total) > 1 FROM _crawl WHERE feed = ?1 AND (round = ?2 OR id = ?2)",
                    .text(feed),
                    Value(round.id)) == 1
            tail = Set(facts.pages.reversed().prefix(while: isOwn))
            facts.olderPages = tail.count == facts.pages.count ? 0 : facts.pages.count - tail.count + 1
            facts.mustReadThrough = Completeness.mustReadThrough(shape.definition.sync, state.progress)
        }
        facts.total = state.crawl?.total ?? facts.total
        if facts.total != nil { facts.met += try metCount() + otherElements() }
        if shape.definition.partitioning != nil { facts.total = nil }
        return facts
    }

    /// True if the upstream said on a page of the list that it left items out.
    private func saysPartial() throws -> Bool {
        try state.crawl?.reason == .upstreamIncomplete
            || connection.int64(
                "SELECT 1 FROM _crawl WHERE reason = ?1 AND id IN (SELECT value FROM json_each(?2)) LIMIT 1",
                .text(IncompleteReason.upstreamIncomplete.rawValue), .text("\(crawlsOfList)")) != nil
    }

    /// True if several live rows share the values with which `keyset` continues.
    private func sharesValues() throws -> Bool {
        guard let rows = try rowsThatShareValues() else { return false }
        return try connection.int64("\(rows) LIMIT 1") != nil
    }

    /// A query for the live rows that share the values with which `keyset` continues; nil for other styles, if the
    /// values are the key, and if they have no columns.
    func rowsThatShareValues() throws -> String? {
        let definition = shape.definition
        let columns = definition.pagination.itemPaths.compactMap { path in
            definition.columns.first { $0.path == path }?.name
        }
        guard definition.partitioning == nil, !columns.isEmpty, columns.count == definition.pagination.itemPaths.count,
            !Set(columns).isSuperset(of: definition.key)
        else { return nil }
        let names = try columns.map { try SQL.identifier($0) }.joined(separator: ", ")
        let rows = "FROM \(try SQL.identifier(tableName)) WHERE _removed_at IS NULL\(scope.and)"
        return
            "SELECT _rowid_ \(rows) AND (\(names)) IN (SELECT \(names) \(rows) GROUP BY \(names) HAVING count(*) > 1)"
    }

    /// The pages of crawls, in their order.
    func pages(of crawls: [Int64]) throws -> [PageOfCrawl] {
        var pages: [PageOfCrawl] = []
        for crawl in crawls {
            try connection.rows(
                "SELECT number FROM _crawl_page WHERE crawl = ? AND number > 0 ORDER BY number", [Value(crawl)]
            ) { row in pages.append(PageOfCrawl(crawl: crawl, number: row.count(at: 0))) }
        }
        return pages
    }

    /// True if new items are added at the end of the list: its keys ascend and none was added at its head since.
    func growsAtEnd() throws -> Bool {
        guard let crawl = state.crawl, shape.definition.partitioning == nil else { return false }
        guard let before = resumePoint.progress.synced.ranges.first else { return try isAscending() }
        return try before.growsAtEnd && !crawl.headGained || isAscending()
    }

    /// True if the list is in ascending order of its keys.
    private func isAscending() throws -> Bool {
        var last: String?
        var pages = 0
        var isAscending = true
        for crawl in crawlsOfList where isAscending {
            try connection.rows(
                """
                SELECT p.keys FROM _crawl_page w JOIN _page p ON p.id = w.page
                WHERE w.crawl = ? AND w.number > 0 AND p.elements > 0 ORDER BY w.number
                """, [Value(crawl)]
            ) { row in
                guard isAscending else { return }
                let keys = RowKey.texts(ofPage: row.text(at: 0) ?? "[]")
                // A page may begin with the last item of the previous page.
                isAscending = RowKey.areAscending(keys, behind: last)
                last = keys.last ?? last
                pages += 1
            }
        }
        // The order of a single page is chance, unless the paginator relies on it.
        return isAscending && (pages > 1 || !shape.definition.pagination.itemPaths.isEmpty)
    }

    /// True if the page cursors of a crawl, and the next one if known, contain item positions, and the paginator does
    /// not already say that they are positions or keys.
    func cursorsCount(_ crawl: Int64, end: PageCursor? = nil) throws -> Bool {
        let pagination = shape.definition.pagination
        guard !pagination.isShifting, pagination.itemPaths.isEmpty else { return false }
        var tokens: [TokenCount.Token] = []
        var before = 0
        var page = 0
        try connection.rows(
            """
            SELECT w.asked, p.elements FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ? AND w.number > 0 ORDER BY w.number
            """, [Value(crawl)]
        ) { row in
            page += 1
            if let text = row.text(at: 0) { tokens.append(TokenCount.Token(text: text, before: before, page: page)) }
            before += row.count(at: 1)
        }
        if let end { tokens.append(TokenCount.Token(text: end.text, before: before, page: page + 1)) }
        return TokenCount.hasPlaces(tokens)
    }

    /// True if the crawl has read the list from its head to its end, without stopping at a synced range.
    var isOfWholeList: Bool {
        guard let id = state.crawl?.id, state.progress.round == nil else { return true }
        return state.progress.synced.isWhole && state.progress.synced[id]?.crawls == [id]
    }

    /// The number of different items that the crawl met; for a crawl that stopped at a synced range, of stored items.
    func metCount() throws -> Int {
        guard isOfWholeList else { return try storedCount() }
        // An item that reports its own removal was met, though its row has no place. Totals count it, too.
        if shape.definition.removed == nil, crawlsOfList.count == 1,
            let count = trail.metCount(besides: state.crawl?.generation)
        {
            return Int(clamping: count)
        }
        return try metKeys().count
    }

    /// The elements of the crawl's pages that are not items, including `null`. Totals count them, too.
    func otherElements() throws -> Int {
        // They are compared with a total only.
        guard isOfWholeList, state.crawl?.total != nil else { return state.progress.otherElements }
        let known = crawlsOfList.count == 1 ? trail.others : nil
        let count = try known ?? others ?? otherElements(of: crawlsOfList)
        others = count
        return count
    }

    /// The elements of the crawl's pages that have no row: those that are not items, and items that said that they are
    /// gone when they first came.
    func elementsWithoutRow() throws -> Int {
        let others = try otherElements()
        guard shape.definition.removed != nil, isOfWholeList, state.crawl?.total != nil else { return others }
        return others + max(try metKeys().count - storedCount(), 0)
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
