internal import SQLite

/// A feed's rows in feed order, by their row ids: an index in memory that costs no commit anything.
package struct FeedOrder: Sendable {
    private struct Row {
        let id: Int64
        let place: Place
        /// The section's number.
        let section: Int32
    }

    let feed: String
    /// SQLite's number of the state that it describes: https://sqlite.org/pragma.html#pragma_data_version
    let version: Int64
    /// The feed's table in that state.
    let source: FeedRows
    private var rows: [Row] = []
    private var sections: [String?: Int32] = [:]

    /// - Returns: Nil while nothing of the feed is stored.
    init?(_ feed: String, version: Int64, on connection: Connection) throws {
        guard let source = try FeedRows(feed, on: connection) else { return nil }
        (self.feed, self.version, self.source) = (feed, version, source)
        var rows: [Row] = []
        var sections: [String?: Int32] = [:]
        try connection.rows(
            """
            SELECT _rowid_, _generation, _position, _section FROM \(source.table) WHERE _removed_at IS NULL
            ORDER BY _generation DESC, _position
            """
        ) { row in
            let name = row.text(at: 3)
            let section = sections[name] ?? Int32(clamping: sections.count)
            sections[name] = section
            rows.append(
                Row(
                    id: row.int64(at: 0), place: Place(generation: row.int64(at: 1), position: row.int64(at: 2)),
                    section: section))
        }
        (self.rows, self.sections) = (rows, sections)
    }

    /// The numbers of the rows after a place.
    func rows(after place: Place?, section: String??, limit: Int) -> (rows: [Int64], hasMore: Bool) {
        var wanted: Int32?
        if let section {
            guard let number = sections[section] else { return ([], false) }
            wanted = number
        }
        var found: [Int64] = []
        for row in rows[start(after: place)...] where wanted == nil || row.section == wanted {
            guard found.count < limit else { return (found, true) }
            found.append(row.id)
        }
        return (found, false)
    }

    /// The index of the first row after a place.
    private func start(after place: Place?) -> Int {
        guard let place else { return 0 }
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if place.precedes(rows[middle].place) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
