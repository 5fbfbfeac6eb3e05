internal import SQLite

extension Store {
    /// Logs that a page is being requested.
    package func begin(_ direction: PageDirection, on feed: String, now: String) throws(FeedSyncError) -> StatusEvent {
        try storing { try session(feed).begin(direction, now: now) }
    }

    /// Ends the run with an error, and closes the open begin event.
    package func fail(
        _ feed: String, _ error: FeedSyncError, outcome: RunOutcome, cost: FetchCost, now: String
    ) throws(FeedSyncError) -> StatusEvent? {
        try inGroup {
            // Pages that cannot be committed are undone; the pages before them stay.
            try? closeGroup()
            _ = sessions[feed]?.takeLoss()
            return try session(feed).fail(error, outcome: outcome, cost: cost, now: now)
        }
    }

    /// Ends the run. Returns the number of the feed's live rows and the number of items that the upstream has served.
    package func finish(
        _ feed: String, outcome: RunOutcome, closing: CrawlClosing? = nil, now: String
    ) throws(FeedSyncError) -> (outcome: RunOutcome, itemCount: Int, seenCount: Int) {
        let counts = try end(feed, outcome: outcome, closing: closing, now: now)
        // Success is reported only if the file at the path is still the store.
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
            // A removed row is a change, though no page has changed.
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

    /// The page cursor of a page of a crawl. Makes that crawl the current one.
    package func cursor(of page: PageOfCrawl, of feed: String) throws(FeedSyncError) -> PageCursor? {
        try storing {
            let session = try session(feed)
            if session.state.crawl?.id != page.crawl { _ = try session.goOn(page.crawl, from: nil, isProved: false) }
            return try session.cursor(of: page)
        }
    }

    /// Continues a crawl at its end or at one of its pages. Returns the cursor to request and the number of pages it
    /// had.
    package func goOn(
        _ crawl: Int64, from page: Int?, isProved: Bool, of feed: String
    ) throws(FeedSyncError) -> (cursor: PageCursor?, pages: Int) {
        try storing { try session(feed).goOn(crawl, from: page, isProved: isProved) }
    }

    /// True if the crawl may still meet a range after its own pages.
    package func mayMeetRange(of feed: String) throws(FeedSyncError) -> Bool {
        try inGroup {
            let state = try session(feed).state
            let ranges = state.progress.round?.ranges ?? state.progress.synced
            return ranges.ranges.last?.crawl != state.crawl?.id
        }
    }

    /// True if a page equals the stored one.
    package func holds(_ page: DecodedPage?, as known: StoredPage?, of feed: String) throws(FeedSyncError) -> Bool {
        try storing {
            let session = try session(feed)
            guard let known, (page?.keys ?? "[]") == known.keys else { return false }
            return try page.map { try session.table.holds($0) } ?? true
        }
    }

    /// The facts of the crawl at the end of the list.
    package func examine(_ feed: String) throws(FeedSyncError) -> CrawlFacts {
        try storing { try session(feed).examine() }
    }

    /// The elements and the total of a page's partition before the page, as last stored.
    package func partitionSoFar(before page: PageOfCrawl, of feed: String) throws(FeedSyncError) -> (
        elements: Int, total: Int?
    ) {
        try storing { try session(feed).partitionSoFar(before: page) }
    }

    /// The comparison of a page that was requested again with the crawl; nil is a page without items.
    package func compare(
        _ page: DecodedPage?, _ end: NextPage, at place: PageOfCrawl, known: StoredPage?, of feed: String
    ) throws(FeedSyncError) -> PageComparison {
        try storing { try session(feed).compare(page, end, at: place, known: known) }
    }

    /// True if a stored page is the one that a crawl recorded at a place, not one of a later crawl.
    package func isRecord(_ page: StoredPage?, of place: PageOfCrawl, in feed: String) throws(FeedSyncError) -> Bool {
        try storing { try session(feed).isRecord(page, of: place) }
    }

    /// Records a page that was requested again and brought nothing new.
    package func markChecked(_ page: PageOfCrawl, isSame: Bool, of feed: String) throws(FeedSyncError) {
        try storing { try session(feed).markChecked(page, isSame: isSame) }
    }

    /// The pages after one that now hold its earlier items, after the given number of items was added above it; nil if
    /// those pages hold fewer items.
    package func pages(
        behind page: PageOfCrawl, holding items: Int, of feed: String
    ) throws(FeedSyncError) -> [PageOfCrawl]? {
        try storing { try session(feed).pages(behind: page, holding: items) }
    }

    /// Records a page that was requested again and shows the present items.
    package func markAskedAgain(_ page: PageOfCrawl, of feed: String) throws(FeedSyncError) {
        try inGroup { _ = try session(feed).askedAgain.insert(page) }
    }

    /// True if items left the head of the list, as far as it was read again.
    package func hasMovedUp(_ page: DecodedPage?, isFirst: Bool, of feed: String) throws(FeedSyncError) -> Bool {
        try storing { try session(feed).hasMovedUp(page, isFirst: isFirst) }
    }

    /// Adds the cost of requests to the run.
    package func spend(_ cost: FetchCost, on feed: String) throws(FeedSyncError) {
        try storing {
            let session = try session(feed)
            session.state.figures.add(cost)
            try QuotaLedger.record(cost.quota, for: feed, on: connection)
        }
    }

    /// Records that a partition is too large.
    package func narrow(_ feed: String, to half: PageCursor, isFirst: Bool) throws(FeedSyncError) {
        try storing { try session(feed).narrow(to: half, isFirst: isFirst) }
    }

    /// Records the new validators of a page that came again unchanged.
    package func refresh(_ page: StoredPage, _ validators: Validators, of feed: String) throws(FeedSyncError) {
        try storing { try session(feed).refresh(page, validators) }
    }

    /// The pages next to the rows that the crawl did not meet; nil if none is missing.
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

    /// The time before which a host accepts no request with these credentials, in seconds since 1970.
    package func blockedUntil(
        _ origin: String, _ credential: Int64, of feed: String, now: String
    ) throws(FeedSyncError) -> Int64? {
        try inGroup {
            try QuotaLedger.blockedUntil(
                origin: origin, credential: credential, feed: feed, now: now, on: connection)
        }
    }

    /// The current crawl and the counts of its run.
    package func progress(of feed: String) throws(FeedSyncError) -> (crawl: CrawlState?, figures: RunMetrics) {
        try inGroup {
            let state = try session(feed).state
            return (state.crawl, state.figures)
        }
    }

    /// The notices about the feed's columns.
    package func columnNotices(of feed: String) throws(FeedSyncError) -> [String] {
        try storing { try session(feed).columnNotices() }
    }

    /// The reason why the stored list is incomplete although there are no further pages.
    package func reason(of feed: String) throws(FeedSyncError) -> IncompleteReason? {
        try storing {
            Completeness.reason(of: try session(feed).state)
        }
    }

    /// The feed's writer.
    ///
    /// - Throws: The error that kept its last pages from being stored, to the first caller.
    func session(_ feed: String) throws -> FeedWriter {
        guard let session = sessions[feed] else { throw FeedSyncError(.bug, "feed `\(feed)` is not open") }
        try locks[feed]?.check()
        if let loss = session.takeLoss() { throw loss }
        return session
    }
}
