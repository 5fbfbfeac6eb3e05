internal import SQLite

extension CrawlState {
    /// Reads the state of a crawl over a feed with partitions.
    mutating func loadPartitions(on connection: Connection) throws {
        try connection.rows(
            "SELECT doubtful, part, part_elements, part_total, capped, cap FROM _crawl WHERE id = ?", [Value(id)]
        ) { row in
            isDoubtful = row.int64(at: 0) == 1
            part = row.text(at: 1).map { name in
                let total = row.countIfAny(at: 3)
                return CrawlPartition(name: name, elements: row.count(at: 2), total: total)
            }
            isCapped = row.int64(at: 4) == 1
            cap = row.countIfAny(at: 5)
        }
        let (finished, _) = (total ?? 0).subtractingReportingOverflow(part.map { $0.total ?? $0.elements } ?? 0)
        finishedTotal = max(finished, 0)
    }
}
