internal import SQLite

extension FeedSession {
    /// Commits a page: its items, the continuation, the feed's status, validators and quota, and the events.
    ///
    /// - Throws: `FeedError` of kind `unfollowable` for a loop, `SQLiteError`; then nothing of it is stored.
    func commit(_ page: PageCommit, now: String) throws -> PageOutcome {
        var draft = state
        draft.open = nil
        do {
            let outcome = try connection.transaction { try store(page, in: &draft, now: now) }
            if page.beginsNext, !outcome.isEnd { draft.open = .footer }
            follow(draft, standing: FeedStanding(isLoaded: true, continuation: page.end.next))
            return outcome
        } catch {
            table.abandon()
            throw error
        }
    }

    private func store(_ page: PageCommit, in draft: inout FeedState, now: String) throws -> PageOutcome {
        if let shape = page.shape { try adopt(shape) }
        let walk = try page.direction == .header || draft.walk == nil ? startWalk(page, now: now) : draft.walk
        guard let walk else { throw FeedError(.bug, "a page has no walk") }
        var writer = PageWriter(
            table, generation: draft.generation, walk: walk, direction: page.direction, now: now,
            lift: { [self] walk, generation, sections in
                try lift(walk, to: generation, sections: &sections)
            })
        let written = try write(page, with: &writer)
        try lapse(writer.touched, longest: draft.longestPage)
        draft.generation = writer.generation
        draft.hasChanged = draft.hasChanged || writer.isChanged
        draft.longestPage = max(draft.longestPage, writer.placed)
        draft.walk = try record(page, written, by: writer, now: now)
        try writer.sections.apply(to: feed, on: connection, firstPlace: firstPlace)
        try QuotaLedger.record(page.quota, for: feed, on: connection)
        if page.direction == .header { try FeedSchedule.note(page.advice, of: feed, on: connection) }

        draft.figures.pages += 1
        draft.figures.requests += page.requestCount
        draft.figures.bytes += page.byteCount
        draft.figures.items.add(writer.items)
        draft.figures.leftOut += page.leftOut.count
        try updateFeed(page, draft, added: writer.added, now: now)
        try updateRun(draft.figures)
        return PageOutcome(
            items: writer.items, isUnchanged: !writer.isChanged, isEnd: page.end.next == nil,
            events: try logEvents(page, items: writer.items, number: draft.walk?.pages ?? 1, now: now))
    }

    /// A page as it will be remembered.
    private struct WrittenPage {
        var keys: String
        var elements: Int
        var storedID: Int64?
        var place: Place
        var placed: Int64
    }

    private func write(_ page: PageCommit, with writer: inout PageWriter) throws -> WrittenPage {
        let begin = Place(generation: writer.walk.generation ?? writer.generation, position: writer.walk.position)
        switch page.content {
        case .decoded(let decoded):
            let keys = decoded.keys
            let isEmpty = keys == "[]"
            if !isEmpty, page.direction == .footer, keys == writer.walk.lastKeys {
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
                keys: stored.keys, elements: stored.elements, storedID: writer.isChanged ? nil : stored.id,
                place: writer.first ?? stored.place, placed: stored.placed)
        }
    }

    /// A first page without items is a change unless the stored one was empty too.
    private func writeEmpty(_ page: PageCommit, with writer: inout PageWriter) throws {
        guard page.direction == .header else { return }
        let isKnown = try storedPage(page.request, page.credential)?.keys == "[]"
        if !isKnown { try writer.becomeChanged() }
    }

    private func updateFeed(_ page: PageCommit, _ draft: FeedState, added: Int, now: String) throws {
        let walk = draft.walk
        try connection.run(
            """
            UPDATE feed SET next_page = ?, no_more_data = ?, generation = ?, item_count = item_count + ?,
                complete = (SELECT complete FROM _walk WHERE id = ?), error = NULL,
                reloaded_at = CASE WHEN ? THEN ? ELSE reloaded_at END
            WHERE name = ?
            """, Value(page.end.next?.text), Value(page.end.next == nil), Value(draft.generation), Value(added),
            Value(walk?.id), Value(page.direction == .header), .text(now), .text(feed))
        if page.direction == .header {
            try connection.run("UPDATE _feed SET walk = ? WHERE feed = ?", Value(walk?.id), .text(feed))
        }
    }

    private func updateRun(_ figures: RunFigures) throws {
        try connection.run(
            """
            UPDATE run SET pages = ?, requests = ?, bytes = ?, inserted = ?, updated = ?, unchanged = ?, removed = ?
            WHERE id = ?
            """, Value(figures.pages), Value(figures.requests), Value(figures.bytes), Value(figures.items.inserted),
            Value(figures.items.updated), Value(figures.items.unchanged), Value(figures.items.removed), Value(run))
    }

    private func logEvents(_ page: PageCommit, items: ItemFigures, number: Int, now: String) throws -> [StatusEvent] {
        let isEnd = page.end.next == nil
        let closing: RefreshStatus = isEnd && page.direction == .footer ? .noMoreData : page.direction.end
        var events = [try logEvent(closing, page: number, items: items, now: now)]
        if isEnd, page.direction == .header {
            events.append(try logEvent(.noMoreData, page: number, now: now))
        }
        if page.beginsNext, !isEnd {
            events.append(try logEvent(.beginFooter, page: number + 1, now: now))
        }
        return events
    }

    private func record(_ page: PageCommit, _ written: WrittenPage, by writer: PageWriter, now: String) throws
        -> WalkState
    {
        var walk = writer.walk
        let begin = walk.position - (writer.placed > 0 ? writer.placed : 0)
        if let next = page.end.next, !walk.continuations.insert(next.text).inserted {
            throw FeedError(
                .unfollowable, "the continuation `\(next)` has come before in this walk: following it would never end",
                advice: "check `pagination` in the feed's definition", url: page.url)
        }
        walk.pages += 1
        walk.elements += written.elements
        walk.leftOut += page.leftOut.count
        if case .notModified = page.content {
            // What was stored with the page tells of the list as it was then.
            walk.total = walk.total ?? page.end.total
        } else if let total = page.end.total {
            // Items that the walk has passed are gone: as many later ones moved up, past the page that comes next.
            if let before = walk.total, total < before { walk.hasDrifted = true }
            walk.total = total
        }
        if written.keys != "[]" { walk.lastKeys = written.keys }
        try notice(idlePage: written.keys != "[]" && writer.placed == 0, in: &walk, page)
        if writer.isChanged { walk.lifted = walk.pages }
        let isEnd = page.end.next == nil
        walk.reason = isEnd ? reason(of: walk, page) : nil
        let id = try recordPage(
            page, written.keys, elements: written.elements, storedID: written.storedID,
            place: written.place, placed: written.placed, sharesRows: writer.sharesRows, walk: walk.id, now: now)
        try connection.run(
            "INSERT INTO _walk_page (walk, number, page, position) VALUES (?, ?, ?, ?)",
            Value(walk.id), Value(walk.pages), Value(id), Value(begin))
        try connection.run(
            """
            UPDATE _walk SET generation = ?, pages = ?, elements = ?, position = ?, left_out = ?, total = ?, drift = ?,
                complete = ?, reason = ?, stopped_by = NULL, ended_at = ? WHERE id = ?
            """, Value(walk.generation), Value(walk.pages), Value(walk.elements), Value(walk.position),
            Value(walk.leftOut), Value(walk.total), Value(walk.hasDrifted), Value(isEnd && walk.reason == nil),
            Value(walk.reason?.rawValue), Value(isEnd ? now : nil), Value(walk.id))
        return walk
    }

    /// Why a walk that has ended is not complete; the gravest reason first.
    private func reason(of walk: WalkState, _ page: PageCommit) -> IncompleteReason? {
        if walk.hasDrifted { return .drift }
        return page.incompleteReason ?? (walk.leftOut > 0 ? .leftOut : nil)
    }

    /// Pages that bring again what the walk has met, on and on, are no list that ends.
    private func notice(idlePage isIdle: Bool, in walk: inout WalkState, _ page: PageCommit) throws {
        walk.idlePages = isIdle ? walk.idlePages + 1 : 0
        guard walk.idlePages > Self.mostIdlePages else { return }
        throw FeedError(
            .unfollowable,
            "\(Self.mostIdlePages) pages running brought only items that came before: the upstream goes in a circle",
            advice: "check `pagination` in the feed's definition", url: page.url)
    }

    /// An upstream to which a thousand items are added meanwhile is no circle yet.
    private static let mostIdlePages = 100
}
