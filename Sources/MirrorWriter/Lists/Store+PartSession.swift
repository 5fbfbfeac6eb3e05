internal import SQLite

// A part of a feed, as its own run opens it.
extension Store {
    /// The number of the next feed or part. Feeds and parts share one sequence, because locks use the number.
    static let nextNumber = """
        (SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name IN ('_feed', '_feed_part'))
        """

    /// Adds a new part to the store.
    func enter(_ part: FeedPart, _ definition: FeedDefinition) throws -> Int64 {
        guard try connection.scalar("SELECT 1 FROM _feed WHERE feed = ?", .text(part.feed)) != nil else {
            throw FeedSyncError(.bug, "a part of feed `\(part.feed)` comes before the feed")
        }
        let name = Value.text(definition.name)
        try connection.run(
            "INSERT INTO feed_part (name, feed, parent_key, url) VALUES (?, ?, ?, ?)", name, .text(part.feed),
            part.parentKey, .text(definition.shownURL))
        try connection.run(
            "INSERT INTO _feed_part (id, feed, definition) VALUES (\(Self.nextNumber), ?, '')", name)
        let number = connection.lastInsertRowID
        try PartsAhead.noteList(part, on: connection)
        return number
    }

    /// Applies a part's definition to the store: its own members, and the findings shared by all parts.
    func adopt(_ part: FeedPart, _ declared: FeedDefinition) throws -> ResolvedFeed {
        let owner = try storedDefinition(of: part.feed)
        let shape = try ResolvedFeed(declared, owner.findings)
        let definition = shape.definition
        let name = Value.text(declared.name)
        guard owner.key.isEmpty || owner.key == definition.keyText else {
            throw Self.otherKey(part.feed, hasParts: true)
        }
        let extended = try definition.isResolved ? TableSchema(definition).extend(on: connection) : .none
        if extended == .table {
            views.changeViewMayLag = true
            // All stored rows are gone with the table.
            try connection.run("DELETE FROM _section WHERE feed = ?", .text(part.feed))
            try connection.run("UPDATE feed SET item_count = 0 WHERE name = ?", .text(part.feed))
            try connection.run("UPDATE feed_part SET item_count = 0 WHERE feed = ?", .text(part.feed))
        }
        // Every list has to be read again for the rows or the values that are missing.
        if extended != .none {
            try connection.run(
                "UPDATE _feed_part SET definition = '' WHERE feed IN (SELECT name FROM feed_part WHERE feed = ?)",
                .text(part.feed))
        }
        let fingerprint = declared.fingerprint(salt: salt)
        let known = try connection.scalar("SELECT definition FROM _feed_part WHERE feed = ?", name)?.text
        if known != fingerprint {
            try forgetUpstream(shape, canonical: fingerprint)
            try connection.run(
                "UPDATE feed_part SET url = ? WHERE name = ?", .text(declared.shownURL), name)
        }
        try SearchIndex.follow(definition, on: connection)
        return shape
    }
}
