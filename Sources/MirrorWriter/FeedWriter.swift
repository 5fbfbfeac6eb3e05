internal import SQLite

/// The writer of one feed during a run: its table, its crawl, and the transactions that change them.
///
/// A method that writes is one transaction: it writes everything or nothing, and `state` follows only a commit. `add`
/// is part of a transaction that may have several pages: `state` follows each page, and goes back if the pages are
/// undone.
///
/// - Isolation: the store's.
package final class FeedWriter: PageTransactionWriter {
    package let feed: String
    package let run: Int64
    package let table: ListTable
    package let records: ListRecords
    package let quota: RunQuota
    private let connection: Connection
    private let log: RunLog
    private let transactions: Transactions
    package private(set) var state: FeedState
    /// The state of the feed when the run began.
    package let resumePoint: ResumePoint
    // The next six follow each page. They are not restored if pages are undone: the run fails then, and they end with
    // it.
    /// The trail of the current crawl.
    private var trail: CrawlTrail
    /// The pages that the run has read.
    package var reads = RunReads()
    /// The pages that are requested again.
    private var checks = PageChecks()
    /// Counts of the list, until a page is stored.
    private let counts = CrawledList.Cache()
    private var clock = PageClock()
    /// The page to which the crawl goes back, as the crawl had met it; nil if the crawl continues.
    private var pageToReadAgain: CrawlResumption.PageToReadAgain?
    /// Rows of pages that wait for their commit; nil if none wait.
    private var unsaved: UnsavedRows?
    /// The state of the table before the pages that wait for their commit.
    private var tableBefore: ListTable.State
    /// The error that kept waiting pages from being stored, until it is reported to the run.
    private var loss: (any Error)?

    /// A writer that goes on from the stored state of the feed.
    init(feed: String, run: Int64, shape: ResolvedFeed, in transactions: Transactions) throws {
        let connection = transactions.connection
        (resumePoint, trail) = try StoredState(of: feed, on: connection).load()
        table = try ListTable(shape, run: run, isComplete: resumePoint.state.isComplete, on: connection)
        tableBefore = table.state
        records = try ListRecords(of: feed, in: table, on: connection)
        quota = RunQuota(of: feed, in: transactions)
        log = RunLog(of: feed, run: run, on: connection)
        self.feed = feed
        self.run = run
        state = resumePoint.state
        self.transactions = transactions
        self.connection = connection
    }

    /// Goes on with the run of a writer whose crawl has ended.
    func goOn(after other: FeedWriter) {
        state.metrics = other.state.metrics
        clock = other.clock
        table.goOn(after: other.table)
        records.storedPages.goOn(after: other.records.storedPages)
    }

    /// The list that the current crawl makes up.
    package var list: CrawledList {
        CrawledList(shape: table.shape, state: state, trail: trail, reads: reads, records: records, cache: counts)
    }

    // MARK: - Transactions

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

    /// Writes the changes of several pages once for all of them.
    package func saveOnce() throws {
        guard let unsaved, !unsaved.isWritten else { return }
        if let crawl = state.crawl { try records.crawls.save(crawl, endedAt: unsaved.endedAt) }
        try records.state.save(state, after: unsaved)
        try records.state.save(state.progress, over: unsaved.before.progress)
        try log.save(state.metrics)
    }

    /// Writes with `body` in the transaction of the pages that wait for their commit.
    private func write<T>(behindPages body: () throws -> T) throws -> T {
        do {
            return try connection.savepoint {
                try saveOnce()
                unsaved?.isWritten = true
                return try body()
            }
        } catch {
            unsaved?.isWritten = false
            throw error
        }
    }

    /// Records that the pages are committed.
    package func didCommit() { unsaved = nil }

    /// Restores the state of the last commit. The pages since then are not stored.
    package func undo(_ error: any Error) {
        guard let unsaved else { return }
        let metrics = state.metrics
        state = unsaved.before
        // The requests were made all the same.
        (state.metrics.requests, state.metrics.bytes) = (metrics.requests, metrics.bytes)
        self.unsaved = nil
        records.storedPages.forget()
        table.abandon(tableBefore)
        loss = error
    }

    /// Throws the error that kept the last pages from being stored, once.
    private func throwLoss() throws {
        guard let loss else { return }
        self.loss = nil
        throw loss
    }

    /// Changes the progress in a transaction of its own.
    private func update(_ change: (inout CrawlProgress) -> Void) throws {
        var draft = state
        change(&draft.progress)
        try connection.transaction { try records.state.save(draft.progress, over: state.progress) }
        state = draft
    }

    // MARK: - Pages

    /// Logs that a page is being requested.
    package func begin(_ direction: PageDirection, now: String) throws -> StatusEvent {
        let event = try connection.transaction {
            try log.note(direction.begin, page: state.number(of: direction), now: now)
        }
        state.openDirection = direction
        return event
    }

    /// Logs that the list has no further page. Returns nil if its status says so already.
    package func noteEnd(now: String) throws -> StatusEvent? {
        try connection.transaction { try log.noteEnd(now: now) }
    }

    /// Adds the cost of requests to the run.
    package func spend(_ cost: FetchCost) throws {
        var metrics = state.metrics
        metrics.add(cost)
        try connection.transaction {
            if !cost.quota.isEmpty { try quota.record(cost.quota) }
            try log.save(metrics)
        }
        state.metrics = metrics
    }

    /// Stores a page, to be committed together with pages that follow soon.
    ///
    /// - Parameter publish: Called with the page's events once they are committed.
    /// - Returns: nil if another list of the feed has found columns since this list's columns were read. The caller
    ///   then lets the table catch up and decodes the page again.
    package func add(
        _ page: PageCommit, now: String, publish: @escaping @Sendable (StatusEvent) -> Void
    ) throws(FeedSyncError) -> CrawlRules.Committed? {
        try pending {
            guard try !table.isBehind(page) else { return CrawlRules.Committed?.none }
            // The quota readings of the queued lists are older than this page's.
            if !page.cost.quota.isEmpty { transactions.storeQueue() }
            var committed: CrawlRules.Committed?
            try transactions.store(by: self) {
                let stored = try store(page, now: now)
                committed = stored.committed
                let facts = CommitGroup.Page(
                    bytes: page.content.byteCount, waited: page.waited, isFollowed: stored.state.openDirection != nil)
                return (facts, { stored.events.forEach(publish) })
            }
            return committed
        }
    }

    /// Stores a page: its items, the page cursor, the feed's status, validators and quota, and the events. Values of
    /// which only a transaction's last page counts are left to `saveOnce`.
    ///
    /// - Throws: The errors of `PageStorage`. The owner of the transaction then undoes it.
    private func store(_ commit: PageCommit, now: String) throws -> PageStorage.Stored {
        let before = table.state
        do {
            let isOfAll = commit.page.mode == .all
            let known = isOfAll ? try records.storedPages.newest(commit.key) : nil
            let stored = try write(commit, now: now)
            if commit.page.direction == .header, !commit.page.isCheck { reads.headKeys = commit.page.keys }
            if !commit.page.isCheck, commit.page.end.next == nil { reads.hasUncheckedEnd = commit.page.hasUncheckedEnd }
            if isOfAll {
                if !commit.page.isCheck, commit.page.upstreamNext == nil {
                    reads.endsAsLong = known.map { commit.page.elementCount >= $0.elements } ?? false
                }
                // Partitions overlap, and so do pages that are requested so: their items have not moved.
                let definition = table.shape.definition
                let overlaps = definition.partitioning != nil || definition.pagination.overlappingSize != nil
                reads.note(
                    commit.key, keys: commit.page.keys, stored: known?.keys,
                    hadRepeats: !overlaps && known?.hasRepeats == true,
                    isInSequence: commit.page.isCheck || definition.pagination.prefetch <= 1)
            }
            if unsaved == nil { tableBefore = before }
            follow(stored, behind: commit.page)
            return stored
        } catch {
            table.abandon(before)
            records.storedPages.forget()
            throw error
        }
    }

    /// Writes a page. A function of its own, so that nothing else has the trail and the reads when they follow the page:
    /// they grow with the list, and would be copied for each page.
    private func write(_ commit: PageCommit, now: String) throws -> PageStorage.Stored {
        var storage = PageStorage(
            list: list, table: table, log: log, quota: quota, pageToReadAgain: pageToReadAgain,
            addedBefore: unsaved?.added ?? 0, now: clock.time(now))
        pageToReadAgain = nil
        return try storage.store(commit)
    }

    /// Continues after a stored page.
    private func follow(_ stored: PageStorage.Stored, behind page: CrawlPage) {
        unsaved = stored.rows.added(to: unsaved ?? UnsavedRows(before: state))
        let crawl = stored.state.crawl
        if crawl?.id != state.crawl?.id { trail = CrawlTrail(isWhole: crawl?.round.map { $0 == crawl?.id } ?? true) }
        counts.clear()
        checks.forgetKeys()
        if !page.isCheck {
            trail.add(page.end.next?.text, stored.met, added: stored.items.inserted, others: page.otherElements)
            if let crawl { reads.read(PageOfCrawl(crawl: crawl.id, number: crawl.pages)) }
        }
        state = stored.state
    }

    // MARK: - The crawl

    /// The page cursor of a page of a crawl; nil for its first page. Makes that crawl the current one.
    package func cursor(of page: PageOfCrawl) throws -> PageCursor? {
        if state.crawl?.id != page.crawl { _ = try goOn(page.crawl, from: nil, isProved: false) }
        return try records.pages.cursor(of: page)
    }

    /// Continues a crawl at its end or at one of its pages. The crawl then reads that page and the later ones again.
    ///
    /// - Parameter isProved: True if nothing can lie between the pages of its range.
    /// - Returns: The cursor to request, and the number of pages that the crawl had.
    package func goOn(_ crawl: Int64, from number: Int?, isProved: Bool) throws -> (cursor: PageCursor?, pages: Int) {
        var resumption = CrawlResumption(of: list)
        let place = try connection.transaction { try resumption.resume(crawl, from: number, isProved: isProved) }
        pageToReadAgain = resumption.pageToReadAgain ?? pageToReadAgain
        trail = resumption.trail
        counts.clear()
        records.storedPages.forget()
        state = resumption.draft
        return place
    }

    /// Records that a partition is too large. This run and the next ones request its half.
    ///
    /// - Parameter isFirst: True for the first partition of a crawl.
    package func narrow(to half: PageCursor, isFirst: Bool) throws {
        let crawl = isFirst ? nil : state.crawl?.id
        try update { $0.narrow(crawl, to: half) }
    }

    /// The facts of a crawl that has reached the end of the list.
    package func examine() throws -> CrawlFacts {
        // This run read the head, and it is unchanged.
        if let head = list.headThatIsSame {
            reads.readAgain(head)
            try markChecked(head, isSame: true)
        }
        if state.progress.round != nil { reads.reachEnd(of: try list.pagesToProve()) }
        let (facts, sharesValues) = (try list.facts(), try list.sharesValues())
        state.crawl?.mayShareValues = facts.mayShareValues
        state.crawl?.sharesValues = sharesValues
        return facts
    }

    // MARK: - Pages that are requested again

    /// The comparison of a page that was requested again with what the crawl has met.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - end: The next page according to it.
    ///   - known: The page as it was last stored.
    package func compare(
        _ page: DecodedPage?, _ end: NextPage, at place: PageOfCrawl, known: StoredPage?
    ) throws -> PageComparison {
        let comparison = try checks.compare(page, end, at: place, known: known, in: list, table)
        if Completeness.movedUnseen(comparison, total: end.total, before: known?.total) {
            try update { $0.round?.mayHaveMissedItems = true }
        }
        return comparison
    }

    /// Records a page that was requested again and brought nothing new.
    ///
    /// - Parameter isSame: True if the page is unchanged and has not moved. Nothing lies between two such pages in a
    ///   row.
    package func markChecked(_ page: PageOfCrawl, isSame: Bool) throws {
        guard let before = checks.note(page, isSame: isSame) else { return }
        try update { $0.update(page.crawl) { range in range.loosePages.removeAll { $0 == before.number } } }
    }

    /// Compares a page of the head, read again, with the list as the crawl met it.
    ///
    /// - Parameter isFirst: True for the first page.
    /// - Returns: True if items left the head, as far as it was read again.
    package func hasMovedUp(_ page: DecodedPage?, isFirst: Bool) throws -> Bool {
        try checks.hasMovedUp(page, isFirst: isFirst, in: list)
    }

    // MARK: - The end

    /// Closes the open begin event, if there is one, because its page failed. Then ends the run.
    package func fail(
        _ error: FeedSyncError, outcome: RunOutcome, cost: FetchCost, now: String
    ) throws(FeedSyncError) -> StatusEvent? {
        try transactions.inGroup {
            // Pages that cannot be committed are undone; the pages before them stay.
            try? transactions.closeGroup()
            loss = nil
            try checkAccess()
            return try end(now: now) { try $0.fail(error, outcome: outcome, cost: cost) }
        }
    }

    /// Forgets a token that is too old, and closes the open begin event with the upstream's answer.
    package func leaveToken(
        _ error: FeedSyncError, cost: FetchCost, now: String
    ) throws(FeedSyncError) -> StatusEvent? {
        try committed { try end(now: now) { try $0.leaveToken(error, cost: cost) } }
    }

    /// Ends the run.
    ///
    /// - Parameters:
    ///   - window: The window that the run has asked for. If it is not the last one, its crawl ends and the run goes on.
    ///   - beginsAtStart: True if a crawl by watermark asked for everything since the `start`.
    ///   - mayReadAgain: True if the next sync may read the same again.
    /// - Returns: The outcome, the number of the feed's live rows, the number of items that the upstream has served, and
    ///   true if the feed has one page.
    package func finish(
        outcome: RunOutcome, closing: CrawlClosing? = nil, window: WindowEnd? = nil, beginsAtStart: Bool = false,
        mayReadAgain: Bool = false, now: String
    ) throws(FeedSyncError) -> (outcome: RunOutcome, itemCount: Int, seenCount: Int, hasOnePage: Bool) {
        let finish = { [self] in
            let head = resumePoint.progress.synced.ranges.first
            let ending = try end(now: now) {
                try $0.finish(
                    outcome, closing: closing, window: window, beginsAtStart: beginsAtStart, mayReadAgain: mayReadAgain,
                    headBefore: head)
            }
            let counts = try records.state.counts(of: state.crawl?.id)
            return (
                outcome: ending, itemCount: counts.items, seenCount: counts.seen, hasOnePage: counts.hasOnePage
            )
        }
        let counts = try pending {
            guard transactions.isOpen(for: self) else {
                try transactions.closeGroup()
                try checkAccess()
                return try finish()
            }
            // The run's last page has waited for this.
            let counts = try write(behindPages: finish)
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

    /// Checks that the run may still write.
    private func checkAccess() throws {
        try transactions.checkFile()
        try transactions.locks[feed]?.check()
    }

    private func end<Result>(now: String, _ body: (inout RunEnd) throws -> Result) throws -> Result {
        let before = table.state
        do {
            var end = RunEnd(of: list, table, log, quota, now: now)
            let result = try connection.transaction { try body(&end) }
            state = end.draft
            return result
        } catch {
            table.abandon(before)
            throw error
        }
    }
}

/// The times of a feed's pages during a run. Each page has its own time, which tells which page stored a row.
struct PageClock {
    private var last = ""

    /// The time of the next page: at least a millisecond after the previous page.
    mutating func time(_ now: String) -> String {
        if now <= last, let known = Timestamp.milliseconds(of: last) {
            last = Timestamp(milliseconds: known + 1)?.text ?? now
        } else {
            last = now
        }
        return last
    }
}
