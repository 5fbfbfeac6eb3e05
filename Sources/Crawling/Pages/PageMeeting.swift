/// A page of a crawl beside the stored ranges: the range that it meets, and the step that follows.
///
/// Pure: the store looks up the facts about stored pages and rows, and saves the progress.
package struct PageMeeting {
    /// The facts of the store that a meeting depends on, looked up when they are needed.
    package struct Lookup {
        /// The pages of crawls that have the row at a place.
        package var pagesHaving: (Place, [Int64]) throws -> [PageOfCrawl]
        /// True if all rows above a place were written with a generation.
        package var isTop: (Place, Int64?) throws -> Bool
        /// The page cursor and the number of places of a crawl's first page.
        package var firstPage: (Int64) throws -> (asked: PageCursor?, placed: Int)
        /// The number of pages of a crawl.
        package var pageCount: (Int64) throws -> Int
        /// True if the page cursors of a crawl, the given one included, contain item positions.
        package var cursorsHavePlaces: (Int64, PageCursor?) throws -> Bool

        package init(
            pagesHaving: @escaping (Place, [Int64]) throws -> [PageOfCrawl],
            isTop: @escaping (Place, Int64?) throws -> Bool,
            firstPage: @escaping (Int64) throws -> (asked: PageCursor?, placed: Int),
            pageCount: @escaping (Int64) throws -> Int,
            cursorsHavePlaces: @escaping (Int64, PageCursor?) throws -> Bool
        ) {
            (self.pagesHaving, self.isTop, self.firstPage) = (pagesHaving, isTop, firstPage)
            (self.pageCount, self.cursorsHavePlaces) = (pageCount, cursorsHavePlaces)
        }
    }

    private let page: CrawlPage
    private let rules: PageRules
    /// The place of its first row, and the number of places that its rows take.
    private let first: Place
    private let placed: Int64
    /// The crawl, with the page.
    private let crawl: CrawlState
    private let reads: RunReads
    private let isShifting: Bool
    /// True if the page has the keys that it had when it was stored.
    private let hasSameKeys: Bool
    /// True if this run has added no item on earlier pages.
    private let isFirstToInsert: Bool
    private let lookup: Lookup

    /// - Parameters:
    ///   - first: The place of its first row.
    ///   - placed: The number of places that its rows take.
    ///   - crawl: The crawl, with the page.
    ///   - reads: The pages that the run read before.
    ///   - isShifting: True if items move from page to page as other items come and go.
    ///   - inserted: The number of items that the run has added on earlier pages.
    package init(
        _ page: CrawlPage, by rules: PageRules, at first: Place, placed: Int64, of crawl: CrawlState, reads: RunReads,
        isShifting: Bool, hasSameKeys: Bool, insertedBefore inserted: Int, _ lookup: Lookup
    ) {
        (self.page, self.rules, self.crawl, self.reads) = (page, rules, crawl, reads)
        (self.first, self.placed) = (first, placed)
        (self.isShifting, self.hasSameKeys, self.lookup) = (isShifting, hasSameKeys, lookup)
        isFirstToInsert = inserted == 0
    }

    /// The range that the page meets: everything from the page to the range's end is stored. nil if it meets none.
    package func range(_ progress: CrawlProgress) throws -> SyncedRange? {
        let range =
            try place.flatMap { try self.range(at: $0, progress) }
            ?? (beginsAsBefore && !page.readsThrough && placed == 0 && page.end.next != nil
                ? rangeBeginningWithPage(progress) : nil)
        // A list that has become one page is that page, and no longer the range of an earlier run.
        if progress.round != nil, !hasSameKeys, page.end.next == nil, try covers(range) { return nil }
        // A sync reads through some ranges, because another range may have the same pages.
        return range.flatMap { page.mode == .reload || !$0.isLost ? $0 : nil }
    }

    /// The page as `CrawlProgress` takes it.
    ///
    /// - Parameter met: The range that it meets.
    package func readPage(meeting met: SyncedRange?) throws -> CrawlProgress.ReadPage {
        CrawlProgress.ReadPage(
            crawl: crawl.id, generation: crawl.generation, isHeader: page.direction == .header,
            end: page.end.next.map(SyncedRange.End.open) ?? .last(crawl.reason), met: met,
            meetsTop: try met == nil || beginsAsBefore
                || (place.map { try lookup.isTop($0, crawl.generation) } ?? true),
            lastGeneration: rules.crawl.lastPlaceBefore?.generation, isSync: page.mode != .reload,
            coversRange: try covers(met), hasMovedUnderMore: try hasMovedUnderMore(met),
            unstored: Completeness.unstoredReason(of: crawl), isAscending: hasBroughtNothing || keepsOrder,
            readsThrough: page.readsThrough)
    }

    /// True for a first page with the keys that it had when it was stored.
    private var beginsAsBefore: Bool { page.direction == .header && hasSameKeys }

    /// The place at which the page meets stored rows: all its rows are unchanged, or new rows came above the first
    /// ones. nil if it may not meet any. A sync goes on behind a row with new content, because other rows may have
    /// changed, too; for `reload`, the row is where it was.
    private var place: Place? {
        get throws {
            guard try mayMeet else { return nil }
            let isReload = page.mode == .reload && page.direction == .header
            return rules.isUnchanged && placed > 0 ? first : rules.gainedAbove(mayChange: isReload)?.first
        }
    }

    /// True if the page may meet stored rows. A crawl that reads the older pages again meets the pages of this run only
    /// where it finds one as it was: if they have moved, an item of the older pages may have moved down among them.
    private var mayMeet: Bool {
        get throws {
            guard page.readsThrough, !hasSameKeys else { return true }
            return try !(isShifting || lookup.cursorsHavePlaces(crawl.id, page.end.next))
        }
    }

    private func range(at place: Place, _ progress: CrawlProgress) throws -> SyncedRange? {
        guard let round = progress.round else {
            let range =
                rules.isUnchanged
                ? progress.synced.range(ofGeneration: place.generation)
                : progress.synced.ranges.first { $0.first == place }
            if let range, range.isLost, page.mode != .reload { return try rangeReadAgain(at: place, progress.synced) }
            return range?.crawl == crawl.id ? nil : range
        }
        let own = round.ranges[crawl.id]?.crawls ?? [crawl.id]
        let others = round.ranges.ranges.flatMap(\.crawls).filter { !own.contains($0) }
        guard !others.isEmpty else { return nil }
        let pages = try lookup.pagesHaving(place, others).filter { !page.readsThrough || reads.tail.contains($0) }
        let met = Set(pages.map(\.crawl))
        // If several ranges have the row, the one nearest to the head read it last. The rows after it in another range
        // may have moved since.
        return round.ranges.ranges.first { !met.isDisjoint(with: $0.crawls) }
    }

    /// The range of an earlier run that began to read a lost range again, and was cut off behind the place. Its rows are
    /// those of the lost range.
    private func rangeReadAgain(at place: Place, _ synced: SyncedRanges) throws -> SyncedRange? {
        let others = synced.ranges.prefix { !$0.isLost }.filter { $0.crawl != crawl.id && $0.cursor != nil }
        guard !others.isEmpty else { return nil }
        let met = Set(try lookup.pagesHaving(place, others.flatMap(\.crawls)).map(\.crawl))
        return others.first { !met.isDisjoint(with: $0.crawls) }
    }

    /// The range that begins with this page, for a page without rows: the pages after it are stored. An empty first page
    /// does not show that the head of a whole list is as it was: new items may be on the next one.
    private func rangeBeginningWithPage(_ progress: CrawlProgress) throws -> SyncedRange? {
        try (progress.round?.ranges ?? progress.synced).ranges.first { range in
            guard let head = range.crawls.last, progress.round != nil || range.cursor != nil else { return false }
            let first = try lookup.firstPage(head)
            return first.asked == page.asked && first.placed == 0
        }
    }

    /// True if the range that a first page met consists of that page only, so that the page says where the range goes on.
    /// The range of an unchanged first partition may go on at a half of the next one, which was too large.
    private func covers(_ range: SyncedRange?) throws -> Bool {
        guard let range, page.direction == .header, range.crawls.count == 1 else { return false }
        if let part = page.partition, hasSameKeys, range.cursor != nil, let next = page.end.next,
            PartitionScheme.partitionName(in: next) != part
        {
            return false
        }
        return try lookup.pageCount(range.crawl) == 1
    }

    /// True if this run read the whole crawl and found no new item. The order of such a list is unchanged, even if
    /// items at its head are gone.
    private var hasBroughtNothing: Bool {
        (crawl.pages == 1 || reads.has(PageOfCrawl(crawl: crawl.id, number: 1))) && isFirstToInsert
            && rules.items.inserted == 0
    }

    /// True if the page brought nothing above the range that it meets that breaks an ascending order.
    private var keepsOrder: Bool {
        if rules.crawl.generation == nil || rules.items.inserted == 0 && page.direction == .header { return true }
        guard page.direction == .header, !rules.metPlaces.isEmpty else { return false }
        var order = KeyOrder()
        order.add(page.keys)
        return order.isAscending
    }

    /// True if the list moved under `more`, and the page is the last one that it reads or the first one that meets a
    /// range.
    private func hasMovedUnderMore(_ met: SyncedRange?) throws -> Bool {
        guard page.mode == .reload, page.direction == .footer, met != nil || page.end.next == nil else { return false }
        return Completeness.hasMovedUnderMore(
            crawl, isShifting: try isShifting || lookup.cursorsHavePlaces(crawl.id, page.end.next))
    }
}
