internal import SQLite

/// The place at which a page meets stored rows, and the ranges that follow from it.
extension FeedWriter {
    /// The next step of the crawl after a page. Updates the stored ranges.
    func advance(
        _ page: PageCommit, _ written: WrittenPage, by rules: PageRules, hasSameKeys: Bool, isInPlace: Bool,
        in draft: inout FeedState, now: String
    ) throws -> CrawlProgress.Onward {
        guard let crawl = draft.crawl else { return .end(nil) }
        let isAsBefore = page.direction == .header && hasSameKeys
        let place = try mayMeet(page, of: crawl, hasSameKeys: hasSameKeys) ? metPlace(rules, written) : nil
        // A sync reads through some ranges, because another range may have the same pages.
        let mayMeet = { (range: SyncedRange) in page.mode == .reload || range.mayBeJoined }
        let met = try
            (place.flatMap { try range(metAt: $0, rules, of: crawl, draft.progress, amongOwn: page.meetsOwnPages) }
            ?? (isAsBefore && !page.meetsOwnPages && written.placed == 0 && page.end.next != nil
                ? range(beginningWith: page, draft.progress) : nil))
            .flatMap { mayMeet($0) ? $0 : nil }
        if let met, page.meetsOwnPages { try dropOlderPages(of: met) }
        let meetsTop = try met == nil || isAsBefore || isTop(place, below: crawl.generation)
        if let met, page.direction == .header, crawl.generation == nil, draft.progress.round != nil {
            try keepFirstPage(of: crawl.id, beside: met)
        }
        let coversRange = try covers(met, page)
        if coversRange, page.end.next == nil, let others = page.content.otherElements {
            draft.progress.otherElements = others
        }
        let read = CrawlProgress.ReadPage(
            crawl: crawl.id, generation: crawl.generation, isHeader: page.direction == .header,
            end: page.end.next.map(SyncedRange.End.open) ?? .last(crawl.reason),
            met: met, meetsTop: meetsTop, lastGeneration: rules.crawl.lastPlaceBefore?.generation,
            isSync: page.mode != .reload, coversRange: coversRange,
            hasMovedUnderMore: try hasMovedUnderMore(crawl, behind: page, met),
            unstored: Completeness.unstoredReason(of: crawl),
            isAscending: hasBroughtNothing(crawl, rules) || keepsOrder(page, written, by: rules),
            readsThrough: page.meetsOwnPages)
        let onward = draft.progress.read(read)
        for met in rules.metPlaces where !rules.isUnchanged {
            draft.progress.synced.takeTop(at: met.first, count: met.count)
        }
        if page.isLoose, draft.progress.open != nil || draft.progress.isWhole {
            let mark = { (range: inout SyncedRange) in range.loosePages.append(max(crawl.pages - 1, 1)) }
            draft.progress.synced.update(crawl.id, mark)
            draft.progress.round?.ranges.update(crawl.id, mark)
        }
        if case .end(let reason) = onward, page.mode == .reload, draft.progress.round != nil {
            let generations = try generationsOfRound(draft.progress)
            if crawl.total != nil {
                let crawls = draft.progress.round?.ranges.ranges.first?.crawls ?? [crawl.id]
                // The pages of a crawl that this run began are counted already, except for the last one.
                let known = crawls == [crawl.id] && state.crawl?.id == crawl.id ? trail.others : nil
                draft.progress.otherElements =
                    try known.flatMap { known in page.content.otherElements.map { known + $0 } }
                    ?? otherElements(of: crawls)
            }
            let read = draft.progress.round?.ranges.ranges.first
            draft.progress.endRound(reason, generations: generations, isVerified: false)
            draft.progress.synced.update(crawl.id) {
                $0.loosePages = read?.loosePages ?? []
                $0.isLost = read?.isLost ?? false
            }
            draft.progress.fullPages = crawl.pages
            draft.progress.isFullVerified = false
            try connection.run("UPDATE \(tables.feed) SET full_at = ? WHERE name = ?", .text(now), .text(feed))
        }
        draft.isComplete =
            draft.progress.synced.isWhole && draft.progress.synced.reason == nil && !crawl.hasDrifted
            && draft.progress.walk == nil
        draft.isVerified = draft.isComplete && draft.progress.synced.ranges.first?.isVerified == true
        return onward
    }

    /// True if a page may meet stored rows. A crawl that reads the older pages again meets the pages of this run only
    /// where it finds one as it was: if they have moved, an item of the older pages may have moved down among them.
    private func mayMeet(_ page: PageCommit, of crawl: CrawlState, hasSameKeys: Bool) throws -> Bool {
        guard page.meetsOwnPages, !hasSameKeys else { return true }
        return try !(shape.definition.pagination.isShifting || cursorsCount(crawl.id, end: page.end.next))
    }

    /// True if this run read the whole crawl and found no new item. The order of such a list is unchanged, even if items
    /// at its head are gone.
    private func hasBroughtNothing(_ crawl: CrawlState, _ rules: PageRules) -> Bool {
        (crawl.pages == 1 || isOwn(PageOfCrawl(crawl: crawl.id, number: 1))) && state.figures.items.inserted == 0
            && rules.items.inserted == 0
    }

    /// True if a page that meets a range brought nothing above it that breaks an ascending order.
    private func keepsOrder(_ page: PageCommit, _ written: WrittenPage, by rules: PageRules) -> Bool {
        if rules.crawl.generation == nil || rules.items.inserted == 0 && page.direction == .header { return true }
        return page.direction == .header && !rules.metPlaces.isEmpty
            && RowKey.areAscending(RowKey.texts(ofPage: written.keys))
    }

    /// True if the list moved under `more`, and the page is the last one that it reads or the first one that meets a
    /// range.
    private func hasMovedUnderMore(
        _ crawl: CrawlState, behind page: PageCommit, _ met: SyncedRange?
    ) throws -> Bool {
        guard page.mode == .reload, page.direction == .footer, met != nil || page.end.next == nil else { return false }
        let isShifting = try shape.definition.pagination.isShifting || cursorsCount(crawl.id, end: page.end.next)
        return Completeness.hasMovedUnderMore(crawl, isShifting: isShifting)
    }

    /// Records the first page of a crawl that only met rows in place beside the pages of the range that it met. An item
    /// that moved up to this page is on no other page once its old page is read again.
    private func keepFirstPage(of crawl: Int64, beside range: SyncedRange) throws {
        guard let head = range.crawls.last else { return }
        try connection.run(
            """
            INSERT INTO _crawl_page (crawl, number, page, position)
            SELECT ?2, (SELECT coalesce(min(min(number), 0), 0) - 1 FROM _crawl_page WHERE crawl = ?2), w.page, w.position
            FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ?1 AND w.number = 1 AND NOT EXISTS (
                SELECT 1 FROM _crawl_page k JOIN _page o ON o.id = k.page WHERE k.crawl = ?2 AND o.keys = p.keys)
            """, Value(crawl), Value(head))
    }

    /// The range that begins with this page, for a page without rows: the pages after it are stored.
    func range(beginningWith page: PageCommit, _ progress: CrawlProgress) throws -> SyncedRange? {
        let ranges = progress.round?.ranges ?? progress.synced
        return try ranges.ranges.first { range in
            guard let head = range.crawls.last else { return false }
            let first = try cursor(of: PageOfCrawl(crawl: head, number: 1))
            let placed = try connection.int64(
                "SELECT p.placed FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ? AND w.number = 1",
                Value(head))
            return first == page.asked && placed == 0
        }
    }

    /// Drops the pages of a range that this run did not read, because it has read the list again.
    private func dropOlderPages(of range: SyncedRange) throws {
        for crawl in range.crawls {
            let first = tail.filter { $0.crawl == crawl }.map(\.number).min()
            try connection.run(
                "DELETE FROM _crawl_page WHERE crawl = ? AND number < ?", Value(crawl), Value(first ?? .max))
        }
    }

    /// The place at which a page meets stored rows: all its rows are unchanged, or new rows came above the first ones.
    func metPlace(_ rules: PageRules, _ written: WrittenPage) -> Place? {
        rules.isUnchanged && written.placed > 0 ? written.place : rules.gainedAbove?.first
    }

    /// True if all rows above a place were written by the crawl with this generation.
    func isTop(_ place: Place?, below generation: Int64?) throws -> Bool {
        guard let place else { return false }
        return try connection.int64(
            """
            SELECT 1 FROM \(try SQL.identifier(tableName)) WHERE _removed_at IS NULL\(scope.and) AND _generation IS NOT ?1
                AND _generation >= ?2 AND (_generation > ?2 OR _position < ?3) LIMIT 1
            """, Value(generation), Value(place.generation), Value(place.position)) == nil
    }

    /// The range that contains the place at which a page meets stored rows.
    ///
    /// - Parameter amongOwn: True if only pages at the end of the list that this run read may be met.
    func range(
        metAt place: Place, _ rules: PageRules, of crawl: CrawlState, _ progress: CrawlProgress, amongOwn: Bool
    ) throws -> SyncedRange? {
        guard let round = progress.round else {
            let range =
                rules.isUnchanged
                ? progress.synced.range(ofGeneration: place.generation)
                : progress.synced.ranges.first { $0.first == place }
            return range?.crawl == crawl.id ? nil : range
        }
        let own = round.ranges[crawl.id]?.crawls ?? [crawl.id]
        let others = round.ranges.ranges.flatMap(\.crawls).filter { !own.contains($0) }
        guard !others.isEmpty else { return nil }
        var met: Set<Int64> = []
        // A page that was requested again is beside the others: the rows after its own in the list are unknown.
        try connection.rows(
            """
            SELECT w.crawl, w.number FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl IN (\(others.map { "\($0)" }.joined(separator: ", "))) AND w.number > 0 AND p.generation = ?1
                AND p.position <= ?2 AND p.position + p.placed > ?2
            """, [Value(place.generation), Value(place.position)]
        ) { row in
            let page = PageOfCrawl(crawl: row.int64(at: 0), number: row.count(at: 1))
            if !amongOwn || tail.contains(page) { met.insert(page.crawl) }
        }
        // If several ranges have the row, the one nearest to the head read it last. The rows after it in another range
        // may have moved since.
        return round.ranges.ranges.first { !met.isDisjoint(with: $0.crawls) }
    }

    func pages(of onward: CrawlProgress.Onward) throws -> Int {
        let range: SyncedRange
        switch onward {
        case .whole(let met, _): range = met
        case .range(let met): range = met
        case .page, .end: return 0
        }
        guard range.cursor == nil, range.loosePages.isEmpty else { return try pages(of: range) }
        // The last page with items may be followed by an empty one.
        let last = try connection.count(
            """
            SELECT max(w.number) FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ? AND p.elements > 0
            """, Value(range.crawl))
        return max(last, 1)
    }

    /// True if the page cursors of the range with which a crawl continues contain item positions.
    func rangeCounts(_ onward: CrawlProgress.Onward) throws -> Bool {
        guard case .range(let range) = onward else { return false }
        return try cursorsCount(range.crawl, end: range.cursor)
    }

    /// True if the crawl may still meet a range after its own pages.
    package var mayMeetRange: Bool {
        let ranges = state.progress.round?.ranges ?? state.progress.synced
        return ranges.ranges.last?.crawl != state.crawl?.id
    }

    func pages(of range: SyncedRange) throws -> Int {
        try connection.count("SELECT pages FROM _crawl WHERE id = ?", Value(range.crawl))
    }

    /// True if the range that a first page met consists of that page alone.
    func covers(_ range: SyncedRange?, _ page: PageCommit) throws -> Bool {
        guard let range, page.direction == .header, range.crawls.count == 1 else { return false }
        return try pages(of: range) == 1
    }

    /// The generations of the rows that a full crawl met.
    func generationsOfRound(_ progress: CrawlProgress) throws -> Set<Int64> {
        guard let round = progress.round else { return [] }
        var generations: Set<Int64> = []
        try connection.rows(
            """
            SELECT DISTINCT p.generation FROM _crawl c JOIN _crawl_page w ON w.crawl = c.id JOIN _page p ON p.id = w.page
            WHERE c.feed = ?1 AND (c.round = ?2 OR c.id = ?2) AND p.placed > 0
            UNION SELECT generation FROM _crawl WHERE feed = ?1 AND (round = ?2 OR id = ?2) AND generation IS NOT NULL
            """, [.text(feed), Value(round.id)]
        ) { row in generations.insert(row.int64(at: 0)) }
        return generations
    }
}
