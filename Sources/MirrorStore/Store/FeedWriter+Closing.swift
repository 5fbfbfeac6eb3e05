internal import SQLite

/// What a sync's crawl came to at its end, and what follows from it for rows, ranges and watermark.
extension FeedWriter {
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
                UPDATE \(tables.feed) SET complete = ?, verified = ?, synced_at = ?, item_count = item_count - ?, next_page = ?,
                    no_more_data = ? WHERE name = ?
                """, Value(draft.isComplete), Value(draft.isComplete && draft.isVerified), .text(now), Value(removed),
                Value(next?.text), Value(next == nil), .text(feed))
            try countInOwner(-removed)
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
    func weighed(_ closing: CrawlClosing) throws -> CrawlClosing {
        guard state.progress.round == nil, shape.definition.partitioning == nil, let total = state.crawl?.total,
            case .complete = closing
        else { return closing }
        return total > (try metCount() + otherElements()) ? .incomplete(.cap) : closing
    }

    func complete(isVerified: Bool, now: String, in draft: inout FeedState) throws {
        var isVerified = isVerified && draft.progress.round?.isDoubtful != true
        if draft.progress.round?.mode == .since {
            // What changed was met; what an earlier crawl missed is missing still.
            let isSound = draft.progress.synced.ranges.first?.isVerified ?? true
            isVerified = isVerified && isSound && draft.progress.isFullVerified
            draft.progress.isFullVerified = isVerified
        }
        let crawl = Value(draft.crawl?.id)
        try connection.run(
            "UPDATE _crawl SET complete = 1, reason = NULL, ended_at = ? WHERE id = ?", .text(now), crawl)
        draft.crawl?.reason = nil
        draft.isVerified = isVerified
        draft.progress.suspectEnd = nil
        if draft.progress.round?.mode != .since { draft.progress.otherElements = try otherElements() }
        if let round = draft.progress.round {
            try moveWatermark(round)
            let pages = try connection.count(
                "SELECT sum(pages) FROM _crawl WHERE id IN (\(crawlsOfList.map { "\($0)" }.joined(separator: ", ")))")
            draft.progress.endRound(
                nil, generations: try generationsOfRound(draft.progress), isVerified: isVerified,
                growsAtEnd: try growsAtEnd())
            if round.mode == .all {
                draft.progress.isFullVerified = isVerified
                draft.progress.fullPages = pages
                try connection.run("UPDATE \(tables.feed) SET full_at = ? WHERE name = ?", .text(now), .text(feed))
            }
        } else if let head = draft.progress.synced.ranges.first {
            draft.progress.synced.update(head.crawl) {
                $0.isVerified = isVerified
                $0.loosePages = []
                $0.awaitsProof = false
            }
        }
        // The next sync reads through what is stored in another order than the list's.
        if draft.crawl?.isOrdered == false { draft.progress.synced = SyncedRanges() }
    }

    func end(_ reason: IncompleteReason, now: String, in draft: inout FeedState) throws {
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
            try connection.run("UPDATE \(tables.feed) SET full_at = ? WHERE name = ?", .text(now), .text(feed))
        }
        draft.progress.endRound(reason, generations: try generationsOfRound(draft.progress), isVerified: false)
    }

    /// The rows that the upstream has, as far as is known.
    func itemCount() throws -> Int {
        try connection.count("SELECT item_count FROM \(tables.feed) WHERE name = ?", .text(feed))
    }

    /// Moves the watermark to the furthest item, but not past the moment at which the crawl began.
    func moveWatermark(_ round: CrawlProgress.Round) throws {
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
        let stored = try connection.scalar("SELECT watermark FROM \(tables.state) WHERE feed = ?", .text(feed))?.text
            .flatMap { Watermark(json: $0, isTime: shape.plan.watermarkIsTime) }
        guard stored.map({ mark.isFurther(than: $0) }) ?? true else { return }
        try connection.run("UPDATE \(tables.state) SET watermark = ? WHERE feed = ?", .text(mark.json), .text(feed))
    }

    /// Marks the rows that the crawl did not meet.
    func remove(_ missing: [MissingRow], now: String) throws -> Int {
        guard !missing.isEmpty else { return 0 }
        var sections = SectionTally()
        var places = PlaceRanges()
        let table = try SQL.identifier(tableName)
        for row in missing {
            try logRemoval(of: row, now: now)
            try connection.run("UPDATE \(table) SET _removed_at = ? WHERE _rowid_ = ?", .text(now), Value(row.id))
            sections.leave(row.section, at: row.place, forAnother: true)
            places.insert(row.place)
        }
        try sections.apply(to: shape.definition.owner, on: connection, firstPlace: firstPlace)
        try lapse(places, longest: state.longestPage)
        return missing.count
    }

    /// Whether the list seems to end too soon: more than a page of rows at its end was not met, no total agrees, and the
    /// crawl before did not end like this one.
    func isSuspect(_ missing: [MissingRow]) throws -> Bool {
        guard let crawl = state.crawl, shape.definition.partitioning == nil || crawl.isDoubtful else { return false }
        guard missing.count(where: \.isAtEnd) > (crawl.isDoubtful ? 0 : crawl.mostElements) else { return false }
        let met = try itemCount() - missing.count
        if let total = crawl.total, total == met + (try otherElements()) { return false }
        return !isLikeSuspectEnd(met)
    }

    /// Whether the crawl before ended like one that met so many items: within a page.
    func isLikeSuspectEnd(_ met: Int) -> Bool {
        guard let before = state.progress.suspectEnd else { return false }
        return abs(before - met) <= state.crawl?.mostElements ?? 0
    }

    /// Keeps the crawl open at its last page, which the next sync looks at again.
    func endSuspiciously(met: Int, in draft: inout FeedState) throws {
        draft.crawl?.reason = .cap
        draft.progress.suspectEnd = met
        try connection.run("UPDATE _crawl SET reason = 'cap' WHERE id = ?", Value(draft.crawl?.id))
        let tail = draft.progress.round?.ranges.ranges.first?.crawl ?? 0
        let pages = try connection.count("SELECT pages FROM _crawl WHERE id = ?", Value(tail))
        if pages > 1, let last = try cursor(of: PageOfCrawl(crawl: tail, number: pages)) {
            draft.progress.round?.ranges.update(tail) { $0.end = .open(last) }
        } else {
            draft.progress.round = nil
        }
    }
}
