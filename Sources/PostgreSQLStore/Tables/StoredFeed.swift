package import Feeds
internal import JSON
internal import PostgreSQL
package import SQLite

/// A feed with a table, from the store's own tables.
package struct StoredFeed {
    package let name: String
    let model: String?
    package let table: String
    /// True if it has a list for each row of another feed.
    let hasParts: Bool
    /// The columns of its model, in order.
    private(set) var columns: [String] = []
    /// The lists in its items that have views.
    let lists: [ListShape]
    /// The types of those that have one.
    package private(set) var types: [String: ColumnType] = [:]

    /// - Parameter columns: As `_feed` has them: a JSON array of `{name, type}`.
    init(name: String, model: String?, table: String, columns text: String, lists: String?, hasParts: Bool) {
        self.name = name
        self.model = model
        self.table = table
        self.hasParts = hasParts
        self.lists = ListShape.all(lists)
        guard let columns = try? JSONValue(parsing: text).elements else { return }
        for members in columns.compactMap(\.members) {
            guard let name = members["name"]?.text else { continue }
            self.columns.append(name)
            if let type = members["type"]?.text { types[name] = ColumnType(rawValue: type) }
        }
    }

    /// The feeds of a store in SQLite.
    ///
    /// - Parameters:
    ///   - withTable: True to leave out feeds whose tables do not exist yet.
    ///   - tables: The tables of the feeds that are wanted; nil for all.
    package static func all(
        in connection: SQLite.Connection, withTable: Bool = true, of tables: Set<String>? = nil
    ) throws -> [StoredFeed] {
        let names = tables.map { JSONValue.array($0.sorted().map(JSONValue.string)).json }
        let isWanted = names == nil ? "?2 IS NULL" : "_feed.\"table\" IN (SELECT value FROM json_each(?2))"
        return try connection.all(
            """
            SELECT feed.name, feed.model, _feed."table", _feed.columns,
                EXISTS (SELECT 1 FROM feed_part WHERE feed_part.feed = feed.name), _feed.lists
            FROM feed JOIN _feed ON _feed.feed = feed.name
            WHERE \(isWanted) AND (NOT ?1 OR EXISTS (SELECT 1 FROM pragma_table_info(_feed."table")))
            ORDER BY _feed.id
            """, [.init(withTable), names.map(Value.text) ?? .null]
        ) { row in
            StoredFeed(
                name: row.text(at: 0) ?? "", model: row.text(at: 1), table: row.text(at: 2) ?? "",
                columns: row.text(at: 3) ?? "", lists: row.text(at: 5), hasParts: row.int64(at: 4) == 1)
        }
    }

    /// The feeds of a store in PostgreSQL.
    static func all(in connection: PostgreSQL.Connection) throws -> [StoredFeed] {
        try connection.query(
            """
            SELECT feed.name, feed.model, _feed."table", _feed.columns,
                EXISTS (SELECT 1 FROM feed_part WHERE feed_part.feed = feed.name), _feed.lists
            FROM feed JOIN _feed ON _feed.feed = feed.name
                JOIN pg_class c ON c.relname = _feed."table" JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() ORDER BY _feed.id
            """
        ).map { row in
            StoredFeed(
                name: row[0] ?? "", model: row[1], table: row[2] ?? "", columns: row[3] ?? "", lists: row[5],
                hasParts: row[4] == "t")
        }
    }
}
