internal import SQLite

/// The end of a sync: loads the facts for `Completeness`, and saves its verdict.
extension FeedWriter {
    /// Ends a sync's run, or the crawl of one of its windows.
    ///
    /// - Returns: The number of removed rows.
    func close(_ closing: CrawlClosing, outcome: RunOutcome, window: WindowEnd?, now: String) throws -> Int {
        var removed = 0
        var draft = state
        try connection.transaction {
            let missing = try closing.isComplete && state.progress.round?.mode == .all ? missingRows() : []
            let verdict = Completeness.verdict(
                closing, state.crawl, state.progress, isPartitioned: shape.definition.partitioning != nil,
                try rows(missing))
            switch verdict {
            case .complete(let isVerified):
                removed = try remove(missing.filter(\.pages.isEmpty), now: now)
                draft.figures.items.removed += removed
                try prove(isVerified: isVerified, isWhole: missing.isEmpty, in: &draft)
                try complete(isVerified: isVerified, window: window, now: now, in: &draft)
            case .endedEarly(let met):
                try lookAgain(at: met, in: &draft)
            case .incomplete(let reason):
                try endIncomplete(reason, now: now, in: &draft)
            case .unknown:
                draft.progress.forgetRanges()
            }
            draft.progress.driftEnd = try verdict.reason == .drift && state.crawl != nil ? metKeys().count : nil
            let reason = try window.map { try leave($0, verdict.reason, now: now, in: &draft) } ?? verdict.reason
            if let reason {
                draft.crawl?.reason = reason
                draft.isVerified = false
                try connection.run(
                    "UPDATE _crawl SET reason = ? WHERE id = ?", .text(reason.rawValue), Value(draft.crawl?.id))
            }
            draft.isComplete = reason == nil && draft.progress.walk == nil
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
            // Removals are reported with the last page, which proved them.
            if removed > 0 {
                try connection.run(
                    "UPDATE event SET removed = removed + ? WHERE id = (SELECT max(id) FROM event WHERE run = ?)",
                    Value(removed), Value(run))
            }
            try saveProgress(draft)
            state = draft
            if window?.window.isLast == false {
                try updateRun(draft.figures)
            } else {
                try finishRun(outcome: removed > 0 ? .ok : outcome, figures: draft.figures, error: nil, now: now)
            }
        }
        return removed
    }

    /// The row counts that the verdict depends on.
    private func rows(_ missing: [MissingRows.Row]) throws -> Completeness.Rows {
        var rows = Completeness.Rows()
        rows.count = try itemCount()
        rows.missing = missing.count
        rows.missingAtEnd = missing.count(where: \.isAtEnd)
        // They are compared with a total only.
        if state.crawl?.total != nil {
            rows.met = try metCount()
            rows.others = try otherElements()
        }
        return rows
    }

    /// Saves that the crawl met everything.
    private func complete(isVerified: Bool, window: WindowEnd?, now: String, in draft: inout FeedState) throws {
        var isVerified = isVerified
        if draft.progress.round?.mode == .since {
            // The changed items were met; items that an earlier crawl missed are still missing.
            let isSound = draft.progress.synced.ranges.first?.isVerified ?? true
            // A list that is not asked for what is newer shows only by its order that nothing else is.
            isVerified = isVerified && isSound && draft.progress.isFullVerified && !shape.definition.isNewestFirst
            draft.progress.isFullVerified = isVerified
        }
        let crawl = Value(draft.crawl?.id)
        try connection.run(
            "UPDATE _crawl SET complete = 1, reason = NULL, ended_at = ? WHERE id = ?", .text(now), crawl)
        draft.crawl?.reason = nil
        draft.isVerified = isVerified
        draft.progress.suspectEnd = nil
        if draft.progress.round?.mode != .since { draft.progress.otherElements = try elementsWithoutRow() }
        if let round = draft.progress.round {
            if shape.definition.sync.delta == nil { try moveWatermark(round, window) } else { try keepToken(round) }
            if round.mode == .all {
                draft.progress.isFullVerified = isVerified
                try saveFull(round, in: &draft, now: now)
            }
            draft.progress.endRound(
                nil, generations: try generationsOfRound(draft.progress), isVerified: isVerified,
                growsAtEnd: try growsAtEnd())
        } else if let head = draft.progress.synced.ranges.first {
            // A crawl that met no range has read the whole list.
            let isWholeList = head.cursor == nil && head.crawls == [draft.crawl?.id].compactMap(\.self)
            let growsAtEnd = try isWholeList ? growsAtEnd() : head.growsAtEnd
            draft.progress.synced.update(head.crawl) {
                $0.isVerified = isVerified
                $0.growsAtEnd = growsAtEnd
                $0.loosePages = []
            }
        }
        // The next sync reads through pages that are stored in another order than the list's.
        if draft.crawl?.isOrdered == false { draft.progress.synced = SyncedRanges() }
    }

    /// Saves that the full crawl before this one is proved, if this one found its pages unchanged: both read each page,
    /// and any move in between would show in one of them. This proves nothing about the current crawl.
    private func prove(isVerified: Bool, isWhole: Bool, in draft: inout FeedState) throws {
        guard draft.progress.round?.mode == .all, shape.definition.partitioning == nil else { return }
        if let before = draft.progress.unprovedRun, isWhole, draft.crawl?.onlyGrows == true, crawlsOfList.count == 1 {
            try connection.run("UPDATE run SET verified = 1 WHERE id = ? AND complete = 1", Value(before))
        }
        // Items that came again were pushed down, maybe by one that moved to the top, which the next crawl would take for
        // a new one.
        let hasRepeats = try connection.int64(
            "SELECT 1 FROM _crawl WHERE repeats > 0 AND id IN (SELECT value FROM json_each(?)) LIMIT 1",
            .text("\(crawlsOfList)"))
        let isProvable =
            draft.crawl.map { !$0.isDoubtful && !$0.sharesValues && $0.repeats == 0 && hasRepeats == nil } ?? false
        draft.progress.unprovedRun = isVerified || !isProvable ? nil : run
    }

    /// Saves that a crawl has ended without everything.
    private func endIncomplete(_ reason: IncompleteReason, now: String, in draft: inout FeedState) throws {
        if let round = draft.progress.round, round.mode == .all {
            try saveFull(round, in: &draft, now: now)
        } else if draft.progress.round == nil, reason == .cap, let head = draft.progress.synced.ranges.first {
            draft.progress.synced.update(head.crawl) { $0.end = .last(reason) }
        }
        draft.progress.endRound(reason, generations: try generationsOfRound(draft.progress), isVerified: false)
    }

    /// Keeps the crawl open at its last page, which the next sync checks again.
    private func lookAgain(at met: Int, in draft: inout FeedState) throws {
        draft.progress.suspectEnd = met
        let tail = draft.progress.round?.ranges.ranges.first?.crawl ?? 0
        let pages = try connection.count("SELECT pages FROM _crawl WHERE id = ?", Value(tail))
        if pages > 1, let last = try cursor(of: PageOfCrawl(crawl: tail, number: pages)) {
            draft.progress.round?.ranges.update(tail) { $0.end = .open(last) }
        } else {
            draft.progress.round = nil
        }
    }

    /// Saves the time of the full crawl: now, or the start of the first of several runs that read the list.
    private func saveFull(_ round: CrawlProgress.Round, in draft: inout FeedState, now: String) throws {
        let pages = try pages(of: crawlsOfList)
        // Crawls that join repeat requests where they meet.
        draft.progress.fullPages = try connection.count(
            """
            SELECT count(DISTINCT p.request) FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.number > 0 AND w.crawl IN (SELECT value FROM json_each(?))
            """, .text("\(crawlsOfList)"))
        try connection.run(
            "UPDATE \(tables.feed) SET full_at = coalesce((SELECT started_at FROM _crawl WHERE id = ?), ?) WHERE name = ?",
            Value(pages.allSatisfy(isOwn) ? nil : round.id), .text(now), .text(feed))
    }

    /// The number of rows that the upstream has, as far as known.
    private func itemCount() throws -> Int {
        try connection.count("SELECT item_count FROM \(tables.feed) WHERE name = ?", .text(feed))
    }

    /// The number of stored rows that a total of the list is compared with. A list that reports removed items may count
    /// them.
    func storedCount() throws -> Int {
        guard shape.definition.removed != nil else { return try itemCount() }
        return try connection.count(
            "SELECT count(*) FROM \(try SQL.identifier(tableName)) WHERE 1\(scope.and)")
    }

    /// Keeps the token on the last page of the list. A full crawl without one leaves none: the changes since an older one
    /// are stored.
    private func keepToken(_ round: CrawlProgress.Round) throws {
        guard let tail = round.ranges.ranges.first?.crawl else { return }
        let token = try connection.scalar("SELECT furthest FROM _crawl WHERE id = ?", Value(tail))?.text
        guard token != nil || round.mode == .all else { return }
        try connection.run("UPDATE \(tables.state) SET watermark = ? WHERE feed = ?", Value(token), .text(feed))
    }

    /// Forgets a token that is too old, and closes the open begin event with the upstream's answer.
    package func leaveToken(_ error: FeedSyncError, cost: FetchCost, now: String) throws(FeedSyncError) -> StatusEvent?
    {
        try committed {
            var draft = state
            draft.figures.add(cost)
            draft.open = nil
            draft.progress.round = nil
            let event = try connection.transaction {
                let event = try closeOpenEvent(error, now: now)
                try connection.run("UPDATE \(tables.state) SET watermark = NULL WHERE feed = ?", .text(feed))
                try saveProgress(draft)
                try record(cost.quota)
                try updateRun(draft.figures)
                return event
            }
            state = draft
            return event
        }
    }

    /// Leaves a window, and returns the reason why the sync up to it is incomplete; nil if there is none.
    private func leave(
        _ end: WindowEnd, _ reason: IncompleteReason?, now: String, in draft: inout FeedState
    ) throws -> IncompleteReason? {
        var walk = end.walk
        walk.missed = walk.missed ?? reason
        draft.progress.walk = end.window.isLast ? nil : walk
        if end.window.isLast, walk.isFull {
            try connection.run("UPDATE \(tables.feed) SET full_at = ? WHERE name = ?", .text(now), .text(feed))
        }
        return walk.missed
    }

    /// Moves the watermark to the furthest item, or to the end of a window, but not beyond the start of the crawl, nor
    /// past a window that is incomplete.
    private func moveWatermark(_ round: CrawlProgress.Round, _ end: WindowEnd?) throws {
        guard end?.walk.missed == nil else { return }
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
        // What lies ahead of the newest item of the last window may still come.
        let isByItems = end.map { $0.window.isLast && shape.plan.hasWatermark } ?? true
        let reached = isByItems ? furthest : end.flatMap { Watermark(second: $0.window.to) }
        guard let mark = reached?.notAfter(start) else { return }
        let stored = try connection.scalar("SELECT watermark FROM \(tables.state) WHERE feed = ?", .text(feed))?.text
            .flatMap { Watermark(json: $0, isTime: shape.plan.watermarkIsTime) }
        guard stored.map({ mark.isFurther(than: $0) }) ?? true else { return }
        try connection.run("UPDATE \(tables.state) SET watermark = ? WHERE feed = ?", .text(mark.json), .text(feed))
    }

    /// Marks rows as removed.
    func remove(_ missing: [MissingRows.Row], now: String) throws -> Int {
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
        try storedPages.lapse(places, longest: state.longestPage)
        return missing.count
    }
}

extension CrawlClosing {
    /// True if the crawl met everything that it was meant to meet.
    fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }
}
