internal import SQLite

extension Store {
    /// Reads the changes of feeds in their order, one by one.
    ///
    /// - Parameter take: Receives a change; returns true for more.
    /// - Returns: The place after all changes at the time of reading, requested or not.
    package func changes(
        _ queries: [ChangeQuery], take: @Sendable (ItemChange) -> Bool
    ) throws(FeedSyncError) -> ChangePlace {
        try readChanges(queries, take: take)
    }

    /// The same, for a caller in the store's isolation.
    func readChanges(
        _ queries: [ChangeQuery], take: (ItemChange) -> Bool
    ) throws(FeedSyncError) -> ChangePlace {
        try snapshot {
            let end = try lastPlace()
            let sources = try queries.compactMap { try ChangeSource($0, until: end, on: connection) }
            // https://sqlite.org/limits.html#max_compound_select
            for start in stride(from: 0, to: sources.count, by: 200) {
                let part = Array(sources[start..<min(start + 200, sources.count)])
                guard try give(part, to: take) else { break }
            }
            return end
        }
    }

    /// The place after all changes.
    package func placeOfLastChange() throws(FeedSyncError) -> ChangePlace { try storing { try lastPlace() } }

    /// The newest changes of feeds, of which the event log still knows.
    ///
    /// - Parameters:
    ///   - queries: The feeds.
    ///   - kinds: The kinds of the wanted changes.
    ///   - moment: The place that an earlier reading ended at; nil for the newest changes.
    ///   - limit: The maximum number of changes.
    package func recentChanges(
        _ queries: [ChangeQuery], kinds: Set<ItemChange.Kind>, before moment: ChangeMoment?, limit: Int
    ) throws(FeedSyncError) -> RecentChanges {
        try snapshot {
            var reader = BackwardReader(queries, kinds, limit: limit, on: connection)
            return try reader.read(before: moment)
        }
    }

    /// The number of all changes that `recentChanges` leads through.
    package func changeCount(_ queries: [ChangeQuery], kinds: Set<ItemChange.Kind>) throws(FeedSyncError) -> Int {
        try snapshot {
            var count = 0
            for query in queries {
                guard let source = try ChangeSource(query, on: connection) else { continue }
                count &+= try source.count(of: kinds)
            }
            return count
        }
    }

    /// The newest changes of one item that the change log has, without its first appearance.
    ///
    /// - Parameter key: The item's key as JSON.
    package func history(of key: String, in feed: String, last count: Int) throws(FeedSyncError) -> [ItemChange] {
        try snapshot {
            guard let source = try ChangeSource(ChangeQuery(feed: feed), on: connection),
                let values = RowKey.values(ofJSON: key)
            else { return [] }
            return try source.history(of: values, json: key, last: count)
        }
    }

    private func lastPlace() throws -> ChangePlace {
        var place = ChangePlace()
        place.event = try connection.int64("SELECT max(id) FROM event") ?? 0
        place.change = try connection.int64("SELECT max(id) FROM _change") ?? 0
        return place
    }

    private func give(_ sources: [ChangeSource], to take: (ItemChange) -> Bool) throws -> Bool {
        guard !sources.isEmpty else { return true }
        let terms = try sources.enumerated().flatMap { index, source in try source.terms(index) }
        let statement = try connection.prepare(
            """
            WITH \(sources.enumerated().map { index, source in source.events(index) }.joined(separator: ", "))
            \(terms.joined(separator: "\nUNION ALL\n"))
            ORDER BY 1, 2, 3, 10
            """)
        try statement.bind(sources.flatMap(\.values))
        while try statement.step() {
            let source = sources[Int(clamping: statement.int64(at: 3))]
            guard let change = try source.change(statement) else { continue }
            guard take(change) else { return false }
        }
        return true
    }
}
