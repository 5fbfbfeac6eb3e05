internal import SQLite

extension FeedWriter {
    /// The pages of the crawl to ask again for rows that it did not meet: those with the rows that stood before and
    /// behind them, and the first one, to which an item may have moved when the crawl had passed it. Where items move from
    /// page to page, or from part to part, it is any: the rows may have had other neighbours since. None if no row is missing.
    func pagesBesideMissing() throws -> [Int] {
        guard let crawl = state.crawl, try !metEverything() else { return [] }
        try gatherMet()
        defer { try? connection.execute("DROP TABLE IF EXISTS temp._met") }
        // In the order of the crawl before; where an item came twice, where it stands now counts.
        let met = trail.metPlaces.sorted { $0.first.precedes($1.first) }
        var pages: Set<Int> = []
        var next = 0
        try connection.rows(
            """
            SELECT _generation, _position FROM \(try SQL.identifier(tableName)) t
            WHERE _removed_at IS NULL AND \(try isComparable) AND NOT EXISTS (SELECT 1 FROM temp._met m WHERE \(try isMet))
            ORDER BY _generation DESC, _position
            """
        ) { row in
            let place = Place(generation: row.int64(at: 0), position: row.int64(at: 1))
            while next < met.count, met[next].first.precedes(place) { next += 1 }
            if next > 0 { pages.insert(met[next - 1].page) }
            if next < met.count { pages.insert(met[next].page) }
            pages.insert(1)
        }
        if pages.isEmpty { missesNothing = true }
        let isShifting = shape.definition.pagination.isShifting || shape.definition.partitioning != nil
        if !pages.isEmpty, isShifting { return Array(1...max(1, crawl.pages)) }
        return pages.filter { $0 <= crawl.pages }.sorted()
    }

    /// Whether it is plain, without a look at any key, that no row is missing: as many rows as there are stood at places that
    /// the crawl met, or are new.
    func metEverything() throws -> Bool {
        if missesNothing { return true }
        guard let met = trail.metCount(besides: state.crawl?.generation) else { return false }
        return try connection.int64("SELECT item_count FROM feed WHERE name = ?", .text(feed)) == met
    }
}

/// Rows that stood one behind the other before the crawl, and that it met so on one of its pages.
struct MetPlaces: Sendable, Hashable {
    let first: Place
    private(set) var count: Int64
    let page: Int

    init(_ first: Place, count: Int64 = 1, page: Int) {
        self.first = first
        self.count = count
        self.page = page
    }

    /// Takes in rows that go on where these end; false if they do not.
    mutating func extend(by other: MetPlaces) -> Bool {
        guard other.page == page, other.first.generation == first.generation,
            other.first.position == first.position + count
        else { return false }
        count += other.count
        return true
    }
}
