internal import SQLite

/// The progress of a run under way, perhaps in another process.
package struct RunProgress: Sendable, Hashable {
    /// The process that works on the feed.
    package let holder: FeedHolder
    /// The current page, counted from 1 in its crawl; nil before the first.
    package let page: Int?
    /// The number of the crawl's pages, by the upstream's total or by the last full crawl; nil if both are unknown.
    package let pageCount: Int?
}

/// A run that failed, and that no later one has made up for.
package struct FailedRun: Sendable {
    /// The name of its command: `reload`, `more` or `sync`.
    package let command: String
    package let error: FeedSyncError
}

/// The store's data on the state of a feed.
package struct FeedCondition: Sendable {
    /// The feed's row; nil before the first command on it.
    package let record: FeedRecord?
    /// The history for the feed's plan.
    package let history: FeedHistory
    /// Its last run, apart from runs that were cut off, or else its last sync; nil unless that failed.
    package let failure: FailedRun?
    /// The run under way; nil if there is none.
    package let run: RunProgress?
    /// The counts of its lists, for a feed that has one for each row of another; nil if none was requested.
    package let parts: PartCounts?
    /// True if its hook did not take what changed.
    package let isHookBehind: Bool
    /// True if the upstream has more items than the one page that was asked for.
    package let hasOnePage: Bool
}

extension FeedCondition {
    /// Creates the condition of a feed without stored data.
    package init(feed: String) {
        self.init(
            record: nil, history: FeedHistory(feed: feed), failure: nil, run: nil, parts: nil, isHookBehind: false,
            hasOnePage: false)
    }

    /// The facts that decide the feed's state.
    ///
    /// - Parameter plan: The time at which it is due; nil if no configuration has it.
    package func facts(_ plan: Plan?) -> FeedFacts {
        var facts = FeedFacts()
        facts.isRunning = run != nil
        // The plan counts only failed syncs.
        facts.failures = max(history.failures, failure == nil ? 0 : 1)
        facts.failingSince = history.failingSince
        facts.blockedUntil = history.blockedUntil
        facts.isLoaded = history.isLoaded || history.lastSyncStartedAt != nil
        facts.wasCrawled = record?.fullAt != nil
        facts.isComplete = record?.isComplete ?? false
        facts.incompleteReason = history.incompleteReason
        facts.dueAt = plan?.dueAt
        facts.interval = plan?.interval ?? 0
        return facts
    }
}

extension Store {
    /// The conditions of feeds, in the order of the names.
    package func conditions(of feeds: [String]) throws(FeedSyncError) -> [FeedCondition] {
        // A store that is only read is read at one moment, and locked once for thousands of feeds.
        guard feeds.count > 1, reading != nil else { return try currentConditions(of: feeds) }
        return try snapshot { try currentConditions(of: feeds) }
    }

    private func currentConditions(of feeds: [String]) throws(FeedSyncError) -> [FeedCondition] {
        let holders = FeedLock.Holders(of: path)
        // One feed is read after each run, all of them for a list.
        let histories = try feeds.count == 1 ? histories(of: feeds.first) : histories()
        let parts = try partCounts()
        let failedHooks = try feedsWithFailedHooks()
        return try feeds.map { feed throws(FeedSyncError) in
            let own = histories[feed] == nil && FeedPart.feed(ofPart: feed) != nil ? try self.histories(of: feed) : [:]
            let history = histories[feed] ?? own[feed] ?? FeedHistory(feed: feed)
            return FeedCondition(
                record: try self.feed(named: feed), history: history,
                failure: try failure(of: feed, failures: history.failures), run: try runProgress(of: feed, holders),
                parts: parts[feed], isHookBehind: failedHooks.contains(feed),
                hasOnePage: history.incompleteReason == .cap ? try hasOnePage(feed) : false)
        }
    }

    private func hasOnePage(_ feed: String) throws(FeedSyncError) -> Bool {
        try storing { try connection.int64("SELECT \(FeedHistory.hasOnePageSQL("?1"))", .text(feed)) == 1 }
    }

    /// The newest run that was not cut off, if it failed; else, for a feed whose syncs fail, the last one that did.
    private func failure(of feed: String, failures: Int) throws(FeedSyncError) -> FailedRun? {
        try storing {
            let settled = try failedRun(of: feed, "outcome IN ('ok', 'unchanged', 'no_more_data', 'failed')")
            if settled != nil || failures == 0 { return settled }
            return try failedRun(of: feed, "outcome = 'failed' AND command = 'sync'")
        }
    }

    /// The newest of some runs; nil if it has no error.
    private func failedRun(of feed: String, _ condition: String) throws -> FailedRun? {
        try connection.first(
            """
            SELECT command, error FROM run WHERE feed = ? AND \(condition) ORDER BY finished_at DESC, id DESC LIMIT 1
            """, [.text(feed)]
        ) { row in
            row.text(at: 1).map { FailedRun(command: row.text(at: 0) ?? "", error: FeedSyncError(stored: $0)) }
        }
    }

    private func runProgress(of feed: String, _ holders: FeedLock.Holders) throws(FeedSyncError) -> RunProgress? {
        let tables = ListTables(of: feed)
        return try storing {
            guard let number = try connection.int64("SELECT id FROM \(tables.state) WHERE feed = ?", .text(feed)),
                let holder = holders.holder(of: number)
            else { return nil }
            var progress = RunProgress(holder: holder, page: nil, pageCount: nil)
            try connection.rows(
                """
                SELECT event.page, event.status, _crawl.mode, total, elements, _crawl.pages, ranges
                FROM run JOIN event ON event.feed = run.feed AND event.run = run.id
                    JOIN \(tables.state) AS _feed ON _feed.feed = run.feed LEFT JOIN _crawl ON _crawl.id = _feed.crawl
                WHERE run.feed = ? AND run.finished_at IS NULL ORDER BY event.id DESC LIMIT 1
                """, [.text(feed)]
            ) { row in
                let page = row.count(at: 0)
                // Before the first page is stored, the store still has the previous crawl. A crawl for new items ends
                // at known ones.
                let isWhole = row.text(at: 1) != RefreshStatus.beginHeader.rawValue && row.text(at: 2) != "new"
                let pages =
                    !isWhole
                    ? nil
                    : row.isNull(at: 3)
                        ? CrawlProgress(json: row.text(at: 6)).fullPages
                        : Self.pageCount(
                            total: row.number(at: 3), elements: row.number(at: 4), pages: row.number(at: 5))
                progress = RunProgress(holder: holder, page: page, pageCount: pages.flatMap { $0 >= page ? $0 : nil })
            }
            return progress
        }
    }

    /// The number of pages for a total, if further pages are as long as those received.
    static func pageCount(total: Int64, elements: Int64, pages: Int64) -> Int? {
        guard total > 0, elements > 0, pages > 0 else { return nil }
        let size = max(elements / pages, 1)
        return Int(clamping: total / size + (total % size > 0 ? 1 : 0))
    }
}
