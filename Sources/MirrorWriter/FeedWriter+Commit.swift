internal import SQLite

extension FeedWriter {
    /// Stores a page: its items, the page cursor, the feed's status, validators and quota, and the events. Values of
    /// which only a transaction's last page counts are left to `saveOnce`.
    ///
    /// - Throws: `FeedSyncError` of kind `unfollowable` for a loop, `SQLiteError`. The owner of the transaction then
    ///   undoes it.
    func store(_ page: PageCommit, now: String) throws -> PageOutcome {
        let now = timeOfPage(now)
        var draft = state
        draft.open = nil
        do {
            let stored = page.mode == .all ? try storedPages.newest(page.key)?.keys : nil
            let (outcome, met, rows) = try store(page, in: &draft, now: now)
            if page.mode == .all {
                note(
                    page.key, keys: page.content.keys, stored: stored,
                    isInSequence: page.isCheck || shape.definition.pagination.prefetch <= 1)
            }
            if outcome.beginsNext { draft.open = .footer }
            follow(draft, behind: page, met: met, added: outcome.items.inserted, rows: rows)
            return outcome
        } catch {
            table.abandon()
            storedPages.forget()
            throw error
        }
    }

    /// The time of a page: at least a millisecond after the previous page.
    private func timeOfPage(_ now: String) -> String {
        if now <= lastPageAt, let last = Timestamp.milliseconds(of: lastPageAt) {
            lastPageAt = Timestamp(milliseconds: last + 1)?.text ?? now
        } else {
            lastPageAt = now
        }
        return lastPageAt
    }

    private func store(
        _ page: PageCommit, in draft: inout FeedState, now: String
    ) throws -> (PageOutcome, met: [MetPlaces], UnsavedRows) {
        if let shape = page.shape { try adopt(shape) }
        let crawl =
            try page.direction == .header || draft.crawl == nil
            ? startCrawl(page, in: &draft.progress, now: now) : draft.crawl
        guard let crawl else { throw FeedSyncError(.bug, "a page has no crawl") }
        let page = try endingCircle(page, of: crawl)
        let empty = PageRules(
            generation: draft.generation, next: try nextGeneration(), crawl: crawl, direction: page.direction,
            updatesInPlace: crawl.mode == .all)
        var writer = PageWriter(
            table, empty, now: now,
            lift: { [self] crawl, generation, sections in
                try lift(crawl, to: generation, sections: &sections)
            })
        let known = page.isNotModified ? nil : try storedPages.newest(page.key)
        let isInPlace = isInPlace(page, known)
        let written = try write(page, with: &writer)
        let rules = writer.rules
        let hasSameKeys = page.isNotModified || known?.keys == written.keys
        try storedPages.lapse(rules.touched, longest: draft.longestPage)
        try keepGeneration(rules.newest, over: draft.generation)
        draft.generation = rules.newest
        draft.hasChanged = draft.hasChanged || !rules.isUnchanged
        draft.longestPage = max(draft.longestPage, rules.placed)
        draft.crawl = try record(page, written, by: rules, now: now)
        // What changed since cannot show a later crawl that the list was as the last one had read it.
        if draft.crawl?.onlyGrows == false || page.isCheck && !rules.isUnchanged { draft.progress.unprovedRun = nil }
        let onward =
            try page.isCheck
            ? .end(nil)
            : advance(
                page, written, by: rules, hasSameKeys: hasSameKeys, isInPlace: isInPlace, in: &draft, now: now)
        try rules.sections.apply(to: shape.definition.owner, on: connection, firstPlace: firstPlace)
        try record(page.cost.quota)
        if page.direction == .header { try FeedSchedule.note(page.advice, of: feed, on: connection) }

        if !page.isCheck, !page.isAgain { draft.figures.pages += 1 }
        draft.figures.add(page.cost)
        draft.figures.items.add(rules.items)
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
            page, items: rules.items, number: number, isEnd: isAtEnd, beginsNext: beginsNext, now: now)
        if page.direction == .header {
            try connection.run(
                "UPDATE \(tables.state) SET crawl = ? WHERE feed = ?", Value(draft.crawl?.id), .text(feed))
        }
        let rows = UnsavedRows(
            before: state, added: rules.added, status: events.last?.status,
            reloadedAt: page.direction == .header ? now : nil,
            endedAt: page.end.next == nil && !page.isCheck ? now : nil)
        let committed = CrawlRules.Committed(
            crawl: draft.crawl?.id ?? 0, number: number, isUnchanged: rules.isUnchanged, isInPlace: isInPlace,
            hasOverlap: hasOverlap(written.keys), onward: onward, pagesOfRange: try pages(of: onward),
            rangeCounts: try rangeCounts(onward),
            isShort: try isShort(onward, draft, added: (unsaved?.added ?? 0) + rules.added))
        let outcome = PageOutcome(
            items: rules.items, committed: committed, isEnd: isAtEnd, beginsNext: beginsNext, events: events)
        return (outcome, rules.metPlaces, rows)
    }

    /// The page, as the last one if it does not lead on: if it has the items of the previous page and so had that one,
    /// or if it has no items and leads back to a page of this crawl.
    ///
    /// - Throws: `FeedSyncError` of kind `unfollowable` if it is the second page and equals the first: the upstream
    ///   ignores the page cursor.
    private func endingCircle(_ page: PageCommit, of crawl: CrawlState) throws(FeedSyncError) -> PageCommit {
        guard page.direction == .footer, !page.isCheck else { return page }
        if repeatsPageBefore(page, crawl) {
            guard crawl.pages == 1 else { return isRepeatAgain(page, crawl) ? page.asRepeat() : page }
            // A list that moves may repeat a short page, but hardly a full one.
            guard page.mode != .reload, page.content.elementCount < crawl.mostElements else {
                throw FeedSyncError.samePageTwice(page)
            }
        }
        // Partitions follow each other in their own order.
        let leadsBack = page.part == nil && page.end.next.map { trail.cursors.contains($0.text) } ?? false
        return leadsBack && page.content.elementCount == 0 ? page.asEnd() : page
    }

    /// True if a page that repeats the one before cannot be the same items pushed down by a page of new ones: it is
    /// shorter than others, it is the second in a row, or nothing follows.
    private func isRepeatAgain(_ page: PageCommit, _ crawl: CrawlState) -> Bool {
        page.content.elementCount < crawl.mostElements || crawl.repeatedPages > 0 || page.end.next == nil
    }

    private func repeatsPageBefore(_ page: PageCommit, _ crawl: CrawlState) -> Bool {
        guard case .decoded(let decoded) = page.content, !page.isAgain, decoded.keys != "[]" else { return false }
        return decoded.keys == crawl.lastKeys && !crawl.begins(page.part)
    }

    /// True if the page to which the crawl went back has an item that the crawl had met on that page or the page
    /// before.
    private func hasOverlap(_ keys: String) -> Bool {
        defer { keysLeft = nil }
        guard let keysLeft else { return true }
        let keys = Set(RowKey.texts(ofPage: keys))
        return keys == keysLeft.page || !keys.isDisjoint(with: keysLeft.page.union(keysLeft.before))
    }

    /// True if the upstream reports more items than the range that a page met has.
    ///
    /// - Parameter added: The number of live rows that are not counted yet.
    private func isShort(_ onward: CrawlProgress.Onward, _ draft: FeedState, added: Int) throws -> Bool {
        guard case .whole = onward, draft.progress.round == nil, let total = draft.crawl?.total,
            shape.definition.partitioning == nil
        else { return false }
        return total > (try storedCount()) + added + draft.progress.otherElements
    }

    /// True if the list continues or ends after a page as it did when the page was stored.
    private func isInPlace(_ page: PageCommit, _ known: StoredPage?) -> Bool {
        if page.isNotModified { return true }
        guard let known else { return false }
        return (known.cursor == nil) == (page.upstreamNext == nil) && known.total == page.end.total
    }

    /// A page as it is recorded: its place and its elements.
    struct WrittenPage {
        var keys: String
        var elements: Int
        var storedID: Int64?
        var place: Place
        var placed: Int64
    }

    private func write(_ page: PageCommit, with writer: inout PageWriter) throws -> WrittenPage {
        let begin = Place(
            generation: writer.rules.crawl.generation ?? writer.rules.newest, position: writer.rules.crawl.position)
        switch page.content {
        case .decoded(let decoded):
            let keys = decoded.keys
            try writer.write(decoded, behind: page.overlap)
            if keys == "[]" { try writeEmpty(page, with: &writer) }
            return WrittenPage(
                keys: keys, elements: decoded.elementCount, storedID: nil, place: writer.rules.first ?? begin,
                placed: writer.rules.placed)
        case .empty:
            try writeEmpty(page, with: &writer)
            return WrittenPage(keys: "[]", elements: 0, storedID: nil, place: begin, placed: 0)
        case .notModified(let stored):
            try writer.keep(stored) { [self] from, count, to, sections in
                try move(from: from, count: count, to: to, sections: &sections)
            }
            return WrittenPage(
                keys: stored.keys, elements: stored.elements, storedID: writer.rules.isMoved ? nil : stored.id,
                place: writer.rules.first ?? stored.place, placed: stored.placed)
        }
    }

    /// A first page without items is a change unless the stored one was empty too, or it was asked what changed.
    private func writeEmpty(_ page: PageCommit, with writer: inout PageWriter) throws {
        guard page.direction == .header, page.mode != .since else { return }
        let isKnown = try storedPages.newest(page.key)?.keys == "[]"
        if !isKnown { try writer.becomeMoved() }
    }

    /// Writes the feed's state.
    func updateFeed(_ rows: UnsavedRows) throws {
        let next = state.progress.open?.cursor
        try connection.run(
            """
            UPDATE \(tables.feed) SET next_page = ?, no_more_data = ?, generation = ?, item_count = item_count + ?,
                complete = ?, verified = ?, error = NULL, reloaded_at = coalesce(?, reloaded_at),
                status = coalesce(?, status)
            WHERE name = ?
            """, Value(next?.text), Value(next == nil), Value(state.generation), Value(rows.added),
            Value(state.isComplete), Value(state.isVerified), Value(rows.reloadedAt), Value(rows.status?.rawValue),
            .text(feed))
        try countInOwner(rows.added)
    }

    /// Writes the run's counts.
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

/// Changes of pages that are written once for all pages that are committed together.
struct UnsavedRows: Sendable {
    /// The feed's state before them.
    let before: FeedState
    /// The number of live rows added.
    var added = 0
    var status: RefreshStatus?
    var reloadedAt: String?
    /// The time at which the crawl reached its end.
    var endedAt: String?

    /// The changes of a page and of the pages before it.
    func behind(_ others: UnsavedRows) -> UnsavedRows {
        UnsavedRows(
            before: others.before, added: others.added + added, status: status ?? others.status,
            reloadedAt: reloadedAt ?? others.reloadedAt, endedAt: endedAt)
    }
}
