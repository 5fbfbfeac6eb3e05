internal import SQLite

extension Store {
    /// Logs that a page is on its way.
    func begin(_ direction: PageDirection, on feed: String, now: String) throws(FeedError) -> StatusEvent {
        try storing { try session(feed).begin(direction, now: now) }
    }

    /// Commits a page of the feed.
    func commit(_ page: PageCommit, to feed: String, now: String) throws(FeedError) -> PageOutcome {
        try storing { try session(feed).commit(page, now: now) }
    }

    /// Ends the run with an error, closing the begin that is open.
    func fail(
        _ feed: String, _ error: FeedError, outcome: RunOutcome, spent: RunMetrics, quota: [QuotaReading], now: String
    ) throws(FeedError) -> StatusEvent? {
        try storing {
            try session(feed).fail(error, outcome: outcome.rawValue, spent: spent, quota: quota, now: now)
        }
    }

    /// Ends the run; the rows of the feed that the upstream has, and how many items it has served.
    func finish(
        _ feed: String, outcome: RunOutcome, closing: CrawlClosing? = nil, now: String
    ) throws(FeedError) -> (itemCount: Int, seenCount: Int) {
        try storing {
            let session = try session(feed)
            if let closing {
                _ = try session.close(closing, outcome: outcome.rawValue, now: now)
            } else {
                try session.finish(outcome: outcome.rawValue, now: now)
            }
            var counts = (itemCount: 0, seenCount: 0)
            try connection.rows(
                "SELECT item_count, \(FeedSchedule.seenCount) FROM feed LEFT JOIN _crawl ON _crawl.id = ? WHERE name = ?",
                [Value(session.state.crawl?.id), .text(feed)]
            ) { row in counts = (Int(clamping: row.int64(at: 0)), Int(clamping: row.int64(at: 1))) }
            return counts
        }
    }

    /// The page cursor that led to a page of the crawl in progress.
    func cursor(ofPage number: Int, of feed: String) throws(FeedError) -> PageCursor? {
        try storing { try session(feed).cursor(ofPage: number) }
    }

    /// What came of a page's part before it, as it was met last.
    func partitionSoFar(beforePage number: Int, of feed: String) throws(FeedError) -> (elements: Int, total: Int?) {
        try storing { try session(feed).partitionSoFar(beforePage: number) }
    }

    /// What a page that is asked for once more tells; nil is one without items.
    func check(
        _ page: DecodedPage?, _ end: NextPage, number: Int, known: StoredPage?, of feed: String
    ) throws(FeedError) -> RunRules.Check {
        try storing { try session(feed).check(page, end, number: number, known: known) }
    }

    /// Takes note of a page that came again as it is stored: of what it cost, and of its validators.
    func keep(_ page: StoredPage?, _ loaded: LoadedPage, of feed: String) throws(FeedError) {
        try spend(loaded.fetched, on: feed)
        // What else stands in the body may have changed, and would be taken from the store after a 304.
        guard let page, !loaded.isNotModified, loaded.upstreamNext == page.cursor, loaded.end.total == page.total
        else { return }
        try storing { try session(feed).refresh(page, loaded.validators) }
    }

    /// Counts what a page cost that is not committed.
    func spend(_ fetched: FetchedPage, on feed: String) throws(FeedError) {
        try storing {
            let session = try session(feed)
            session.state.figures.requests += fetched.requestCount
            session.state.figures.bytes += fetched.byteCount
            try QuotaLedger.record(fetched.quota, for: feed, on: connection)
        }
    }

    /// Where the feed's pages go on.
    func cursor(of feed: String) throws(FeedError) -> PageCursor? {
        try storing { try session(feed).resumePoint.cursor }
    }

    /// The pages beside which rows stand that the crawl did not meet.
    func pagesBesideMissing(of feed: String) throws(FeedError) -> [Int] {
        try storing { try session(feed).pagesBesideMissing() }
    }

    /// The newest stored page for a request.
    func storedPage(_ page: PreparedPage, of feed: String) throws(FeedError) -> StoredPage? {
        try storing { try session(feed).storedPage(page.identity, page.credentialFingerprint) }
    }

    /// Until when the page's host wants no request, in seconds since 1970.
    func blockedUntil(_ page: PreparedPage, of feed: String, now: String) throws(FeedError) -> Int64? {
        try storing {
            try QuotaLedger.blockedUntil(
                origin: page.quotaOrigin, credential: page.credentialFingerprint, feed: feed,
                now: now, on: connection)
        }
    }

    /// What the crawl in progress has come to, and what its run has done.
    func progress(of feed: String) throws(FeedError) -> (crawl: CrawlState?, figures: RunMetrics) {
        try storing {
            let state = try session(feed).state
            return (state.crawl, state.figures)
        }
    }

    private func session(_ feed: String) throws -> FeedWriter {
        guard let session = sessions[feed] else { throw FeedError(.bug, "feed `\(feed)` is not open") }
        return session
    }
}
