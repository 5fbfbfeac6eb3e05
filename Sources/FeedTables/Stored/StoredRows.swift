package import SQLite

/// The table and the condition for the rows of a feed or of one of its lists.
package struct StoredRows {
    /// The feed that owns the table.
    package let feed: String
    /// The condition on its rows, in SQL; nil for all.
    package let condition: String?

    package init(of name: String, on connection: Connection) throws {
        guard let owner = FeedPart.feed(ofPart: name),
            let key = try connection.scalar("SELECT parent_key FROM feed_part WHERE name = ?", .text(name)),
            let table = try StoredTable(of: owner, on: connection)
        else {
            (feed, condition) = (name, nil)
            return
        }
        let count = name.utf8.count { $0 == UInt8(ascii: "/") }
        feed = owner
        // A key that cannot be read has no rows.
        condition =
            try RowKey.values(of: key, count: count).map { values in
                try zip(table.key, values).map { "\(try SQL.identifier($0)) = \(try $1.literal)" }
                    .joined(separator: " AND ")
            } ?? "false"
    }
}
