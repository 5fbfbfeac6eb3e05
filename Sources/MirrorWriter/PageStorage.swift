internal import SQLite

/// Stores one page of a crawl: its items, its record, the crawl, the ranges and the events.
///
/// - Isolation: the store's, inside the page's transaction.
struct PageStorage {
    /// The list as it was before the page.
    private(set) var list: CrawledList
    let table: ListTable
    let log: RunLog
    let quota: RunQuota
    /// The page to which the crawl goes back; nil if the crawl continues.
    let pageToReadAgain: CrawlResumption.PageToReadAgain?
    /// The number of rows that pages before this one added and that are not counted yet.
    let addedBefore: Int
    let now: String

    /// A page as it is recorded: its place among the rows.
    private struct Written {
        /// The number of its record; nil if it needs a new one.
        var storedID: Int64?
        var place: Place
        var placed: Int64
    }

    /// A stored page, with the state that follows from it.
    struct Stored {
        /// The facts for the rules of the crawl.
        let committed: CrawlRules.Committed
        let items: ItemCounts
        let events: [StatusEvent]
        let state: FeedState
        /// The earlier places of the rows that the page met.
        let met: [MetPlaces]
        /// The page's changes that are written with the commit.
        let rows: UnsavedRows
    }

    private var records: ListRecords { list.records }
    private var definition: FeedDefinition { list.shape.definition }
    private var connection: Connection { log.connection }

    /// - Throws: `FeedSyncError` of kind `unfollowable` for a loop, `SQLiteError`.
    mutating func store(_ commit: PageCommit) throws -> Stored {
        let before = list.state
        var draft = before
        draft.openDirection = nil
        if let shape = commit.content.shape ?? table.shapeOfNewTable {
            // The texts of numbers come back only with the pages.
            if try table.adopt(shape) { try records.storedPages.forgetValidators(ofAllListsOf: definition.owner) }
            list.shape = table.shape
        }
        let crawl =
            try commit.page.direction == .header || draft.crawl == nil
            ? beginCrawl(commit, in: &draft.progress) : draft.crawl
        guard let crawl else { throw FeedSyncError(.bug, "a page has no crawl") }
        let commit = try commit.ending(behind: crawl, list.trail, headKeys: list.reads.headKeys, of: definition)
        let page = commit.page
        let known = page.isNotModified ? nil : try records.storedPages.newest(commit.key)
        let revised = page.isCheck ? known.flatMap { $0.keys == page.keys ? $0 : nil } : nil
        let empty = PageRules(
            generation: draft.generation, next: try records.state.nextGeneration(after: draft.generation),
            crawl: crawl, direction: page.direction,
            updatesInPlace: crawl.mode == .all,
            revised: revised.map { MetPlaces($0.place, count: $0.placed, page: 0) })
        var writer = PageWriter(
            table.rows, empty, now: now,
            lift: { [self] crawl, generation, sections in try lift(crawl, to: generation, sections: &sections) })
        if let known, !page.isCheck, page.upstreamNext == nil {
            draft.progress.reachEnd(page, ledTo: known.cursor, elementsBefore: known.elements)
        }
        let isInPlace = page.isInPlace(of: known)
        let written = try write(commit, with: &writer)
        let rules = writer.rules
        let hasSameKeys = page.isNotModified || known?.keys == page.keys
        try records.storedPages.lapse(rules.touched, longest: draft.longestPage)
        try records.state.keep(generation: rules.newest, over: draft.generation)
        draft.generation = rules.newest
        draft.hasChanged = draft.hasChanged || !rules.isUnchanged
        draft.longestPage = max(draft.longestPage, rules.placed)
        let changed = try add(commit, written, revising: rules.isMoved ? nil : revised, by: rules)
        if page.end.sign?.isOfEarlierPage == true { try records.storedPages.forgetValidators() }
        draft.crawl = changed
        draft.progress.note(page)
        if !Completeness.mayStillProveBefore(changed, isCheck: page.isCheck, isUnchanged: rules.isUnchanged) {
            draft.progress.unprovedRun = nil
        }
        let onward =
            try page.isCheck
            ? .end(nil) : advance(page, written, by: rules, hasSameKeys: hasSameKeys, in: &draft, changed)
        try rules.sections.apply(to: definition.owner, on: connection, firstPlace: records.rows.firstPlace)
        try quota.record(commit.cost.quota)
        if page.direction == .header { try FeedSchedule.note(commit.advice, of: log.feed, on: connection) }
        draft.metrics.add(commit, rules.items)

        let number = page.checked ?? changed.pages
        let beginsNext = if case .page = onward { commit.beginsNext } else { false }
        if beginsNext { draft.openDirection = .footer }
        let events = try addEvents(
            page, items: rules.items, number: number, isEnd: draft.progress.isAtEnd(after: onward),
            beginsNext: beginsNext)
        if page.direction == .header { try records.state.save(crawl: changed.id) }
        let rows = UnsavedRows(
            before: before, added: rules.added, status: events.last?.status,
            reloadedAt: page.direction == .header ? now : nil,
            endedAt: page.end.next == nil && !page.isCheck ? now : nil)
        var committed = try facts(
            of: page, number: number, onward, draft, isUnchanged: rules.isUnchanged, added: addedBefore + rules.added)
        committed.isInPlace = isInPlace
        return Stored(
            committed: committed, items: rules.items, events: events, state: draft, met: rules.metPlaces, rows: rows)
    }

    // MARK: - The crawl

    /// Begins the crawl of a first page. Pages of earlier crawls are kept for their validators. The records of the
    /// crawls that read them are deleted, unless a later crawl may continue there.
    private func beginCrawl(_ commit: PageCommit, in progress: inout CrawlProgress) throws -> CrawlState {
        let serverDate = commit.serverDate.flatMap { Timestamp(sinceEpoch: $0)?.text }
        let (mode, isFull) = progress.modeOfCrawl(in: commit.page.mode)
        var crawl = CrawlState(
            id: try records.crawls.begin(mode, watermark: commit.watermark, serverDate: serverDate, now: now))
        crawl.mode = mode
        crawl.cap = list.state.crawl?.cap
        if isFull {
            progress.beginRound(crawl.id, mode)
            crawl.round = progress.round?.id
            try records.crawls.join(crawl.id, round: crawl.round)
        }
        try records.pages.dropAll(besides: progress.crawlsWithPages + [crawl.id], round: crawl.round ?? crawl.id)
        return crawl
    }

    /// Adds the page to its crawl and records it. Returns the changed crawl.
    ///
    /// - Parameter revised: The record of the page if it was requested again and has the items that it had.
    private func add(
        _ commit: PageCommit, _ written: Written, revising revised: StoredPage?, by rules: PageRules
    ) throws -> CrawlState {
        let page = commit.page
        var crawl = rules.crawl
        let begin = crawl.position - (rules.placed > 0 ? rules.placed : 0)
        if !page.isCheck, crawl.pages > 0, let next = page.end.next, list.trail.cursors.contains(next.text) {
            throw FeedSyncError(
                .unfollowable, "the page cursor `\(next)` was seen before in this crawl: following it would never end",
                advice: "check `pagination` in the feed's definition", url: commit.url)
        }
        try crawl.add(page, by: rules, definition, url: commit.url)
        let (id, isNew) = try records.storedPages.record(
            commit, storedID: written.storedID, place: revised?.place ?? written.place,
            placed: revised?.placed ?? written.placed,
            // A revised page keeps the places of its rows, also of those that are gone by now.
            sharesRows: rules.sharesRows || revised != nil && rules.items.removed > 0, crawl: crawl.id, now: now)
        if isNew || !page.isCheck {
            try records.pages.add(
                page.isCheck ? nil : crawl.pages, of: crawl.id, id: id, position: begin, asked: page.asked,
                met: page.isCheck
                    ? nil : MetPlaces.json(rules.metPlaces + (isNew ? [] : earlierPlaces(onRecord: id, of: crawl))))
        }
        let before = list.state.crawl.flatMap { $0.id == crawl.id ? $0.generation : nil }
        if crawl.generation != before { try records.crawls.save(generation: crawl.generation, of: crawl.id) }
        return crawl
    }

    /// The places that the rows of a page had before this round of crawls, which has met the page before with the same
    /// rows. By these places a missing row has neighbours, whatever cut the crawl off.
    private func earlierPlaces(onRecord id: Int64, of crawl: CrawlState) throws -> [MetPlaces] {
        var met = pageToReadAgain?.record == id ? pageToReadAgain?.met : nil
        if met == nil, let round = crawl.round, round != crawl.id {
            met = try records.pages.met(on: crawl.pages, record: id, round: round)
        }
        return MetPlaces.read(met, page: crawl.pages, crawl: crawl.id)
    }

    /// Updates the stored ranges, and returns the next step of the crawl.
    private func advance(
        _ page: CrawlPage, _ written: Written, by rules: PageRules, hasSameKeys: Bool, in draft: inout FeedState,
        _ crawl: CrawlState
    ) throws -> CrawlProgress.Onward {
        let meeting = PageMeeting(
            page, by: rules, at: written.place, placed: written.placed, of: crawl, reads: list.reads,
            isShifting: definition.pagination.isShifting, hasSameKeys: hasSameKeys,
            insertedBefore: list.state.metrics.items.inserted, list.lookup)
        let met = try meeting.range(draft.progress)
        if let met, page.readsThrough { try dropOlderPages(of: met) }
        if page.direction == .header, crawl.generation == nil, draft.progress.round != nil,
            let head = met?.crawls.last
        {
            try records.pages.keepFirst(of: crawl.id, beside: head)
        }
        let read = try meeting.readPage(meeting: met)
        if read.coversRange, page.end.next == nil, let others = page.otherElements {
            draft.progress.otherElements = others
        }
        let onward = draft.progress.read(read)
        for met in rules.metPlaces where !rules.isUnchanged {
            draft.progress.synced.takeTop(at: met.first, count: met.count)
        }
        if page.isLoose, draft.progress.openRange != nil || draft.progress.isWhole {
            draft.progress.update(crawl.id) { $0.loosePages.append(max(crawl.pages - 1, 1)) }
        }
        if case .end(let reason) = onward, page.mode == .reload, let round = draft.progress.round {
            let generations = try records.crawls.generations(ofRound: round.id)
            if crawl.total != nil { draft.progress.otherElements = try otherElements(of: round, crawl, page) }
            draft.progress.endRound(of: crawl, reason, generations: generations)
            try records.state.saveFull(now: now)
        }
        (draft.isComplete, draft.isVerified) = Completeness.afterPage(crawl, draft.progress)
        return onward
    }

    /// Drops the pages of a range that this run did not read, because it has read the list again.
    private func dropOlderPages(of range: SyncedRange) throws {
        for crawl in range.crawls {
            let first = list.reads.tail.filter { $0.crawl == crawl }.map(\.number).min()
            try records.pages.drop(of: crawl, before: first)
        }
    }

    /// The elements of a full crawl's pages that are not items.
    private func otherElements(of round: CrawlProgress.Round, _ crawl: CrawlState, _ page: CrawlPage) throws -> Int {
        let crawls = round.ranges.ranges.first?.crawls ?? [crawl.id]
        // The pages of a crawl that this run began are counted already, except for the last one.
        if crawls == [crawl.id], list.state.crawl?.id == crawl.id, let known = list.trail.others,
            let last = page.otherElements
        {
            return known + last
        }
        return try records.pages.otherElements(of: crawls)
    }

    // MARK: - Facts for the rules of the crawl

    /// The facts of a page that is stored.
    ///
    /// - Parameter added: The number of live rows that are not counted yet.
    private func facts(
        of page: CrawlPage, number: Int, _ onward: CrawlProgress.Onward, _ draft: FeedState, isUnchanged: Bool,
        added: Int
    ) throws -> CrawlRules.Committed {
        var facts = CrawlRules.Committed(number: number, isUnchanged: isUnchanged, onward: onward)
        facts.crawl = draft.crawl?.id ?? 0
        facts.hasOverlap = hasOverlap(page.keys)
        facts.pagesOfRange = try pageCount(of: onward)
        facts.rangeCursorsHavePlaces = try rangeCursorsHavePlaces(onward)
        if case .range(let range) = onward {
            let last = PageOfCrawl(crawl: range.crawl, number: facts.pagesOfRange)
            facts.isLastOfRange = try records.pages.cursor(of: last) == page.asked
        }
        facts.isShort = try isShort(onward, draft, added: added)
        facts.hasUncheckedEnd = page.hasUncheckedEnd
        return facts
    }

    /// True if the page to which the crawl went back has an item that the crawl had met on that page or the page
    /// before.
    private func hasOverlap(_ keys: String) -> Bool {
        guard let pageToReadAgain else { return true }
        let keys = Set(PageKeys.texts(keys))
        return keys == pageToReadAgain.keys || !keys.isDisjoint(with: pageToReadAgain.keys)
            || !keys.isDisjoint(with: pageToReadAgain.keysBefore)
    }

    /// True if the upstream reports more items than the range that a page met has, or only a count that is not checked
    /// ends it.
    ///
    /// - Parameter added: The number of live rows that are not counted yet.
    private func isShort(_ onward: CrawlProgress.Onward, _ draft: FeedState, added: Int) throws -> Bool {
        guard case .whole = onward, draft.progress.round == nil else { return false }
        if draft.progress.hasUncheckedEnd { return true }
        return try Completeness.isShort(
            draft.crawl, stored: list.storedCount() + added, others: draft.progress.otherElements,
            isPartitioned: definition.partitioning != nil)
    }

    /// The number of pages of the range with which a crawl continues or ends.
    private func pageCount(of onward: CrawlProgress.Onward) throws -> Int {
        let range: SyncedRange
        switch onward {
        case .whole(let met, _): range = met
        case .range(let met): range = met
        case .page, .end: return 0
        }
        guard range.cursor == nil, range.loosePages.isEmpty else {
            return try records.crawls.pageCount(of: range.crawl)
        }
        // The last page with items may be followed by an empty one.
        return max(try records.pages.lastWithItems(of: range.crawl), 1)
    }

    /// True if the page cursors of the range with which a crawl continues contain item positions.
    private func rangeCursorsHavePlaces(_ onward: CrawlProgress.Onward) throws -> Bool {
        guard case .range(let range) = onward else { return false }
        return try list.cursorsHavePlaces(range.crawl, end: range.cursor)
    }

    // MARK: - Rows

    private func write(_ commit: PageCommit, with writer: inout PageWriter) throws -> Written {
        let begin = Place(
            generation: writer.rules.crawl.generation ?? writer.rules.newest, position: writer.rules.crawl.position)
        switch commit.content.items {
        case .decoded(let decoded):
            try writer.write(decoded, behind: commit.page.overlap)
            if commit.page.keys == "[]" { try writeEmpty(commit, with: &writer) }
            return Written(storedID: nil, place: writer.rules.first ?? begin, placed: writer.rules.placed)
        case .empty:
            try writeEmpty(commit, with: &writer)
            return Written(storedID: nil, place: begin, placed: 0)
        case .notModified(let stored):
            try writer.keep(rowsAt: stored.place, placed: stored.placed) { from, count, to, sections in
                try records.rows.move(from: from, count: count, to: to, sections: &sections)
            }
            return Written(
                storedID: writer.rules.isMoved ? nil : stored.id, place: writer.rules.first ?? stored.place,
                placed: stored.placed)
        }
    }

    /// A first page without items is a change, unless the stored one was empty, too, or the request asked only for
    /// changes.
    private func writeEmpty(_ commit: PageCommit, with writer: inout PageWriter) throws {
        guard commit.page.direction == .header, commit.page.mode != .since else { return }
        let isKnown = try records.storedPages.newest(commit.key)?.keys == "[]"
        if !isKnown { try writer.becomeMoved() }
    }

    /// Gives the rows of the crawl's unchanged pages the places at which the crawl met them, in its generation. Without
    /// this, a crawl with a changed page would leave the upstream's order.
    private func lift(_ crawl: CrawlState, to generation: Int64, sections: inout SectionTally) throws {
        let (runs, pages) = try records.pages.unmovedRows(of: crawl.id, behind: crawl.lifted, generation: generation)
        for run in runs {
            try records.rows.move(from: run.from, count: run.count, to: run.to, sections: &sections)
        }
        for page in pages { try records.storedPages.place(page.id, at: page.to) }
        // Other pages may have had some of these rows.
        for run in runs {
            var places = PlaceRanges()
            places.insert(run.from, count: run.count)
            try records.storedPages.lapse(places, longest: max(list.state.longestPage, run.count))
        }
    }

    // MARK: - Events

    private func addEvents(
        _ page: CrawlPage, items: ItemCounts, number: Int, isEnd: Bool, beginsNext: Bool
    ) throws -> [StatusEvent] {
        let closing: RefreshStatus = isEnd && page.direction == .footer ? .noMoreData : page.direction.end
        var events = [RunLog.Entry(status: closing, page: number, items: items)]
        if isEnd, page.direction == .header { events.append(RunLog.Entry(status: .noMoreData, page: number)) }
        if beginsNext { events.append(RunLog.Entry(status: .beginFooter, page: number + 1)) }
        return try log.add(events, now: now)
    }
}

/// Changes of pages that are written once for all pages that are committed together.
struct UnsavedRows: Sendable {
    /// The feed's state before them.
    let before: FeedState
    /// The number of live rows added.
    var added = 0
    var status: RefreshStatus?
    var reloadedAt: String?
    /// The time at which the crawl reached its end.
    var endedAt: String?
    /// True if they are written but not committed.
    var isWritten = false

    /// The changes of a page and of the pages before it.
    func added(to others: UnsavedRows) -> UnsavedRows {
        UnsavedRows(
            before: others.before, added: others.added + added, status: status ?? others.status,
            reloadedAt: reloadedAt ?? others.reloadedAt, endedAt: endedAt)
    }
}

extension RunMetrics {
    fileprivate mutating func add(_ commit: PageCommit, _ items: ItemCounts) {
        if !commit.page.isCheck, !commit.page.isAgain { pages += 1 }
        add(commit.cost)
        self.items.add(items)
        skipped += commit.page.skipped
    }
}

extension CrawlPage {
    /// True if the list continues or ends after a page as it did when the page was stored.
    fileprivate func isInPlace(of known: StoredPage?) -> Bool {
        if isNotModified { return true }
        guard let known else { return false }
        return (known.cursor == nil) == (upstreamNext == nil) && known.total == end.total
    }
}

extension CrawledList {
    /// The facts of the store that the meeting of a page with stored ranges depends on.
    fileprivate var lookup: PageMeeting.Lookup {
        PageMeeting.Lookup(
            pagesHaving: records.pages.pages(having:of:), isTop: records.rows.isTop,
            firstPage: { crawl in
                let first = PageOfCrawl(crawl: crawl, number: 1)
                return (try records.pages.cursor(of: first), try records.pages.placed(of: first))
            },
            pageCount: records.crawls.pageCount, cursorsHavePlaces: cursorsHavePlaces)
    }
}
