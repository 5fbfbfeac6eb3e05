/// The progress of a feed's mirror: the ranges that its crawls stored, and the current round.
///
/// Pure: the store keeps it as JSON, and a page's transaction saves it with the page.
package struct CrawlProgress: Sendable, Hashable {
    /// The way from the head to the end of the list. Each of its runs begins a crawl at the head, and the ranges of
    /// these crawls are joined.
    package struct Round: Sendable, Hashable {
        /// The number of its first crawl.
        package let id: Int64
        /// Its mode: `all` or `since`.
        package let mode: CrawlMode
        package var ranges = SyncedRanges()
        /// True if items may have been missed, so that nothing proves that all were met.
        package var mayHaveMissedItems = false
    }

    /// The stored ranges of the list, whichever crawl read them.
    package var synced = SyncedRanges()
    /// The current round; nil if none is under way.
    package var round: Round?
    /// The end of the last crawl if the list seemed to end too soon. A second end like it is accepted.
    package var suspectEnd: EarlyEnd?
    /// The page cursors to which last pages of the list led when they were not the last ones yet, the newest first;
    /// empty once the rows behind the end are settled.
    package var lostCursors: [PageCursor] = []
    /// The page cursor behind a counted end whose page had no other items when it was requested; nil if none was.
    package var checkedEnd: PageCursor?
    /// True if only a count ends the list, and no request has shown that nothing is behind it.
    package var hasUncheckedEnd = false
    /// True if the upstream did not have the list at the last sync, and its items were kept.
    package var wasNotFound = false
    /// The hash of the keys that the last crawl had met if the list moved under it. A second crawl that meets the same
    /// ones is believed.
    package var driftKeys: String?
    /// The number of elements on the last full crawl's pages that have no row. Totals count them, too.
    package var otherElements = 0
    /// The number of pages of the last full crawl.
    package var fullPages: Int?
    /// True if the last full crawl met more than its total: that counts the elements of one page.
    package var totalIsOfPage = false
    /// The watermark that the last sync reached, as JSON, if the next one begins where that did: items may have moved up
    /// past it.
    package var reached: String?
    /// The run of the last full crawl, if it was complete but not proved. A next full crawl that finds the list
    /// unchanged proves it.
    package var unprovedRun: Int64?
    /// True if the last full crawl was proved to have met everything, and each sync by watermark since then as well.
    package var isFullVerified = false
    /// The name of the partition to begin with, if the partitions around it were too large and no page of the crawl is
    /// stored yet.
    package var firstPartition: String?

    /// The counts of the list on the pages read last that lead on. They hold for pages that answer 304.
    package var counts = ListCounts()

    /// A sync's way through several windows; nil if none is under way.
    package var walk: WindowWalk?

    package init() {}

    /// The progress of a list that is one page, which a full crawl has read and proved.
    ///
    /// - Parameters:
    ///   - generation: The generation of its rows.
    ///   - first: The place of its first row; nil if unknown.
    package init(ofOnePage crawl: Int64, _ generation: Int64, first: Place? = nil) {
        var range = SyncedRange(crawls: [crawl], generations: [generation], first: first, end: .last(nil))
        range.isVerified = true
        synced = SyncedRanges(ranges: [range])
        fullPages = 1
        isFullVerified = true
    }

    /// The range at whose end `more` continues; nil if nothing is left to read.
    package var openRange: SyncedRange? {
        if synced.isWhole { return nil }
        return round?.ranges.openRange ?? synced.openRange
    }

    /// True if a stored range reaches from the head to the end, or as far as its crawl could.
    package var isWhole: Bool { synced.isWhole || (round.map { $0.mode == .all && $0.ranges.isWhole } ?? false) }

    /// The reason why the stored list is incomplete although there are no further pages.
    package var reason: IncompleteReason? { synced.isWhole ? synced.reason : round?.ranges.reason }

    /// An end that seems to come too soon.
    package struct EarlyEnd: Sendable, Hashable {
        /// The number of items that the crawl had met.
        package var met: Int
        /// The place of the first row that seems to be behind the end; nil if only a total says that there is more.
        package var firstMissing: Place?
        /// The doubt about the answer to the request for the page behind it; nil if there was none. A second answer
        /// like it is accepted.
        package var doubt: Completeness.BehindEnd.Doubt?

        package init(met: Int, firstMissing: Place? = nil, doubt: Completeness.BehindEnd.Doubt? = nil) {
            (self.met, self.firstMissing, self.doubt) = (met, firstMissing, doubt)
        }
    }

    /// Records the counts of a page that was read. Those of the list before do not hold for another first page.
    package mutating func note(_ page: CrawlPage) {
        if page.end.next == nil, !page.isCheck, !page.isOlder {
            hasUncheckedEnd = page.hasUncheckedEnd
            checkedEnd = hasUncheckedEnd ? nil : page.checkedEnd ?? checkedEnd
        }
        // A page of what is new counts no more than that.
        guard !page.isNotModified, !page.isCheck, page.mode != .since else { return }
        if page.direction == .header { counts = ListCounts() }
        if let read = page.end.counts { counts = counts.updated(by: read) }
    }

    /// Records that a page is the last one of the list.
    ///
    /// - Parameters:
    ///   - next: The page cursor to which it led when it was stored before; nil if it was the last one then.
    ///   - before: The number of elements that it had.
    package mutating func reachEnd(_ page: CrawlPage, ledTo next: PageCursor?, elementsBefore before: Int) {
        // A page that has got shorter is the last one, as it says. An empty one may have lost its items by mistake.
        if page.elementCount >= before || page.elementCount == 0 {
            if let next { lose(next) }
        } else {
            lostCursors = []
        }
    }

    /// Keeps a page cursor to which the list no longer leads. A page that lost its way on once may lead on again, and
    /// then the cursor before counts.
    package mutating func lose(_ cursor: PageCursor) {
        lostCursors = [cursor] + lostCursors.filter { $0 != cursor }.prefix(1)
    }

    /// Records that a partition is too large. The crawl continues with the half that this cursor leads to, in this run
    /// or the next.
    ///
    /// - Parameter crawl: nil if the partition is the first of all.
    package mutating func narrow(_ crawl: Int64?, to half: PageCursor) {
        guard let crawl else {
            firstPartition = PartitionScheme.partitionName(in: half)
            return
        }
        update(crawl) { $0.end = .open(half) }
    }

    /// The next step of a crawl after a page.
    package enum Onward: Sendable, Hashable {
        /// Follow the page's own cursor.
        case page(PageCursor)
        /// Continue at the end of a range that the page met.
        case range(SyncedRange)
        /// Stop: the page met a range that reaches the end. The reason tells why the list may be incomplete.
        case whole(SyncedRange, IncompleteReason?)
        /// Stop: this is the end of the list.
        case end(IncompleteReason?)
    }

    /// True if nothing is left to read after a page.
    package func isAtEnd(after onward: Onward) -> Bool {
        switch onward {
        case .end, .whole: openRange == nil
        case .page, .range: false
        }
    }

    /// A page that was read, with the facts that ranges depend on.
    package struct ReadPage: Sendable, Hashable {
        package let crawl: Int64
        /// The generation of the crawl's own rows; nil while it has only met rows in place.
        package var generation: Int64?
        package var isHeader = false
        /// The target of the page's own cursor.
        package var end: SyncedRange.End
        /// The range that it met: everything from the page to the range's end is stored.
        package var met: SyncedRange?
        /// True if it met the range with its first row, or is unchanged. Otherwise rows from the middle of the range
        /// may have moved to the head.
        package var meetsTop = true
        /// The earlier generation of the row of its last item; nil if the item is new.
        package var lastGeneration: Int64?
        package var isSync = false
        /// True if the range that it met consists of this page. The page's information about the end is then newer.
        package var coversRange = false
        /// True if the list moved under `more`, which read it to its end and neither goes back nor reads the head
        /// again. The next sync reads its pages again.
        package var hasMovedUnderMore = false
        /// The reason given by items of the crawl's pages that were not stored.
        package var unstored: IncompleteReason?
        /// True if the page is in ascending order or has no new items. The list may then still grow at its end.
        package var isAscending = true
        /// True if the page is read again because only earlier runs had read it.
        package var readsThrough = false
    }

    /// Adds a page that was read, and returns the next step.
    package mutating func read(_ page: ReadPage) -> Onward {
        firstPartition = nil
        wasNotFound = false
        guard round != nil else { return synced.read(page) }
        var ranges = round?.ranges ?? SyncedRanges()
        let onward = ranges.read(page)
        round?.ranges = ranges
        if page.met != nil, !page.meetsTop { round?.mayHaveMissedItems = true }
        absorb(page)
        return onward
    }

    /// Keeps rows that a full crawl moves in the range that had them, as long as the crawl reads along that range.
    private mutating func absorb(_ page: ReadPage) {
        guard !synced.isEmpty, round?.mode == .all else {
            if let generation = page.generation { synced.absorbHead(generation) }
            return
        }
        guard let generation = page.generation else { return }
        guard let last = page.lastGeneration, let range = synced.range(ofGeneration: last) else {
            // Other pages may lie between the pages of the full crawl and the stored range.
            if synced.range(ofGeneration: generation) == nil || page.lastGeneration == nil { synced = SyncedRanges() }
            return
        }
        synced.update(range.crawl) { $0.generations.insert(generation) }
        if page.isHeader { synced.absorbHead(generation) }
    }

    /// Prepares for a crawl that begins at the head, and returns its mode. It is part of a round if one is under way,
    /// or if no stored range can be joined.
    ///
    /// | the run's mode | a round is under way | there are ranges | the crawl | of a round |
    /// | --- | --- | --- | --- | --- |
    /// | `since` | – | – | `since` | yes |
    /// | `all` | any | – | as that one, or `all` | yes |
    /// | `new`, `reload` | any | – | as that one | yes |
    /// | `new`, `reload` | no | no | `all` | yes |
    /// | `new`, `reload` | no | yes | as the run | no |
    package mutating func modeOfCrawl(in run: CrawlMode) -> (mode: CrawlMode, isFull: Bool) {
        guard run != .since else {
            // The part of a window that a reload read does not belong to a sync's crawl.
            if round?.mode != .since { round = nil }
            return (.since, true)
        }
        let isFull = round != nil || run == .all || synced.isEmpty
        return (isFull ? round?.mode ?? .all : run, isFull)
    }

    /// The crawls whose pages a later one may continue. A round uses no pages of older crawls, unless it is given up.
    package var crawlsWithPages: [Int64] {
        synced.ranges.filter { round == nil || $0.needsPages }.flatMap(\.crawls)
    }

    /// Begins a round with the crawl of this number.
    package mutating func beginRound(_ id: Int64, _ mode: CrawlMode) {
        if round == nil { round = Round(id: id, mode: mode) }
    }

    /// Ends the round: the range that it read is the list.
    ///
    /// - Parameter generations: The generations of the rows on its pages.
    mutating func endRound(
        _ reason: IncompleteReason?, generations: Set<Int64>, isVerified: Bool, growsAtEnd: Bool = false
    ) {
        guard let round, var range = round.ranges.ranges.first else { return }
        self.round = nil
        guard round.mode == .all || synced.isEmpty else { return }
        range.generations = generations
        range.end = .last(reason)
        range.isVerified = isVerified
        range.growsAtEnd = growsAtEnd
        range.loosePages = []
        range.isLost = false
        synced = reason == nil || reason?.leavesSyncedRange == true ? .whole(range) : SyncedRanges()
    }

    /// Ends the round that `more` has read to its end.
    ///
    /// - Parameter generations: The generations of the rows on its pages.
    package mutating func endRound(of crawl: CrawlState, _ reason: IncompleteReason?, generations: Set<Int64>) {
        let read = round?.ranges.ranges.first
        endRound(reason, generations: generations, isVerified: false)
        synced.update(crawl.id) {
            $0.loosePages = read?.loosePages ?? []
            $0.isLost = read?.isLost ?? false
        }
        fullPages = crawl.pages
        isFullVerified = false
    }

    /// Ends a sync's crawl that met everything.
    ///
    /// - Parameters:
    ///   - generations: The generations of the rows on the pages of a full crawl.
    ///   - isSettled: True if all rows that the crawl did not meet are shown to be gone.
    ///   - growsAtEnd: True if new items are added at the end of the list. Called if the crawl read the whole list.
    package mutating func complete(
        _ crawl: CrawlState?, isVerified: Bool, generations: Set<Int64>, isSettled: Bool,
        growsAtEnd: () throws -> Bool
    ) rethrows {
        suspectEnd = nil
        if isSettled, round?.mode == .all { lostCursors = [] }
        if round != nil {
            isFullVerified = isVerified
            // One page does not show what its total counts.
            if let crawl, crawl.pages > 1 { totalIsOfPage = crawl.total.map { $0 < crawl.elements } ?? false }
            endRound(nil, generations: generations, isVerified: isVerified, growsAtEnd: try growsAtEnd())
        } else if let head = synced.ranges.first {
            // A crawl that met no range has read the whole list.
            let isWholeList = head.cursor == nil && head.crawls == [crawl?.id].compactMap(\.self)
            let growsAtEnd = try isWholeList ? growsAtEnd() : head.growsAtEnd
            synced.update(head.crawl) {
                $0.isVerified = isVerified
                $0.growsAtEnd = growsAtEnd
                $0.loosePages = []
            }
        }
        // The next sync reads through pages that are stored in another order than the list's.
        if crawl?.isOrdered == false { synced = SyncedRanges() }
    }

    /// Ends a sync's crawl that could not get everything.
    ///
    /// - Parameter generations: The generations of the rows on the pages of a full crawl.
    package mutating func leave(_ reason: IncompleteReason, generations: Set<Int64>) {
        if round != nil {
            endRound(reason, generations: generations, isVerified: false)
        } else if reason == .cap, let head = synced.ranges.first {
            synced.update(head.crawl) { $0.end = .last(reason) }
        }
    }

    /// Changes the ranges of a crawl: the stored one, and that of the round.
    package mutating func update(_ crawl: Int64, _ change: (inout SyncedRange) -> Void) {
        synced.update(crawl, change)
        round?.ranges.update(crawl, change)
    }

    /// Forgets the ranges after the list moved during the crawl or could not be followed. The next sync reads through
    /// the stored pages.
    package mutating func forgetRanges() {
        round = nil
        synced = SyncedRanges()
    }

    /// Records that a run failed at the page cursor with which a crawl continues. A later run tries it again, after the
    /// head, unless it seems dead: after a refusal, or if a token failed in two runs in a row. Then the next sync reads
    /// through the pages that the crawl stored.
    ///
    /// - Parameters:
    ///   - isLost: True if the upstream refused the page, or the page cannot be read.
    ///   - mayPass: True if the failure says nothing about the cursor, because it is a number that we computed.
    package mutating func fail(_ crawl: Int64, isLost: Bool, mayPass: Bool) {
        update(crawl) { range in
            guard range.cursor != nil else { return }
            range.isLost = range.isLost || isLost || !mayPass && range.failures > 0
            range.failures += 1
        }
    }
}

extension SyncedRanges {
    /// Adds a page that was read, and returns the next step.
    mutating func read(_ page: CrawlProgress.ReadPage) -> CrawlProgress.Onward {
        if page.isHeader {
            begin(page.crawl, generation: page.generation, next: page.end)
        } else {
            extend(page.crawl, generation: page.generation, next: page.end)
        }
        if let met = page.met {
            // The first page of a crawl that reads the list again replaces a dropped one.
            join(
                page.crawl, with: met, isHeader: page.isHeader && !page.readsThrough,
                isDirect: page.isHeader && page.meetsTop)
            if !page.isAscending { update(met.crawl) { $0.growsAtEnd = false } }
            if page.coversRange { update(met.crawl) { $0.end = page.end } }
            if page.hasMovedUnderMore { update(met.crawl) { $0.isLost = true } }
            guard var range = self[met.crawl] else { return .end(nil) }
            // A sync proves the pages in between.
            if page.isSync { range.isVerified = met.isVerified && page.meetsTop }
            switch range.end {
            case .open: return .range(range)
            case .last where range.growsAtEnd && page.isSync && page.unstored == nil && !page.coversRange:
                return .range(range)
            case .last(let reason): return .whole(range, reason ?? page.unstored)
            }
        }
        switch page.end {
        case .open(let cursor): return .page(cursor)
        case .last(let reason):
            end(page.crawl, reason)
            if page.hasMovedUnderMore { update(page.crawl) { $0.isLost = true } }
            return .end(reason)
        }
    }

    /// Adds rows that came to the head of the list.
    mutating func absorbHead(_ generation: Int64) {
        guard let head = ranges.first else { return }
        update(head.crawl) { range in
            guard !range.generations.contains(generation) else { return }
            range.generations.insert(generation)
            range.first = Place(generation: generation, position: 0)
        }
    }
}
