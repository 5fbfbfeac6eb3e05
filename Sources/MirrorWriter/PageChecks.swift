internal import SQLite

/// The pages that a run requests again, compared with what the crawl met.
///
/// - Isolation: the store's.
struct PageChecks {
    /// The place where each key was met first: collected once.
    private var met: [String: CrawlPages.MetKey]?
    /// The head of the list as it was read again so far, and the earlier places of the list's keys.
    private var head: (comparison: HeadComparison, places: [String: Int])?
    /// The page that was requested again last, if it was unchanged.
    private var last: PageOfCrawl?

    /// Forgets the keys that were met, because a page was stored.
    mutating func forgetKeys() { met = nil }

    /// The comparison of a page with the stored one and with what the crawl has met.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - end: The next page according to it.
    ///   - known: The page as it was last stored.
    mutating func compare(
        _ page: DecodedPage?, _ end: NextPage, at place: PageOfCrawl, known: StoredPage?, in list: CrawledList,
        _ table: ListTable
    ) throws -> PageComparison {
        if try list.outgrows(place, end) { return .outgrown }
        if try table.holds(page, as: known) { return .same }
        if let page, page.keys == known?.keys { return .revised }
        let isLast = end.next == nil
        let met = try self.met ?? list.metKeys()
        self.met = met
        let texts = PageKeys.texts(page?.keys ?? "[]")
        let before = known.flatMap { PageKeys.texts($0.keys).first }.flatMap { met[$0]?.place }
        let places = texts.map { met[$0]?.place }
        // A stored row that the crawl did not meet is not new. The page has to be stored for the row to count as met.
        if let shift = PageComparison.shift(places, from: before), let page,
            try table.rows.newCount(of: page) == places.count(where: { $0 == nil })
        {
            return .shifted(by: shift, isLast: isLast)
        }
        return PageComparison(
            lastMetAt: texts.last.flatMap { met[$0]?.page },
            at: try list.records.pages.ordinal(of: place, in: list.crawls), isLast: isLast, isEmpty: texts.isEmpty,
            isStored: try endsInStoredRange(page, list, table.rows))
    }

    /// True if the last item of a page is in a synced range, as far as the crawl's mode allows that.
    private func endsInStoredRange(_ page: DecodedPage?, _ list: CrawledList, _ table: FeedTable) throws -> Bool {
        switch list.state.crawl?.mode {
        case .since: true
        case .new:
            try page.flatMap { try table.lastPlace(of: $0) }.map {
                list.state.progress.synced.range(ofGeneration: $0.generation) != nil
            } ?? false
        case .all, .reload, nil: false
        }
    }

    /// Records a page that was requested again and brought nothing new.
    ///
    /// - Parameter isSame: True if the page is unchanged and has not moved.
    /// - Returns: The page before it if nothing lies between the two.
    mutating func note(_ page: PageOfCrawl, isSame: Bool) -> PageOfCrawl? {
        defer { last = isSame ? page : nil }
        guard isSame, let last, last.crawl == page.crawl, last.number + 1 == page.number else { return nil }
        return last
    }

    /// Compares a page of the head, read again, with the list as the crawl met it.
    ///
    /// - Parameter isFirst: True for the first page.
    /// - Returns: True if items left the head, as far as it was read again.
    mutating func hasMovedUp(_ page: DecodedPage?, isFirst: Bool, in list: CrawledList) throws -> Bool {
        var head =
            try isFirst
            ? (HeadComparison(), list.metKeys().mapValues(\.place)) : self.head ?? (HeadComparison(), [:])
        head.0.take(PageKeys.texts(page?.keys ?? "[]").map { head.1[$0] })
        self.head = head
        return head.0.hasMovedUp
    }
}
