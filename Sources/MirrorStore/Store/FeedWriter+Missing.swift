internal import SQLite

/// Rows that a crawl of every page did not meet.
extension FeedWriter {
    /// A row that was not met.
    struct MissingRow {
        let id: Int64
        let section: String?
        let place: Place
        /// The pages where it should stand, by the rows that stood beside it, as far as they are to be asked for: none where
        /// both came on one page of this run with nothing between them.
        var pages: Set<PageOfCrawl> = []
        /// Whether only rows that were not met stand behind it.
        var isAtEnd = true
    }
    /// The pages beside rows that the crawl did not meet; nil if none is missing.
    package func pagesBesideMissing() throws -> [PageOfCrawl]? {
        let missing = try missingRows()
        guard !missing.isEmpty else { return nil }
        let wanted = missing.reduce(into: Set<PageOfCrawl>()) { $0.formUnion($1.pages) }
        return crawlsOfList.flatMap { crawl in
            wanted.filter { $0.crawl == crawl }.sorted { $0.number < $1.number }
        }
    }

    /// The rows that the crawl did not meet, in feed order.
    func missingRows() throws -> [MissingRow] {
        guard state.crawl != nil, try !metEverything() else { return [] }
        let met = try metKeys()
        var missing: [MissingRow] = []
        /// The rows since the last one that was met.
        var gap: [Int] = []
        var before: PageOfCrawl?
        let columns = try shape.definition.key.map { try SQL.identifier($0) }
        try connection.rows(
            """
            SELECT _rowid_, _section, _generation, _position, \(columns.joined(separator: ", "))
            FROM \(try SQL.identifier(tableName)) WHERE _removed_at IS NULL\(scope.and) ORDER BY _generation DESC, _position
            """
        ) { row in
            let key = RowKey.text(row, from: 4, count: columns.count)
            if met[key] != nil { return }
            missing.append(
                MissingRow(
                    id: row.int64(at: 0), section: row.text(at: 1),
                    place: row.place(at: 2)))
        }
        if missing.isEmpty {
            missesNothing = true
            return []
        }
        let places = try placesMet(met, besideRowsOf: Set(missing.map(\.place.generation)))
        // In the order of before, rows that were met stand between them.
        var next = 0
        for index in missing.indices {
            let place = missing[index].place
            while next < places.count, places[next].first.precedes(place) {
                for row in gap { missing[row].isAtEnd = false }
                settle(&gap, in: &missing, before: before, behind: PageOfCrawl(places[next]))
                before = PageOfCrawl(places[next])
                next += 1
            }
            gap.append(index)
        }
        let behind = next < places.count ? PageOfCrawl(places[next]) : nil
        if behind != nil { for row in gap { missing[row].isAtEnd = false } }
        settle(&gap, in: &missing, before: before, behind: behind)
        // What slid off a page behind which no way was found is not gone.
        if isTailOpen { missing.removeAll(where: \.isAtEnd) }
        return missing
    }

    /// True if it is not known how the list goes on behind its only page, which is as long as ever.
    private var isTailOpen: Bool {
        guard shape.definition.hasOpenPagination, let tried = shape.findings.triedElementCount else { return false }
        return (state.crawl?.mostElements ?? 0) >= tried
    }

    private func settle(
        _ gap: inout [Int], in missing: inout [MissingRow], before: PageOfCrawl?, behind: PageOfCrawl?
    ) {
        defer { gap = [] }
        if let before, before == behind, isOwn(before) { return }
        let pages = Set([before, behind].compactMap(\.self)).subtracting(askedAgain)
        for row in gap { missing[row].pages = pages }
    }

    /// The keys that the crawl met, as the pages have them.
    func metKeys() throws -> [String: MetKey] {
        var keys: [String: MetKey] = [:]
        var page = 0
        try forEachPage { text, name in
            page += 1
            for key in RowKey.texts(ofPage: text) where keys[key] == nil {
                keys[key] = MetKey(page: page, place: keys.count, name: name)
            }
        }
        return keys
    }

    /// Where an item was met first: the page, from 1, and its number among all, from 0.
    struct MetKey {
        let page: Int
        let place: Int
        let name: PageOfCrawl
    }

    /// Goes through the keys of the crawl's pages, in the order of the list.
    private func forEachPage(_ body: (_ keys: String, _ page: PageOfCrawl) throws -> Void) throws {
        for crawl in crawlsOfList {
            try connection.rows(
                """
                SELECT p.keys, abs(w.number) FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ?
                ORDER BY w.number < 0, abs(w.number)
                """, [Value(crawl)]
            ) { row in try body(row.text(at: 0) ?? "[]", PageOfCrawl(crawl: crawl, number: row.count(at: 1))) }
        }
    }

    /// The crawls that make up the list, from the head.
    var crawlsOfList: [Int64] {
        guard let id = state.crawl?.id else { return [] }
        // A crawl that only met rows in their places is in no range: those it met are.
        let range =
            state.progress.round.map { $0.ranges.range(ofPagesOf: id) ?? $0.ranges.ranges.first }
            ?? state.progress.synced.range(ofPagesOf: id)
        // A range has the crawl at its end first.
        return range?.crawls.reversed() ?? [id]
    }

    /// Where the rows that the crawl met stood before, in feed order.
    ///
    /// - Parameter generations: Those of rows that it did not meet. Where the crawl itself wrote some of them, with a page
    ///   that it read anew since, those beside them stand where it put them.
    private func placesMet(
        _ met: [String: MetKey], besideRowsOf generations: Set<Int64>
    ) throws -> [MetPlaces] {
        var places: [MetPlaces] = []
        let own = Set(
            try crawlsOfList.compactMap { crawl in
                try connection.int64("SELECT generation FROM _crawl WHERE id = ?", Value(crawl))
            })
        for crawl in crawlsOfList {
            try connection.rows("SELECT number, met FROM _crawl_page WHERE crawl = ? ORDER BY number", [Value(crawl)]) {
                row in
                places += MetPlaces.read(row.text(at: 1), page: row.count(at: 0), crawl: crawl)
            }
        }
        places.removeAll { own.contains($0.first.generation) }
        for generation in own.intersection(generations) {
            let columns = try shape.definition.key.map { try SQL.identifier($0) }
            try connection.rows(
                """
                SELECT _generation, _position, \(columns.joined(separator: ", ")) FROM \(try SQL.identifier(tableName))
                WHERE _generation = ? AND _removed_at IS NULL\(scope.and)
                """, [Value(generation)]
            ) { row in
                guard let page = met[RowKey.text(row, from: 2, count: columns.count)]?.name else { return }
                var place = MetPlaces(row.place(at: 0), page: page.number)
                place.crawl = page.crawl
                places.append(place)
            }
        }
        return places.sorted { $0.first.precedes($1.first) }
    }

    /// The pages behind one, which have what stood on it once so many items have come above it; nil where they are not
    /// so many.
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

    /// Keeps that a row is gone.
    func logRemoval(of row: MissingRow, now: String) throws {
        guard let log else { return }
        let key = try shape.definition.key.map { try SQL.identifier($0) }.joined(separator: ", ")
        try connection.rows(
            "SELECT \(key) FROM \(try SQL.identifier(tableName)) WHERE _rowid_ = ?", [Value(row.id)]
        ) { stored in
            let key = ChangeLog.key(stored, at: 0..<shape.definition.key.count, below: scope)
            try log.add(.removed, key: key, before: nil, now: .text(now))
        }
    }

    /// Whether it is plain, without a look at any key, that no row is missing: as many rows as there are stood at places that
    /// the crawl met, or are new.
    func metEverything() throws -> Bool {
        if missesNothing { return true }
        guard crawlsOfList.count == 1, let met = trail.metCount(besides: state.crawl?.generation) else { return false }
        return try connection.int64("SELECT item_count FROM \(tables.feed) WHERE name = ?", .text(feed)) == met
    }
}

extension PageOfCrawl {
    fileprivate init(_ places: MetPlaces) {
        self.init(crawl: places.crawl, number: places.page)
    }
}
