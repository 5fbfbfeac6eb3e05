internal import SQLite

/// The writer of one feed during a run: its table, its crawl, and the transactions that change them.
///
/// Every method is one transaction: it writes everything or nothing, and `state` follows only a commit. `commit` is
/// part of a transaction that may have several pages: `state` follows each page, and goes back if the pages are undone.
///
/// - Isolation: the store's.
package final class FeedWriter: PageTransactionWriter {
    package let feed: String
    let tableName: String
    /// The tables that hold the feed's state.
    let tables: ListTables
    let storedPages: StoredPages
    /// The rows of the table that belong to the feed or part.
    let scope: RowScope
    package let run: Int64
    let connection: Connection
    private let transactions: Transactions
    /// The definition, with the findings of all runs.
    package private(set) var shape: ResolvedFeed
    private(set) var table: FeedTable
    /// Logs the changes of rows; nil if the definition keeps none.
    let log: ChangeLog?
    /// The findings that all lists of the feed share, as stored when this list's shape was read; nil if unknown.
    var commonFindings: String?
    /// The feed's columns before the run, if the whole list had been read by then.
    private(set) var columnsBefore: [ColumnDefinition]?
    /// The columns that items lost, as found by earlier tables of this run.
    private(set) var lostColumns: Set<String> = []
    /// The changes of columns that the run found, set at its end.
    private(set) var columnChanges: [ColumnChange] = []
    /// True if the run found new columns or a key.
    private(set) var hasNewShape = false
    /// The time of the last page. Each page of a feed has its own time, which tells which page stored a row.
    var lastPageAt = ""
    package internal(set) var state: FeedState
    /// The trail of the current crawl; changed only after a transaction has succeeded.
    private(set) var trail: CrawlTrail
    /// True if a look at all keys found no missing row and no page was stored since.
    var missesNothing = false
    /// The elements of the crawl's pages that are not items, once counted.
    var others: Int?
    /// The state of the feed when the run began.
    package let resumePoint: ResumePoint
    /// The place in the list where each key was met first: collected once, for pages that are requested again.
    var metBefore: [String: MetKey]?
    /// The head of the list as it was read again so far, and the earlier places of the list's keys.
    var head: (comparison: HeadComparison, places: [String: Int])?
    /// The page that was requested again last, if it was unchanged.
    var lastSame: PageOfCrawl?
    /// The first page that this run read of each crawl. All later pages of the crawl are this run's, too.
    private var firstOwnPage: [Int64: Int] = [:]
    /// The pages at the end of the list that this run read, set once it has read the last one.
    var tail: Set<PageOfCrawl> = []
    /// The pages of earlier runs that this run requested again.
    var askedAgain: Set<PageOfCrawl> = []
    /// The pages that a full crawl read in this run.
    var reads = PageReads()
    /// The keys of items that left a page after this run had read them there.
    var leftPage: Set<String> = []
    /// The keys of the page to which the crawl goes back, and of the page before it; nil if the crawl continues.
    var keysLeft: (page: Set<String>, before: Set<String>)?
    /// Rows of pages that wait for their commit; nil if none wait.
    private(set) var unsaved: UnsavedRows?
    /// True if those rows are written but not committed.
    private var isSaved = false
    /// The last host that was found to accept requests, and the time at which it is looked up again.
    private var freeHost: (host: FreeHost, until: ContinuousClock.Instant)?
    /// The error that kept waiting pages from being stored, until it is reported to the run.
    private var loss: (any Error)?

    init(
        feed: String, tableName: String, run: Int64, shape: ResolvedFeed, state: FeedState, trail: CrawlTrail,
        resumePoint: ResumePoint, in transactions: Transactions
    ) throws {
        self.feed = feed
        self.tableName = tableName
        tables = ListTables(of: feed)
        scope = try RowScope(shape.definition.part)
        self.run = run
        self.shape = shape
        self.state = state
        self.trail = trail
        self.resumePoint = resumePoint
        self.transactions = transactions
        connection = transactions.connection
        storedPages = StoredPages(of: feed, on: connection)
        columnsBefore = state.isComplete && shape.definition.isResolved ? shape.definition.columns : nil
        log = shape.definition.keepsChanges ? ChangeLog(of: shape.definition.owner, run: run, on: connection) : nil
        table = FeedTable(named: tableName, plan: shape.plan, scope: scope, log: log, on: connection)
    }

    /// Goes on with the run of a writer whose crawl has ended.
    func goOn(after other: FeedWriter) {
        state.figures = other.state.figures
        (lastPageAt, columnsBefore, lostColumns) = (other.lastPageAt, other.columnsBefore, other.lostColumns)
        hasNewShape = other.hasNewShape
    }

    /// Continues with another shape, whose table exists.
    func follow(_ shape: ResolvedFeed) {
        lostColumns.formUnion(table.lostColumns)
        table = FeedTable(named: tableName, plan: shape.plan, scope: scope, log: log, on: connection)
        self.shape = shape
        hasNewShape = true
    }

    /// Runs `body` on committed data.
    ///
    /// - Throws: The error that kept the run's last pages from being stored, once; the error of `body`.
    package func committed<Result>(_ body: () throws -> Result) throws(FeedSyncError) -> Result {
        try transactions.storing {
            try throwLoss()
            try transactions.locks[feed]?.check()
            return try body()
        }
    }

    /// Runs `body` while pages may wait for their commit.
    ///
    /// - Throws: The errors of `committed`.
    package func pending<Result>(_ body: () throws -> Result) throws(FeedSyncError) -> Result {
        try transactions.inGroup {
            try throwLoss()
            return try body()
        }
    }

    /// Stores a page, to be committed together with pages that follow soon.
    ///
    /// - Parameter publish: Called with the page's events once they are committed.
    /// - Returns: nil if another list of the feed has found columns since this list's columns were read. The caller
    ///   then calls `catchUp` and decodes the page again.
    package func commit(
        _ page: PageCommit, now: String, publish: @escaping @Sendable (StatusEvent) -> Void
    ) throws(FeedSyncError) -> PageOutcome? {
        try pending {
            guard try !isBehind(page) else { return PageOutcome?.none }
            // The quota readings of the queued lists are older than this page's.
            if !page.cost.quota.isEmpty { transactions.storeQueue() }
            var outcome: PageOutcome?
            try transactions.store(by: self) {
                let stored = try store(page, now: now)
                outcome = stored
                let facts = CommitGroup.Page(
                    bytes: page.content.byteCount, waited: page.waited, isFollowed: stored.beginsNext)
                return (facts, { stored.events.forEach(publish) })
            }
            return outcome
        }
    }

    /// Logs that a page is being requested.
    package func begin(_ direction: PageDirection, now: String) throws -> StatusEvent {
        let page = direction == .header ? 1 : (state.crawl?.pages ?? 0) + 1
        let event = try connection.transaction {
            try logEvent(direction.begin, page: page, now: now)
        }
        state.open = direction
        return event
    }

    /// Closes the open begin event, if there is one, because its page failed. Then ends the run.
    package func fail(
        _ error: FeedSyncError, outcome: RunOutcome, cost: FetchCost, now: String
    ) throws(FeedSyncError) -> StatusEvent? {
        try transactions.inGroup {
            // Pages that cannot be committed are undone; the pages before them stay.
            try? transactions.closeGroup()
            loss = nil
            try transactions.checkFile()
            try transactions.locks[feed]?.check()
            return try logFailure(error, outcome: outcome, cost: cost, now: now)
        }
    }

    private func logFailure(
        _ error: FeedSyncError, outcome: RunOutcome, cost: FetchCost, now: String
    ) throws -> StatusEvent? {
        let isPassing = [.cancelled, .interrupted, .unreachable, .limited, .locked, .store].contains(error.kind)
        var draft = state
        draft.figures.add(cost)
        draft.open = nil
        let event = try connection.transaction {
            let event = try closeOpenEvent(error, now: now)
            try connection.run("UPDATE \(tables.feed) SET error = ? WHERE name = ?", .text(error.json), .text(feed))
            // A failed first page says nothing about the place where the list continues.
            if state.open == .footer, let crawl = state.crawl, !error.isOfUser {
                draft.progress.fail(crawl.id, isLost: !isPassing, mayPass: shape.definition.pagination.mayAskBeyondEnd)
                try saveProgress(draft)
            }
            if let response = error.response {
                try response.keep(at: now, run: run, error: error, of: feed, on: connection)
            }
            try record(cost.quota)
            try finishRun(outcome: outcome, figures: draft.figures, error: error.json, now: now)
            return event
        }
        state = draft
        return event
    }

    /// Closes the open begin event with the error of its page; nil if none is open. Part of the caller's transaction.
    func closeOpenEvent(_ error: FeedSyncError, now: String) throws -> StatusEvent? {
        guard let direction = state.open else { return nil }
        let page = direction == .header ? 1 : (state.crawl?.pages ?? 0) + 1
        return try logEvent(direction.end, page: page, error: error.json, now: now)
    }

    /// Ends the run.
    ///
    /// - Returns: The number of the feed's live rows, and the number of items that the upstream has served.
    ///
    /// - Parameter window: The window that the run has asked for. If it is not the last one, its crawl ends and the run
    ///   goes on.
    package func finish(
        outcome: RunOutcome, closing: CrawlClosing? = nil, window: WindowEnd? = nil, now: String
    ) throws(FeedSyncError) -> (outcome: RunOutcome, itemCount: Int, seenCount: Int) {
        let counts = try pending {
            guard transactions.isOpen(for: self) else {
                try transactions.closeGroup()
                try transactions.checkFile()
                try transactions.locks[feed]?.check()
                return try end(outcome: outcome, closing: closing, window: window, now: now)
            }
            // The run's last page has waited for this.
            let counts = try write { try end(outcome: outcome, closing: closing, window: window, now: now) }
            try transactions.closeGroup()
            return counts
        }
        // A run has succeeded only if its rows are in the file at the path.
        try transactions.inGroup {
            try transactions.checkFile()
            try transactions.checkLog()
        }
        return counts
    }

    private func end(
        outcome: RunOutcome, closing: CrawlClosing?, window: WindowEnd?, now: String
    ) throws -> (outcome: RunOutcome, itemCount: Int, seenCount: Int) {
        var counts = (outcome: outcome, itemCount: 0, seenCount: 0)
        if let closing {
            // A removed row is a change, though no page has changed.
            if try close(closing, outcome: outcome, window: window, now: now) > 0 { counts.outcome = .ok }
        } else {
            try finish(outcome, now: now)
        }
        try connection.rows(
            """
            SELECT item_count, \(FeedHistory.seenCountSQL) FROM \(tables.feed) LEFT JOIN _crawl ON _crawl.id = ?
            WHERE name = ?
            """,
            [Value(state.crawl?.id), .text(feed)]
        ) { row in (counts.itemCount, counts.seenCount) = (row.count(at: 0), row.count(at: 1)) }
        return counts
    }

    /// Adds the cost of requests to the run.
    package func spend(_ cost: FetchCost) throws {
        if !cost.quota.isEmpty { try connection.transaction { try record(cost.quota) } }
        state.figures.add(cost)
    }

    /// The time before which a host accepts no request with these credentials, in seconds since 1970.
    ///
    /// The store is read again after a second, because of other processes, and after each quota reading of this one.
    package func blockedUntil(_ origin: String, _ credential: Int64, now: String) throws -> Int64? {
        let host = FreeHost(origin: origin, credential: credential, readings: transactions.quotaReadings.count)
        if let known = freeHost, known.host == host, .now < known.until { return nil }
        let end = try QuotaLedger.blockedUntil(
            origin: origin, credential: credential, feed: feed, now: now, on: connection)
        freeHost = end == nil ? (host, .now + .seconds(1)) : nil
        return end
    }

    /// Records the quota readings of responses. Part of the caller's transaction.
    func record(_ quota: [QuotaReading]) throws {
        guard !quota.isEmpty else { return }
        transactions.quotaReadings.count += 1
        try QuotaLedger.record(quota, for: feed, on: connection)
    }

    /// A host that accepts requests.
    private struct FreeHost: Equatable {
        let origin: String
        let credential: Int64
        /// The number of this process's quota readings when it was looked up.
        let readings: Int
    }

    private func finish(_ outcome: RunOutcome, now: String) throws {
        try connection.transaction {
            try finishRun(outcome: outcome, figures: state.figures, error: nil, now: now)
            // It may be that no page cleared the error of an earlier run.
            try connection.run(
                "UPDATE \(tables.feed) SET error = NULL WHERE name = ? AND error IS NOT NULL", .text(feed))
        }
    }

    /// Continues after a stored page.
    ///
    /// - Parameters:
    ///   - met: The earlier places of the rows that the page met.
    ///   - added: The number of rows that the page added.
    ///   - rows: The page's changes that are written with the commit.
    func follow(_ draft: FeedState, behind page: PageCommit, met: [MetPlaces], added: Int, rows: UnsavedRows) {
        unsaved = rows.behind(unsaved ?? UnsavedRows(before: state))
        isSaved = false
        if draft.crawl?.id != state.crawl?.id {
            trail = CrawlTrail(isWhole: draft.crawl?.round.map { $0 == draft.crawl?.id } ?? true)
        }
        missesNothing = false
        others = nil
        metBefore = nil
        if !page.isCheck {
            trail.add(page.end.next?.text, met, added: added, others: page.content.otherElements)
            if let crawl = draft.crawl {
                firstOwnPage[crawl.id] = min(firstOwnPage[crawl.id] ?? crawl.pages, crawl.pages)
            }
        }
        state = draft
    }

    /// Records a page that was requested again and shows the present items.
    package func markAskedAgain(_ page: PageOfCrawl) { askedAgain.insert(page) }

    /// True if this run read the page or requested it again.
    func isOwn(_ page: PageOfCrawl) -> Bool {
        askedAgain.contains(page) || firstOwnPage[page.crawl].map { page.number >= $0 } ?? false
    }

    /// Writes the changes of several pages once for all of them.
    package func saveOnce() throws {
        guard let unsaved, !isSaved else { return }
        if let crawl = state.crawl { try save(crawl, endedAt: unsaved.endedAt) }
        try updateFeed(unsaved)
        if state.progress != unsaved.before.progress { try writeProgress(state.progress) }
        try updateRun(state.figures)
    }

    /// Writes with `body` in the transaction of the pages that wait for their commit.
    func write<T>(behindPages body: () throws -> T) throws -> T {
        do {
            return try connection.savepoint {
                try saveOnce()
                isSaved = true
                return try body()
            }
        } catch {
            isSaved = false
            throw error
        }
    }

    /// Records that the pages are committed.
    package func isCommitted() {
        unsaved = nil
        isSaved = false
    }

    /// Restores the state of the last commit. The pages since then are not stored.
    package func undo(_ error: any Error) {
        guard let unsaved else { return }
        state = unsaved.before
        self.unsaved = nil
        isSaved = false
        storedPages.forget()
        table.abandon()
        loss = error
    }

    /// Throws the error that kept the last pages from being stored, once.
    private func throwLoss() throws {
        guard let loss else { return }
        self.loss = nil
        throw loss
    }

    /// Continues with another crawl.
    func follow(_ draft: FeedState, _ trail: CrawlTrail) {
        self.trail = trail
        missesNothing = false
        others = nil
        storedPages.forget()
        state = draft
    }

    /// Logs an event of its own.
    private func logEvent(
        _ status: RefreshStatus, page: Int?, error: String? = nil, now: String
    ) throws -> StatusEvent {
        try connection.run("UPDATE \(tables.feed) SET status = ? WHERE name = ?", .text(status.rawValue), .text(feed))
        return try addEvents([EventEntry(status: status, page: page, error: error)], now: now)[0]
    }

    /// Adds events to the log. The caller updates the feed's status in the same transaction.
    func addEvents(_ entries: [EventEntry], now: String) throws -> [StatusEvent] {
        try connection.run(
            entries.count < Self.insertions.count ? Self.insertions[entries.count] : Self.insertion(of: entries.count),
            entries.flatMap { entry in
                [
                    .text(now), .text(feed), Value(run), .text(entry.status.rawValue), Value(entry.page),
                    Value(entry.items.inserted), Value(entry.items.updated), Value(entry.items.unchanged),
                    Value(entry.items.removed), Value(entry.error),
                ]
            })
        // AUTOINCREMENT numbers the rows of one statement consecutively: https://sqlite.org/autoinc.html
        let first = Int(connection.lastInsertRowID) - entries.count + 1
        return entries.enumerated().map { index, entry in
            StatusEvent(
                id: first + index, at: now, feed: feed, run: Int(run), status: entry.status, page: entry.page,
                items: entry.items, error: entry.error)
        }
    }

    /// Statements that insert a number of events; a page has at most three.
    private static let insertions = (0...3).map(insertion)

    private static func insertion(of count: Int) -> String {
        """
        INSERT INTO event (at, feed, run, status, page, inserted, updated, unchanged, removed, error)
        VALUES \(Array(repeating: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count: count).joined(separator: ", "))
        """
    }

    func finishRun(outcome: RunOutcome, figures: RunMetrics, error: String?, now: String) throws {
        let run = Completeness.of(outcome, state)
        try connection.run(
            """
            UPDATE run SET finished_at = ?, outcome = ?, complete = ?, verified = ?, reason = ?, requests = ?, bytes = ?,
                error = ?
            WHERE id = ?
            """, .text(now), .text(outcome.rawValue), Value(run.isComplete), Value(run.isVerified),
            Value(run.reason?.rawValue), Value(figures.requests), Value(figures.bytes), Value(error), Value(self.run))
        columnChanges = try foundColumnChanges()
        try record(columnChanges, now: now)
        try FeedSchedule.follow(self.run, of: feed, every: shape.definition.every, on: connection)
    }

    /// Saves the ranges in the current transaction.
    func saveProgress(_ draft: FeedState) throws {
        if draft.progress != state.progress { try writeProgress(draft.progress) }
    }

    private func writeProgress(_ progress: CrawlProgress) throws {
        try connection.run("UPDATE \(tables.state) SET ranges = ? WHERE feed = ?", Value(progress.json), .text(feed))
    }
}

extension FeedSyncError {
    /// True if the user or the environment, not the upstream, stopped the run.
    fileprivate var isOfUser: Bool { [.cancelled, .interrupted, .limited, .locked, .store].contains(kind) }
}

/// A line of the event log that is to be stored.
struct EventEntry {
    var status: RefreshStatus
    var page: Int?
    var items = ItemCounts()
    /// The error, as JSON.
    var error: String?
}
