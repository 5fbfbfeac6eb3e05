internal import SQLite

/// The names under which the store keeps how far hooks were told; no user's consumer has such a name.
package enum HookPlace {
    package static let told = "(on_change)"
    package static let tried = "(on_change, tried)"
    /// Of the changes of columns.
    package static let toldColumns = "(on_change, columns)"
    package static let triedColumns = "(on_change, columns tried)"
}

extension Store {
    /// The progress of a consumer of changes in each feed that it has seen.
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

    /// The feeds whose hooks were tried and did not take what changed.
    func feedsWithFailedHooks() throws(FeedSyncError) -> Set<String> {
        var failed: Set<String> = []
        for (told, tried) in [(HookPlace.told, HookPlace.tried), (HookPlace.toldColumns, HookPlace.triedColumns)] {
            let places = try places(of: told)
            failed.formUnion(try self.places(of: tried).filter { $1.isBeyond(places[$0] ?? ChangePlace()) }.keys)
        }
        return failed
    }

    /// Moves a consumer to a place: everything before it was printed.
    ///
    /// - Parameter known: Its progress when that was read.
    /// - Throws: `FeedSyncError`, of kind `locked` if another process moved the consumer meanwhile.
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
