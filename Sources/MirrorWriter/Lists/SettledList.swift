internal import SQLite

/// A feed, or one of its lists, as its last sync left it: complete, proved, on one page with validators, and with no
/// run under way.
///
/// If the upstream confirms such a page, all values to store follow from the stored ones: the same again, for a new
/// run. So unchanged lists need no runs that are opened and closed one by one, and many share a transaction.
package struct SettledList: Sendable {
    package let feed: String
    /// Its only page.
    package let page: StoredPage
    let crawl: Int64
    /// The definition as the state has it: the canonical text of a feed's, the fingerprint of a list's.
    let definition: String
    /// The stored mark of change of the parent's row; null for a feed.
    let seen: Value
    let pollInterval: Int64?
    let freshFor: Int64?
    /// The quota that its last request counted against; nil if the host reported none.
    let quota: QuotaReading.Quota?

    /// True if the response's quota readings can be stored without a run: they concern the same quota and block
    /// nothing.
    package func mayTake(_ readings: [QuotaReading]) -> Bool {
        guard let reading = readings.first else { return quota == nil }
        return readings.count == 1 && reading.blockedUntil == nil && (quota == nil || quota == reading.quota)
    }
}

/// A settled list whose page the upstream has confirmed as unchanged.
package struct ConfirmedList: Sendable {
    let list: SettledList
    let source: Source
    let startedAt: String
    let at: String
    /// The run's counts.
    package let metrics: RunMetrics
    let quota: QuotaReading?
    let serverDate: Int64?
    let advice: PollingAdvice
    let every: Duration?
    let publish: @Sendable (StatusEvent) -> Void

    /// The kind of a list.
    package enum Source: Sendable {
        /// A whole feed that this process has locked, with the model of its definition.
        case feed(FeedLock, model: String?)
        /// The list of a parent's row, with the value that showed if the row had changed when the list was requested.
        /// The run on all lists has the lock.
        case list(FeedPart, seen: FeedPart.KeyValue?)
    }

    /// - Parameter publish: Called with the events once they are committed.
    package init(
        _ list: SettledList, _ source: Source, startedAt: String, at: String, cost: FetchCost, serverDate: Int64?,
        advice: PollingAdvice, every: Duration?, publish: @escaping @Sendable (StatusEvent) -> Void
    ) {
        self.list = list
        self.source = source
        self.startedAt = startedAt
        self.at = at
        var metrics = RunMetrics()
        metrics.pages = 1
        metrics.items.unchanged = list.page.elements
        metrics.add(cost)
        self.metrics = metrics
        quota = cost.quota.last
        self.serverDate = serverDate
        self.advice = advice
        self.every = every
        self.publish = publish
    }
}

extension FeedDefinition {
    /// True if an unchanged page can prove that the whole list is unchanged. False if the list needs other checks.
    package var maySettle: Bool {
        guard forEach == nil, isResolved, partitioning == nil, verify == .auto, maxPages == nil, lists.isEmpty,
            !pagination.endsByAbsence
        else { return false }
        switch sync {
        case .all, .auto: return true
        default: return false
        }
    }
}

extension Store {
    /// The definition of a feed with the findings of earlier runs; nil if a run has to adopt it first.
    ///
    /// - Parameter canonical: The canonical text of the definition.
    package func unchangedDefinition(
        of declared: FeedDefinition, canonical: String
    ) throws(FeedSyncError) -> FeedDefinition? {
        try transactions.inGroup {
            keep.add(declared)
            return try definitions.unchanged(declared, canonical: canonical)
        }
    }

    /// A list that its page alone may confirm; nil if a run has to read it.
    ///
    /// - Parameters:
    ///   - name: The name of the feed, or of one of its lists.
    ///   - definition: The canonical text of a feed's definition, or the fingerprint of a list's, without findings.
    ///   - key: The request of its only page.
    ///   - quotaCredentials: The fingerprints of the credentials that its request may count against.
    package func settledList(
        _ name: String, definition: String, key: RequestKey, origin: String,
        quotaCredentials: [Int64], now: String
    ) throws(FeedSyncError) -> SettledList? {
        try transactions.inGroup {
            let isFree = try quotaCredentials.contains { credential in
                try QuotaLedger.blockedUntil(
                    origin: origin, credential: credential, feed: name, now: now, on: connection) == nil
            }
            guard isFree,
                let limit = oldest(of: name, at: now)
            else { return nil }
            return try connection.first(
                FeedPart.feed(ofPart: name) == nil ? Self.settledFeed : Self.settledPart,
                [.text(name), .text(key.request), Value(key.credential), .text(definition), .text(limit)]
            ) { row -> SettledList? in
                let crawl = row.int64(at: 0)
                let elements = row.count(at: 6)
                let page = StoredPage(
                    id: row.int64(at: 2), validators: Validators(etag: row.text(at: 3), lastModified: row.text(at: 4)),
                    place: Place(generation: row.number(at: 5), position: 0), placed: Int64(elements),
                    elements: elements,
                    skipped: 0, sameKey: 0, keys: row.text(at: 7) ?? "[]", cursor: nil, total: nil,
                    fetchedAt: nil)
                guard Self.ranges(crawl, page, isFirst: row.text(at: 1) ?? "") else { return nil }
                return SettledList(
                    feed: name, page: page, crawl: crawl, definition: definition, seen: row.value(at: 8),
                    pollInterval: row.isNull(at: 9) ? nil : row.int64(at: 9),
                    freshFor: row.isNull(at: 10) ? nil : row.int64(at: 10),
                    // A list whose request was only held up by a block has a host, and no resource of it.
                    quota: row.isNull(at: 13)
                        ? nil
                        : row.text(at: 11).map {
                            QuotaReading.Quota(
                                origin: $0, credential: row.number(at: 12), resource: row.text(at: 13) ?? "")
                        })
            }
        }
    }

    // A feed's lists in its items have views, which a run brings up to date; a run also ends a rename that was cut off.
    private static let settledFeed = settled(
        "feed", "_feed", seen: "NULL", "AND s.lists IS NULL AND s.new_name IS NULL")
    private static let settledPart = settled("feed_part", "_feed_part", seen: "s.seen")

    /// The conditions of a settled list. A run that was never closed, or that is too old to keep, needs a new run.
    private static func settled(_ lists: String, _ states: String, seen: String, _ more: String = "") -> String {
        """
        SELECT s.crawl, s.ranges, p.id, p.etag, p.last_modified, p.generation, p.elements, p.keys, \(seen),
            s.poll_interval, s.fresh_for, s.quota_origin, s.quota_credential, s.resource
        FROM \(lists) l JOIN \(states) s ON s.feed = l.name JOIN _crawl c ON c.id = s.crawl
        JOIN _crawl_page w ON w.crawl = c.id AND w.number = 1 JOIN _page p ON p.id = w.page
        WHERE l.name = ?1 AND s.definition = ?4
            AND l.status = 'noMoreData' AND l.no_more_data = 1 AND l.next_page IS NULL AND l.complete = 1
            AND l.verified = 1 AND l.error IS NULL AND l.item_count = p.elements AND l.reloaded_at IS NOT NULL
            AND s.failures = 0 AND s.failing_since IS NULL AND s.watermark IS NULL
            AND c.mode = 'all' AND c.round = c.id AND c.pages = 1 AND c.complete = 1 AND c.reason IS NULL
            AND c.elements = p.elements AND c.position = p.elements AND c.skipped = 0 AND c.total IS NULL
            AND c.has_totals = 0 AND c.total_moved = 0 AND c.drift = 0 AND c.doubtful = 0 AND c.part IS NULL
            AND c.capped = 0 AND c.cap IS NULL AND c.furthest IS NULL AND c.watermark IS NULL AND c.overlaps = 1
            AND c.repeats = 0 AND c.is_ordered = 1 AND c.checked = 0
            AND (c.generation IS NULL OR c.generation = l.generation)
            AND p.feed = l.name AND p.request = ?2 AND p.credential = ?3 AND p.generation = l.generation
            AND p.position = 0 AND p.placed = p.elements AND p.elements > 0 AND p.skipped = 0 AND p.cursor IS NULL
            AND p.total IS NULL AND (p.etag IS NOT NULL OR p.last_modified IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM _page n
                WHERE n.feed = l.name AND n.request = ?2 AND n.credential = ?3 AND n.id > p.id)
            AND NOT EXISTS (SELECT 1 FROM run r WHERE r.feed = l.name AND (r.finished_at IS NULL OR r.finished_at < ?5))
            AND NOT EXISTS (SELECT 1 FROM _crawl_page o WHERE o.crawl = c.id AND o.number <> 1) \(more)
        """
    }

    /// True if the stored ranges say that a crawl read this page, and nothing else.
    private static func ranges(_ crawl: Int64, _ page: StoredPage, isFirst text: String) -> Bool {
        [nil, page.place].contains { text == CrawlProgress(ofOnePage: crawl, page.place.generation, first: $0).json }
    }

    /// The time before which runs of a feed, or of one of its lists, are deleted.
    private func oldest(of list: String, at now: String) -> String? {
        Timestamp(now).flatMap { keep.limit(of: FeedPart.feed(ofPart: list) ?? list, at: $0.seconds) }
    }
}
