internal import SQLite

// Compares a store's own data about rows with the rows themselves.
extension Store {
    /// The differences between the store's own data and the rows of feeds, a phrase each.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func discrepancies() throws(FeedSyncError) -> [String] {
        try storing { try storedTables().flatMap(discrepancies) }
    }

    /// Rebuilds everything that can be derived from the rows: SQLite's indexes, full-text indexes, counts, sections and
    /// views. The rest is forgotten, so the next sync reads everything. Rows and history stay.
    ///
    /// - Parameter locks: The locks of all stored feeds.
    /// - Returns: The faults, as from `discrepancies`.
    /// - Throws: `FeedSyncError` of kind `store` if the tables are damaged; nothing is changed then.
    package func repair(holding locks: [FeedLock], now: String) throws(FeedSyncError) -> [String] {
        defer { views.refresh(in: transactions) }
        views.changeViewMayLag = true
        return try storing {
            try connection.transaction {
                for lock in locks { try lock.check() }
                // First, because the rest reads through indexes.
                try connection.execute("REINDEX")
                let tables = try storedTables()
                let corrected = try tables.flatMap(discrepancies)
                for table in tables { try repair(table, now: now) }
                for model in Set(tables.compactMap(\.model)) { try ModelView(model: model).apply(to: connection) }
                return corrected
            }
        }
    }

    /// The locks of all stored feeds, for a command that changes their stored data.
    ///
    /// - Throws: `FeedSyncError` of kind `locked` if another process works on one, or `store`.
    package func lockAll(for command: String) throws(FeedSyncError) -> [FeedLock] {
        var locks: [FeedLock] = []
        for table in try storing({ try storedTables() }) {
            if let lock = try lock(storedFeed: table.feed, for: command) { locks.append(lock) }
        }
        return locks
    }
}

extension Store {
    /// A feed, and its table in the store.
    private struct RepairedTable {
        let feed: String
        let name: String
        let model: String?
        let isThere: Bool
    }

    private func storedTables() throws -> [RepairedTable] {
        var tables: [RepairedTable] = []
        try connection.rows(
            """
            SELECT feed, "table", model,
                EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = _feed."table" COLLATE NOCASE)
            FROM _feed JOIN feed ON feed.name = _feed.feed ORDER BY _feed.id
            """
        ) { row in
            tables.append(
                RepairedTable(
                    feed: row.text(at: 0) ?? "", name: row.text(at: 1) ?? "", model: row.text(at: 2),
                    isThere: row.int64(at: 3) == 1))
        }
        return tables
    }

    private func discrepancies(of table: RepairedTable) throws -> [String] {
        let feed = Value.text(table.feed)
        let counted = try connection.count("SELECT item_count FROM feed WHERE name = ?", feed)
        var found: [String] = []
        let rows =
            table.isThere
            ? try connection.count(
                "SELECT count(*) FROM \(try SQL.identifier(table.name)) WHERE _removed_at IS NULL") : 0
        if counted != rows { found.append("\(table.feed): `item_count` is \(counted), and there are \(rows) items") }
        let inSections = try sections(of: table)
        let stored = "SELECT name, item_count, generation, position FROM _section WHERE feed = ?1"
        let difference = """
            SELECT count(*) FROM (
                SELECT * FROM (\(stored) EXCEPT \(inSections)) UNION ALL SELECT * FROM (\(inSections) EXCEPT \(stored)))
            """
        if try connection.count(difference, feed) > 0 {
            found.append("\(table.feed): its sections are not those of its items")
        }
        let members = ["columns", "key_columns"]
        for member in members
        where try connection.count("SELECT json_valid(\(member)) FROM _feed WHERE feed = ?", feed) == 0 {
            found.append("\(table.feed): `_feed.\(member)` is not JSON")
        }
        return found
    }

    /// A query for the sections of a table's items: name, count, and the place of the first item.
    private func sections(of table: RepairedTable) throws -> String {
        guard table.isThere else { return "SELECT NULL, 0, 0, 0 WHERE 0" }
        return """
            SELECT _section, size, _generation, _position FROM (
                SELECT _section, _generation, _position, count(*) OVER (PARTITION BY _section) AS size,
                    row_number() OVER (PARTITION BY _section ORDER BY _generation DESC, _position) AS place
                FROM \(try SQL.identifier(table.name)) WHERE _removed_at IS NULL)
            WHERE place = 1
            """
    }

    private func repair(_ table: RepairedTable, now: String) throws {
        let feed = Value.text(table.feed)
        _ = try closeInterrupted(table.feed, now: now)
        try repairShape(of: table)
        try connection.run("DELETE FROM _section WHERE feed = ?", feed)
        try connection.run(
            """
            INSERT INTO _section (feed, name, item_count, generation, position)
            SELECT ?, * FROM (\(try sections(of: table)))
            """, feed)
        try connection.run(
            """
            UPDATE feed SET item_count = (SELECT coalesce(sum(item_count), 0) FROM _section WHERE feed = ?1)
            WHERE name = ?1
            """, feed)
        try forgetPlaces(of: table.feed)
        if table.isThere {
            let columns = try SearchIndex.storedColumns(of: table.name, on: connection)
            if !columns.isEmpty {
                try SearchIndex.drop(of: table.name, on: connection)
                try SearchIndex(table: table.name, columns: columns).make(on: connection)
            }
        }
    }

    /// Stores the columns and the key of the table, if the stored description cannot be read. The definition then
    /// counts as changed, so that the next run completes it.
    private func repairShape(of table: RepairedTable) throws {
        guard table.isThere else { return }
        let names = Value.text(table.name)
        let name = Value.text(table.feed)
        try connection.run(
            """
            UPDATE _feed SET definition = '', columns = (
                SELECT json_group_array(json_object('name', name, 'path', name))
                FROM pragma_table_info(?1) WHERE substr(name, 1, 1) <> '_')
            WHERE feed = ?2 AND NOT json_valid(columns)
            """, names, name)
        try connection.run(
            """
            UPDATE _feed SET key_columns = (
                SELECT json_group_array(name) FROM (SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk))
            WHERE feed = ?2 AND NOT json_valid(key_columns)
            """, names, name)
    }
}
