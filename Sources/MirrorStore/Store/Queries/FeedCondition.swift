internal import SQLite

/// How far a run has come that is under way, perhaps in another process.
package struct RunProgress: Sendable, Hashable {
    /// Who works on the feed.
    package let holder: FeedHolder
    /// The page that it is at, counted from 1 in its crawl; nil before the first.
    package let page: Int?
    /// How many pages the crawl has, by the total that the upstream says or by the last full crawl; nil where neither
    /// tells.
    package let pageCount: Int?
}

/// All that the store knows of how a feed does.
package struct FeedCondition: Sendable {
    /// The feed's row; nil as long as no command has worked on it.
    package let record: FeedRecord?
    /// What its plan is made from.
    package let history: FeedHistory
    /// Why its last run failed; runs that were cut off do not count. Nil where it did not.
    package let failure: FeedSyncError?
    /// The run under way; nil if there is none.
    package let run: RunProgress?
    /// Of a feed that has a list for each row of another: how the lists do; nil where none was asked for.
    package let parts: PartCounts?

    /// A feed of which nothing is stored.
    package init(feed: String) {
        (record, history, failure, run, parts) = (nil, FeedHistory(feed: feed), nil, nil, nil)
    }

    fileprivate init(
        _ record: FeedRecord?, _ history: FeedHistory, _ failure: FeedSyncError?, _ run: RunProgress?,
        _ parts: PartCounts?
    ) {
        (self.record, self.history, self.failure, self.run, self.parts) = (record, history, failure, run, parts)
    }

    /// What the feed's state follows from.
    ///
    /// - Parameter plan: When it is due; nil where no configuration has it.
    package func facts(_ plan: Plan?) -> FeedFacts {
        var facts = FeedFacts()
        facts.isRunning = run != nil
        // The plan counts failed syncs alone.
        facts.failures = max(history.failures, failure == nil ? 0 : 1)
        facts.failingSince = history.failingSince
        facts.blockedUntil = history.blockedUntil
        facts.isLoaded = history.isLoaded || history.roundStartedAt != nil
        facts.wasCrawled = record?.fullAt != nil
        facts.isComplete = record?.isComplete ?? false
        facts.incompleteReason = history.incompleteReason
        facts.dueAt = plan?.dueAt
        facts.interval = plan?.interval ?? 0
        return facts
    }
}

extension Store {
    /// How feeds do, in the order of the names.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func conditions(of feeds: [String]) throws(FeedSyncError) -> [FeedCondition] {
        // One feed is asked for after each run, all of them for a list.
        let histories = try feeds.count == 1 ? histories(of: feeds.first) : histories()
        let parts = try partCounts()
        return try feeds.map { feed throws(FeedSyncError) in
            let own = histories[feed] == nil && FeedPart.feed(ofPart: feed) != nil ? try self.histories(of: feed) : [:]
            let history = histories[feed] ?? own[feed] ?? FeedHistory(feed: feed)
            return FeedCondition(
                try self.feed(named: feed), history, try failure(of: feed, failures: history.failures),
                try runProgress(of: feed), parts[feed])
        }
    }

    /// Why the newest run failed that was not cut off; and for a feed whose syncs fail, why the last one did.
    private func failure(of feed: String, failures: Int) throws(FeedSyncError) -> FeedSyncError? {
        try storing {
            let settled = try connection.scalar(
                """
                SELECT error FROM run WHERE feed = ? AND outcome IN ('ok', 'unchanged', 'no_more_data', 'failed')
                ORDER BY finished_at DESC, id DESC LIMIT 1
                """, .text(feed))?.text
            if settled == nil, failures == 0 { return nil }
            let text =
                try settled
                ?? connection.scalar(
                    """
                    SELECT error FROM run WHERE feed = ? AND outcome = 'failed' AND command = 'sync'
                    ORDER BY finished_at DESC, id DESC LIMIT 1
                    """, .text(feed))?.text
            return text.map(FeedSyncError.init(stored:))
        }
    }

    private func runProgress(of feed: String) throws(FeedSyncError) -> RunProgress? {
        let tables = ListTables(of: feed)
        return try storing {
            guard let number = try connection.int64("SELECT id FROM \(tables.state) WHERE feed = ?", .text(feed)),
                let holder = FeedLock.holder(of: number, of: path)
            else { return nil }
            var progress = RunProgress(holder: holder, page: nil, pageCount: nil)
            try connection.rows(
                """
                SELECT event.page, event.status, _crawl.mode, total, elements, _crawl.pages, ranges
                FROM run JOIN event ON event.feed = run.feed AND event.run = run.id
                    JOIN \(tables.state) AS _feed ON _feed.feed = run.feed LEFT JOIN _crawl ON _crawl.id = _feed.crawl
                WHERE run.feed = ? AND run.outcome IS NULL ORDER BY event.id DESC LIMIT 1
                """, [.text(feed)]
            ) { row in
                let page = row.count(at: 0)
                // Before the first page is there, the store still tells of the crawl before; one for what is new ends
                // where it meets what is known.
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

    /// How many pages a total makes, if they are as long as those that came.
    static func pageCount(total: Int64, elements: Int64, pages: Int64) -> Int? {
        guard total > 0, elements > 0, pages > 0 else { return nil }
        let size = max(elements / pages, 1)
        return Int(clamping: total / size + (total % size > 0 ? 1 : 0))
    }
}
