internal import SQLite

/// The state of a partitioned feed's crawl, for pages that are requested again.
extension FeedWriter {
    /// The elements and the total of a page's partition before the page, as last stored.
    package func partitionSoFar(before page: PageOfCrawl) throws -> (elements: Int, total: Int?) {
        guard let part = try partitionName(page) else { return (0, nil) }
        // The pages of a partition are consecutive.
        let isOther = "NOT (asked = ?3 OR substr(asked, 1, ?4) = ?5)"
        var soFar: (elements: Int, total: Int?) = (0, nil)
        try connection.rows(
            """
            SELECT sum(n.elements), max(n.total) FROM _crawl_page w JOIN _page p ON p.id = w.page JOIN _page n ON n.id = (
                SELECT max(l.id) FROM _page l
                WHERE l.feed = p.feed AND l.request = p.request AND l.credential = p.credential)
            WHERE w.crawl = ?1 AND w.number > 0 AND w.number < ?2 AND w.number > coalesce((
                SELECT number FROM _crawl_page WHERE crawl = ?1 AND number < ?2 AND \(isOther) ORDER BY number DESC LIMIT 1), 0)
            """, [Value(page.crawl), Value(page.number), Value(part), Value(part.count + 1), Value(part + ",")]
        ) { row in soFar = (row.count(at: 0), row.countIfAny(at: 1)) }
        return soFar
    }

    /// Subtracts the counts of a partition's pages from the given one on, because they are read again.
    func leavePartition(at page: PageOfCrawl) throws {
        guard shape.definition.partitioning != nil, let name = try partitionName(page) else { return }
        var trail = CrawlTrail()
        let crawl = try CrawlState.load(page.crawl, trail: &trail, on: connection)
        let (elements, total) = try partitionSoFar(before: page)
        // A finished partition becomes an unfinished one, with the total that its pages before this one reported.
        let known = crawl.part?.name == name ? 0 : total ?? elements
        let (sum, isBeyond) = max(crawl.finishedTotal - known, 0).addingReportingOverflow(total ?? elements)
        try connection.run(
            "UPDATE _crawl SET part = ?, part_elements = ?, part_total = ?, total = ? WHERE id = ?",
            Value(elements > 0 ? name : nil), Value(elements), Value(total), Value(isBeyond ? .max : sum),
            Value(page.crawl))
    }

    /// Records that a partition is too large. This run and the next ones request its half.
    ///
    /// - Parameter isFirst: True for the first partition of a crawl.
    package func narrow(to half: PageCursor, isFirst: Bool) throws {
        var draft = state
        draft.progress.narrow(isFirst ? nil : state.crawl?.id, to: half)
        try connection.transaction { try saveProgress(draft) }
        state = draft
    }

    /// True if a page's partition now ends elsewhere than the crawl found, so that a part of it was never requested.
    func outgrows(_ page: PageOfCrawl, _ end: NextPage) throws -> Bool {
        guard shape.definition.partitioning != nil else { return false }
        return switch end.part {
        case .tooMany: true
        case .capped: try connection.int64("SELECT capped FROM _crawl WHERE id = ?", Value(page.crawl)) != 1
        case .cut: try !isHalved(page)
        case .whole: false
        case nil: try !ledOn(page)
        }
    }

    private func partitionName(_ page: PageOfCrawl) throws -> String? {
        PartitionScheme.partitionName(in: try cursor(of: page))
    }

    /// True if a page led to another page of its partition when the crawl met it.
    private func ledOn(_ page: PageOfCrawl) throws -> Bool {
        let next = try connection.scalar(
            "SELECT p.cursor FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ? AND w.number = ?",
            Value(page.crawl), Value(page.number))?.text
        return try PartitionScheme.partitionName(in: next.map(PageCursor.init)) == partitionName(page)
    }

    /// True if the list's crawls have requested a half, or less, of the page's partition.
    private func isHalved(_ page: PageOfCrawl) throws -> Bool {
        guard let partitioning = shape.definition.partitioning else { return false }
        let part = { (asked: PageCursor?) in
            PartitionScheme.partitionName(in: asked).flatMap { partitioning.partition(named: $0[...]) }
        }
        guard let whole = part(try cursor(of: page)) else { return false }
        var isHalved = false
        let crawls = crawlsOfList.map { "\($0)" }.joined(separator: ", ")
        try connection.rows("SELECT asked FROM _crawl_page WHERE crawl IN (\(crawls))") { row in
            guard let other = part(row.text(at: 0).map(PageCursor.init)), other != whole else { return }
            isHalved = isHalved || (other.from >= whole.from && other.to <= whole.to)
        }
        return isHalved
    }
}
