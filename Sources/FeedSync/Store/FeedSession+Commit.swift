internal import SQLite

extension FeedSession {
    /// Commits a page: its items, the continuation, the feed's status, validators and quota, and the events.
    ///
    /// - Throws: `FeedError` of kind `unfollowable` for a loop, `SQLiteError`; then nothing of it is stored.
    func commit(_ page: PageCommit, now: String) throws -> PageOutcome {
        var draft = state
        draft.open = nil
        do {
            let (outcome, met) = try connection.transaction { try store(page, in: &draft, now: now) }
            if outcome.beginsNext { draft.open = .footer }
            follow(draft, behind: page, met: met)
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
        var ground = try !writer.isChanged && written.placed > 0 ? ground(at: written.place) : nil
        if ground?.reason == .cap, try !isCapped(total: page.end.total ?? walk.total, added: writer.added) {
            ground = nil
        }
        let adjoins = try adjoins(writer, behind: walk)
        draft.walk = try record(page, written, by: writer, ground: ground, adjoins: adjoins, now: now)
        try writer.sections.apply(to: feed, on: connection, firstPlace: firstPlace)
        try QuotaLedger.record(page.quota, for: feed, on: connection)
        if page.direction == .header { try FeedSchedule.note(page.advice, of: feed, on: connection) }

        draft.figures.pages += 1
        draft.figures.requests += page.requestCount
        draft.figures.bytes += page.byteCount
        draft.figures.items.add(writer.items)
        draft.figures.leftOut += page.leftOut.count
        let number = draft.walk?.pages ?? 1
        let beginsNext = self.beginsNext(page, ground != nil)
        let events = try addEvents(page, items: writer.items, number: number, beginsNext: beginsNext, now: now)
        try updateFeed(page, draft, added: writer.added, status: events.last?.status, now: now)
        try updateRun(draft.figures)
        // Who goes on to the end finds out for itself what there is.
        let behind = page.stopsAtKnownGround && page.end.next != nil ? ground?.reason : nil
        let outcome = PageOutcome(
            items: writer.items, isUnchanged: !writer.isChanged, isEnd: page.end.next == nil, number: number,
            ground: ground, adjoins: adjoins, beginsNext: beginsNext,
            reason: draft.walk?.reason ?? (draft.walk.map { $0.isCapped } ?? false ? .cap : nil) ?? behind
                ?? (draft.walk.map { $0.leftOut > 0 } ?? false ? .leftOut : nil),
            events: events)
        return (outcome, writer.metPlaces)
    }

    /// Whether the upstream still has more than is stored; a list that moved may have looked as if it had.
    private func isCapped(total: Int?, added: Int) throws -> Bool {
        guard let total else { return true }
        let stored = try connection.int64("SELECT item_count FROM feed WHERE name = ?", .text(feed)) ?? 0
        return total > Int(stored) + added
    }

    /// Whether nothing lies between the page before and this one. Only a complete walk tells what stood side by side.
    private func adjoins(_ writer: PageWriter, behind walk: WalkState) throws -> Bool {
        guard writer.adjoins, let last = walk.lastPlaceBefore else { return false }
        return try ground(at: last) != nil
    }

    /// Whether a footer follows at once.
    private func beginsNext(_ page: PageCommit, _ isKnownGround: Bool) -> Bool {
        page.beginsNext && page.end.next != nil && !(page.stopsAtKnownGround && isKnownGround)
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
            // A list that moves may bring a short page again, a full one hardly.
            let isTelling = page.mode == "reload" || decoded.elementCount >= writer.walk.mostElements
            if !isEmpty, page.direction == .footer, !page.isCheck, isTelling, keys == writer.walk.lastKeys,
                !writer.walk.begins(page.part)
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

    private func updateFeed(
        _ page: PageCommit, _ draft: FeedState, added: Int, status: RefreshStatus?, now: String
    ) throws {
        let walk = draft.walk
        try connection.run(
            """
            UPDATE feed SET next_page = ?, no_more_data = ?, generation = ?, item_count = item_count + ?,
                complete = ?, error = NULL, reloaded_at = coalesce(?, reloaded_at), status = coalesce(?, status)
            WHERE name = ?
            """, Value(page.end.next?.text), Value(page.end.next == nil), Value(draft.generation), Value(added),
            Value(walk?.isComplete ?? false), Value(page.direction == .header ? now : nil), Value(status?.rawValue),
            .text(feed))
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

    private func addEvents(
        _ page: PageCommit, items: ItemFigures, number: Int, beginsNext: Bool, now: String
    ) throws -> [StatusEvent] {
        let isEnd = page.end.next == nil
        let closing: RefreshStatus = isEnd && page.direction == .footer ? .noMoreData : page.direction.end
        var events = [try addEvent(closing, page: number, items: items, now: now)]
        if isEnd, page.direction == .header {
            events.append(try addEvent(.noMoreData, page: number, now: now))
        }
        if beginsNext {
            events.append(try addEvent(.beginFooter, page: number + 1, now: now))
        }
        return events
    }

    private func record(
        _ page: PageCommit, _ written: WrittenPage, by writer: PageWriter, ground: KnownGround?, adjoins: Bool,
        now: String
    ) throws -> WalkState {
        var walk = writer.walk
        let begin = walk.position - (writer.placed > 0 ? writer.placed : 0)
        let isFollowed = walk.pages > 0 && trail.continuations.contains(page.end.next?.text ?? "")
        if !page.isCheck, let next = page.end.next, isFollowed {
            throw FeedError(
                .unfollowable, "the continuation `\(next)` has come before in this walk: following it would never end",
                advice: "check `pagination` in the feed's definition", url: page.url)
        }
        walk.pages += 1
        // A page that was asked for once more has been counted.
        if !page.isCheck { walk.elements += written.elements }
        walk.mostElements = max(walk.mostElements, written.elements)
        walk.furthest = try further(walk.furthest, page.furthest)
        walk.leftOut += page.leftOut.count
        if let part = page.part, !page.isCheck {
            let said = page.isNotModified ? walk.begins(part) ? page.end.total : nil : page.end.total
            let hasTotal = said != nil || !walk.begins(part) && walk.part?.total != nil
            let hasFallen = walk.meet(part, elements: written.elements, total: said, end: page.end.part)
            if hasFallen, page.mode == "reload" { walk.hasDrifted = true }
            // An error proves little where no total says that all had come.
            let provesLittle = page.end.part == .whole && page.httpStatus >= 400 && !hasTotal
            walk.isDoubtful = walk.isDoubtful || provesLittle
        } else if page.part != nil {
            // A page that was asked for once more has been counted.
        } else if page.isNotModified {
            // What was stored with the page tells of the list as it was then.
            walk.total = walk.total ?? page.end.total
        } else if let total = page.end.total {
            // Items that the walk has passed are gone: as many later ones moved up, past the page that comes next.
            // A sync looks for them itself.
            if let before = walk.total, total < before, page.mode == "reload" { walk.hasDrifted = true }
            walk.total = total
        }
        if written.keys != "[]", !page.isCheck { walk.lastKeys = written.keys }
        try notice(idlePage: !page.isCheck && written.keys != "[]" && writer.placed == 0, in: &walk, page)
        if writer.isChanged { walk.lifted = walk.pages }
        let isEnd = page.end.next == nil
        walk.reason = isEnd ? reason(of: walk, page) : page.mode == "reload" && ground != nil ? walk.reason : nil
        if page.mode == "reload", shape.definition.pagination.isShifting, walk.pages > 1, !adjoins {
            walk.isUnchecked = true
        }
        // A sync that has ended asks again first: then its walk is closed, and known ground.
        if page.mode != "reload", isEnd { walk.isUnchecked = true }
        // Who goes on from known ground meets what is known.
        walk.isComplete = isEnd ? walk.reason == nil && page.mode == "reload" : walk.isComplete && ground != nil
        let id = try recordPage(
            page, written.keys, elements: written.elements, storedID: written.storedID,
            place: written.place, placed: written.placed, sharesRows: writer.sharesRows, walk: walk.id, now: now)
        try connection.run(
            "INSERT INTO _walk_page (walk, number, page, position, asked) VALUES (?, ?, ?, ?, ?)",
            Value(walk.id), Value(walk.pages), Value(id), Value(begin), Value(page.part?.asked.text))
        // By itself, as it has an index, which is written even where the value is as it was.
        if walk.generation != (state.walk?.id == walk.id ? state.walk?.generation : nil) {
            try connection.run("UPDATE _walk SET generation = ? WHERE id = ?", Value(walk.generation), Value(walk.id))
        }
        try connection.run(
            """
            UPDATE _walk SET pages = ?, elements = ?, position = ?, left_out = ?, total = ?, drift = ?,
                complete = ?, reason = ?, stopped_by = NULL, ended_at = ?, furthest = ?, doubtful = ?,
                is_unchecked = ?, part = ?, part_elements = ?, part_total = ?, capped = ?, cap = ? WHERE id = ?
            """, Value(walk.pages), Value(walk.elements), Value(walk.position),
            Value(walk.leftOut), Value(walk.total), Value(walk.hasDrifted),
            Value(walk.isComplete),
            Value(walk.reason?.rawValue), Value(isEnd ? now : nil), Value(walk.furthest),
            Value(walk.isDoubtful || isEnd && isDoubtful(page, walk, elements: written.elements)),
            Value(walk.isUnchecked), Value(walk.part?.name), Value(walk.part?.elements ?? 0), Value(walk.part?.total),
            Value(walk.isCapped), Value(walk.cap), Value(walk.id))
        return walk
    }

    /// Whether the end alone proves little: an error, or an empty page where there was more before.
    private func isDoubtful(_ page: PageCommit, _ walk: WalkState, elements: Int) throws -> Bool {
        if page.httpStatus >= 400 { return true }
        guard elements == 0, page.mode == "all", try lastPageIsFull(of: walk) else { return false }
        if let total = walk.total, total > walk.elements { return true }
        let before = try connection.int64(
            "SELECT elements FROM _walk WHERE feed = ? AND mode = 'all' AND complete = 1 AND id < ? ORDER BY id DESC LIMIT 1",
            .text(feed), Value(walk.id))
        return before.map { $0 > walk.elements } ?? false
    }

    /// Whether the page before an empty one could not have held more: a shorter one was the last.
    private func lastPageIsFull(of walk: WalkState) throws -> Bool {
        var counts: [Int64] = []
        try connection.rows(
            """
            SELECT p.elements FROM _walk_page w JOIN _page p ON p.id = w.page WHERE w.walk = ? AND p.elements > 0
            ORDER BY w.number
            """, [Value(walk.id)]
        ) { row in counts.append(row.int64(at: 0)) }
        return counts.last == counts.max()
    }

    /// The further of two values of the watermark, as JSON.
    private func further(_ one: String?, _ other: String?) throws -> String? {
        guard let one, let other else { return one ?? other }
        let read = { (json: String) in Watermark(json: json, isTime: self.shape.plan.watermarkIsTime) }
        guard let old = read(one) else { return other }
        return read(other)?.isFurther(than: old) == true ? other : one
    }

    /// Why a walk that has ended is not complete; the gravest reason first.
    private func reason(of walk: WalkState, _ page: PageCommit) -> IncompleteReason? {
        if walk.hasDrifted { return .drift }
        // A page that is asked for once more says nothing of the end.
        let end = page.isCheck ? nil : page.incompleteReason
        return (walk.isCapped ? .cap : nil) ?? end ?? (walk.leftOut > 0 ? .leftOut : nil)
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
