internal import SQLite

/// A feed and its table, whose rows are compared with what the store says of them.
///
/// - Isolation: the store's.
struct RepairableTable {
    let feed: String
    let name: String
    let model: String?
    let isThere: Bool
    let connection: Connection

    /// All feeds of the store.
    static func all(on connection: Connection) throws -> [RepairableTable] {
        try connection.all(
            """
            SELECT feed, "table", model,
                EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = _feed."table" COLLATE NOCASE)
            FROM _feed JOIN feed ON feed.name = _feed.feed ORDER BY _feed.id
            """
        ) { row in
            RepairableTable(
                feed: row.text(at: 0) ?? "", name: row.text(at: 1) ?? "", model: row.text(at: 2),
                isThere: row.int64(at: 3) == 1, connection: connection)
        }
    }

    /// The differences between the store's own data and the rows, a phrase each.
    func discrepancies() throws -> [String] {
        let owner = Value.text(feed)
        let counted = try connection.count("SELECT item_count FROM feed WHERE name = ?", owner)
        var found: [String] = []
        let rows =
            isThere
            ? try connection.count(
                "SELECT count(*) FROM \(try SQL.identifier(name)) WHERE _removed_at IS NULL") : 0
        if counted != rows { found.append("\(feed): `item_count` is \(counted), and there are \(rows) items") }
        let inSections = try sections()
        let stored = "SELECT name, item_count, generation, position FROM _section WHERE feed = ?1"
        let difference = """
            SELECT count(*) FROM (
                SELECT * FROM (\(stored) EXCEPT \(inSections)) UNION ALL SELECT * FROM (\(inSections) EXCEPT \(stored)))
            """
        if try connection.count(difference, owner) > 0 {
            found.append("\(feed): its sections are not those of its items")
        }
        let members = ["columns", "key_columns"]
        for member in members
        where try connection.count("SELECT json_valid(\(member)) FROM _feed WHERE feed = ?", owner) == 0 {
            found.append("\(feed): `_feed.\(member)` is not JSON")
        }
        return found
    }

    /// A query for the sections of a table's items: name, count, and the place of the first item.
    private func sections() throws -> String {
        guard isThere else { return "SELECT NULL, 0, 0, 0 WHERE 0" }
        return """
            SELECT _section, size, _generation, _position FROM (
                SELECT _section, _generation, _position, count(*) OVER (PARTITION BY _section) AS size,
                    row_number() OVER (PARTITION BY _section ORDER BY _generation DESC, _position) AS place
                FROM \(try SQL.identifier(name)) WHERE _removed_at IS NULL)
            WHERE place = 1
            """
    }

    /// Rebuilds what can be derived from the rows, and forgets the rest.
    func repair(now: String) throws {
        let owner = Value.text(feed)
        _ = try RunLog.closeInterrupted(feed, on: connection, now: now)
        try repairShape()
        try connection.run("DELETE FROM _section WHERE feed = ?", owner)
        try connection.run(
            """
            INSERT INTO _section (feed, name, item_count, generation, position)
            SELECT ?, * FROM (\(try sections()))
            """, owner)
        try connection.run(
            """
            UPDATE feed SET item_count = (SELECT coalesce(sum(item_count), 0) FROM _section WHERE feed = ?1)
            WHERE name = ?1
            """, owner)
        try StoredState(of: feed, on: connection).forgetPlaces()
        if isThere {
            let columns = try SearchIndex.storedColumns(of: name, on: connection)
            if !columns.isEmpty {
                try SearchIndex.drop(of: name, on: connection)
                try SearchIndex(table: name, columns: columns).make(on: connection)
            }
        }
    }

    /// Stores the columns and the key of the table, if the stored description cannot be read. The definition then
    /// counts as changed, so that the next run completes it.
    private func repairShape() throws {
        guard isThere else { return }
        let (table, owner) = (Value.text(name), Value.text(feed))
        try connection.run(
            """
            UPDATE _feed SET definition = '', columns = (
                SELECT json_group_array(json_object('name', name, 'path', name))
                FROM pragma_table_info(?1) WHERE substr(name, 1, 1) <> '_')
            WHERE feed = ?2 AND NOT json_valid(columns)
            """, table, owner)
        try connection.run(
            """
            UPDATE _feed SET key_columns = (
                SELECT json_group_array(name) FROM (SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk))
            WHERE feed = ?2 AND NOT json_valid(key_columns)
            """, table, owner)
    }
}
