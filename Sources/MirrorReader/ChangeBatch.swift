internal import SQLite

/// Changes of a feed that are delivered together.
public struct ChangeBatch: Sendable {
    /// The changes, in their order.
    public internal(set) var changes: [ItemChange] = []
    /// The place after them, from which the next ones are read.
    public internal(set) var end = ChangePlace()
}

extension Store {
    /// The next changes of a feed: at least the given number, if there are as many, and those that came with the last
    /// one.
    package func changeBatch(_ query: ChangeQuery, least: Int) throws(FeedSyncError) -> ChangeBatch {
        var changes: [ItemChange] = []
        var lastAt = ""
        var isCut = false
        let end = try readChanges([query]) { change in
            // Changes of one time belong to one page, which has one place.
            guard changes.count < least || change.at == lastAt else {
                isCut = true
                return false
            }
            changes.append(change)
            lastAt = change.at
            return true
        }
        guard isCut else { return ChangeBatch(changes: changes, end: end) }
        return try storing {
            // Everything before the next change, so that a clock that was set back hides none.
            func last(_ table: String, after: Int64, until: Int64) throws -> Int64 {
                let next = try connection.int64(
                    "SELECT min(id) FROM \(table) WHERE feed = ? AND id > ? AND id <= ? AND at > ?",
                    .text(query.feed), .integer(after), .integer(until), .text(lastAt))
                return next.map { $0 - 1 } ?? until
            }
            var place = ChangePlace()
            place.event = try last("event", after: query.after.event, until: end.event)
            place.change = try last("_change", after: query.after.change, until: end.change)
            return ChangeBatch(changes: changes, end: place)
        }
    }
}
