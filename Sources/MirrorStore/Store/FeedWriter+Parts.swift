internal import SQLite

/// What a partitioned feed's crawl has come to, for pages that are asked for once more.
extension FeedWriter {
    /// What came of a page's partition before it, as it was met last.
    func partitionSoFar(beforePage number: Int) throws -> (elements: Int, total: Int?) {
        guard let part = try partitionName(number) else { return (0, nil) }
        // A partition's pages stand together.
        let isOther = "NOT (asked = ?3 OR substr(asked, 1, ?4) = ?5)"
        var soFar: (elements: Int, total: Int?) = (0, nil)
        try connection.rows(
            """
            SELECT sum(n.elements), max(n.total) FROM _crawl_page w JOIN _page p ON p.id = w.page JOIN _page n ON n.id = (
                SELECT max(l.id) FROM _page l
                WHERE l.feed = p.feed AND l.request = p.request AND l.credential = p.credential)
            WHERE w.crawl = ?1 AND w.number > 0 AND w.number < ?2 AND w.number > coalesce((
                SELECT number FROM _crawl_page WHERE crawl = ?1 AND number < ?2 AND \(isOther) ORDER BY number DESC LIMIT 1), 0)
            """, [Value(state.crawl?.id), Value(number), Value(part), Value(part.count + 1), Value(part + ",")]
        ) { row in soFar = (Int(row.int64(at: 0)), row.isNull(at: 1) ? nil : Int(row.int64(at: 1))) }
        return soFar
    }

    /// Whether a page's partition ends elsewhere by now than the crawl found, so that some of it was never asked for.
    func outgrows(_ page: PageOfCrawl, _ end: NextPage) throws -> Bool {
        guard shape.definition.partitioning != nil else { return false }
        let number = page.number
        return switch end.part {
        case .tooMany: true
        case .capped: !(state.crawl?.isCapped ?? false)
        case .cut: try !isHalved(number)
        case .whole: false
        case nil: try !ledOn(number)
        }
    }

    private func partitionName(_ number: Int) throws -> String? {
        PartitionScheme.partitionName(in: try cursor(of: PageOfCrawl(crawl: state.crawl?.id ?? 0, number: number)))
    }

    /// Whether a page led to another one of its partition when the crawl met it.
    private func ledOn(_ number: Int) throws -> Bool {
        let next = try connection.scalar(
            "SELECT p.cursor FROM _crawl_page w JOIN _page p ON p.id = w.page WHERE w.crawl = ? AND w.number = ?",
            Value(state.crawl?.id), Value(number))?.text
        return try PartitionScheme.partitionName(in: next.map(PageCursor.init)) == partitionName(number)
    }

    /// Whether the crawl has asked for a half, or less, of the partition that one of its pages is of.
    private func isHalved(_ number: Int) throws -> Bool {
        guard let split = shape.definition.partitioning else { return false }
        let part = { (asked: PageCursor?) in
            PartitionScheme.partitionName(in: asked).flatMap { split.partition(named: $0[...]) }
        }
        guard let whole = part(try cursor(of: PageOfCrawl(crawl: state.crawl?.id ?? 0, number: number))) else {
            return false
        }
        var isHalved = false
        try connection.rows("SELECT asked FROM _crawl_page WHERE crawl = ?", [Value(state.crawl?.id)]) { row in
            guard let other = part(row.text(at: 0).map(PageCursor.init)), other != whole else { return }
            isHalved = isHalved || (other.from >= whole.from && other.to <= whole.to)
        }
        return isHalved
    }
}
