internal import SQLite

extension FeedWriter {
    /// Commits a page: its items, the page cursor, the feed's status, validators and quota, and the events.
    ///
    /// - Throws: `FeedError` of kind `unfollowable` for a loop, `SQLiteError`; then nothing of it is stored.
    func commit(_ page: PageCommit, now: String) throws -> PageOutcome {
        var draft = state
        draft.open = nil
        do {
            let (outcome, met) = try connection.transaction { try store(page, in: &draft, now: now) }
            if outcome.beginsNext { draft.open = .footer }
            follow(draft, behind: page, met: met, added: outcome.items.inserted)
            return outcome
        } catch {
            table.abandon()
            lookedUp = [:]
            throw error
        }
    }

    private func store(
        _ page: PageCommit, in draft: inout FeedState, now: String
    ) throws -> (PageOutcome, met: [MetPlaces]) {
        if let shape = page.shape { try adopt(shape) }
        let crawl = try page.direction == .header || draft.crawl == nil ? startCrawl(page, now: now) : draft.crawl
        guard let crawl else { throw FeedError(.bug, "a page has no crawl") }
        var writer = PageWriter(
            table, generation: draft.generation, crawl: crawl, direction: page.direction, now: now,
            updatesInPlace: page.mode == "all",
            lift: { [self] crawl, generation, sections in
                try lift(crawl, to: generation, sections: &sections)
            })
        let isInPlace = try isInPlace(page)
        let written = try write(page, with: &writer)
        try lapse(writer.touched, longest: draft.longestPage)
        draft.generation = writer.generation
        draft.hasChanged = draft.hasChanged || !writer.isUnchanged
        draft.longestPage = max(draft.longestPage, writer.placed)
        var ground = try writer.isUnchanged && written.placed > 0 ? ground(at: written.place) : nil
        if ground?.reason == .cap, try !isCapped(total: page.end.total ?? crawl.total, added: writer.added) {
            ground = nil
        }
        let adjoins = try adjoins(writer, behind: crawl)
        draft.crawl = try record(page, written, by: writer, ground: ground, adjoins: adjoins, now: now)
        try writer.sections.apply(to: feed, on: connection, firstPlace: firstPlace)
        try QuotaLedger.record(page.quota, for: feed, on: connection)
        if page.direction == .header { try FeedSchedule.note(page.advice, of: feed, on: connection) }

        draft.figures.pages += 1
        draft.figures.requests += page.requestCount
        draft.figures.bytes += page.byteCount
        draft.figures.items.add(writer.items)
        draft.figures.skipped += page.skipped.count
        let number = draft.crawl?.pages ?? 1
        let beginsNext = self.beginsNext(page, ground != nil)
        let events = try addEvents(page, items: writer.items, number: number, beginsNext: beginsNext, now: now)
        try updateFeed(page, draft, added: writer.added, status: events.last?.status, now: now)
        try updateRun(draft.figures)
        // Who goes on to the end finds out for itself what there is.
        let behind = page.stopsAtSyncedRange && page.end.next != nil ? ground?.reason : nil
        let outcome = PageOutcome(
            items: writer.items, isUnchanged: writer.isUnchanged, isInPlace: isInPlace, isEnd: page.end.next == nil,
            number: number, ground: ground, adjoins: adjoins, beginsNext: beginsNext,
            reason: draft.crawl?.reason ?? (draft.crawl.map { $0.isCapped } ?? false ? .cap : nil) ?? behind
                ?? (draft.crawl.map { $0.skipped > 0 } ?? false ? .skipped : nil),
            events: events)
        return (outcome, writer.metPlaces)
    }

    /// Whether the upstream still has more than is stored; a list that moved may have looked as if it had.
    private func isCapped(total: Int?, added: Int) throws -> Bool {
        guard let total else { return true }
        let stored = try connection.int64("SELECT item_count FROM feed WHERE name = ?", .text(feed)) ?? 0
        return total > Int(stored) + added
    }

    /// Whether nothing lies between the page before and this one. Only a complete crawl tells what stood side by side.
    private func adjoins(_ writer: PageWriter, behind crawl: CrawlState) throws -> Bool {
        guard writer.adjoins, let last = crawl.lastPlaceBefore else { return false }
        return try ground(at: last) != nil
    }

    /// Whether the list goes on behind a page, or ends, as it did when the page was stored.
    private func isInPlace(_ page: PageCommit) throws -> Bool {
        if page.isNotModified { return true }
        guard let known = try storedPage(page.request, page.credential) else { return false }
        return (known.cursor == nil) == (page.upstreamNext == nil) && known.total == page.end.total
    }

    /// Whether a footer follows at once.
    private func beginsNext(_ page: PageCommit, _ isSynced: Bool) -> Bool {
        page.beginsNext && page.end.next != nil && !(page.stopsAtSyncedRange && isSynced)
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
        let begin = Place(generation: writer.crawl.generation ?? writer.generation, position: writer.crawl.position)
        switch page.content {
        case .decoded(let decoded):
            let keys = decoded.keys
            let isEmpty = keys == "[]"
            // A list that moves may bring a short page again, a full one hardly.
            let isTelling = page.mode == "reload" || decoded.elementCount >= writer.crawl.mostElements
            if !isEmpty, page.direction == .footer, !page.isCheck, isTelling, keys == writer.crawl.lastKeys,
                !writer.crawl.begins(page.part)
            {
                throw FeedError.samePageTwice(page)
            }
            try writer.write(decoded)
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

    private func updateFeed(
        _ page: PageCommit, _ draft: FeedState, added: Int, status: RefreshStatus?, now: String
    ) throws {
        let crawl = draft.crawl
        try connection.run(
            """
            UPDATE feed SET next_page = ?, no_more_data = ?, generation = ?, item_count = item_count + ?,
                complete = ?, error = NULL, reloaded_at = coalesce(?, reloaded_at), status = coalesce(?, status)
            WHERE name = ?
            """, Value(page.end.next?.text), Value(page.end.next == nil), Value(draft.generation), Value(added),
            Value(crawl?.isComplete ?? false), Value(page.direction == .header ? now : nil), Value(status?.rawValue),
            .text(feed))
        if page.direction == .header {
            try connection.run("UPDATE _feed SET crawl = ? WHERE feed = ?", Value(crawl?.id), .text(feed))
        }
    }

    private func updateRun(_ figures: RunMetrics) throws {
        try connection.run(
            """
            UPDATE run SET pages = ?, requests = ?, bytes = ?, inserted = ?, updated = ?, unchanged = ?, removed = ?
            WHERE id = ?
            """, Value(figures.pages), Value(figures.requests), Value(figures.bytes), Value(figures.items.inserted),
            Value(figures.items.updated), Value(figures.items.unchanged), Value(figures.items.removed), Value(run))
    }

    private func addEvents(
        _ page: PageCommit, items: ItemCounts, number: Int, beginsNext: Bool, now: String
    ) throws -> [StatusEvent] {
        let isEnd = page.end.next == nil
        let closing: RefreshStatus = isEnd && page.direction == .footer ? .noMoreData : page.direction.end
        var events = [EventEntry(status: closing, page: number, items: items)]
        if isEnd, page.direction == .header { events.append(EventEntry(status: .noMoreData, page: number)) }
        if beginsNext { events.append(EventEntry(status: .beginFooter, page: number + 1)) }
        return try addEvents(events, now: now)
    }
}
