internal import SQLite

extension FeedWriter {
    /// Stores a page: its items, the page cursor, the feed's status, validators and quota, and the events. What only the
    /// last page of a transaction says is left to `saveOnce`.
    ///
    /// - Throws: `FeedError` of kind `unfollowable` for a loop, `SQLiteError`; whoever has the transaction undoes it then.
    func commit(_ page: PageCommit, now: String) throws -> PageOutcome {
        var draft = state
        draft.open = nil
        do {
            let (outcome, met, rows) = try store(page, in: &draft, now: now)
            if outcome.beginsNext { draft.open = .footer }
            follow(draft, behind: page, met: met, added: outcome.items.inserted, rows: rows)
            return outcome
        } catch {
            table.abandon()
            lookedUp = [:]
            throw error
        }
    }

    private func store(
        _ page: PageCommit, in draft: inout FeedState, now: String
    ) throws -> (PageOutcome, met: [MetPlaces], UnsavedRows) {
        if let shape = page.shape { try adopt(shape) }
        let crawl =
            try page.direction == .header || draft.crawl == nil
            ? startCrawl(page, in: &draft.progress, now: now) : draft.crawl
        guard let crawl else { throw FeedError(.bug, "a page has no crawl") }
        var writer = PageWriter(
            table, generation: draft.generation, crawl: crawl, direction: page.direction, now: now,
            updatesInPlace: crawl.mode == .all,
            lift: { [self] crawl, generation, sections in
                try lift(crawl, to: generation, sections: &sections)
            })
        let known = page.isNotModified ? nil : try storedPage(page.request, page.credential)
        let isInPlace = isInPlace(page, known)
        let written = try write(page, with: &writer)
        let isAsBefore = page.direction == .header && (page.isNotModified || known?.keys == written.keys)
        try lapse(writer.touched, longest: draft.longestPage)
        draft.generation = writer.newest
        draft.hasChanged = draft.hasChanged || !writer.isUnchanged
        draft.longestPage = max(draft.longestPage, writer.placed)
        draft.crawl = try record(page, written, by: writer, now: now)
        let onward =
            try page.isCheck
            ? .end(nil)
            : advance(page, written, by: writer, isAsBefore: isAsBefore, isInPlace: isInPlace, in: &draft, now: now)
        try writer.sections.apply(to: feed, on: connection, firstPlace: firstPlace)
        try QuotaLedger.record(page.quota, for: feed, on: connection)
        if page.direction == .header { try FeedSchedule.note(page.advice, of: feed, on: connection) }

        if !page.isCheck, !page.isAgain { draft.figures.pages += 1 }
        draft.figures.requests += page.requestCount
        draft.figures.bytes += page.byteCount
        draft.figures.items.add(writer.items)
        draft.figures.skipped += page.skipped.count
        let number = page.checked ?? draft.crawl?.pages ?? 1
        let isNextPage = if case .page = onward { true } else { false }
        let beginsNext = page.beginsNext && isNextPage
        let isAtEnd =
            switch onward {
            case .end, .whole: draft.progress.open == nil
            case .page, .range: false
            }
        let events = try addEvents(
            page, items: writer.items, number: number, isEnd: isAtEnd, beginsNext: beginsNext, now: now)
        if page.direction == .header {
            try connection.run("UPDATE _feed SET crawl = ? WHERE feed = ?", Value(draft.crawl?.id), .text(feed))
        }
        let rows = UnsavedRows(
            before: state, added: writer.added, status: events.last?.status,
            reloadedAt: page.direction == .header ? now : nil,
            endedAt: page.end.next == nil && !page.isCheck ? now : nil)
        let outcome = PageOutcome(
            items: writer.items, isUnchanged: writer.isUnchanged, isInPlace: isInPlace, isEnd: isAtEnd, number: number,
            crawl: draft.crawl?.id ?? 0, hasOverlap: !writer.metPlaces.isEmpty, onward: onward,
            pagesOfRange: try pages(of: onward), beginsNext: beginsNext, events: events)
        return (outcome, writer.metPlaces, rows)
    }

    /// Where the crawl goes on behind a page, and what is stored of the list by now.
    private func advance(
        _ page: PageCommit, _ written: WrittenPage, by writer: PageWriter, isAsBefore: Bool, isInPlace: Bool,
        in draft: inout FeedState, now: String
    ) throws -> CrawlProgress.Onward {
        guard let crawl = draft.crawl else { return .end(nil) }
        let place = metPlace(writer, written)
        let met = try
            (place.flatMap { try range(metAt: $0, writer, of: crawl, draft.progress) }
            ?? (isAsBefore && written.elements == 0 ? range(beginningWith: page, draft.progress) : nil))
            .flatMap { $0.isLost && page.mode != .reload ? nil : $0 }
        let meetsTop = try met == nil || isAsBefore || isTop(place, below: crawl.generation)
        let read = CrawlProgress.ReadPage(
            crawl: crawl.id, generation: crawl.generation, isHeader: page.direction == .header,
            end: page.end.next.map(SyncedRange.End.open) ?? .last(crawl.reason),
            met: met, meetsTop: meetsTop, lastGeneration: writer.crawl.lastPlaceBefore?.generation,
            isSync: page.mode != .reload, isAsBefore: writer.isUnchanged && isInPlace,
            coversRange: try covers(met, page))
        var onward = draft.progress.read(read)
        if case .whole(let range, nil) = onward, crawl.skipped > 0 { onward = .whole(range, .skipped) }
        for met in writer.metPlaces where !writer.isUnchanged {
            draft.progress.synced.takeTop(at: met.first, count: met.count)
        }
        if page.isLoose, draft.progress.open != nil || draft.progress.isWhole {
            let mark = { (range: inout SyncedRange) in range.loosePages.append(max(crawl.pages - 1, 1)) }
            draft.progress.synced.update(crawl.id, mark)
            draft.progress.round?.ranges.update(crawl.id, mark)
        }
        if case .end(let reason) = onward, page.mode == .reload, draft.progress.round != nil {
            let generations = try generationsOfRound(draft.progress)
            draft.progress.otherElements = try otherElements(
                of: draft.progress.round?.ranges.ranges.first?.crawls ?? [crawl.id])
            let loose = draft.progress.round?.ranges.ranges.first?.loosePages ?? []
            draft.progress.endRound(reason, generations: generations, isVerified: false)
            draft.progress.synced.update(crawl.id) { $0.loosePages = loose }
            draft.progress.fullPages = crawl.pages
            try connection.run("UPDATE feed SET full_at = ? WHERE name = ?", .text(now), .text(feed))
        }
        draft.isComplete = draft.progress.synced.isWhole && draft.progress.synced.reason == nil && !crawl.hasDrifted
        draft.isVerified = draft.isComplete && draft.progress.synced.ranges.first?.isVerified == true
        return onward
    }

    /// The range that begins with an empty partition, which a first page shows again: what follows it is stored.
    private func range(beginningWith page: PageCommit, _ progress: CrawlProgress) throws -> SyncedRange? {
        guard page.part != nil, let asked = page.asked else { return nil }
        let ranges = progress.round?.ranges ?? progress.synced
        return try ranges.ranges.first { range in
            guard let head = range.crawls.last else { return false }
            let first = try cursor(of: PageOfCrawl(crawl: head, number: 1))
            let elements = try connection.int64(
                "SELECT p.elements FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ? AND w.number = 1",
                Value(head))
            return first == asked && elements == 0
        }
    }

    /// Where a page meets what is stored: all its rows stand as they came, or new ones came above its first rows.
    private func metPlace(_ writer: PageWriter, _ written: WrittenPage) -> Place? {
        writer.isUnchanged && written.placed > 0 ? written.place : writer.gainedAbove?.first
    }

    /// Whether no row stands above a place but those that a crawl wrote.
    private func isTop(_ place: Place?, below generation: Int64?) throws -> Bool {
        guard let place else { return false }
        return try connection.int64(
            """
            SELECT 1 FROM \(try SQL.identifier(tableName)) WHERE _removed_at IS NULL AND _generation IS NOT ?1
                AND _generation >= ?2 AND (_generation > ?2 OR _position < ?3) LIMIT 1
            """, Value(generation), Value(place.generation), Value(place.position)) == nil
    }

    /// The range that has the place at which a page meets what is stored.
    private func range(
        metAt place: Place, _ writer: PageWriter, of crawl: CrawlState, _ progress: CrawlProgress
    ) throws -> SyncedRange? {
        guard let round = progress.round else {
            let range =
                writer.isUnchanged
                ? progress.synced.range(ofGeneration: place.generation)
                : progress.synced.ranges.first { $0.first == place }
            return range?.crawl == crawl.id ? nil : range
        }
        let own = round.ranges[crawl.id]?.crawls ?? [crawl.id]
        let others = round.ranges.ranges.flatMap(\.crawls).filter { !own.contains($0) }
        guard !others.isEmpty else { return nil }
        let met = try connection.int64(
            """
            SELECT w.crawl FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl IN (\(others.map { "\($0)" }.joined(separator: ", "))) AND p.generation = ?1
                AND p.position <= ?2 AND p.position + p.placed > ?2 LIMIT 1
            """, Value(place.generation), Value(place.position))
        return met.flatMap { round.ranges.range(ofPagesOf: $0) }
    }

    private func pages(of onward: CrawlProgress.Onward) throws -> Int {
        if case .whole(let range, _) = onward { return try pages(of: range) }
        guard case .range(let range) = onward else { return 0 }
        guard range.growsAtEnd else { return try pages(of: range) }
        // Behind the last page with items there may be an empty one.
        let last = try connection.int64(
            """
            SELECT max(w.number) FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ? AND p.elements > 0
            """, Value(range.crawl))
        return Int(clamping: last ?? 1)
    }

    private func pages(of range: SyncedRange) throws -> Int {
        Int(clamping: try connection.int64("SELECT pages FROM _crawl WHERE id = ?", Value(range.crawl)) ?? 0)
    }

    /// Whether a range that a first page met is that page alone.
    private func covers(_ range: SyncedRange?, _ page: PageCommit) throws -> Bool {
        guard let range, page.direction == .header, page.part == nil, range.crawls.count == 1 else { return false }
        return try pages(of: range) == 1
    }

    /// The generations of the rows that a crawl of every page met.
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

    /// Whether the list goes on behind a page, or ends, as it did when the page was stored.
    private func isInPlace(_ page: PageCommit, _ known: StoredPage?) -> Bool {
        if page.isNotModified { return true }
        guard let known else { return false }
        return (known.cursor == nil) == (page.upstreamNext == nil) && known.total == page.end.total
    }

    /// A page as it will be remembered: its place and its elements.
    struct WrittenPage {
        var keys: String
        var elements: Int
        var storedID: Int64?
        var place: Place
        var placed: Int64
    }

    private func write(_ page: PageCommit, with writer: inout PageWriter) throws -> WrittenPage {
        let begin = Place(generation: writer.crawl.generation ?? writer.newest, position: writer.crawl.position)
        switch page.content {
        case .decoded(let decoded):
            let keys = decoded.keys
            let isEmpty = keys == "[]"
            // A list that moves may bring a short page again, a full one hardly.
            let isTelling = page.mode == .reload || decoded.elementCount >= writer.crawl.mostElements
            if !isEmpty, page.direction == .footer, !page.isCheck, !page.isAgain, isTelling,
                keys == writer.crawl.lastKeys,
                !writer.crawl.begins(page.part)
            {
                throw FeedError.samePageTwice(page)
            }
            try writer.write(decoded, behind: page.overlap)
            if isEmpty { try writeEmpty(page, with: &writer) }
            return WrittenPage(
                keys: keys, elements: decoded.elementCount, storedID: nil, place: writer.first ?? begin,
                placed: writer.placed)
        case .empty:
            try writeEmpty(page, with: &writer)
            return WrittenPage(keys: "[]", elements: 0, storedID: nil, place: begin, placed: 0)
        case .notModified(let stored):
            try writer.keep(stored) { [self] from, count, to, sections in
                try move(from: from, count: count, to: to, sections: &sections)
            }
            return WrittenPage(
                keys: stored.keys, elements: stored.elements, storedID: writer.isMoved ? nil : stored.id,
                place: writer.first ?? stored.place, placed: stored.placed)
        }
    }

    /// A first page without items is a change unless the stored one was empty too.
    private func writeEmpty(_ page: PageCommit, with writer: inout PageWriter) throws {
        guard page.direction == .header else { return }
        let isKnown = try storedPage(page.request, page.credential)?.keys == "[]"
        if !isKnown { try writer.becomeMoved() }
    }

    /// Writes where the feed stands.
    func updateFeed(_ rows: UnsavedRows) throws {
        let next = state.progress.open?.cursor
        try connection.run(
            """
            UPDATE feed SET next_page = ?, no_more_data = ?, generation = ?, item_count = item_count + ?,
                complete = ?, verified = ?, error = NULL, reloaded_at = coalesce(?, reloaded_at),
                status = coalesce(?, status)
            WHERE name = ?
            """, Value(next?.text), Value(next == nil), Value(state.generation), Value(rows.added),
            Value(state.isComplete), Value(state.isVerified), Value(rows.reloadedAt), Value(rows.status?.rawValue),
            .text(feed))
    }

    /// Writes what the run has done.
    func updateRun(_ figures: RunMetrics) throws {
        try connection.run(
            """
            UPDATE run SET pages = ?, requests = ?, bytes = ?, inserted = ?, updated = ?, unchanged = ?, removed = ?
            WHERE id = ?
            """, Value(figures.pages), Value(figures.requests), Value(figures.bytes), Value(figures.items.inserted),
            Value(figures.items.updated), Value(figures.items.unchanged), Value(figures.items.removed), Value(run))
    }

    private func addEvents(
        _ page: PageCommit, items: ItemCounts, number: Int, isEnd: Bool, beginsNext: Bool, now: String
    ) throws -> [StatusEvent] {
        let closing: RefreshStatus = isEnd && page.direction == .footer ? .noMoreData : page.direction.end
        var events = [EventEntry(status: closing, page: number, items: items)]
        if isEnd, page.direction == .header { events.append(EventEntry(status: .noMoreData, page: number)) }
        if beginsNext { events.append(EventEntry(status: .beginFooter, page: number + 1)) }
        return try addEvents(events, now: now)
    }
}

/// What pages leave that is written once for all that are committed together.
struct UnsavedRows: Sendable {
    /// Where the feed stood before them.
    let before: FeedState
    /// How many more live rows there are.
    var added = 0
    var status: RefreshStatus?
    var reloadedAt: String?
    /// When the crawl reached its end.
    var endedAt: String?

    /// Those of a page and of the pages before it.
    func behind(_ others: UnsavedRows) -> UnsavedRows {
        UnsavedRows(
            before: others.before, added: others.added + added, status: status ?? others.status,
            reloadedAt: reloadedAt ?? others.reloadedAt, endedAt: endedAt)
    }
}
