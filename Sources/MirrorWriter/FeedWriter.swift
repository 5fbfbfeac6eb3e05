internal import SQLite

/// The writer of one feed during a run: its table, its crawl, and the transactions that change them.
///
/// Every method is one transaction: it writes everything or nothing, and `state` follows only a commit. `commit` is
/// part of a transaction that may have several pages: `state` follows each page, and goes back if the pages are undone.
///
/// - Isolation: the store's.
package final class FeedWriter: PageTransactionWriter {
    package let feed: String
    package let run: Int64
    let table: ListTable
    let connection: Connection
    private let records: ListRecords
    private let log: RunLog
    private let transactions: Transactions
    package private(set) var state: FeedState
    /// The state of the feed when the run began.
    package let resumePoint: ResumePoint
    /// The trail of the current crawl; changed only after a transaction has succeeded.
    private var trail: CrawlTrail
    /// The pages that the run has read.
    private var reads = RunReads()
    /// The pages that are requested again.
    private var checks = PageChecks()
    /// Counts of the list, until a page is stored.
    private let counts = CrawledList.Cache()
    /// The time of the last page. Each page of a feed has its own time, which tells which page stored a row.
    private var lastPageAt = ""
    /// The keys of the page to which the crawl goes back, and of the page before it; nil if the crawl continues.
    private var keysLeft: (page: Set<String>, before: Set<String>)?
    /// Rows of pages that wait for their commit; nil if none wait.
    private var unsaved: UnsavedRows?
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
        let connection = transactions.connection
        table = try ListTable(named: tableName, shape, run: run, isComplete: state.isComplete, on: connection)
        records = ListRecords(
            tables: ListTables(of: feed), crawls: StoredCrawls(feed: feed, connection: connection),
            pages: CrawlPages(feed: feed, connection: connection), storedPages: StoredPages(of: feed, on: connection),
            rows: try ListRows(inTable: tableName, scope: table.scope, on: connection))
        log = RunLog(feed: feed, tables: records.tables, run: run, connection: connection)
        self.feed = feed
        self.run = run
        self.state = state
        self.trail = trail
        self.resumePoint = resumePoint
        self.transactions = transactions
        self.connection = connection
    }

    /// Goes on with the run of a writer whose crawl has ended.
    func goOn(after other: FeedWriter) {
        state.figures = other.state.figures
        lastPageAt = other.lastPageAt
        table.goOn(after: other.table)
    }

    /// The definition, with the findings of all runs.
    package var shape: ResolvedFeed { table.shape }

    /// The notices about new, lost and changed columns, once the run has ended, if an earlier run had read the whole list.
    package var columnNotices: [String] { table.notices }

    private var definition: FeedDefinition { shape.definition }

    /// The list that the current crawl makes up.
    private var list: CrawledList {
        CrawledList(
            feed: feed, shape: shape, state: state, trail: trail, reads: reads, records: records, cache: counts)
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
        guard let unsaved, !isSaved else { return }
        if let crawl = state.crawl { try records.crawls.save(crawl, endedAt: unsaved.endedAt) }
        try updateFeed(unsaved)
        if state.progress != unsaved.before.progress { try write(state.progress) }
        try log.save(state.figures)
    }

    /// Writes with `body` in the transaction of the pages that wait for their commit.
    private func write<T>(behindPages body: () throws -> T) throws -> T {
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
        records.storedPages.forget()
        table.rows.abandon()
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
        try connection.transaction { try save(draft.progress) }
        state = draft
    }

    /// Saves the ranges in the current transaction.
    private func save(_ progress: CrawlProgress) throws {
        if progress != state.progress { try write(progress) }
    }

    private func write(_ progress: CrawlProgress) throws {
        try connection.run(
            "UPDATE \(records.tables.state) SET ranges = ? WHERE feed = ?", Value(progress.json), .text(feed))
    }

    /// Writes the feed's state.
    private func updateFeed(_ rows: UnsavedRows) throws {
        let next = state.progress.open?.cursor
        try connection.run(
            """
            UPDATE \(records.tables.feed) SET next_page = ?, no_more_data = ?, generation = ?, item_count = item_count + ?,
                complete = ?, verified = ?, error = NULL, reloaded_at = coalesce(?, reloaded_at),
                status = coalesce(?, status)
            WHERE name = ?
            """, Value(next?.text), Value(next == nil), Value(state.generation), Value(rows.added),
            Value(state.isComplete), Value(state.isVerified), Value(rows.reloadedAt), Value(rows.status?.rawValue),
            .text(feed))
        try countInOwner(rows.added)
    }

    /// Adds to the item count of the feed that owns the list of a parent row.
    private func countInOwner(_ added: Int) throws {
        guard let part = definition.part, added != 0 else { return }
        try connection.run(
            "UPDATE feed SET item_count = item_count + ? WHERE name = ?", Value(added), .text(part.feed))
    }

    // MARK: - Pages

    /// Stores a page, to be committed together with pages that follow soon.
    ///
    /// - Parameter publish: Called with the page's events once they are committed.
    /// - Returns: nil if another list of the feed has found columns since this list's columns were read. The caller
    ///   then calls `catchUp` and decodes the page again.
    package func commit(
        _ page: PageCommit, now: String, publish: @escaping @Sendable (StatusEvent) -> Void
    ) throws(FeedSyncError) -> PageOutcome? {
        try pending {
            guard try !table.isBehind(page) else { return PageOutcome?.none }
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

    /// Continues with the findings that the lists of the feed have stored by now.
    package func catchUp() throws -> ResolvedFeed { try table.catchUp() }

    /// Stores a page: its items, the page cursor, the feed's status, validators and quota, and the events. Values of
    /// which only a transaction's last page counts are left to `saveOnce`.
    ///
    /// - Throws: The errors of `PageStorage`. The owner of the transaction then undoes it.
    private func store(_ commit: PageCommit, now: String) throws -> PageOutcome {
        do {
            let before = commit.page.mode == .all ? try records.storedPages.newest(commit.key)?.keys : nil
            let stored = try stored(commit, now: timeOfPage(now))
            if commit.page.mode == .all {
                reads.note(
                    commit.key, keys: commit.page.keys, stored: before,
                    isInSequence: commit.page.isCheck || definition.pagination.prefetch <= 1)
            }
            follow(stored, behind: commit.page)
            return stored.outcome
        } catch {
            table.rows.abandon()
            records.storedPages.forget()
            throw error
        }
    }

    private func stored(_ commit: PageCommit, now: String) throws -> PageStorage.Stored {
        defer { keysLeft = nil }
        var storage = PageStorage(
            list: list, table: table, log: log, keysLeft: keysLeft, addedBefore: unsaved?.added ?? 0, now: now)
        return try storage.store(commit, record: record)
    }

    /// The time of a page: at least a millisecond after the previous page.
    private func timeOfPage(_ now: String) -> String {
        if now <= lastPageAt, let last = Timestamp.milliseconds(of: lastPageAt) {
            lastPageAt = Timestamp(milliseconds: last + 1)?.text ?? now
        } else {
            lastPageAt = now
        }
        return lastPageAt
    }

    /// Continues after a stored page.
    private func follow(_ stored: PageStorage.Stored, behind page: CrawlPage) {
        var draft = stored.state
        if stored.outcome.beginsNext { draft.open = .footer }
        unsaved = stored.rows.behind(unsaved ?? UnsavedRows(before: state))
        isSaved = false
        if draft.crawl?.id != state.crawl?.id {
            trail = CrawlTrail(isWhole: draft.crawl?.round.map { $0 == draft.crawl?.id } ?? true)
        }
        counts.clear()
        checks.forgetKeys()
        if !page.isCheck {
            trail.add(
                page.end.next?.text, stored.met, added: stored.outcome.items.inserted, others: page.otherElements)
            if let crawl = draft.crawl { reads.read(PageOfCrawl(crawl: crawl.id, number: crawl.pages)) }
        }
        state = draft
    }

    /// The newest stored page for a request; nil if there is none.
    package func storedPage(_ request: String, _ credential: Int64) throws -> StoredPage? {
        try records.storedPages.newest(RequestKey(request: request, credential: credential))
    }

    /// The stored page for a request that continues the crawl; nil if the crawl has already met some of its rows: they
    /// are then not next to each other in the crawl's order, and the page has to be read item by item.
    package func storedPageToContinue(_ request: String, _ credential: Int64) throws -> StoredPage? {
        guard let page = try storedPage(request, credential) else { return nil }
        guard let crawl = state.crawl, page.placed > 0, let last = crawl.lastPlace, !last.precedes(page.place) else {
            return page
        }
        return try records.storedPages.areMet(page, by: crawl.id) ? nil : page
    }

    /// Updates a page's validators.
    package func refresh(_ page: StoredPage, _ validators: Validators) throws {
        try records.storedPages.refresh(page, validators)
    }

    /// Records that this run has read a page that is not stored.
    ///
    /// - Parameters:
    ///   - keys: The keys on the page; nil if they are the stored ones.
    ///   - stored: The keys on the page as stored before; nil if it was not.
    package func noteRead(_ request: String, _ credential: Int64, keys: String?, stored: String?) {
        reads.note(RequestKey(request: request, credential: credential), keys: keys, stored: stored)
    }

    /// True if the definition has lists with views, or had.
    var mayHaveLists: Bool {
        if !definition.lists.isEmpty { return true }
        let lists = "SELECT lists FROM _feed WHERE feed = ?"
        return (try? connection.scalar(lists, .text(definition.owner))?.text) != nil
    }

    /// Records the address to which the feed's upstream has moved for good; false if an earlier run did.
    package func isNew(address: String) throws -> Bool {
        let feed = Value.text(definition.owner)
        let known = try connection.scalar("SELECT moved_to FROM _feed WHERE feed = ?", feed)?.text
        guard known != address else { return false }
        try connection.transaction {
            try connection.run("UPDATE _feed SET moved_to = ? WHERE feed = ?", .text(address), feed)
        }
        return true
    }

    // MARK: - The crawl

    /// True if the crawl may still meet a range after its own pages.
    package var mayMeetRange: Bool {
        let ranges = state.progress.round?.ranges ?? state.progress.synced
        return ranges.ranges.last?.crawl != state.crawl?.id
    }

    /// The page cursor of a page of a crawl; nil for its first page. Makes that crawl the current one.
    package func cursor(of page: PageOfCrawl) throws -> PageCursor? {
        if state.crawl?.id != page.crawl { _ = try goOn(page.crawl, from: nil, isProved: false) }
        return try records.pages.cursor(of: page)
    }

    /// Continues a crawl at its end or at one of its pages. The crawl then reads that page and the later ones again.
    ///
    /// - Parameter isProved: True if nothing can lie between the pages of its range.
    /// - Returns: The cursor to request, and the number of pages that the crawl had.
    package func goOn(_ id: Int64, from number: Int?, isProved: Bool) throws -> (cursor: PageCursor?, pages: Int) {
        var draft = state
        var trail = CrawlTrail()
        let known = try records.crawls.pageCount(of: id)
        let range = state.progress.round?.ranges[id] ?? state.progress.synced[id]
        var cursor = range?.cursor
        try connection.transaction {
            if let number, number <= known {
                cursor = try goBack(to: PageOfCrawl(crawl: id, number: number), &draft.progress)
            }
            if number == nil, isProved { draft.progress.update(id) { $0.loosePages = [] } }
            try save(draft.progress)
            try records.crawls.adoptGeneration(id, of: (range?.crawls ?? []).filter { $0 != id })
            draft.crawl = try CrawlState.load(id, trail: &trail, on: connection)
            try connection.run(
                "UPDATE \(records.tables.state) SET crawl = ? WHERE feed = ?", Value(id), .text(feed))
        }
        if state.crawl?.id == id { trail.keepPlaces(of: self.trail) }
        self.trail = trail
        counts.clear()
        records.storedPages.forget()
        state = draft
        return (cursor, known)
    }

    /// Lets a crawl end before one of its pages, and returns the cursor of that page.
    private func goBack(to page: PageOfCrawl, _ progress: inout CrawlProgress) throws -> PageCursor? {
        let cursor = try records.pages.cursor(of: page)
        keysLeft = (
            try records.pages.keys(of: page),
            try records.pages.keys(of: PageOfCrawl(crawl: page.crawl, number: page.number - 1))
        )
        try leavePartition(at: page)
        try records.pages.drop(from: page)
        try records.crawls.goBack(to: page, elements: try elementCount(before: page, at: cursor))
        if let cursor {
            progress.update(page.crawl) { range in
                range.end = .open(cursor)
                // The pages that are read again follow no page yet.
                range.loosePages.removeAll { $0 >= page.number }
            }
        }
        return cursor
    }

    /// The number of elements in a crawl's pages before one at which it continues.
    ///
    /// - Parameter next: The cursor of the next request. Cursors of overlapping pages alone tell the number of elements:
    ///   an element that two pages share may have no key.
    private func elementCount(before page: PageOfCrawl, at next: PageCursor?) throws -> Int {
        guard page.number > 1 else { return 0 }
        let first = try records.pages.cursor(of: PageOfCrawl(crawl: page.crawl, number: 1))
        if let next, let count = definition.pagination.elementCount(from: first, to: next) { return count }
        return try records.pages.elementCount(of: page.crawl)
    }

    /// Subtracts the counts of a partition's pages from the given one on, because they are read again.
    private func leavePartition(at page: PageOfCrawl) throws {
        guard definition.partitioning != nil, let name = try list.partitionName(page) else { return }
        var trail = CrawlTrail()
        let crawl = try CrawlState.load(page.crawl, trail: &trail, on: connection)
        let (elements, total) = try list.partitionSoFar(before: page)
        // A finished partition becomes an unfinished one, with the total that its pages before this one reported.
        let known = crawl.part?.name == name ? 0 : total ?? elements
        let (sum, isBeyond) = max(crawl.finishedTotal - known, 0).addingReportingOverflow(total ?? elements)
        let part = elements > 0 ? CrawlPartition(name: name, elements: elements, total: total) : nil
        try records.crawls.save(part, total: isBeyond ? .max : sum, of: page.crawl)
    }

    /// The elements and the total of a page's partition before the page, as last stored.
    package func partitionSoFar(before page: PageOfCrawl) throws -> (elements: Int, total: Int?) {
        try list.partitionSoFar(before: page)
    }

    /// Records that a partition is too large. This run and the next ones request its half.
    ///
    /// - Parameter isFirst: True for the first partition of a crawl.
    package func narrow(to half: PageCursor, isFirst: Bool) throws {
        let crawl = isFirst ? nil : state.crawl?.id
        try update { $0.narrow(crawl, to: half) }
    }

    // MARK: - The end of the list

    /// The facts of a crawl that has reached the end of the list.
    package func examine() throws -> CrawlFacts {
        // This run read the head, and it is unchanged.
        if let head = list.headThatIsSame {
            reads.readAgain(head)
            try markChecked(head, isSame: true)
        }
        if state.progress.round != nil { reads.reachEnd(of: try list.pagesToProve()) }
        let facts = try list.facts()
        state.crawl?.sharesValues = facts.sharesValues
        return facts
    }

    /// The pages next to the rows that the crawl did not meet; nil if none is missing, or if the list is one page, which
    /// shows that they are gone. The result is unclear if no two pages can show that other rows are gone.
    package func pagesBesideMissing() throws -> (pages: [PageOfCrawl]?, isUnclear: Bool) {
        try list.pagesBesideMissing()
    }

    /// The pages after one that now hold its earlier items, after the given number of items was added above it; nil if
    /// those pages hold fewer items.
    package func pages(behind page: PageOfCrawl, holding items: Int) throws -> [PageOfCrawl]? {
        try records.pages.pages(behind: page, holding: items, in: list.crawls)
    }

    // MARK: - Pages that are requested again

    /// Records a page that was requested again and shows the present items.
    package func markAskedAgain(_ page: PageOfCrawl) { reads.readAgain(page) }

    /// The comparison of a page that was requested again with what the crawl has met.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - end: The next page according to it.
    ///   - known: The page as it was last stored.
    package func compare(
        _ page: DecodedPage?, _ end: NextPage, at place: PageOfCrawl, known: StoredPage?
    ) throws -> PageComparison {
        if try list.outgrows(place, end) { return .outgrown }
        if try holds(page, as: known) {
            // The list moved although its pages are unchanged.
            if end.total != known?.total { try update { $0.round?.isDoubtful = true } }
            return .same
        }
        return try checks.compare(page, isLast: end.next == nil, at: place, known: known, in: list, table.rows)
    }

    /// True if a page equals the stored one.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - known: The stored page for the request.
    package func holds(_ page: DecodedPage?, as known: StoredPage?) throws -> Bool {
        guard let known, (page?.keys ?? "[]") == known.keys else { return false }
        return try page.map { try table.rows.holds($0) } ?? true
    }

    /// True if a stored page is the one that a crawl recorded at a place.
    package func isRecord(_ page: StoredPage?, of place: PageOfCrawl) throws -> Bool {
        try records.pages.isRecord(page, of: place)
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

    // MARK: - The run

    /// Logs that a page is being requested.
    package func begin(_ direction: PageDirection, now: String) throws -> StatusEvent {
        let event = try connection.transaction {
            try log.note(direction.begin, page: numberOfPage(direction), now: now)
        }
        state.open = direction
        return event
    }

    private func numberOfPage(_ direction: PageDirection) -> Int {
        direction == .header ? 1 : (state.crawl?.pages ?? 0) + 1
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
            try connection.run(
                "UPDATE \(records.tables.feed) SET error = ? WHERE name = ?", .text(error.json), .text(feed))
            // A failed first page says nothing about the place where the list continues.
            if state.open == .footer, let crawl = state.crawl, !error.isOfUser {
                draft.progress.fail(crawl.id, isLost: !isPassing, mayPass: definition.pagination.mayAskBeyondEnd)
                try save(draft.progress)
            }
            if let response = error.response {
                try response.keep(at: now, run: run, error: error, of: feed, on: connection)
            }
            try record(cost.quota)
            try finishRun(outcome, draft, error: error.json, now: now)
            return event
        }
        state = draft
        return event
    }

    /// Closes the open begin event with the error of its page; nil if none is open. Part of the caller's transaction.
    private func closeOpenEvent(_ error: FeedSyncError, now: String) throws -> StatusEvent? {
        guard let direction = state.open else { return nil }
        return try log.note(direction.end, page: numberOfPage(direction), error: error.json, now: now)
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
            let counts = try write(behindPages: {
                try end(outcome: outcome, closing: closing, window: window, now: now)
            })
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
            SELECT item_count, \(FeedHistory.seenCountSQL) FROM \(records.tables.feed) LEFT JOIN _crawl ON _crawl.id = ?
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

    /// The times before which a host accepts no request with each of these credentials, in seconds since 1970.
    ///
    /// The store is read again after a second, because of other processes, and after each quota reading of this one.
    package func blockedUntil(_ origin: String, _ credentials: [Int64], now: String) throws -> [Int64?] {
        let host = FreeHost(origin: origin, credentials: credentials, readings: transactions.quotaReadings.count)
        if let known = freeHost, known.host == host, .now < known.until { return credentials.map { _ in nil } }
        let ends = try credentials.map { credential in
            try QuotaLedger.blockedUntil(
                origin: origin, credential: credential, feed: feed, now: now, on: connection)
        }
        freeHost = ends.allSatisfy { $0 == nil } ? (host, .now + .seconds(1)) : nil
        return ends
    }

    /// Records the quota readings of responses. Part of the caller's transaction.
    private func record(_ quota: [QuotaReading]) throws {
        guard !quota.isEmpty else { return }
        transactions.quotaReadings.count += 1
        try QuotaLedger.record(quota, for: feed, on: connection)
    }

    /// A host that accepts requests.
    private struct FreeHost: Equatable {
        let origin: String
        let credentials: [Int64]
        /// The number of this process's quota readings when it was looked up.
        let readings: Int
    }

    private func finish(_ outcome: RunOutcome, now: String) throws {
        try connection.transaction {
            try finishRun(outcome, state, error: nil, now: now)
            // It may be that no page cleared the error of an earlier run.
            try connection.run(
                "UPDATE \(records.tables.feed) SET error = NULL WHERE name = ? AND error IS NOT NULL", .text(feed))
        }
    }

    /// Ends a sync's crawl, and the run unless another window follows.
    ///
    /// - Returns: The number of removed rows.
    private func close(_ closing: CrawlClosing, outcome: RunOutcome, window: WindowEnd?, now: String) throws -> Int {
        var end = CrawlEnd(
            of: list, log: log, changes: table.log, headBefore: resumePoint.progress.synced.ranges.first,
            window: window, now: now)
        let removed = try connection.transaction {
            let removed = try end.close(closing, cursor: cursor)
            try countInOwner(-removed)
            try save(end.draft.progress)
            if window?.window.isLast == false {
                try log.save(end.draft.figures)
            } else {
                try finishRun(removed > 0 ? .ok : outcome, end.draft, error: nil, now: now)
            }
            return removed
        }
        state = end.draft
        return removed
    }

    /// Ends the run in the caller's transaction.
    ///
    /// - Parameter state: The feed's state, as the run leaves it.
    private func finishRun(_ outcome: RunOutcome, _ state: FeedState, error: String?, now: String) throws {
        try log.finish(outcome, Completeness.of(outcome, state), state.figures, error: error, now: now)
        try log.add(try table.findColumnChanges(), of: definition.owner, now: now)
        try FeedSchedule.follow(run, of: feed, every: definition.every, on: connection)
    }

    /// Marks all rows of the list as removed. Returns their number.
    func removeAll(now: String) throws -> Int {
        let rows = try records.rows.missing(key: []) { _, _ in true }
        let (sections, places) = try records.rows.remove(rows, key: definition.key, log: table.log, now: now)
        try sections.apply(to: definition.owner, on: connection, firstPlace: records.rows.firstPlace)
        try records.storedPages.lapse(places, longest: state.longestPage)
        try countInOwner(-rows.count)
        return rows.count
    }

    /// Forgets a token that is too old, and closes the open begin event with the upstream's answer.
    package func leaveToken(
        _ error: FeedSyncError, cost: FetchCost, now: String
    ) throws(FeedSyncError) -> StatusEvent? {
        try committed {
            var draft = state
            draft.figures.add(cost)
            draft.open = nil
            draft.progress.round = nil
            let event = try connection.transaction {
                let event = try closeOpenEvent(error, now: now)
                try connection.run(
                    "UPDATE \(records.tables.state) SET watermark = NULL WHERE feed = ?", .text(feed))
                try save(draft.progress)
                try record(cost.quota)
                try log.save(draft.figures)
                return event
            }
            state = draft
            return event
        }
    }
}

extension FeedSyncError {
    /// True if the user or the environment, not the upstream, stopped the run.
    fileprivate var isOfUser: Bool { [.cancelled, .interrupted, .limited, .locked, .store].contains(kind) }
}
