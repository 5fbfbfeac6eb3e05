internal import SQLite

extension CrawlState {
    /// Reads a crawl with the state after its last page.
    static func load(_ id: Int64, trail: inout CrawlTrail, on connection: Connection) throws -> CrawlState {
        var crawl = CrawlState(id: id)
        try connection.rows(
            """
            SELECT generation, pages, elements, position, skipped, total, drift, reason, furthest, mode, round, overlaps,
                has_totals, total_moved, repeats, is_ordered, same_key, doubtful, part, part_elements, part_total, capped,
                cap
            FROM _crawl WHERE id = ?
            """, [Value(id)]
        ) { row in
            crawl.generation = row.isNull(at: 0) ? nil : row.number(at: 0)
            crawl.pages = row.count(at: 1)
            crawl.elements = row.count(at: 2)
            crawl.position = row.number(at: 3)
            crawl.skipped = row.count(at: 4)
            crawl.total = row.countIfAny(at: 5)
            crawl.hasDrifted = row.int64(at: 6) == 1
            crawl.reason = row.text(at: 7).flatMap(IncompleteReason.init)
            crawl.furthest = row.text(at: 8)
            crawl.mode = row.text(at: 9).flatMap(CrawlMode.init) ?? .reload
            crawl.round = row.isNull(at: 10) ? nil : row.int64(at: 10)
            crawl.overlaps = row.int64(at: 11) == 1
            crawl.hasTotals = row.int64(at: 12) == 1
            crawl.hasTotalMoved = row.int64(at: 13) == 1
            crawl.repeats = row.count(at: 14)
            crawl.isOrdered = row.int64(at: 15) == 1
            crawl.sameKey = row.count(at: 16)
            crawl.hasDoubtfulEnd = row.int64(at: 17) == 1
            crawl.partition = row.text(at: 18).map { name in
                CrawlPartition(name: name, elements: row.count(at: 19), total: row.countIfAny(at: 20))
            }
            crawl.isCapped = row.int64(at: 21) == 1
            crawl.cap = row.countIfAny(at: 22)
        }
        let unfinished = crawl.partition.map { $0.total ?? $0.elements } ?? 0
        crawl.finishedTotal = max((crawl.total ?? 0).subtractingReportingOverflow(unfinished).partialValue, 0)
        // An earlier run read a part of it.
        crawl.onlyGrows = false
        try crawl.loadPages(trail: &trail, on: connection)
        return crawl
    }

    /// The name of the first partition of a feed's newest crawl; nil for a feed without partitions. A crawl that
    /// continues an older one's pages does not count.
    static func firstPartition(of feed: String, on connection: Connection) throws -> String? {
        let asked = try connection.scalar(
            """
            SELECT asked FROM _crawl JOIN _crawl_page ON crawl = id AND number = 1
            WHERE feed = ? ORDER BY id DESC LIMIT 1
            """, .text(feed))?.text
        return PartitionScheme.partitionName(in: asked.map(PageCursor.init))
    }

    private mutating func loadPages(trail: inout CrawlTrail, on connection: Connection) throws {
        var part: String?
        var lastNumber = 0
        try connection.rows(
            """
            SELECT p.cursor, p.generation, p.position, p.placed, p.elements, p.keys, w.asked, w.number
            FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ? AND w.number > 0
            ORDER BY w.number
            """, [Value(id)]
        ) { row in
            trail.add(row.text(at: 0))
            if row.count(at: 3) > 0 {
                let first = row.place(at: 1)
                lastPlace = Place(generation: first.generation, position: first.position + row.number(at: 3) - 1)
                // No stored row is known to follow a page that was rewritten since.
                lastPlaceBefore = lastPlace
            }
            mostElements = max(mostElements, row.count(at: 4))
            let name = PartitionScheme.partitionName(in: row.text(at: 6).map(PageCursor.init))
            if name != part { lastKeys = "[]" }
            part = name
            if let keys = row.text(at: 5), keys != "[]" { lastKeys = keys }
            lastNumber = row.count(at: 7)
        }
        // Each page has a row. A larger count was not written by us, and a list of its pages would fill the memory.
        pages = min(pages, lastNumber)
    }
}
