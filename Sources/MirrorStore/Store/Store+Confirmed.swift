internal import SQLite

/// Settled lists that the upstream has confirmed: stores the results of their runs, many in one transaction.
extension Store {
    /// Queues an unchanged list, to be stored together with others.
    ///
    /// - Throws: The error that kept such lists from being stored. They stay as due as they were.
    package func confirm(_ list: ConfirmedList) throws(FeedSyncError) {
        try inGroup {
            try tellLoss()
            confirmed.lists.append(list)
            let now = ContinuousClock.now
            _ = confirmed.rule.add(CommitGroup.Page(bytes: 0, waited: .zero, isFollowed: false), at: now)
            // They are smaller than pages, so more of them share a transaction.
            let isFull =
                confirmed.lists.count >= ConfirmedLists.most || confirmed.rule.dueAt().map { $0 <= now } ?? false
            if isFull {
                storeConfirmed()
                try tellLoss()
            } else {
                setAlarm()
            }
        }
    }

    /// Stores the queued lists.
    ///
    /// - Throws: The error that kept some from being stored. They stay as due as they were.
    package func finishConfirmed() throws(FeedSyncError) { try storing { try tellLoss() } }

    /// Stores the unchanged lists. An error is reported to their run only, not to other users of the store.
    func storeConfirmed() {
        guard !confirmed.lists.isEmpty else { return }
        let lists = confirmed.lists
        confirmed = ConfirmedLists(loss: confirmed.loss)
        do {
            // Events are published in the order of their numbers.
            try closeGroup()
            try checkFile(isWriting: true)
            for feed in Set(lists.map(\.part.feed)) { try locks[feed]?.check() }
            let events = try connection.transaction { () -> [[StatusEvent]] in
                var numbers = try Numbers(on: connection)
                var told: [QuotaReading.Quota: QuotaReading] = [:]
                for reading in lists.compactMap(\.quota) {
                    told[reading.quota] = told[reading.quota].map(reading.later) ?? reading
                }
                try QuotaLedger.keep(Array(told.values), on: connection)
                return try lists.map { try store($0, &numbers) }
            }
            for (list, events) in zip(lists, events) { events.forEach(list.publish) }
        } catch {
            confirmed.loss = error
        }
    }

    /// Throws the error that kept lists from being stored, once.
    private func tellLoss() throws {
        guard let loss = confirmed.loss else { return }
        confirmed.loss = nil
        throw loss
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
        }
    }

    /// - Returns: The events; empty if the list has changed meanwhile and is left to the next run.
    private func store(_ confirmed: ConfirmedList, _ numbers: inout Numbers) throws -> [StatusEvent] {
        let list = confirmed.list
        let name = Value.text(list.feed)
        let (start, end) = (Value.text(confirmed.startedAt), Value.text(confirmed.at))
        let isSettled = """
            SELECT 1 FROM _feed_part s JOIN feed_part l ON l.name = s.feed WHERE s.feed = ? AND s.crawl = ?
                AND s.definition = ? AND l.status = 'noMoreData'
            """
        guard try connection.int64(isSettled, name, Value(list.crawl), .text(list.definition)) == 1 else { return [] }
        let (page, figures, crawl) = (list.page, confirmed.figures, numbers.crawl)
        let dueAt = Value(confirmed.dueText(blockedUntil: try blockedUntil(confirmed)))
        try connection.run(
            """
            INSERT INTO run (id, feed, command, started_at, finished_at, outcome, complete, verified, pages, requests, bytes,
                unchanged)
            VALUES (?, ?, 'sync', ?, ?, 'unchanged', 1, 1, 1, ?, ?, ?)
            """, Value(numbers.run), name, start, end, Value(figures.requests), Value(figures.bytes),
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
            UPDATE _feed_part SET crawl = ?, ranges = ?, round_started_at = ?, round_ended_at = ?, planned_due_at = ?,
                poll_interval = ?, fresh_for = ?, seen = ? WHERE feed = ?
            """, Value(crawl), .text(Self.ranges(crawl, page)), start, end, dueAt, Value(confirmed.pollInterval),
            Value(confirmed.freshFor), confirmed.seen.map { Value($0) } ?? .null, name)
        try connection.run(
            "UPDATE feed_part SET reloaded_at = ?1, synced_at = ?1, full_at = ?1, next_due_at = ?2 WHERE name = ?3",
            end,
            dueAt, name)
        if confirmed.seen.map({ Value($0) }) ?? .null != list.seen { try noteAsked(confirmed.part) }
        defer {
            numbers.run += 1
            numbers.event += 3
            numbers.crawl += 1
        }
        return [RefreshStatus.beginHeader, .endHeader, .noMoreData].enumerated().map { index, status in
            StatusEvent(
                id: Int(numbers.event) + index, at: confirmed.at, feed: list.feed, run: Int(numbers.run),
                status: status,
                page: 1, items: status == .endHeader ? figures.items : ItemCounts(), error: nil)
        }
    }
}

extension Store {
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

/// The lists that wait to be stored.
struct ConfirmedLists {
    static let most = 256
    var rule = CommitGroup()
    var lists: [ConfirmedList] = []
    /// The error that kept earlier lists from being stored, until it is reported to a run.
    var loss: (any Error)?
}

extension ConfirmedList {
    // A 304 that does not repeat a header leaves the stored value.
    fileprivate var pollInterval: Int64? { advice.pollInterval ?? (advice.isModified ? nil : list.pollInterval) }
    fileprivate var freshFor: Int64? { advice.freshFor ?? (advice.isModified ? nil : list.freshFor) }

    /// The time at which the list is due again.
    fileprivate func dueText(blockedUntil: Int64?) -> String? {
        var history = FeedHistory(feed: list.feed)
        history.blockedUntil = blockedUntil.map { $0 * 1_000 }
        history.roundStartedAt = Timestamp.milliseconds(of: startedAt)
        history.roundEndedAt = Timestamp.milliseconds(of: at)
        history.isLoaded = true
        history.pollInterval = pollInterval
        history.freshFor = freshFor
        history.seenCount = list.page.elements
        return Planner.plan(history, every: every).dueText
    }
}
