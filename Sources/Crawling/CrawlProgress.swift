/// How far a feed's mirror has come: the ranges that its crawls stored, and the crawl of every page that is under way.
///
/// Pure: the store keeps it as JSON, and a page's transaction saves it with the page.
package struct CrawlProgress: Sendable, Hashable {
    /// A crawl from the head to the end, which may take several runs. Each of them begins at the head, so it may have
    /// several crawls, which are joined as ranges are.
    package struct Round: Sendable, Hashable {
        /// The number of its first crawl.
        package let id: Int64
        /// What it crawls for: `all` or `since`.
        package let mode: CrawlMode
        package var ranges = SyncedRanges()
        /// Whether something may have passed unseen, so that nothing proves that all was met.
        package var isDoubtful = false
    }

    /// What is stored of the list, whichever crawl brought it.
    package var synced = SyncedRanges()
    /// The crawl of every page that is under way; nil if there is none.
    package var round: Round?
    /// How many items the last crawl had met where the list seemed to end too soon. An end like it is believed.
    package var suspectEnd: Int?
    /// The elements of the last full crawl's pages that are not items: totals count them, too.
    package var otherElements = 0
    /// The pages of the last full crawl.
    package var fullPages: Int?
    /// The run of the last full crawl, if it was complete and nothing proved that. The next one proves it that finds the list
    /// as it was.
    package var unprovedRun: Int64?
    /// Whether it was proved that the last full crawl met everything, and each sync by watermark since.
    package var isFullVerified = false
    /// The name of the partition to begin with, where those around it were found to be too large and no page of the crawl
    /// is stored yet.
    package var firstPartition: String?

    /// Where `more` goes on: the crawl and its page cursor; nil where nothing is left to read.
    package var open: SyncedRange? {
        if synced.isWhole { return nil }
        return round?.ranges.open ?? synced.open
    }

    /// Whether a range from the head to the end is stored, or one that went as far as it could.
    package var isWhole: Bool { synced.isWhole || (round.map { $0.mode == .all && $0.ranges.isWhole } ?? false) }

    /// Why what is stored is not all, although there are no further pages.
    package var reason: IncompleteReason? { synced.isWhole ? synced.reason : round?.ranges.reason }

    /// A crawl found a partition too large: it goes on with the half that this page cursor leads to, in the next run too.
    ///
    /// - Parameter crawl: nil where the partition is the first of all.
    package mutating func narrow(_ crawl: Int64?, to half: PageCursor) {
        guard let crawl else {
            firstPartition = PartitionScheme.partitionName(in: half)
            return
        }
        synced.update(crawl) { $0.end = .open(half) }
        round?.ranges.update(crawl) { $0.end = .open(half) }
    }

    /// Where a crawl goes on behind a page.
    package enum Onward: Sendable, Hashable {
        /// At the page's own cursor.
        case page(PageCursor)
        /// At the end of a range that the page met.
        case range(SyncedRange)
        /// Nowhere: the page met a range that reaches the end; why that may not be all there is.
        case whole(SyncedRange, IncompleteReason?)
        /// Nowhere: it is the end of the list.
        case end(IncompleteReason?)
    }

    /// A page that was read, as far as ranges have to know.
    package struct ReadPage: Sendable, Hashable {
        package let crawl: Int64
        /// Of the crawl's own rows; nil while it only met rows in their places.
        package var generation: Int64?
        package var isHeader = false
        /// Where the page's own cursor leads.
        package var end: SyncedRange.End
        /// The range that it met: everything from the page on is stored up to the range's end.
        package var met: SyncedRange?
        /// Whether it met the range with its first row, or is as it was. Others may have moved to the head, where they
        /// look like the middle of the range.
        package var meetsTop = true
        /// The generation of the row that its last item had before; nil where that is new.
        package var lastGeneration: Int64?
        package var isSync = false
        /// True if the list moved under `more`, which read it to its end and looks neither back nor at the head again: the
        /// next sync reads its pages again.
        package var hasMovedUnderMore = false
        /// The reason that items of the crawl's pages give which were not stored.
        package var unstored: IncompleteReason?
        /// True if the page is in ascending order, or has no new items: the list may still grow at its end.
        package var isAscending = true
        /// True if it was read again because only earlier runs had read it.
        package var readsThrough = false
        /// Whether the range that it met is no more than the page: what the page says of its end is newer.
        package var coversRange = false

        package init(
            crawl: Int64, generation: Int64? = nil, isHeader: Bool = false, end: SyncedRange.End,
            met: SyncedRange? = nil, meetsTop: Bool = true, lastGeneration: Int64? = nil, isSync: Bool = false,
            coversRange: Bool = false, hasMovedUnderMore: Bool = false, unstored: IncompleteReason? = nil,
            isAscending: Bool = true, readsThrough: Bool = false
        ) {
            self.crawl = crawl
            self.generation = generation
            self.isHeader = isHeader
            self.end = end
            self.met = met
            self.meetsTop = meetsTop
            self.lastGeneration = lastGeneration
            self.isSync = isSync
            self.coversRange = coversRange
            self.hasMovedUnderMore = hasMovedUnderMore
            self.unstored = unstored
            self.isAscending = isAscending
            self.readsThrough = readsThrough
        }
    }

    /// Takes a page in.
    package mutating func read(_ page: ReadPage) -> Onward {
        firstPartition = nil
        guard round != nil else { return synced.read(page) }
        var ranges = round?.ranges ?? SyncedRanges()
        let onward = ranges.read(page)
        round?.ranges = ranges
        if page.met != nil, !page.meetsTop { round?.isDoubtful = true }
        absorb(page)
        return onward
    }

    /// Rows that a round moves stay in the range that had them, as long as the round reads along it.
    private mutating func absorb(_ page: ReadPage) {
        guard !synced.isEmpty, round?.mode == .all else {
            if let generation = page.generation { synced.absorbHead(generation) }
            return
        }
        guard let generation = page.generation else { return }
        guard let last = page.lastGeneration, let range = synced.range(ofGeneration: last) else {
            // Between what the round has read and what is stored may lie others.
            if synced.range(ofGeneration: generation) == nil || page.lastGeneration == nil { synced = SyncedRanges() }
            return
        }
        synced.update(range.crawl) { $0.generations.insert(generation) }
        if page.isHeader { synced.absorbHead(generation) }
    }

    /// Begins a crawl of every page with the crawl of this number.
    package mutating func beginRound(_ id: Int64, _ mode: CrawlMode) {
        if round == nil { round = Round(id: id, mode: mode) }
    }

    /// The round has met all: what it read is the list.
    ///
    /// - Parameter generations: Those of the rows of its pages.
    package mutating func endRound(
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

    /// The list moved during the crawl, or cannot be followed: the next sync reads through what is stored.
    package mutating func forgetRanges() {
        round = nil
        synced = SyncedRanges()
    }

    /// A run failed at the page cursor that a crawl goes on with. It is tried again, behind the head, unless it leads
    /// nowhere any more: after a refusal, or where a token failed in two runs in a row. Then the next sync reads through
    /// what the crawl stored.
    ///
    /// - Parameters:
    ///   - isLost: Whether the upstream refused the page, or it cannot be read.
    ///   - mayPass: Whether a failure says nothing of the cursor, which is a number that we made ourselves.
    package mutating func fail(_ crawl: Int64, isLost: Bool, mayPass: Bool) {
        let change = { (ranges: inout SyncedRanges) in
            guard let range = ranges[crawl], range.cursor != nil else { return }
            ranges.update(crawl) {
                $0.failures += 1
                $0.isLost = $0.isLost || isLost || !mayPass && range.failures > 0
            }
        }
        change(&synced)
        if var ranges = round?.ranges {
            change(&ranges)
            round?.ranges = ranges
        }
    }
}

extension SyncedRanges {
    /// Takes a page in.
    mutating func read(_ page: CrawlProgress.ReadPage) -> CrawlProgress.Onward {
        if page.isHeader {
            begin(page.crawl, generation: page.generation, next: page.end)
        } else {
            extend(page.crawl, generation: page.generation, next: page.end)
        }
        if let met = page.met {
            // The first page of a crawl that reads the list anew stands in for one that was dropped.
            join(
                page.crawl, with: met, isHeader: page.isHeader && !page.readsThrough,
                isDirect: page.isHeader && page.meetsTop)
            if !page.isAscending { update(met.crawl) { $0.growsAtEnd = false } }
            if page.coversRange { update(met.crawl) { $0.end = page.end } }
            if page.hasMovedUnderMore { update(met.crawl) { $0.isLost = true } }
            guard var range = self[met.crawl] else { return .end(nil) }
            // A sync proves what lies between.
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

    /// Rows of the list came to its head.
    mutating func absorbHead(_ generation: Int64) {
        guard let head = ranges.first else { return }
        update(head.crawl) { range in
            guard !range.generations.contains(generation) else { return }
            range.generations.insert(generation)
            range.first = Place(generation: generation, position: 0)
        }
    }
}

/// What a crawl is for.
package enum CrawlMode: String, Sendable, Hashable, CaseIterable {
    /// The first page, and further ones by hand.
    case reload
    /// What is new at the head.
    case new
    /// What changed since the watermark.
    case since
    /// Every page.
    case all
}
