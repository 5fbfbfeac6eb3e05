internal import SQLite

/// The way back to a crawl that an earlier run cut off, or to one of its pages: it then reads that page and the later
/// ones again.
///
/// - Isolation: the store's, inside the transaction that resumes the crawl.
struct CrawlResumption {
    /// The page to which a crawl goes back, as the crawl had met it.
    struct PageToReadAgain {
        /// The number of its record; nil if the crawl has no such page.
        let record: Int64?
        /// The earlier places of its rows, as `MetPlaces` writes them.
        let met: String?
        let keys: Set<String>
        /// The keys of the page before it.
        let keysBefore: Set<String>
    }

    private let list: CrawledList
    /// The feed's state, as the resumed crawl has it.
    private(set) var draft: FeedState
    /// The trail of the resumed crawl.
    private(set) var trail = CrawlTrail()
    /// nil if the crawl continues at its end.
    private(set) var pageToReadAgain: PageToReadAgain?

    private var records: ListRecords { list.records }
    private var definition: FeedDefinition { list.shape.definition }
    private var connection: Connection { records.state.connection }

    init(of list: CrawledList) {
        self.list = list
        draft = list.state
    }

    /// Resumes a crawl at its end or at one of its pages.
    ///
    /// - Parameter isProved: True if nothing can lie between the pages of its range.
    /// - Returns: The cursor to request, and the number of pages that the crawl had.
    mutating func resume(
        _ crawl: Int64, from number: Int?, isProved: Bool
    ) throws -> (cursor: PageCursor?, pages: Int) {
        let known = try records.crawls.pageCount(of: crawl)
        let range = draft.progress.round?.ranges[crawl] ?? draft.progress.synced[crawl]
        var cursor = range?.cursor
        if let number, number <= known { cursor = try goBack(to: PageOfCrawl(crawl: crawl, number: number)) }
        if number == nil, isProved { draft.progress.update(crawl) { $0.loosePages = [] } }
        try records.state.save(draft.progress, over: list.state.progress)
        try records.crawls.adoptGeneration(crawl, of: (range?.crawls ?? []).filter { $0 != crawl })
        draft.crawl = try CrawlState.load(crawl, trail: &trail, on: connection)
        try records.state.save(crawl: crawl)
        // The crawl met these rows at the places that they had before it.
        if list.state.crawl?.id == crawl { trail.keepPlaces(of: list.trail) }
        return (cursor, known)
    }

    /// Lets a crawl end before one of its pages, and returns the cursor of that page.
    private mutating func goBack(to page: PageOfCrawl) throws -> PageCursor? {
        let cursor = try records.pages.cursor(of: page)
        let (record, met) = try records.pages.recordAndMet(of: page)
        pageToReadAgain = PageToReadAgain(
            record: record, met: met, keys: try records.pages.keys(of: page),
            keysBefore: try records.pages.keys(of: PageOfCrawl(crawl: page.crawl, number: page.number - 1)))
        try leavePartition(at: page)
        try records.pages.drop(from: page)
        try records.crawls.goBack(to: page, elements: try elementCount(before: page, at: cursor))
        if let cursor {
            draft.progress.update(page.crawl) { range in
                range.end = .open(cursor)
                // The pages that are read again follow no page yet.
                range.loosePages.removeAll { $0 >= page.number }
            }
        }
        return cursor
    }

    /// The number of elements in a crawl's pages before one at which it continues.
    ///
    /// - Parameter next: The cursor of the next request. Cursors of overlapping pages alone tell the number of
    ///   elements: an element that two pages share may have no key.
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
        let known = crawl.partition?.name == name ? 0 : total ?? elements
        let (sum, isBeyond) = max(crawl.finishedTotal - known, 0).addingReportingOverflow(total ?? elements)
        let part = elements > 0 ? CrawlPartition(name: name, elements: elements, total: total) : nil
        try records.crawls.save(part, total: isBeyond ? .max : sum, of: page.crawl)
    }
}
