internal import SQLite

extension Store {
    /// The newest changes of one item that the change log has, without its first appearance.
    ///
    /// - Parameter key: The item's key as JSON.
    /// - Throws: `FeedSyncError` of kind `store`.
    package func history(of key: String, in feed: String, last count: Int) throws(FeedSyncError) -> [ItemChange] {
        try storing {
            try connection.transaction(.deferred) {
                var place = ChangePlace()
                (place.event, place.change) = (.max, .max)
                guard let source = try ChangeSource(ChangeQuery(feed: feed), until: place, on: connection),
                    let values = FeedRows.values(ofKey: key)
                else { return [] }
                let statement = try connection.prepare(
                    """
                    SELECT at, 0, id, 0, run, kind, key, before, NULL, 0 FROM _change
                    WHERE feed = ? AND key IS ? ORDER BY id DESC LIMIT ?
                    """)
                try statement.bind([.text(feed), values.count == 1 ? values[0] : .text(key), Value(max(0, count))])
                var changes: [ItemChange] = []
                while try statement.step() { if let change = try source.change(statement) { changes.append(change) } }
                return changes
            }
        }
    }

    /// The keys of the items before and after a place, in feed order, each as JSON; nil at an end.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func neighbours(
        of place: Place, in feed: String
    ) throws(FeedSyncError) -> (previous: String?, next: String?) {
        try storing {
            try connection.transaction(.deferred) {
                guard let source = try FeedRows(feed, on: connection),
                    let all = try source.conditions(ListingQuery(feed: feed, limit: 1))
                else { return (nil, nil) }
                let names = try source.key.map { try SQL.identifier($0) }.joined(separator: ", ")
                func key(_ isThere: String, _ order: String) throws -> String? {
                    var key: String?
                    var conditions = all
                    conditions.add(
                        isThere, .integer(place.generation), .integer(place.generation), .integer(place.position))
                    try connection.rows(
                        "SELECT \(names) FROM \(source.table)\(conditions.sql) ORDER BY \(order) LIMIT 1",
                        conditions.values
                    ) { row in key = RowKey.text(row, from: 0, count: source.key.count) }
                    return key
                }
                let previous = try key(
                    "(_generation > ? OR _generation = ? AND _position < ?)", "_generation, _position DESC")
                let next = try key(
                    "(_generation < ? OR _generation = ? AND _position > ?)", "_generation DESC, _position")
                return (previous, next)
            }
        }
    }
}
