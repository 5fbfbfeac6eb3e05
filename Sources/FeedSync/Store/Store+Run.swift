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
        _ feed: String, _ error: FeedError, outcome: RunOutcome, spent: RunFigures, quota: [QuotaReading], now: String
    ) throws(FeedError) -> StatusEvent? {
        try storing {
            try session(feed).fail(error, outcome: outcome.rawValue, spent: spent, quota: quota, now: now)
        }
    }

    /// Ends the run; the rows of the feed that the upstream has.
    func finish(_ feed: String, outcome: RunOutcome, now: String) throws(FeedError) -> Int {
        try storing {
            try session(feed).finish(outcome: outcome.rawValue, now: now)
            return Int(try connection.int64("SELECT item_count FROM feed WHERE name = ?", .text(feed)) ?? 0)
        }
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

    /// What the walk in progress has come to, and what its run has done.
    func progress(of feed: String) throws(FeedError) -> (walk: WalkState?, figures: RunFigures) {
        try storing {
            let state = try session(feed).state
            return (state.walk, state.figures)
        }
    }

    private func session(_ feed: String) throws -> FeedSession {
        guard let session = sessions[feed] else { throw FeedError(.bug, "feed `\(feed)` is not open") }
        return session
    }
}
