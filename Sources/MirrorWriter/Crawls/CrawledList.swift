internal import SQLite
internal import Text

/// The list that the current crawl makes up, at its end: the facts on which `Completeness` decides, and the rows that
/// the crawl did not meet.
///
/// - Isolation: the store's.
package struct CrawledList {
    /// Counts that stay until a page is stored.
    final class Cache {
        /// True if a look at all keys found no missing row.
        var missesNothing = false
        /// The elements of the crawl's pages that are not items.
        var otherElements: Int?

        func clear() { (missesNothing, otherElements) = (false, nil) }
    }

    var shape: ResolvedFeed
    let state: FeedState
    let trail: CrawlTrail
    let reads: RunReads
    let records: ListRecords
    let cache: Cache

    private var definition: FeedDefinition { shape.definition }
    private var connection: Connection { records.state.connection }

    // MARK: - Crawls and pages

    /// The crawls that make up the list, from its head.
    var crawls: [Int64] {
        guard let id = state.crawl?.id else { return [] }
        // A crawl that only met rows in place belongs to no range; the crawls that it met do.
        let range =
            state.progress.round.map { $0.ranges.range(ofPagesOf: id) ?? $0.ranges.ranges.first }
            ?? state.progress.synced.range(ofPagesOf: id)
        // A range lists its crawls from the end.
        return range?.crawls.reversed() ?? [id]
    }

    /// The crawls whose pages are to be proved. A crawl that stopped at a synced range has only its own.
    private var crawlsToProve: [Int64] {
        state.progress.round != nil ? crawls : [state.crawl?.id].compactMap(\.self)
    }

    /// The pages whose order is to be proved.
    func pagesToProve() throws -> [PageOfCrawl] { try records.pages.pages(of: crawlsToProve) }

    /// The first page of the list if an earlier run stored it and the first page of this run's crawl was as it is.
    var headThatIsSame: PageOfCrawl? {
        guard let first = crawlsToProve.first, first != state.crawl?.id, state.crawl?.pages == 1,
            state.crawl?.generation == nil
        else { return nil }
        return PageOfCrawl(crawl: first, number: 1)
    }

    /// True if the list is one page, which this run read.
    private func isOnePage() throws -> Bool {
        let pages = try records.pages.pages(of: crawls)
        return pages.count == 1 && pages.allSatisfy(reads.has) && definition.partitioning == nil
    }

    /// The last page of the list; nil if it is an error that counts as the end, repeats the one before it, or is one of
    /// a partition.
    private func lastPage() throws -> PageOfCrawl? {
        guard definition.partitioning == nil, state.crawl?.hasDoubtfulEnd != true,
            let last = try records.pages.pages(of: crawls).last
        else { return nil }
        return try records.pages.status(of: last) < 400 ? last : nil
    }

    /// True if the page cursors of a crawl, and the next one if known, contain item positions, and the paginator does
    /// not already say that they are positions or keys.
    func cursorsHavePlaces(_ crawl: Int64, end: PageCursor? = nil) throws -> Bool {
        let pagination = definition.pagination
        guard !pagination.isShifting, !pagination.continuesBehindValues else { return false }
        return TokenPlaces.hasPlaces(try records.pages.tokens(of: crawl, end: end))
    }

    // MARK: - Facts

    /// The facts of a crawl that has reached the end of the list.
    func facts() throws -> CrawlFacts {
        var facts = CrawlFacts(of: definition)
        var trail = CrawlTrail()
        for id in crawlsToProve {
            let isCurrent = id == state.crawl?.id
            guard let crawl = isCurrent ? state.crawl : try CrawlState.load(id, trail: &trail, on: connection) else {
                continue
            }
            facts.add(crawl, cursorsHavePlaces: try facts.cursorsHavePlaces || cursorsHavePlaces(id))
        }
        facts.isPartial =
            try state.crawl?.reason == .upstreamIncomplete || records.crawls.have(.upstreamIncomplete, crawls)
        if let before = state.progress.driftKeys { facts.isLikeDrift = try keyHash() == before }
        facts.hasDoubtfulEnd = definition.partitioning == nil && state.crawl?.hasDoubtfulEnd == true
        facts.mayShareValues = mayShareValues
        if let partitioning = definition.partitioning, let cap = partitioning.cap ?? state.crawl?.cap {
            facts.totalMayBeCap = try records.pages.have(total: cap, crawls)
        } else if let crawl = state.crawl, definition.partitioning == nil {
            facts.totalMayBeCap = Completeness.totalMayBeCap(crawl)
        }
        facts.pages = try pagesToProve()
        facts.pageCount = facts.pages.count
        facts.hasEmptyPages = try facts.pageCount > 2 && !records.pages.pagesBeforeEnd(of: crawlsToProve).empty.isEmpty
        if facts.pageCount > 1, !facts.hasDoubtfulEnd {
            facts.hasOddRepeats = try hasOddRepeats(overlap: facts.overlaps)
        }
        if let round = state.progress.round {
            // Crawls of earlier runs that only met rows in place belong to no range.
            facts.hasTotalMoved = try facts.hasTotalMoved || records.crawls.hasSeveralTotals(round: round.id)
            facts.olderPages = reads.tail.count == facts.pages.count ? 0 : facts.pages.count - reads.tail.count + 1
            facts.mustReadThrough = try Completeness.mustReadThrough(
                definition.sync, state.progress, isFirstLoad: isFirstLoad())
        }
        facts.total = state.crawl?.total ?? facts.total
        if facts.total != nil { facts.met += try metCount() + otherElements() }
        if definition.partitioning != nil { facts.total = nil }
        return facts
    }

    /// True if items came on several pages of the list, or of one partition, though nothing in the way of paging repeats
    /// them.
    ///
    /// - Parameter overlap: True if each page began with the last item of the one before, as requested.
    private func hasOddRepeats(overlap: Bool) throws -> Bool {
        guard try records.pages.haveRepeats(crawlsToProve, overlap: overlap) else { return false }
        let lists = try records.pages.keys(of: crawlsToProve, isPartitioned: definition.partitioning != nil)
        return lists.contains { RepeatedItems.areOdd($0, overlap: overlap) }
    }

    /// The columns of the values with which `keyset` continues; none for other paginators.
    private var valueColumns: [String] {
        definition.pagination.itemPaths.compactMap { path in definition.columns.first { $0.path == path }?.name }
    }

    /// True if `keyset` continues behind values that are not the key.
    private var mayShareValues: Bool {
        guard definition.partitioning == nil, definition.pagination.continuesBehindValues else { return false }
        return definition.key.isEmpty || !Set(valueColumns).isSuperset(of: definition.key)
    }

    /// The columns of such values, which several rows may share; nil if some have none.
    private var sharedColumns: [String]? {
        mayShareValues && valueColumns.count == definition.pagination.itemPaths.count ? valueColumns : nil
    }

    /// True if several rows have the values with which `keyset` continues.
    func sharesValues() throws -> Bool { try sharedColumns.map { try records.rows.share($0) } ?? false }

    /// True if new items are added at the end of the list: its keys ascend and none was added at its head since.
    ///
    /// - Parameter before: The range at the head when the run began; nil if there was none.
    func growsAtEnd(since before: SyncedRange?) throws -> Bool {
        guard let crawl = state.crawl, definition.partitioning == nil else { return false }
        guard let before else { return try isAscending() }
        return try before.growsAtEnd && !crawl.headGained || isAscending()
    }

    /// True if the list is in ascending order of its keys.
    private func isAscending() throws -> Bool {
        guard let pages = try records.pages.ascendingPageCount(of: crawls) else { return false }
        // The order of a single page is chance, unless the paginator relies on it.
        return pages > 1 || definition.pagination.continuesBehindValues
    }

    /// True if no full crawl has read the list before, and no row is older than this one: after `reset`, and with
    /// another `url`, there are such rows.
    private func isFirstLoad() throws -> Bool {
        guard state.progress.fullPages == nil, let round = state.progress.round else {
            return state.progress.fullPages == nil
        }
        // A list that is found out to be empty has no table yet.
        guard try records.state.itemCount() > 0 else { return true }
        return try !records.rows.haveRows(before: try records.crawls.firstGeneration(ofRound: round.id))
    }

    // MARK: - Counts

    /// True if the crawl has read the list from its head to its end, without stopping at a synced range.
    private var isWhole: Bool {
        guard let id = state.crawl?.id, state.progress.round == nil else { return true }
        return state.progress.synced.isWhole && state.progress.synced[id]?.crawls == [id]
    }

    /// The keys that the crawl met.
    func metKeys() throws -> [String: CrawlPages.MetKey] { try records.pages.metKeys(of: crawls) }

    /// The meaning of a page behind the end of the list that has these keys.
    package func meaning(ofKeysBehindEnd keys: [String]) throws -> Completeness.BehindEnd {
        let met = try metKeys()
        // A page may begin with the last item of the one before.
        let repeated = PageKeys.texts(state.crawl?.lastKeys ?? "[]").last
        let others = keys.first == repeated ? Array(keys.dropFirst()) : keys
        return Completeness.BehindEnd(others, mayRepeat: (state.crawl?.repeats ?? 0) > 0) { met[$0] != nil }
    }

    /// The number of different keys that the crawl met.
    func keyCount() throws -> Int { try metKeys().count }

    /// The hash of the keys that the crawl met; their order does not matter. Their number proves little: one row may
    /// have gone as another came.
    func keyHash() throws -> String {
        var hash = FNV1a()
        for key in try metKeys().keys.sorted() { hash.add(Array(key.utf8) + [0]) }
        return hash.digits
    }

    /// The number of stored rows that a total of the list is compared with. A list that reports removed items may count
    /// them.
    func storedCount() throws -> Int {
        try definition.removed == nil ? records.state.itemCount() : records.rows.count()
    }

    /// The number of different items that the crawl met; for a crawl that stopped at a synced range, of stored items.
    func metCount() throws -> Int {
        guard isWhole else { return try storedCount() }
        // An item that reports its own removal was met, though its row has no place. Totals count it, too.
        if definition.removed == nil, crawls.count == 1, let count = trail.metCount(besides: state.crawl?.generation) {
            return Int(clamping: count)
        }
        return try keyCount()
    }

    /// The elements of the crawl's pages that are not items, including `null`. Totals count them, too.
    func otherElements() throws -> Int {
        // They are compared with a total only.
        guard isWhole, state.crawl?.total != nil else { return state.progress.otherElements }
        let known = crawls.count == 1 ? trail.others : nil
        let count = try known ?? cache.otherElements ?? records.pages.otherElements(of: crawls)
        cache.otherElements = count
        return count
    }

    /// The elements of the crawl's pages that have no row: those that are not items, and items that said that they are
    /// gone when they first came.
    func elementsWithoutRow() throws -> Int {
        let others = try otherElements()
        guard definition.removed != nil, isWhole, state.crawl?.total != nil else { return others }
        return others + max(try keyCount() - storedCount(), 0)
    }

    /// The page cursor to which the list led on behind its end, if rows there would be removed now and the run has not
    /// requested that page; nil otherwise.
    package func cursorBehindEnd() throws -> PageCursor? {
        guard reads.behindEnd == nil, definition.partitioning == nil,
            Completeness.mayGoOnBehindEnd(state.crawl, endsAsLong: reads.endsAsLong)
        else { return nil }
        let missing = try missingRows(isProved: false).rows
        guard !missing.isEmpty else { return nil }
        let rows = try rowCounts(missing)
        guard Completeness.mustLookBehindEnd(state.crawl, state.progress, rows) else { return nil }
        return try nextBehindEnd(rows)
    }

    /// The page cursor to which the list led on behind its end; nil if none is known whose page the crawl did not read.
    func nextBehindEnd(_ rows: Completeness.Rows) throws -> PageCursor? {
        let asked = Set(try records.pages.cursors(of: crawls))
        if let lost = state.progress.lostCursors.first(where: { !asked.contains($0) }) { return lost }
        guard Completeness.mayHaveLostNext(state.progress, rows), let first = rows.firstMissing else {
            return nil
        }
        return try records.storedPages.cursors(to: first).first { !asked.contains($0) }
    }

    /// True if the crawl has read the page of a cursor.
    package func hasAsked(for cursor: PageCursor) throws -> Bool {
        try records.pages.cursors(of: crawls).contains(cursor)
    }

    /// True if the crawl's last page leads to the page of a cursor.
    package func leads(to cursor: PageCursor?) throws -> Bool {
        guard let crawl = state.crawl else { return false }
        return try records.pages.next(after: PageOfCrawl(crawl: crawl.id, number: crawl.pages)) == cursor
    }

    /// The number of pages of the list.
    package func pageCount() throws -> Int { try records.pages.pages(of: crawls).count }

    /// The end of the list as one that seems to come too soon.
    func earlyEnd(_ rows: Completeness.Rows, met: Int) -> CrawlProgress.EarlyEnd {
        CrawlProgress.EarlyEnd(
            met: met, firstMissing: rows.firstMissing, doubt: reads.behindEnd?.doubt)
    }

    /// The row counts that the verdict depends on.
    func rowCounts(_ missing: [MissingRows.Row]) throws -> Completeness.Rows {
        var rows = Completeness.Rows()
        rows.count = try records.state.itemCount()
        rows.added = state.metrics.items.inserted
        rows.missing = missing.count
        let behindEnd = missing.filter(\.isAtEnd)
        rows.missingAtEnd = behindEnd.count
        let part = definition.partitioning == nil ? [] : MissingRows.widestGap(missing)
        rows.missingInPartition = part.count
        rows.firstMissing = (part.first ?? behindEnd.first)?.place
        if definition.partitioning != nil, !missing.isEmpty { rows.partitionTotalsAreMet = try partitionTotalsAreMet() }
        if let first = state.progress.suspectEnd?.firstMissing {
            rows.isMissingAgain = missing.contains { $0.place == first }
        }
        rows.behindEnd = reads.behindEnd
        rows.hasUncheckedEnd = reads.hasUncheckedEnd
        // They are compared with a total only.
        if state.crawl?.total != nil {
            rows.met = try metCount()
            rows.others = try otherElements()
        } else if state.progress.round == nil, let range = state.progress.synced.ranges.first {
            rows.totalOfRange = try records.crawls.total(of: range.crawl)
        }
        return rows
    }

    /// True if the items of each partition are as many as its total says.
    private func partitionTotalsAreMet() throws -> Bool {
        try crawls.allSatisfy { id in
            var trail = CrawlTrail()
            let crawl = id == state.crawl?.id ? state.crawl : try CrawlState.load(id, trail: &trail, on: connection)
            return crawl?.partitionTotalsAreMet == true
        }
    }

    // MARK: - Stored pages

    /// The stored page for a request that continues the crawl; nil if the crawl has already met some of its rows: they
    /// are then not next to each other in the crawl's order, and the page has to be read item by item.
    package func storedPageToContinue(_ key: RequestKey) throws -> StoredPage? {
        guard let page = try records.storedPages.newest(key) else { return nil }
        guard let crawl = state.crawl, page.placed > 0, let last = crawl.lastPlace, !last.precedes(page.place) else {
            return page
        }
        return try records.storedPages.areMet(page, by: crawl.id) ? nil : page
    }

    /// The pages after one that now hold its earlier items, after the given number of items was added above it; nil if
    /// those pages hold fewer items.
    package func pages(behind page: PageOfCrawl, holding items: Int) throws -> [PageOfCrawl]? {
        try records.pages.pages(behind: page, holding: items, in: crawls)
    }

    // MARK: - Partitions

    /// The elements and the total of a page's partition before the page, as last stored.
    package func partitionSoFar(before page: PageOfCrawl) throws -> (elements: Int, total: Int?) {
        guard let name = try partitionName(page) else { return (0, nil) }
        return try records.pages.soFar(in: name, before: page)
    }

    /// The name of the partition of a page; nil without partitions.
    func partitionName(_ page: PageOfCrawl) throws -> String? {
        PartitionScheme.partitionName(in: try records.pages.cursor(of: page))
    }

    /// True if a page's partition now ends elsewhere than the crawl found, so that a part of it was never requested.
    func outgrows(_ page: PageOfCrawl, _ end: NextPage) throws -> Bool {
        guard let partitioning = definition.partitioning else { return false }
        return switch end.partitionOutcome {
        case .tooMany: true
        case .capped: try !records.crawls.isCapped(page.crawl)
        case .cut: try !isHalved(page, partitioning)
        case .whole: false
        // It led to another page of its partition when the crawl met it.
        case nil: try PartitionScheme.partitionName(in: records.pages.next(after: page)) != partitionName(page)
        }
    }

    /// True if the list's crawls have requested a half, or less, of the page's partition.
    private func isHalved(_ page: PageOfCrawl, _ partitioning: PartitionScheme) throws -> Bool {
        let part = { (asked: PageCursor?) in
            PartitionScheme.partitionName(in: asked).flatMap { partitioning.partition(named: $0[...]) }
        }
        guard let whole = part(try records.pages.cursor(of: page)) else { return false }
        return try records.pages.cursors(of: crawls).compactMap(part).contains { other in
            other != whole && other.from >= whole.from && other.to <= whole.to
        }
    }

    // MARK: - Missing rows

    /// The pages next to the rows that the crawl did not meet; nil if none is missing, or if the list is one page,
    /// which shows that they are gone. The result is unclear if no two pages can show that other rows are gone.
    ///
    /// - Parameter isProved: True if it is proved so far that the crawl met everything.
    package func pagesBesideMissing(isProved: Bool) throws -> (pages: [PageOfCrawl]?, isUnclear: Bool) {
        guard try !isOnePage() else { return (nil, false) }
        let (rows, isUnclear) = try missingRows(isProved: isProved)
        guard !rows.isEmpty else { return (nil, isUnclear) }
        let wanted = rows.reduce(into: Set<PageOfCrawl>()) { $0.formUnion($1.pages) }
        let pages = crawls.flatMap { crawl in
            wanted.filter { $0.crawl == crawl }.sorted { $0.number < $1.number }
        }
        return (pages, isUnclear)
    }

    /// The rows that the crawl did not meet and that may be gone, in feed order. The result is unclear if other rows
    /// were not met that may be there.
    ///
    /// - Parameter isProved: True if it is proved that the crawl met everything.
    func missingRows(isProved: Bool) throws -> (rows: [MissingRows.Row], isUnclear: Bool) {
        guard state.crawl != nil, try !metEverything() else { return ([], false) }
        let met = try metKeys()
        let own = try records.crawls.generations(of: crawls)
        let isOnePage = try isOnePage()
        var isUnclear = false
        let missing = try records.rows.missing(key: definition.key) { key, place in
            guard met[key] == nil, !own.contains(place.generation) else { return false }
            // The row was met on a page that has changed since: it may be on a page that was read before.
            guard !isOnePage, reads.movedKeys.contains(key) else { return true }
            isUnclear = true
            return false
        }
        if missing.isEmpty {
            cache.missesNothing = !isUnclear
            return ([], isUnclear)
        }
        let (pages, emptyPages) = try records.pages.pagesBeforeEnd(of: crawls)
        var evidence = MissingRows.Evidence(
            isOnePage: isOnePage, pages: pages,
            emptyPages: emptyPages.union(try records.pages.pagesWithoutRows(of: crawls)),
            isDivided: definition.partitioning != nil, last: try lastPage(), askedAgain: reads.again, isOwn: reads.has
        ) { before, behind in
            guard let before = try records.pages.requestKey(of: before),
                let behind = try records.pages.requestKey(of: behind)
            else { return false }
            // A page may be part of two of the crawls.
            return before == behind || reads.areSteady(before, behind)
        }
        evidence.isProved = isProved
        evidence.unordered = try records.crawls.generationsByWatermark()
        let places = try records.pages.earlierPlaces(of: crawls, besides: own)
        var rows = try MissingRows(missing, among: places, evidence)
        rows.leaveOut(
            isTailOpen: isTailOpen, isFirstLoad: try isFirstLoad(),
            isWhole: try records.pages.pages(of: crawls).allSatisfy(reads.has), passedOver: try rowsPassedOver())
        return (rows.rows, isUnclear || rows.hasRowsOutOfSight)
    }

    /// True if no row can be missing, as seen without comparing keys: all rows are at places that the crawl met, or are
    /// new.
    private func metEverything() throws -> Bool {
        if cache.missesNothing { return true }
        guard crawls.count == 1, let met = trail.metCount(besides: state.crawl?.generation) else { return false }
        return try records.state.itemCount() == met
    }

    /// True if the list may go on behind its only page: no way on is known, and by its length the page may be one of
    /// several.
    private var isTailOpen: Bool {
        guard definition.hasOpenPagination, shape.findings.mayGoOn, let tried = shape.findings.triedElementCount else {
            return false
        }
        // An empty page has nothing behind it.
        return state.crawl.map { $0.mostElements > 0 && $0.mostElements >= tried } ?? false
    }

    /// The rows that `keyset` may have passed over, because they share their value with another row.
    private func rowsPassedOver() throws -> Set<Int64> {
        guard state.crawl?.sharesValues == true, let sharedColumns else { return [] }
        return try records.rows.sharing(sharedColumns)
    }
}
