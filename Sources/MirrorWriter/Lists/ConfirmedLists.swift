internal import Concurrency
internal import SQLite

/// Settled lists that the upstream has confirmed: stores the results of their runs, many in one transaction.
///
/// - Isolation: the store's.
final class ConfirmedLists: CommitQueue {
    private static let most = 256
    private let connection: Connection
    private var rule = CommitGroup()
    private var lists: [ConfirmedList] = []
    /// The errors that kept earlier lists from being stored, by their feeds, until they are reported to the run on all
    /// lists of the feed.
    private var losses: [String: any Error] = [:]
    /// The runs of stored feeds, or the errors that kept them from being stored, until they are reported.
    private var ends: [String: Result<Int64?, any Error>] = [:]

    private init(on connection: Connection) { self.connection = connection }

    /// The lists of an open store.
    static func of(_ transactions: Transactions) -> ConfirmedLists {
        transactions.attachment {
            let lists = ConfirmedLists(on: transactions.connection)
            transactions.attach(lists)
            return lists
        }
    }

    /// The time to store them unless another list comes first; nil if none waits.
    package var dueAt: ContinuousClock.Instant? { rule.dueAt() }

    /// Adds an unchanged list, to be stored together with others.
    ///
    /// - Throws: The error that kept such lists of a feed from being stored. They stay as due as they were.
    func add(_ list: ConfirmedList, in transactions: Transactions) throws {
        if let part = list.part { try throwLoss(of: part.feed) }
        lists.append(list)
        let now = ContinuousClock.now
        _ = rule.add(CommitGroup.Page(bytes: 0, waited: .zero, isFollowed: false), at: now)
        // They are smaller than pages, so more of them share a transaction.
        let isFull = lists.count >= Self.most || rule.dueAt().map { $0 <= now } ?? false
        if isFull {
            store(in: transactions)
            if let part = list.part { try throwLoss(of: part.feed) }
        } else {
            transactions.setAlarm()
        }
    }

    /// The run of a feed that was added: it is stored now, together with all that wait, unless that is done.
    ///
    /// - Returns: nil if the feed has changed meanwhile and is left to a run.
    /// - Throws: The error that kept it from being stored.
    func run(of feed: String, in transactions: Transactions) throws -> Int64? {
        if ends[feed] == nil { store(in: transactions) }
        return try ends.removeValue(forKey: feed)?.get()
    }

    /// Stores the unchanged lists. An error is reported to their run only, not to other users of the store.
    package func store(in transactions: Transactions) {
        guard !lists.isEmpty else { return }
        let lists = lists
        self.lists = []
        rule.close()
        do {
            // Closed first, so that events are published in the order of their numbers.
            try transactions.closeGroup()
            try transactions.checkFile(isWriting: true)
            for owner in Set(lists.compactMap(\.part?.feed)) { try transactions.locks[owner]?.check() }
            for list in lists { try list.lock?.check() }
            let events = try connection.transaction { () -> [[StatusEvent]] in
                var numbers = try Numbers(on: connection)
                var readings: [QuotaReading.Quota: QuotaReading] = [:]
                for reading in lists.compactMap(\.quota) {
                    readings[reading.quota] = readings[reading.quota].map(reading.later) ?? reading
                }
                if !readings.isEmpty { transactions.quotaReadings.count += 1 }
                try QuotaLedger.keep(Array(readings.values), on: connection)
                return try lists.map { try store($0, &numbers) }
            }
            for (list, events) in zip(lists, events) {
                events.forEach(list.publish)
                if case .feed(_, let model) = list.source {
                    ends[list.list.feed] = .success(events.first.map { Int64($0.run) })
                    transactions.views.noteRun(ofModel: model, hasNewShape: false)
                }
            }
            transactions.views.refresh(in: transactions)
        } catch {
            for list in lists {
                if let part = list.part { losses[part.feed] = error } else { ends[list.list.feed] = .failure(error) }
            }
        }
    }

    /// Throws the error that kept waiting lists of a feed from being stored, once.
    func throwLoss(of feed: String) throws {
        if let loss = losses.removeValue(forKey: feed) { throw loss }
    }

    /// The ids of the next rows.
    private struct Numbers {
        var run: Int64 = 0
        var event: Int64 = 0
        var crawl: Int64 = 0

        init(on connection: Connection) throws {
            let next = { (table: String) in
                try connection.int64(
                    """
                    SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = '\(table)'), 0),
                        coalesce((SELECT max(id) FROM \(table)), 0)) + 1
                    """) ?? 1
            }
            run = try next("run")
            event = try next("event")
            crawl = try next("_crawl")
            // Another program may have set the sequence: https://sqlite.org/autoinc.html
            guard max(run, event, crawl) < .max - 3 * Int64(ConfirmedLists.most) - 3 else {
                throw FeedSyncError(.store, "the numbers of runs and events in `sqlite_sequence` are used up")
            }
        }
    }

    /// - Returns: The events; empty if the list has changed meanwhile and is left to the next run.
    private func store(_ confirmed: ConfirmedList, _ numbers: inout Numbers) throws -> [StatusEvent] {
        let list = confirmed.list
        let tables = ListTables(of: list.feed)
        let name = Value.text(list.feed)
        let (start, end) = (Value.text(confirmed.startedAt), Value.text(confirmed.at))
        let isSettled = """
            SELECT 1 FROM \(tables.state) s JOIN \(tables.feed) l ON l.name = s.feed WHERE s.feed = ? AND s.crawl = ?
                AND s.definition = ? AND l.status = 'noMoreData'
            """
        guard try connection.int64(isSettled, name, Value(list.crawl), .text(list.definition)) == 1 else { return [] }
        let (page, metrics, crawl) = (list.page, confirmed.metrics, numbers.crawl)
        let dueAt = Value(confirmed.dueText(blockedUntil: try blockedUntil(confirmed)))
        try connection.run(
            """
            INSERT INTO run (id, feed, command, started_at, finished_at, outcome, complete, verified, pages, requests, bytes,
                unchanged)
            VALUES (?, ?, 'sync', ?, ?, 'unchanged', ?, ?, 1, ?, ?, ?)
            """, Value(numbers.run), name, start, end, Value(Completeness.ofUnchangedList.isComplete),
            Value(Completeness.ofUnchangedList.isVerified), Value(metrics.requests), Value(metrics.bytes),
            Value(page.elements))
        try connection.run(
            """
            INSERT INTO event (id, at, feed, run, status, page, unchanged)
            VALUES (?1, ?4, ?3, ?2, 'beginHeader', 1, 0), (?1 + 1, ?4, ?3, ?2, 'endHeader', 1, ?5),
                (?1 + 2, ?4, ?3, ?2, 'noMoreData', 1, 0)
            """, Value(numbers.event), Value(numbers.run), name, end, Value(page.elements))
        try connection.run(
            """
            INSERT INTO _crawl (id, round, feed, mode, started_at, server_date, ended_at, pages, elements, position, complete,
                has_totals)
            VALUES (?1, ?1, ?2, 'all', ?3, ?4, ?3, 1, ?5, ?5, 1, 0)
            """, Value(crawl), name, end, Value(confirmed.serverDate.flatMap { Timestamp(sinceEpoch: $0)?.text }),
            Value(page.elements))
        try connection.run("DELETE FROM _crawl_page WHERE crawl = ?", Value(list.crawl))
        try connection.run(
            "INSERT INTO _crawl_page (crawl, number, page, position, met) VALUES (?, 1, ?, 0, ?)", Value(crawl),
            Value(page.id), .text("[[\(page.place.generation),0,\(page.elements)]]"))
        try connection.run(
            """
            UPDATE \(tables.state) SET crawl = ?, ranges = ?, round_started_at = ?, round_ended_at = ?,
                planned_due_at = ?, poll_interval = ?, fresh_for = ? WHERE feed = ?
            """, Value(crawl), Value(CrawlProgress(ofOnePage: crawl, page.place.generation).json), start, end, dueAt,
            Value(confirmed.pollInterval), Value(confirmed.freshFor), name)
        try connection.run(
            "UPDATE \(tables.feed) SET reloaded_at = ?1, synced_at = ?1, full_at = ?1, next_due_at = ?2 WHERE name = ?3",
            end, dueAt, name)
        if case .list(let part, let seen) = confirmed.source, seen.map({ Value($0) }) ?? .null != list.seen {
            try connection.run(
                "UPDATE _feed_part SET seen = ? WHERE feed = ?", seen.map { Value($0) } ?? .null, name)
            try PartsAhead.noteAsked(part, on: connection)
        }
        defer {
            numbers.run += 1
            numbers.event += 3
            numbers.crawl += 1
        }
        return [RefreshStatus.beginHeader, .endHeader, .noMoreData].enumerated().map { index, status in
            StatusEvent(
                id: Int(numbers.event) + index, at: confirmed.at, feed: list.feed, run: Int(numbers.run),
                status: status,
                page: 1, items: status == .endHeader ? metrics.items : ItemCounts(), error: nil)
        }
    }

    /// Records the quota that a list's request counted against.
    ///
    /// - Returns: The time before which its host accepts no request, in seconds since 1970.
    private func blockedUntil(_ confirmed: ConfirmedList) throws -> Int64? {
        guard let quota = confirmed.quota?.quota else { return nil }
        let feed = confirmed.list.feed
        if quota != confirmed.list.quota { try QuotaLedger.count(feed, against: quota, on: connection) }
        return try QuotaLedger.blockedUntil(
            origin: quota.origin, credential: quota.credential, feed: feed, now: confirmed.at, on: connection)
    }
}

extension Store {
    /// Adds an unchanged list, to be stored together with others.
    ///
    /// - Throws: The error that kept such lists from being stored. They stay as due as they were.
    package func confirm(_ list: ConfirmedList) throws(FeedSyncError) {
        try transactions.inGroup { try ConfirmedLists.of(transactions).add(list, in: transactions) }
    }

    /// Stores an unchanged feed, together with others that were confirmed at the same time.
    ///
    /// - Returns: The number of its run; nil if the feed has changed meanwhile, and a run has to read it.
    /// - Throws: The error that kept it from being stored. It stays as due as it was.
    package func confirmFeed(_ feed: ConfirmedList) async throws(FeedSyncError) -> Int? {
        try transactions.inGroup { try ConfirmedLists.of(transactions).add(feed, in: transactions) }
        // The feeds whose responses are there, too, are added first.
        await executor.idle()
        return try transactions.inGroup {
            try ConfirmedLists.of(transactions).run(of: feed.list.feed, in: transactions).map { Int($0) }
        }
    }

    /// Stores the waiting lists.
    ///
    /// - Throws: The error that kept some of the feed's from being stored. They stay as due as they were.
    package func finishConfirmed(of feed: String) throws(FeedSyncError) {
        try storing { try ConfirmedLists.of(transactions).throwLoss(of: feed) }
    }
}

extension ConfirmedList {
    /// The list of a parent's row; nil for a feed.
    fileprivate var part: FeedPart? {
        if case .list(let part, _) = source { part } else { nil }
    }

    /// The lock of a feed; nil for one of its lists.
    fileprivate var lock: FeedLock? {
        if case .feed(let lock, _) = source { lock } else { nil }
    }

    // A 304 that does not repeat a header leaves the stored value.
    fileprivate var pollInterval: Int64? { advice.pollInterval ?? (advice.isModified ? nil : list.pollInterval) }
    fileprivate var freshFor: Int64? { advice.freshFor ?? (advice.isModified ? nil : list.freshFor) }

    /// The time at which the list is due again.
    fileprivate func dueText(blockedUntil: Int64?) -> String? {
        var history = FeedHistory(feed: list.feed)
        history.blockedUntil = blockedUntil.map { $0 * 1_000 }
        history.lastSyncStartedAt = Timestamp.milliseconds(of: startedAt)
        history.lastSyncEndedAt = Timestamp.milliseconds(of: at)
        history.isLoaded = true
        history.pollInterval = pollInterval
        history.freshFor = freshFor
        history.seenCount = list.page.elements
        return Planner.plan(history, every: every).dueText
    }
}
