internal import SQLite

/// What a sync finds out and says at the end of its crawl.
extension FeedWriter {
    /// What the crawl has seen, when it has reached the end of the list. A first load is complete from now on, whatever a
    /// proof will say.
    func examine() throws -> CrawlFacts {
        var facts = CrawlFacts()
        var pages: [PageOfCrawl] = []
        facts.hasTotals = true
        facts.overlaps = true
        // What stopped at a synced range has only its own pages to prove.
        let list = state.progress.round != nil ? crawlsOfList : [state.crawl?.id].compactMap(\.self)
        facts.isFirst = state.progress.synced.isEmpty || state.progress.round?.hasMoved ?? (list.count > 1)
        var trail = CrawlTrail()
        for id in list {
            let isOwn = id == state.crawl?.id
            guard var crawl = isOwn ? state.crawl : try CrawlState.load(id, trail: &trail, on: connection) else {
                continue
            }
            // The head was read by this run, and is as it was.
            if id == list.first, !isOwn, state.crawl?.pages == 1, state.crawl?.generation == nil {
                crawl.checked = max(crawl.checked, 1)
                try markChecked(PageOfCrawl(crawl: id, number: 1))
            }
            facts.pageCount += crawl.pages
            facts.hasTotals = facts.hasTotals && crawl.hasTotals && crawl.total != nil
            facts.hasTotalMoved =
                facts.hasTotalMoved || crawl.hasTotalMoved || facts.total.map { $0 != crawl.total } ?? false
            facts.cursorsCount = try facts.cursorsCount || !shape.definition.pagination.isShifting && cursorsCount(id)
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
        facts.lastPage = pages.last
        // The border of the last page is the end.
        facts.pages = pages.dropLast()
        facts.total = state.crawl?.total ?? facts.total
        if facts.total != nil { facts.met += try metCount() + otherElements() }
        if shape.definition.partitioning != nil { facts.total = nil }
        let isFirst = state.progress.round?.mode == .all && state.progress.synced.isEmpty
        if isFirst, facts.total.map({ $0 <= facts.met }) ?? true, try missingRows().isEmpty {
            var draft = state
            draft.isComplete = true
            try connection.transaction {
                try connection.run("UPDATE feed SET complete = 1 WHERE name = ?", .text(feed))
            }
            state = draft
        }
        return facts
    }

    /// Whether new items come to the end of the list: they did since the last full crawl, and none came to its head.
    private func growsAtEnd() throws -> Bool {
        guard let crawl = state.crawl, !crawl.headGained, let before = resumePoint.progress.synced.ranges.first else {
            return false
        }
        return try before.growsAtEnd || crawl.tailGained && isAscending()
    }

    /// Whether the list is in ascending order of its keys, as far as the first items of its pages tell.
    private func isAscending() throws -> Bool {
        var firsts: [Int64?] = []
        for crawl in crawlsOfList {
            try connection.rows(
                """
                SELECT p.keys FROM _crawl_page w JOIN _page p ON p.id = w.page
                WHERE w.crawl = ? AND w.number > 0 AND p.elements > 0 ORDER BY w.number
                """, [Value(crawl)]
            ) { row in
                let keys = row.text(at: 0) ?? ""
                firsts.append(Int64(keys.dropFirst().prefix { $0 != "," && $0 != "]" }))
            }
        }
        guard firsts.count > 1 else { return false }
        return zip(firsts, firsts.dropFirst()).allSatisfy { one, next in
            if let one, let next { one < next } else { false }
        }
    }

    /// Whether the page cursors that led to a crawl's pages have the number of items before them in them.
    private func cursorsCount(_ crawl: Int64) throws -> Bool {
        var tokens: [(text: String, before: Int)] = []
        var before = 0
        try connection.rows(
            """
            SELECT w.asked, p.elements FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ? AND w.number > 0 ORDER BY w.number
            """, [Value(crawl)]
        ) { row in
            if let text = row.text(at: 0) { tokens.append((text, before)) }
            before += Int(clamping: row.int64(at: 1))
        }
        return TokenCount.isOfItems(tokens)
    }

    /// Whether the crawl has read the list from its head to its end, and did not stop at what older ones had read.
    private var isOfWholeList: Bool {
        guard let id = state.crawl?.id, state.progress.round == nil else { return true }
        return state.progress.synced.isWhole && state.progress.synced[id]?.crawls == [id]
    }

    /// The different items that the crawl met; for one that stopped at a synced range, those that are stored.
    private func metCount() throws -> Int {
        guard isOfWholeList else {
            return Int(clamping: try connection.int64("SELECT item_count FROM feed WHERE name = ?", .text(feed)) ?? 0)
        }
        if crawlsOfList.count == 1, let count = trail.metCount(besides: state.crawl?.generation) {
            return Int(clamping: count)
        }
        return try metKeys().count
    }

    /// What a page that is asked for again tells, measured by what the crawl has met.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - end: Where the list goes on behind it.
    ///   - known: The page as it was met last.
    func compare(
        _ page: DecodedPage?, _ end: NextPage, at place: PageOfCrawl, known: StoredPage?
    ) throws -> PageComparison {
        if try outgrows(place, end) { return .outgrown }
        let keys = page?.keys ?? "[]"
        if keys == known?.keys, try page.map({ try table.holds($0) }) ?? true { return .same }
        let met = try metBefore ?? metKeys()
        metBefore = met
        let texts = RowKey.texts(ofPage: keys)
        let last = texts.last
        let before = known.flatMap { RowKey.texts(ofPage: $0.keys).first }.flatMap { met[$0]?.place }
        if let shift = PageComparison.shift(texts.map { met[$0]?.place }, from: before),
            try page.map({ try table.holds($0, besidesNew: true) }) ?? false
        {
            return .shifted(by: shift)
        }
        let isStored =
            try state.crawl?.mode == .since
            || (state.crawl?.mode == .new
                && page.flatMap { try table.lastPlace(of: $0) }.map {
                    state.progress.synced.range(ofGeneration: $0.generation) != nil
                } ?? false)
        return PageComparison(
            lastMetAt: last.flatMap { met[$0]?.page }, at: try ordinal(of: place), isLast: end.next == nil,
            isEmpty: last == nil, isStored: isStored)
    }

    /// The place of a page in the list, from 1.
    private func ordinal(of page: PageOfCrawl) throws -> Int {
        var ordinal = page.number
        for crawl in crawlsOfList.prefix(while: { $0 != page.crawl }) {
            ordinal += Int(
                clamping: try connection.int64(
                    "SELECT count(*) FROM _crawl_page WHERE crawl = ? AND number > 0", Value(crawl)) ?? 0)
        }
        return ordinal
    }

    /// Takes note of a page that was asked for again and brought nothing.
    func markChecked(_ page: PageOfCrawl) throws {
        let before = page.number - 1
        if state.crawl?.id == page.crawl, state.crawl?.checked == before { state.crawl?.checked = page.number }
        try connection.run(
            "UPDATE _crawl SET checked = ? WHERE id = ? AND checked = ?", Value(page.number), Value(page.crawl),
            Value(before))
    }

    /// Takes note of a page that was asked for again because rows that stood there were not met.
    func markAskedAgain(_ page: PageOfCrawl) throws {
        var draft = state
        draft.progress.round?.askedAgain.insert(page)
        try connection.transaction { try saveProgress(draft) }
        state = draft
    }

    /// Ends a sync's run: what its crawl came to, and what follows from it for rows, ranges and watermark.
    func close(_ closing: CrawlClosing, outcome: String, now: String) throws -> Int {
        var removed = 0
        var draft = state
        try connection.transaction {
            switch try weighed(closing) {
            case .incomplete(let reason): try end(reason, now: now, in: &draft)
            case .complete(let isVerified):
                let missing = draft.progress.round?.mode == .all ? try missingRows() : []
                if try isSuspect(missing) {
                    try endSuspiciously(met: try itemCount() - missing.count, in: &draft)
                } else {
                    removed = try remove(missing, now: now)
                    draft.figures.items.removed += removed
                    try complete(isVerified: isVerified, now: now, in: &draft)
                }
            }
            draft.isComplete = draft.crawl?.reason == nil
            let next = draft.progress.open?.cursor
            try connection.run(
                """
                UPDATE feed SET complete = ?, verified = ?, synced_at = ?, item_count = item_count - ?, next_page = ?,
                    no_more_data = ? WHERE name = ?
                """, Value(draft.isComplete), Value(draft.isComplete && draft.isVerified), .text(now), Value(removed),
                Value(next?.text), Value(next == nil), .text(feed))
            try connection.run(
                "UPDATE run SET removed = ? WHERE id = ?", Value(draft.figures.items.removed), Value(run))
            // What is gone shows with the page that proved it, the last one.
            if removed > 0 {
                try connection.run(
                    "UPDATE event SET removed = removed + ? WHERE id = (SELECT max(id) FROM event WHERE run = ?)",
                    Value(removed), Value(run))
            }
            try saveProgress(draft)
            state = draft
            try finishRun(
                outcome: removed > 0 ? "ok" : outcome, figures: draft.figures, error: nil, now: now)
        }
        return removed
    }

    /// Totals are believed against us: what stopped at a synced range is not complete where there are more items than rows.
    private func weighed(_ closing: CrawlClosing) throws -> CrawlClosing {
        guard state.progress.round == nil, shape.definition.partitioning == nil, let total = state.crawl?.total,
            case .complete = closing
        else { return closing }
        return total > (try metCount() + otherElements()) ? .incomplete(.cap) : closing
    }

    private func complete(isVerified: Bool, now: String, in draft: inout FeedState) throws {
        let isVerified = isVerified && draft.progress.round?.isDoubtful != true
        let crawl = Value(draft.crawl?.id)
        try connection.run(
            "UPDATE _crawl SET complete = 1, reason = NULL, ended_at = ? WHERE id = ?", .text(now), crawl)
        draft.crawl?.reason = nil
        draft.isVerified = isVerified
        draft.progress.suspectEnd = nil
        if draft.progress.round?.mode != .since { draft.progress.otherElements = try otherElements() }
        if let round = draft.progress.round {
            try moveWatermark(round)
            let pages = try connection.int64(
                "SELECT sum(pages) FROM _crawl WHERE id IN (\(crawlsOfList.map { "\($0)" }.joined(separator: ", ")))")
            draft.progress.endRound(
                nil, generations: try generationsOfRound(draft.progress), isVerified: isVerified,
                growsAtEnd: try growsAtEnd())
            if round.mode == .all {
                draft.progress.fullPages = pages.map { Int(clamping: $0) }
                try connection.run("UPDATE feed SET full_at = ? WHERE name = ?", .text(now), .text(feed))
            }
        } else if let head = draft.progress.synced.ranges.first {
            draft.progress.synced.update(head.crawl) {
                $0.isVerified = isVerified
                $0.loosePages = []
            }
        }
        // The next sync reads through what is stored in another order than the list's.
        if draft.crawl?.isOrdered == false { draft.progress.synced = SyncedRanges() }
    }

    private func end(_ reason: IncompleteReason, now: String, in draft: inout FeedState) throws {
        draft.crawl?.reason = reason
        draft.isVerified = false
        let met = try itemCount()
        try connection.run("UPDATE _crawl SET reason = ? WHERE id = ?", .text(reason.rawValue), Value(draft.crawl?.id))
        guard reason.leavesSyncedRange else {
            draft.progress.forgetRanges()
            return
        }
        // An end before the total is looked at again: it may have been a slip of the upstream's.
        if reason == .cap, draft.progress.round?.mode == .all, !isLikeSuspectEnd(met),
            shape.definition.partitioning == nil
        {
            try endSuspiciously(met: met, in: &draft)
            return
        }
        if draft.progress.round == nil, reason == .cap, let head = draft.progress.synced.ranges.first {
            if let total = draft.crawl?.total, total <= met {
                // The upstream has no more than that now: the next sync finds out where the list ends.
                draft.progress.synced = SyncedRanges()
            } else {
                draft.progress.synced.update(head.crawl) { $0.end = .last(reason) }
            }
        }
        if draft.progress.round?.mode == .all {
            try connection.run("UPDATE feed SET full_at = ? WHERE name = ?", .text(now), .text(feed))
        }
        draft.progress.endRound(reason, generations: try generationsOfRound(draft.progress), isVerified: false)
    }

    /// Whether the list seems to end too soon: more than a page of rows at its end was not met, no total agrees, and the
    /// crawl before did not end like this one.
    private func isSuspect(_ missing: [MissingRow]) throws -> Bool {
        guard let crawl = state.crawl, shape.definition.partitioning == nil || crawl.isDoubtful else { return false }
        guard missing.count(where: \.isAtEnd) > (crawl.isDoubtful ? 0 : crawl.mostElements) else { return false }
        let met = try itemCount() - missing.count
        if let total = crawl.total, total == met + (try otherElements()) { return false }
        return !isLikeSuspectEnd(met)
    }

    /// Whether the crawl before ended like one that met so many items: within a page.
    private func isLikeSuspectEnd(_ met: Int) -> Bool {
        guard let before = state.progress.suspectEnd else { return false }
        return abs(before - met) <= state.crawl?.mostElements ?? 0
    }

    /// The elements of the crawl's pages that are not items, `null` among them: totals count them, too.
    private func otherElements() throws -> Int {
        isOfWholeList ? try otherElements(of: crawlsOfList) : state.progress.otherElements
    }

    /// The elements of some crawls' pages that are not items.
    func otherElements(of crawls: [Int64]) throws -> Int {
        let crawls = crawls.map { "\($0)" }.joined(separator: ", ")
        let count = try connection.int64(
            """
            SELECT sum(p.elements - json_array_length(p.keys)) FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl IN (\(crawls)) AND w.number > 0
            """)
        return max(Int(clamping: count ?? 0), 0)
    }

    /// The rows that the upstream has, as far as is known.
    private func itemCount() throws -> Int {
        Int(clamping: try connection.int64("SELECT item_count FROM feed WHERE name = ?", .text(feed)) ?? 0)
    }

    /// Keeps the crawl open at its last page, which the next sync looks at again.
    private func endSuspiciously(met: Int, in draft: inout FeedState) throws {
        draft.crawl?.reason = .cap
        draft.progress.suspectEnd = met
        try connection.run("UPDATE _crawl SET reason = 'cap' WHERE id = ?", Value(draft.crawl?.id))
        let tail = draft.progress.round?.ranges.ranges.first?.crawl ?? 0
        let pages = Int(clamping: try connection.int64("SELECT pages FROM _crawl WHERE id = ?", Value(tail)) ?? 0)
        if pages > 1, let last = try cursor(of: PageOfCrawl(crawl: tail, number: pages)) {
            draft.progress.round?.ranges.update(tail) { $0.end = .open(last) }
        } else {
            draft.progress.round = nil
        }
    }

    /// Moves the watermark to the furthest item, but not past the moment at which the crawl began.
    private func moveWatermark(_ round: CrawlProgress.Round) throws {
        var furthest: Watermark?
        var start: Int64?
        try connection.rows(
            "SELECT furthest, coalesce(server_date, started_at) FROM _crawl WHERE feed = ? AND (round = ? OR id = ?) ORDER BY id",
            [.text(feed), Value(round.id), Value(round.id)]
        ) { row in
            start = start ?? row.text(at: 1).flatMap { Timestamp($0)?.seconds }
            let mark = row.text(at: 0).flatMap { Watermark(json: $0, isTime: shape.plan.watermarkIsTime) }
            guard let mark else { return }
            if furthest.map({ mark.isFurther(than: $0) }) ?? true { furthest = mark }
        }
        guard let mark = furthest?.notAfter(start) else { return }
        let stored = try connection.scalar("SELECT watermark FROM _feed WHERE feed = ?", .text(feed))?.text
            .flatMap { Watermark(json: $0, isTime: shape.plan.watermarkIsTime) }
        guard stored.map({ mark.isFurther(than: $0) }) ?? true else { return }
        try connection.run("UPDATE _feed SET watermark = ? WHERE feed = ?", .text(mark.json), .text(feed))
    }

    /// Marks the rows that the crawl did not meet.
    private func remove(_ missing: [MissingRow], now: String) throws -> Int {
        guard !missing.isEmpty else { return 0 }
        var sections = SectionTally()
        var places = PlaceRanges()
        let table = try SQL.identifier(tableName)
        for row in missing {
            try connection.run(
                "UPDATE \(table) SET _removed_at = ? WHERE _rowid_ = ?", .text(now), Value(row.id))
            sections.leave(row.section, at: row.place, forAnother: true)
            places.insert(row.place)
        }
        try sections.apply(to: feed, on: connection, firstPlace: firstPlace)
        try lapse(places, longest: state.longestPage)
        return missing.count
    }
}
