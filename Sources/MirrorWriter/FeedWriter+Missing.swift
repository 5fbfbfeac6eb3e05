internal import SQLite

/// Rows that a full crawl did not meet.
extension FeedWriter {
    /// The pages next to the rows that the crawl did not meet; nil if none is missing, or if the list is one page, which
    /// shows that they are gone.
    package func pagesBesideMissing() throws -> [PageOfCrawl]? {
        guard try !isOnePage() else { return nil }
        let missing = try missingRows()
        guard !missing.isEmpty else { return nil }
        let wanted = missing.reduce(into: Set<PageOfCrawl>()) { $0.formUnion($1.pages) }
        return crawlsOfList.flatMap { crawl in
            wanted.filter { $0.crawl == crawl }.sorted { $0.number < $1.number }
        }
    }

    /// True if the list is one page, which this run read.
    private func isOnePage() throws -> Bool {
        let pages = try pages(of: crawlsOfList)
        return pages.count == 1 && pages.allSatisfy(isOwn) && shape.definition.partitioning == nil
    }

    /// The last page of the list; nil if it is an error that counts as the end, repeats the one before it, or is one of a
    /// partition.
    private func lastPage() throws -> PageOfCrawl? {
        guard shape.definition.partitioning == nil, state.crawl?.isDoubtful != true,
            let last = try pages(of: crawlsOfList).last
        else { return nil }
        let status = try connection.int64(
            """
            SELECT p.http_status FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ? AND w.number = ?
            """, Value(last.crawl), Value(last.number))
        return (status ?? 0) < 400 ? last : nil
    }

    /// The rows that the crawl did not meet, in feed order.
    func missingRows() throws -> [MissingRows.Row] {
        guard state.crawl != nil, try !metEverything() else { return [] }
        let met = try metKeys()
        let own = try generationsOfList()
        var missing: [MissingRows.Row] = []
        let columns = try shape.definition.key.map { try SQL.identifier($0) }
        try connection.rows(
            """
            SELECT _rowid_, _section, _generation, _position, \(columns.joined(separator: ", "))
            FROM \(try SQL.identifier(tableName)) WHERE _removed_at IS NULL\(scope.and) ORDER BY _generation DESC, _position
            """
        ) { row in
            let key = RowKey.text(row, from: 4, count: columns.count)
            let place = row.place(at: 2)
            // The crawl met the row on a page that has changed since: it may stand on one that was read before.
            if met[key] != nil || leftPage.contains(key) || own.contains(place.generation) { return }
            missing.append(MissingRows.Row(id: row.int64(at: 0), section: row.text(at: 1), place: place))
        }
        if missing.isEmpty {
            missesNothing = true
            return []
        }
        let evidence = MissingRows.Evidence(
            isOnePage: try isOnePage(), last: try lastPage(), askedAgain: askedAgain, isOwn: isOwn
        ) { [self] before, behind in
            guard let before = try requestKey(of: before), let behind = try requestKey(of: behind) else { return false }
            return reads.areSteady(before, behind)
        }
        var rows = try MissingRows(missing, among: placesMet(besides: own), evidence)
        rows.leaveOut(
            isTailOpen: isTailOpen, isFirstLoad: state.progress.fullPages == nil,
            isWhole: try pages(of: crawlsOfList).allSatisfy(isOwn), passedOver: try rowsPassedOver())
        return rows.rows
    }

    /// True if the page after the list's only page is unknown and the only page is as long as ever.
    private var isTailOpen: Bool {
        guard shape.definition.hasOpenPagination, let tried = shape.findings.triedElementCount else { return false }
        // An empty page has nothing behind it.
        return state.crawl.map { $0.mostElements > 0 && $0.mostElements >= tried } ?? false
    }

    /// The rows that `keyset` may have passed over, because they share their value with another row.
    private func rowsPassedOver() throws -> Set<Int64> {
        guard state.crawl?.sharesValues == true, let query = try rowsThatShareValues() else { return [] }
        var rows: Set<Int64> = []
        try connection.rows(query) { row in rows.insert(row.int64(at: 0)) }
        return rows
    }

    /// The request of a page of the crawl.
    private func requestKey(of page: PageOfCrawl) throws -> RequestKey? {
        var key: RequestKey?
        try connection.rows(
            """
            SELECT p.request, p.credential FROM _crawl_page w JOIN _page p ON p.id = w.page
            WHERE w.crawl = ? AND w.number = ?
            """, [Value(page.crawl), Value(page.number)]
        ) { row in key = row.text(at: 0).map { RequestKey(request: $0, credential: row.int64(at: 1)) } }
        return key
    }

    /// Records that this run has read a page that is not stored.
    ///
    /// - Parameters:
    ///   - keys: The keys on the page; nil if they are the stored ones.
    ///   - stored: The keys on the page as stored before; nil if it was not.
    package func noteRead(_ request: String, _ credential: Int64, keys: String?, stored: String?) {
        note(RequestKey(request: request, credential: credential), keys: keys, stored: stored)
    }

    /// Records that this run has read a page, and the items that left it since the run read it before.
    func note(_ page: RequestKey, keys: String?, stored: String?, isInSequence: Bool = true) {
        guard reads.note(page, keys: keys, stored: stored, isInSequence: isInSequence), let keys, let stored else {
            return
        }
        leftPage.formUnion(Set(RowKey.texts(ofPage: stored)).subtracting(RowKey.texts(ofPage: keys)))
    }

    /// The keys that the crawl met, as recorded with its pages.
    func metKeys() throws -> [String: MetKey] {
        var keys: [String: MetKey] = [:]
        var page = 0
        try forEachPage { text in
            page += 1
            for key in RowKey.texts(ofPage: text) where keys[key] == nil {
                keys[key] = MetKey(page: page, place: keys.count)
            }
        }
        return keys
    }

    /// The place where an item was met first: the page, from 1, and its index in the list, from 0.
    struct MetKey {
        let page: Int
        let place: Int
    }

    /// Calls `body` with the keys of each of the crawl's pages, in the order of the list.
    private func forEachPage(_ body: (_ keys: String) throws -> Void) throws {
        for crawl in crawlsOfList {
            try connection.rows(
                """
                SELECT p.keys FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ?
                ORDER BY w.number < 0, abs(w.number)
                """, [Value(crawl)]
            ) { row in try body(row.text(at: 0) ?? "[]") }
        }
    }

    /// The crawls that make up the list, from its head.
    var crawlsOfList: [Int64] {
        guard let id = state.crawl?.id else { return [] }
        // A crawl that only met rows in place belongs to no range; the crawls that it met do.
        let range =
            state.progress.round.map { $0.ranges.range(ofPagesOf: id) ?? $0.ranges.ranges.first }
            ?? state.progress.synced.range(ofPagesOf: id)
        // A range lists its crawls from the end.
        return range?.crawls.reversed() ?? [id]
    }

    /// The generations of the rows that the crawls of the list wrote.
    private func generationsOfList() throws -> Set<Int64> {
        Set(
            try crawlsOfList.compactMap { crawl in
                try connection.int64("SELECT generation FROM _crawl WHERE id = ?", Value(crawl))
            })
    }

    /// The earlier places of the rows that the crawl met, in feed order.
    ///
    /// - Parameter own: The generations of the rows that it wrote.
    private func placesMet(besides own: Set<Int64>) throws -> [MetPlaces] {
        var places: [MetPlaces] = []
        for crawl in crawlsOfList {
            try connection.rows("SELECT number, met FROM _crawl_page WHERE crawl = ? ORDER BY number", [Value(crawl)]) {
                row in
                places += MetPlaces.read(row.text(at: 1), page: row.count(at: 0), crawl: crawl)
            }
        }
        return places.filter { !own.contains($0.first.generation) }.sorted { $0.first.precedes($1.first) }
    }

    /// The pages after one that now hold its earlier items, after the given number of items was added above it; nil if
    /// those pages hold fewer items.
    package func pages(behind page: PageOfCrawl, holding items: Int) throws -> [PageOfCrawl]? {
        var pages: [PageOfCrawl] = []
        var left = items
        for crawl in crawlsOfList.drop(while: { $0 != page.crawl }) where left > 0 {
            try connection.rows(
                """
                SELECT w.number, p.elements FROM _crawl_page w JOIN _page p ON p.id = w.page
                WHERE w.crawl = ? AND w.number > ? ORDER BY w.number
                """, [Value(crawl), Value(crawl == page.crawl ? page.number : 0)]
            ) { row in
                guard left > 0 else { return }
                left -= row.count(at: 1)
                pages.append(PageOfCrawl(crawl: crawl, number: row.count(at: 0)))
            }
        }
        return left > 0 ? nil : pages
    }

    /// Logs the removal of a row.
    func logRemoval(of row: MissingRows.Row, now: String) throws {
        guard let log else { return }
        let key = try shape.definition.key.map { try SQL.identifier($0) }.joined(separator: ", ")
        try connection.rows(
            "SELECT \(key) FROM \(try SQL.identifier(tableName)) WHERE _rowid_ = ?", [Value(row.id)]
        ) { stored in
            let key = ChangeLog.key(stored, at: 0..<shape.definition.key.count, below: scope)
            try log.add(.removed, key: key, before: nil, now: .text(now))
        }
    }

    /// True if no row can be missing, as seen without comparing keys: all rows are at places that the crawl met, or are
    /// new.
    func metEverything() throws -> Bool {
        if missesNothing { return true }
        guard crawlsOfList.count == 1, let met = trail.metCount(besides: state.crawl?.generation) else { return false }
        return try connection.int64("SELECT item_count FROM \(tables.feed) WHERE name = ?", .text(feed)) == met
    }
}
