internal import SQLite

extension Store {
    /// How far a consumer of changes has come in each feed; feeds that it never saw are not among them.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func places(of consumer: String) throws(FeedSyncError) -> [String: ChangePlace] {
        try storing {
            var places: [String: ChangePlace] = [:]
            try connection.rows("SELECT feed, event, change FROM _consumer WHERE name = ?", [.text(consumer)]) { row in
                var place = ChangePlace()
                (place.event, place.change) = (row.int64(at: 1), row.int64(at: 2))
                places[row.text(at: 0) ?? ""] = place
            }
            return places
        }
    }

    /// Has a consumer go on behind a place: what is before it was printed.
    ///
    /// - Parameter known: How far it had come when that was read.
    /// - Throws: `FeedSyncError`, of kind `locked` if somebody else moved the consumer on meanwhile.
    package func move(
        _ consumer: String, in feeds: [String], from known: [String: ChangePlace], to place: ChangePlace
    ) throws(FeedSyncError) {
        try storing {
            try connection.transaction {
                for feed in feeds {
                    let before = known[feed]
                    try connection.run(
                        """
                        INSERT INTO _consumer (name, feed, event, change) VALUES (?1, ?2, ?3, ?4)
                        ON CONFLICT DO UPDATE SET event = ?3, change = ?4 WHERE event = ?5 AND change = ?6
                        """, .text(consumer), .text(feed), .integer(place.event), .integer(place.change),
                        Value(before?.event), Value(before?.change))
                    guard connection.changes == 1 else {
                        throw FeedSyncError(
                            .locked, "another process printed the changes for `\(consumer)` at the same time",
                            advice: "give each consumer a name of its own")
                    }
                }
            }
        }
    }
}
