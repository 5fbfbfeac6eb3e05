internal import SQLite

/// Pages that are requested again.
extension FeedWriter {
    /// The comparison of a page that was requested again with what the crawl has met.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - end: The next page according to it.
    ///   - known: The page as it was last stored.
    package func compare(
        _ page: DecodedPage?, _ end: NextPage, at place: PageOfCrawl, known: StoredPage?
    ) throws -> PageComparison {
        if try outgrows(place, end) { return .outgrown }
        let keys = page?.keys ?? "[]"
        if keys == known?.keys, try page.map({ try table.holds($0) }) ?? true {
            if end.total != known?.total { try markDoubtful() }
            return .same
        }
        let met = try metBefore ?? metKeys()
        metBefore = met
        let texts = RowKey.texts(ofPage: keys)
        let last = texts.last
        let before = known.flatMap { RowKey.texts(ofPage: $0.keys).first }.flatMap { met[$0]?.place }
        let places = texts.map { met[$0]?.place }
        // A stored row that the crawl did not meet is not new. The page has to be stored for the row to count as met.
        if let shift = PageComparison.shift(places, from: before), let page,
            try table.newCount(of: page) == places.count(where: { $0 == nil })
        {
            return .shifted(by: shift, isLast: end.next == nil)
        }
        let isStored =
            try state.crawl?.mode == .since
            || (state.crawl?.mode == .new
                && page.flatMap { try table.lastPlace(of: $0) }.map {
                    state.progress.synced.range(ofGeneration: $0.generation) != nil
                } ?? false)
        return PageComparison(
            lastMetAt: last.flatMap { met[$0]?.page }, at: try ordinal(of: place), isLast: end.next == nil,
            isEmpty: last == nil, isStored: isStored)
    }

    /// True if a stored page is the one that a crawl recorded at a place.
    package func isRecord(_ page: StoredPage?, of place: PageOfCrawl) throws -> Bool {
        let id = try connection.int64(
            "SELECT page FROM _crawl_page WHERE crawl = ? AND number = ?", Value(place.crawl),
            Value(place.number))
        return id == page?.id
    }

    /// The place of a page in the list, from 1.
    func ordinal(of page: PageOfCrawl) throws -> Int {
        var ordinal = page.number
        for crawl in crawlsOfList.prefix(while: { $0 != page.crawl }) {
            ordinal += Int(
                clamping: try connection.int64(
                    "SELECT count(*) FROM _crawl_page WHERE crawl = ? AND number > 0", Value(crawl)) ?? 0)
        }
        return ordinal
    }

    /// Records a page that was requested again and brought nothing new.
    ///
    /// - Parameter isSame: True if the page is unchanged and has not moved. Nothing lies between two such pages in a
    ///   row.
    package func markChecked(_ page: PageOfCrawl, isSame: Bool) throws {
        if isSame, let last = lastSame, last.crawl == page.crawl, last.number + 1 == page.number {
            var draft = state
            let tighten = { (range: inout SyncedRange) in range.loosePages.removeAll { $0 == last.number } }
            draft.progress.synced.update(page.crawl, tighten)
            draft.progress.round?.ranges.update(page.crawl, tighten)
            try connection.transaction { try saveProgress(draft) }
            state = draft
        }
        lastSame = isSame ? page : nil
    }

    /// Records that the list moved although its pages are unchanged.
    private func markDoubtful() throws {
        var draft = state
        draft.progress.round?.isDoubtful = true
        try connection.transaction { try saveProgress(draft) }
        state = draft
    }

    /// True if a page equals the stored one.
    ///
    /// - Parameters:
    ///   - page: nil for a page without items.
    ///   - known: The stored page for the request.
    package func holds(_ page: DecodedPage?, as known: StoredPage?) throws -> Bool {
        guard let known, (page?.keys ?? "[]") == known.keys else { return false }
        return try page.map { try table.holds($0) } ?? true
    }

    /// Compares a page of the head, read again, with the list as the crawl met it.
    ///
    /// - Parameter isFirst: True for the first page.
    /// - Returns: True if items left the head, as far as it was read again.
    package func hasMovedUp(_ page: DecodedPage?, isFirst: Bool) throws -> Bool {
        var head = try isFirst ? (HeadComparison(), metKeys().mapValues(\.place)) : self.head ?? (HeadComparison(), [:])
        head.0.take(RowKey.texts(ofPage: page?.keys ?? "[]").map { head.1[$0] })
        self.head = head
        return head.0.hasMovedUp
    }
}
