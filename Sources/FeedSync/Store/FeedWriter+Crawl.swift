internal import SQLite

/// What a page makes of its crawl.
extension FeedWriter {
    /// The crawl with the page, and both in the store.
    func record(
        _ page: PageCommit, _ written: WrittenPage, by writer: PageWriter, ground: SyncedRange?, adjoins: Bool,
        now: String
    ) throws -> CrawlState {
        var crawl = writer.crawl
        let begin = crawl.position - (writer.placed > 0 ? writer.placed : 0)
        let isFollowed = crawl.pages > 0 && trail.cursors.contains(page.end.next?.text ?? "")
        if !page.isCheck, let next = page.end.next, isFollowed {
            throw FeedError(
                .unfollowable, "the page cursor `\(next)` was seen before in this crawl: following it would never end",
                advice: "check `pagination` in the feed's definition", url: page.url)
        }
        crawl.pages += 1
        // A page that was asked for once more has been counted.
        if !page.isCheck { crawl.elements += written.elements }
        crawl.mostElements = max(crawl.mostElements, written.elements)
        crawl.furthest = try further(crawl.furthest, page.furthest)
        crawl.skipped += page.skipped.count
        if let part = page.part, !page.isCheck {
            let said = page.isNotModified ? crawl.begins(part) ? page.end.total : nil : page.end.total
            let hasTotal = said != nil || !crawl.begins(part) && crawl.part?.total != nil
            let hasFallen = crawl.meet(part, elements: written.elements, total: said, end: page.end.part)
            if hasFallen, page.mode == "reload" { crawl.hasDrifted = true }
            // An error proves little where no total says that all had come.
            let provesLittle = page.end.part == .whole && page.httpStatus >= 400 && !hasTotal
            crawl.isDoubtful = crawl.isDoubtful || provesLittle
        } else if page.part != nil {
            // A page that was asked for once more has been counted.
        } else if page.isNotModified {
            // What was stored with the page tells of the list as it was then.
            crawl.total = crawl.total ?? page.end.total
        } else if let total = page.end.total {
            // Items that the crawl has passed are gone: as many later ones moved up, past the page that comes next.
            // A sync looks for them itself.
            if let before = crawl.total, total < before, page.mode == "reload" { crawl.hasDrifted = true }
            crawl.total = total
        }
        if written.keys != "[]", !page.isCheck { crawl.lastKeys = written.keys }
        try notice(idlePage: !page.isCheck && written.keys != "[]" && writer.placed == 0, in: &crawl, page)
        if writer.isMoved { crawl.lifted = crawl.pages }
        let isEnd = page.end.next == nil
        crawl.reason = isEnd ? reason(of: crawl, page) : page.mode == "reload" && ground != nil ? crawl.reason : nil
        if page.mode == "reload", shape.definition.pagination.isShifting, crawl.pages > 1, !adjoins {
            crawl.isUnchecked = true
        }
        // A sync that has ended asks again first: then its crawl is closed, and a synced range.
        if page.mode != "reload", isEnd { crawl.isUnchecked = true }
        // Who goes on from a synced range meets what is known.
        crawl.isComplete = isEnd ? crawl.reason == nil && page.mode == "reload" : crawl.isComplete && ground != nil
        let id = try recordPage(
            page, written.keys, elements: written.elements, storedID: written.storedID,
            place: written.place, placed: written.placed, sharesRows: writer.sharesRows, crawl: crawl.id, now: now)
        try connection.run(
            "INSERT INTO _crawl_page (crawl, number, page, position, asked) VALUES (?, ?, ?, ?, ?)",
            Value(crawl.id), Value(crawl.pages), Value(id), Value(begin), Value(page.part?.asked.text))
        // By itself, as it has an index, which is written even where the value is as it was.
        if crawl.generation != (state.crawl?.id == crawl.id ? state.crawl?.generation : nil) {
            try connection.run(
                "UPDATE _crawl SET generation = ? WHERE id = ?", Value(crawl.generation), Value(crawl.id))
        }
        try connection.run(
            """
            UPDATE _crawl SET pages = ?, elements = ?, position = ?, skipped = ?, total = ?, drift = ?,
                complete = ?, reason = ?, stopped_by = NULL, ended_at = ?, furthest = ?, doubtful = ?,
                is_unchecked = ?, part = ?, part_elements = ?, part_total = ?, capped = ?, cap = ? WHERE id = ?
            """, Value(crawl.pages), Value(crawl.elements), Value(crawl.position),
            Value(crawl.skipped), Value(crawl.total), Value(crawl.hasDrifted),
            Value(crawl.isComplete),
            Value(crawl.reason?.rawValue), Value(isEnd ? now : nil), Value(crawl.furthest),
            Value(crawl.isDoubtful || isEnd && isDoubtful(page, crawl, elements: written.elements)),
            Value(crawl.isUnchecked), Value(crawl.part?.name), Value(crawl.part?.elements ?? 0),
            Value(crawl.part?.total),
            Value(crawl.isCapped), Value(crawl.cap), Value(crawl.id))
        return crawl
    }

    /// Whether the end alone proves little: an error, or an empty page where there was more before.
    private func isDoubtful(_ page: PageCommit, _ crawl: CrawlState, elements: Int) throws -> Bool {
        if page.httpStatus >= 400 { return true }
        guard elements == 0, page.mode == "all", try lastPageIsFull(of: crawl) else { return false }
        if let total = crawl.total, total > crawl.elements { return true }
        let before = try connection.int64(
            "SELECT elements FROM _crawl WHERE feed = ? AND mode = 'all' AND complete = 1 AND id < ? ORDER BY id DESC LIMIT 1",
            .text(feed), Value(crawl.id))
        return before.map { $0 > crawl.elements } ?? false
    }

    /// Whether the page before an empty one could not have held more: a shorter one was the last.
    private func lastPageIsFull(of crawl: CrawlState) throws -> Bool {
        var counts: [Int64] = []
        try connection.rows(
            """
            SELECT p.elements FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ? AND p.elements > 0
            ORDER BY w.number
            """, [Value(crawl.id)]
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

    /// Why a crawl that has ended is not complete; the gravest reason first.
    private func reason(of crawl: CrawlState, _ page: PageCommit) -> IncompleteReason? {
        if crawl.hasDrifted { return .drift }
        // A page that is asked for once more says nothing of the end.
        let end = page.isCheck ? nil : page.incompleteReason
        return (crawl.isCapped ? .cap : nil) ?? end ?? (crawl.skipped > 0 ? .skipped : nil)
    }

    /// Pages that bring again what the crawl has met, on and on, are no list that ends.
    private func notice(idlePage isIdle: Bool, in crawl: inout CrawlState, _ page: PageCommit) throws {
        crawl.repeatedPages = isIdle ? crawl.repeatedPages + 1 : 0
        guard crawl.repeatedPages > Self.mostIdlePages else { return }
        throw FeedError(
            .unfollowable,
            "\(Self.mostIdlePages) pages in a row brought only items seen before: the upstream is going in circles",
            advice: "check `pagination` in the feed's definition", url: page.url)
    }

    /// An upstream to which a thousand items are added meanwhile is no circle yet.
    private static let mostIdlePages = 100
}
