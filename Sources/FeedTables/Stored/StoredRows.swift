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
        let values = count == 1 ? [key] : Self.values(key)
        feed = owner
        condition = try zip(table.key.prefix(count), values).map { "\(try SQL.identifier($0)) = \(try $1.literal)" }
            .joined(separator: " AND ")
    }

    /// The values of a key of several columns.
    private static func values(_ key: Value) -> [Value] {
        guard case .text(let text) = key, case .array(let values)? = try? JSONValue(parsing: text) else { return [] }
        return values.map { Value(key: $0) ?? .null }
    }
}
