internal import SQLite

/// What a page makes of its walk.
extension FeedSession {
    /// The walk with the page, and both in the store.
    func record(
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
        if writer.isMoved { walk.lifted = walk.pages }
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
