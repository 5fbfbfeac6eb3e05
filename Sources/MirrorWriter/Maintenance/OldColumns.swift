internal import SQLite

/// A column of a feed's table that its definition has no more.
package struct OldColumn: Sendable, Hashable {
    package let name: String
    /// The number of rows with a value in it.
    package let count: Int
}

/// The columns that a feed's table keeps from earlier definitions, with those of items kept whole earlier.
///
/// Columns that others added to the table are not among them, nor is any column while the columns of the definition are
/// still to be found.
///
/// - Isolation: the store's.
struct OldColumns {
    let declared: FeedDefinition
    let definitions: StoredDefinitions

    private var connection: Connection { definitions.connection }
    private var feed: String { declared.name }

    func all() throws -> [OldColumn] {
        try names().map { name in
            let column = try SQL.identifier(name)
            let table = try StoredTable.name(of: declared.name, on: connection) ?? ""
            let count = "SELECT count(*) FROM \(try SQL.identifier(table)) WHERE \(column) IS NOT NULL"
            return OldColumn(name: name, count: try connection.count(count))
        }
    }

    /// Deletes columns from the table, its index, the changes of rows and the kept response. Part of the caller's
    /// transaction.
    func drop(_ names: [String]) throws {
        try StoreViews.without(on: connection) {
            try dropFromTable(names)
            try forget(names)
        }
    }

    /// The names of the columns.
    private func names() throws -> [String] {
        guard let stored = try StoredTable(of: declared.name, on: connection), !stored.key.isEmpty,
            try StoredTable.name(of: declared.name, on: connection) != nil
        else { return [] }
        let kept = try definitions.definition(of: declared.name)
        let canonical = declared.canonicalText(salt: definitions.salt)
        let definition = try kept.resolved(declared, canonical: canonical).definition
        guard definition.isResolved else { return [] }
        let wanted = Set((definition.columns.map(\.name) + stored.key).map(TableSchema.folded))
        let old = stored.columns.map(\.name).filter { !wanted.contains(TableSchema.folded($0)) }
        let keptRaw = !definition.keepsRaw && connection.hasColumn("_raw", in: stored.name)
        return old + (keptRaw ? ["_raw"] : [])
    }

    private func dropFromTable(_ names: [String]) throws {
        guard let table = try StoredTable.name(of: feed, on: connection) else { return }
        let indexed = try SearchIndex.storedColumns(of: table, on: connection)
        let gone = Set(names.map(TableSchema.folded))
        let searched = indexed.filter { !gone.contains(TableSchema.folded($0)) }
        // The index's triggers read the table's columns.
        if searched != indexed { try SearchIndex.drop(of: table, on: connection) }
        for name in names {
            let sql = "ALTER TABLE \(try SQL.identifier(table)) DROP COLUMN \(try SQL.identifier(name))"
            do { try connection.execute(sql) } catch {
                guard error.primaryCode == 1 else { throw error }
                // https://sqlite.org/lang_altertable.html#alter_table_drop_column
                throw FeedSyncError(
                    .configuration, "the column `\(name)` cannot be dropped: \(error.message)",
                    advice: "drop the index, trigger or view of your own that uses it, and run the same command again")
            }
        }
        if searched != indexed, !searched.isEmpty {
            try SearchIndex(table: table, columns: searched).make(on: connection)
        }
    }

    /// Deletes what else the store has of columns.
    private func forget(_ names: [String]) throws {
        let list = Value.text("[\(names.map(JSONText.string).joined(separator: ","))]")
        let gone = "SELECT value FROM json_each(?2)"
        try connection.run(
            """
            UPDATE _feed SET columns = (SELECT json_group_array(json(value)) FROM (
                SELECT value FROM json_each(columns) WHERE json_extract(value, '$.name') NOT IN (\(gone)) ORDER BY key))
            WHERE feed = ?1
            """, .text(feed), list)
        try forgetValues(of: Set(names))
        // Its body may hold items.
        try connection.run("DELETE FROM _response WHERE \(ListTables.isOf("?1"))", .text(feed))
    }

    /// Deletes columns' earlier values. A change of nothing else goes with them.
    private func forgetValues(of names: Set<String>) throws {
        var last: Int64 = 0
        while true {
            let page = try earlierValues(after: last)
            guard let end = page.last?.id else { return }
            last = end
            for change in page where !names.isDisjoint(with: change.members.map(\.name)) {
                let rest = change.members.filter { !names.contains($0.name) }
                if rest.isEmpty, change.isOnlyChanged {
                    try connection.run("DELETE FROM _change WHERE id = ?", Value(change.id))
                } else {
                    try connection.run(
                        "UPDATE _change SET before = ? WHERE id = ?",
                        rest.isEmpty ? .null : .text(JSONValue.object(of: rest).json), Value(change.id))
                }
            }
        }
    }

    /// Some changes with values, in their order. Numbers keep their digits, which SQLite's own functions would cut.
    private func earlierValues(
        after id: Int64
    ) throws -> [(id: Int64, isOnlyChanged: Bool, members: [JSONObject.Member])] {
        var changes: [(id: Int64, isOnlyChanged: Bool, members: [JSONObject.Member])] = []
        try connection.rows(
            "SELECT id, kind = 'changed', before FROM _change WHERE feed = ? AND id > ? AND before IS NOT NULL ORDER BY id LIMIT 1000",
            [.text(feed), Value(id)]
        ) { row in
            let members = row.text(at: 2).flatMap { try? JSONValue(parsing: $0).members }.map(Array.init) ?? []
            changes.append((row.int64(at: 0), row.int64(at: 1) == 1, members))
        }
        return changes
    }
}
