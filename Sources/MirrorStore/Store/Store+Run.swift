internal import SQLite

extension Store {
    /// Logs that a page is on its way.
    package func begin(_ direction: PageDirection, on feed: String, now: String) throws(FeedSyncError) -> StatusEvent {
        try storing { try session(feed).begin(direction, now: now) }
    }

    /// Ends the run with an error, closing the begin that is open.
    package func fail(
        _ feed: String, _ error: FeedSyncError, outcome: RunOutcome, cost: FetchCost, now: String
    ) throws(FeedSyncError) -> StatusEvent? {
        try inGroup {
            // Pages that cannot be committed are undone, and what came before them stands.
            try? closeGroup()
            _ = sessions[feed]?.takeLoss()
            return try session(feed).fail(error, outcome: outcome, cost: cost, now: now)
        }
    }

    /// Ends the run; the rows of the feed that the upstream has, and how many items it has served.
    package func finish(
        _ feed: String, outcome: RunOutcome, closing: CrawlClosing? = nil, now: String
    ) throws(FeedSyncError) -> (outcome: RunOutcome, itemCount: Int, seenCount: Int) {
        let counts = try end(feed, outcome: outcome, closing: closing, now: now)
        // Success is said of what stands at the path.
        try inGroup {}
        return counts
    }

    private func end(
        _ feed: String, outcome: RunOutcome, closing: CrawlClosing?, now: String
    ) throws(FeedSyncError) -> (outcome: RunOutcome, itemCount: Int, seenCount: Int) {
        try inGroup {
            let session = try session(feed)
            guard group.writers.contains(where: { $0 === session }) else {
                try closeGroup()
                return try end(session, outcome: outcome, closing: closing, now: now)
            }
            // The run's last page has waited for this.
            let counts = try session.write { try end(session, outcome: outcome, closing: closing, now: now) }
            try closeGroup()
            return counts
        }
    }

    private func end(
        _ session: FeedWriter, outcome: RunOutcome, closing: CrawlClosing?, now: String
    ) throws -> (outcome: RunOutcome, itemCount: Int, seenCount: Int) {
        var counts = (outcome: outcome, itemCount: 0, seenCount: 0)
        if let closing {
            // A row that is gone is a change, though each page is as it was.
            if try session.close(closing, outcome: outcome, now: now) > 0 { counts.outcome = .ok }
        } else {
            try session.finish(outcome: outcome, now: now)
        }
        try connection.rows(
            """
            SELECT item_count, \(FeedSchedule.seenCount) FROM \(session.tables.feed) LEFT JOIN _crawl ON _crawl.id = ?
            WHERE name = ?
            """,
            [Value(session.state.crawl?.id), .text(session.feed)]
        ) { row in (counts.itemCount, counts.seenCount) = (row.count(at: 0), row.count(at: 1)) }
        return counts
    }

    /// The page cursor that led to a page of a crawl, which is the one in progress from now on.
    package func cursor(of page: PageOfCrawl, of feed: String) throws(FeedSyncError) -> PageCursor? {
        try storing {
            let session = try session(feed)
            if session.state.crawl?.id != page.crawl { _ = try session.goOn(page.crawl, from: nil, isProved: false) }
            return try session.cursor(of: page)
        }
    }

    /// Goes on with a crawl at its end, or at one of its pages; what to request, and how many pages it had.
    package func goOn(
        _ crawl: Int64, from page: Int?, isProved: Bool, of feed: String
    ) throws(FeedSyncError) -> (cursor: PageCursor?, pages: Int) {
        try storing { try session(feed).goOn(crawl, from: page, isProved: isProved) }
    }

    /// Whether a range lies behind the crawl, which it may meet.
    package func mayMeetRange(of feed: String) throws(FeedSyncError) -> Bool {
        try inGroup {
            let state = try session(feed).state
            let ranges = state.progress.round?.ranges ?? state.progress.synced
            return ranges.ranges.last?.crawl != state.crawl?.id
        }
    }

    /// Whether a page is as it is stored.
    package func holds(_ page: DecodedPage?, as known: StoredPage?, of feed: String) throws(FeedSyncError) -> Bool {
        try storing {
            let session = try session(feed)
            guard let known, (page?.keys ?? "[]") == known.keys else { return false }
            return try page.map { try session.table.holds($0) } ?? true
        }
    }

    /// What the crawl has seen, at the end of the list.
    package func examine(_ feed: String) throws(FeedSyncError) -> CrawlFacts {
        try storing { try session(feed).examine() }
    }

    /// What came of a page's partition before it, as it was met last.
    package func partitionSoFar(before page: PageOfCrawl, of feed: String) throws(FeedSyncError) -> (
        elements: Int, total: Int?
    ) {
        try storing { try session(feed).partitionSoFar(before: page) }
    }

    /// What a page that is asked for again tells; nil is one without items.
    package func compare(
        _ page: DecodedPage?, _ end: NextPage, at place: PageOfCrawl, known: StoredPage?, of feed: String
    ) throws(FeedSyncError) -> PageComparison {
        try storing { try session(feed).compare(page, end, at: place, known: known) }
    }

    /// Whether a stored page is what a crawl met there, and not what a later one did.
    package func isRecord(_ page: StoredPage?, of place: PageOfCrawl, in feed: String) throws(FeedSyncError) -> Bool {
        try storing { try session(feed).isRecord(page, of: place) }
    }

    /// Takes note of a page that was asked for again and brought nothing.
    package func markChecked(_ page: PageOfCrawl, isSame: Bool, of feed: String) throws(FeedSyncError) {
        try storing { try session(feed).markChecked(page, isSame: isSame) }
    }

    /// The pages behind one that have what stood on it once so many items have come above it; nil where they are not so
    /// many.
    package func pages(
        behind page: PageOfCrawl, holding items: Int, of feed: String
    ) throws(FeedSyncError) -> [PageOfCrawl]? {
        try storing { try session(feed).pages(behind: page, holding: items) }
    }

    /// Takes note of a page that was asked for again, and shows what stands there now.
    package func markAskedAgain(_ page: PageOfCrawl, of feed: String) throws(FeedSyncError) {
        try inGroup { _ = try session(feed).askedAgain.insert(page) }
    }

    /// True if items went from the head of the list, as far as it was read again.
    package func hasMovedUp(_ page: DecodedPage?, isFirst: Bool, of feed: String) throws(FeedSyncError) -> Bool {
        try storing { try session(feed).hasMovedUp(page, isFirst: isFirst) }
    }

    /// Counts what requests cost.
    package func spend(_ cost: FetchCost, on feed: String) throws(FeedSyncError) {
        try storing {
            let session = try session(feed)
            session.state.figures.add(cost)
            try QuotaLedger.record(cost.quota, for: feed, on: connection)
        }
    }

    /// Takes note that a partition is too large.
    package func narrow(_ feed: String, to half: PageCursor, isFirst: Bool) throws(FeedSyncError) {
        try storing { try session(feed).narrow(to: half, isFirst: isFirst) }
    }

    /// Takes note of the validators with which a page came again as it is stored.
    package func refresh(_ page: StoredPage, _ validators: Validators, of feed: String) throws(FeedSyncError) {
        try storing { try session(feed).refresh(page, validators) }
    }

    /// The pages beside which rows stand that the crawl did not meet; nil where none is missing.
    package func pagesBesideMissing(of feed: String) throws(FeedSyncError) -> [PageOfCrawl]? {
        try storing {
            let session = try session(feed)
            let missing = try session.missingRows()
            guard !missing.isEmpty else { return nil }
            let wanted = missing.reduce(into: Set<PageOfCrawl>()) { $0.formUnion($1.pages) }
            return session.crawlsOfList.flatMap { crawl in
                wanted.filter { $0.crawl == crawl }.sorted { $0.number < $1.number }
            }
        }
    }

    /// The newest stored page for a request.
    package func storedPage(_ request: String, _ credential: Int64, of feed: String) throws(FeedSyncError)
        -> StoredPage?
    {
        try inGroup { try session(feed).storedPage(request, credential) }
    }

    /// Until when a host wants no request from these credentials, in seconds since 1970.
    package func blockedUntil(
        _ origin: String, _ credential: Int64, of feed: String, now: String
    ) throws(FeedSyncError) -> Int64? {
        try inGroup {
            try QuotaLedger.blockedUntil(
                origin: origin, credential: credential, feed: feed, now: now, on: connection)
        }
    }

    /// What the crawl in progress has come to, and what its run has done.
    package func progress(of feed: String) throws(FeedSyncError) -> (crawl: CrawlState?, figures: RunMetrics) {
        try inGroup {
            let state = try session(feed).state
            return (state.crawl, state.figures)
        }
    }

    /// What the run found out of the feed's columns.
    package func columnNotices(of feed: String) throws(FeedSyncError) -> [String] {
        try storing { try session(feed).columnNotices() }
    }

    /// Why what is stored is not all, although there are no further pages.
    package func reason(of feed: String) throws(FeedSyncError) -> IncompleteReason? {
        try storing {
            Completeness.reason(of: try session(feed).state)
        }
    }

    /// The feed's session.
    ///
    /// - Throws: what kept its last pages from being stored, to the first who asks.
    func session(_ feed: String) throws -> FeedWriter {
        guard let session = sessions[feed] else { throw FeedSyncError(.bug, "feed `\(feed)` is not open") }
        try locks[feed]?.check()
        if let loss = session.takeLoss() { throw loss }
        return session
    }
}
