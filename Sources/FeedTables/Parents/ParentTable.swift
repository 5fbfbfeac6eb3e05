package import SQLite

/// The rows of a parent, and a feed's lists for them: the existing ones, the ones to request, and their order.
package struct ParentTable: Sendable {
    package let feed: String
    package let rule: ForEachRule
    /// The rows that count, as a table `t`.
    package let rows: String
    /// The columns of the parent's key, with their names in the feed's table.
    package let key: [(own: String, name: String)]
    /// The parent's key of a row `t`, in the form of `feed_part.parent_key`.
    package let keyText: String
    /// The expression of a row `t` whose change means that its list may have changed.
    package let seen: String
    /// The columns whose values a request uses, each with its SQL expression on a row `t`.
    private let values: [(column: ParentColumn, sql: String)]

    /// - Throws: `FeedSyncError` of kind `configuration` if the parent lacks a column that the feed refers to.
    /// - Returns: nil if the parent has no rows yet.
    package init?(of rule: ForEachRule, for definition: FeedDefinition, on connection: Connection) throws {
        guard let found = try Self.table(of: rule.feed, on: connection),
            // Removed rows stay, so an empty table has never had a row, and may not have all its columns yet.
            try connection.scalar("SELECT 1 FROM \(try SQL.identifier(found.table)) LIMIT 1") != nil
        else { return nil }
        feed = definition.name
        self.rule = rule
        // Names stay once they are chosen, even if the parent gets another name.
        let stored = try Self.storedKey(of: definition.name, own: definition.key.count, on: connection)
        let prefix = TableSchema.tableName(rule.feed)
        guard stored.isEmpty || stored.count == found.key.count else {
            throw FeedSyncError(
                .configuration,
                "the key of `\(rule.feed)` has \(found.key.count) columns now, and the stored rows have \(stored.count)",
                advice:
                    "restore that key, or delete the rows with feedsync remove \(definition.name) --data and add it again"
            )
        }
        let names = stored.isEmpty ? found.key.map { "\(prefix)_\($0)" } : stored
        key = Array(zip(found.key, names))
        let text = try ChangeView.key(found.key)
        // The `+` removes the column's affinity, which would keep SQLite from looking a key up in the index of
        // `parent_key`:
        // https://sqlite.org/datatype3.html#type_conversions_prior_to_comparison
        keyText = found.key.count == 1 ? "+\(text)" : text

        let own = definition.parentColumns.filter { $0.feed == rule.feed }.map(\.name)
        try Self.check(own + [rule.when].compactMap(\.self), of: rule.feed, found.table, on: connection)
        values = try definition.parentColumns.map { column in
            column.feed == rule.feed
                ? (column, "t.\(try SQL.identifier(column.name))")
                : (column, try Self.value(of: column, above: found.key, on: connection))
        }
        // A row without a value for the request has no list.
        let needed = values.map { "\($0.sql) IS NOT NULL" }
        let conditions = ["t._removed_at IS NULL"] + needed + [rule.condition].compactMap(\.self).map { "(\($0))" }
        // In a subquery, so that the user's condition can only name columns of the parent.
        rows = "(SELECT * FROM \(try SQL.identifier(found.table)) t WHERE \(conditions.joined(separator: " AND "))) t"
        seen = "t.\(try SQL.identifier(rule.when ?? "_changed_at"))"
        guard let condition = rule.condition else { return }
        do throws(SQLiteError) { _ = try connection.prepare("SELECT 1 FROM \(rows)") } catch {
            throw FeedSyncError(
                .configuration, "SQLite cannot use the `where` of `for_each`, `\(condition)`: \(error.message)",
                advice: "write it as after WHERE in SELECT * FROM \(found.table)")
        }
    }

    /// A feed's table, with the columns of its key; nil if nothing of the feed is stored.
    private static func table(
        of feed: String, on connection: Connection
    ) throws -> (table: String, key: [String])? {
        let found = try connection.first(
            """
            SELECT "table", (SELECT json_group_array(value) FROM json_each(key_columns)) FROM _feed
            WHERE feed = ? AND "table" IN (SELECT name FROM sqlite_schema WHERE type = 'table')
            """, [.text(feed)]
        ) { row in (table: row.text(at: 0) ?? "", key: RowColumn.names(row.text(at: 1))) }
        return found.flatMap { $0.key.isEmpty ? nil : $0 }
    }

    /// - Throws: `FeedSyncError` of kind `configuration` for a column that a feed's table lacks.
    private static func check(_ columns: [String], of feed: String, _ table: String, on connection: Connection) throws {
        let known = try connection.columnNames(of: table)
        let folded = Set(known.map(TableSchema.folded))
        for column in columns where !folded.contains(TableSchema.folded(column)) {
            let hint = NearestWord.suggestion(for: column, among: known).map { "; did you mean `\($0)`?" } ?? ""
            throw FeedSyncError(
                .configuration, "the items of `\(feed)` have no column `\(column)`\(hint)",
                advice: "feedsync sql 'SELECT * FROM \(table) LIMIT 1'  # shows what they have")
        }
    }

    /// The SQL expression for a column of the row above a row `t`. A table's key begins with the key of the feed above
    /// it.
    private static func value(
        of column: ParentColumn, above key: [String], on connection: Connection
    ) throws -> String {
        guard let above = try table(of: column.feed, on: connection), above.key.count < key.count else {
            throw FeedSyncError(
                .configuration, "`\(column.word)`: the store has no rows of `\(column.feed)` that lists were made for",
                advice: "feedsync sync \(column.feed)")
        }
        try check([column.name], of: column.feed, above.table, on: connection)
        let isAbove = try zip(above.key, key).map { "a.\(try SQL.identifier($0)) = t.\(try SQL.identifier($1))" }
        return """
            (SELECT a.\(try SQL.identifier(column.name)) FROM \(try SQL.identifier(above.table)) a \
            WHERE \(isAbove.joined(separator: " AND ")))
            """
    }

    /// The names that the feed's table already has for the columns of the parent's key.
    private static func storedKey(of feed: String, own: Int, on connection: Connection) throws -> [String] {
        let names = try connection.all(
            """
            SELECT value FROM _feed, json_each(key_columns)
            WHERE feed = ? AND EXISTS (SELECT 1 FROM feed_part WHERE feed_part.feed = _feed.feed) ORDER BY json_each.key
            """, [.text(feed)]
        ) { $0.text(at: 0) ?? "" }
        return Array(names.dropLast(own == 0 ? 1 : own))
    }

    /// The lists whose rows are removed or no longer count.
    package func goneParts(on connection: Connection) throws -> [FeedPart] {
        try connection.all(
            """
            SELECT l.parent_key FROM feed_part l WHERE l.feed = ?
                AND NOT EXISTS (SELECT 1 FROM \(rows) WHERE \(try isKey("l.parent_key")))
            """, [.text(feed)]
        ) { part(storedKey: $0.value(at: 0)) }
    }

    /// The list with the given name, whether requested or not; nil if no row has it.
    package func part(named name: String, on connection: Connection) throws -> FeedPart? {
        let known = try connection.scalar("SELECT parent_key FROM feed_part WHERE name = ?", .text(name))
        if let part = known.flatMap({ part(storedKey: $0) }) {
            return try connection.scalar("SELECT 1 FROM \(rows) WHERE \(try isKey("?1"))", part.parentKey) == nil
                ? nil : part
        }
        let columns = try key.map { "t.\(try SQL.identifier($0.own))" }.joined(separator: ", ")
        return try connection.all("SELECT \(columns) FROM \(rows)") { row -> FeedPart? in
            let values = key.indices.compactMap { FeedPart.KeyValue(row.value(at: $0)) }
            guard values.count == key.count, FeedPart.name(of: feed, key: values) == name else { return nil }
            return part(values)
        }.first
    }

    /// The number of rows without a complete list. `isAsked` is true if each list was requested.
    package func missingCount(on connection: Connection) throws -> (lists: Int, isAsked: Bool) {
        var counts = (lists: 0, isAsked: true)
        try connection.rows(
            """
            SELECT count(*), coalesce(sum(l.name IS NULL), 0) FROM \(rows)
            LEFT JOIN feed_part l ON l.feed = ? AND l.parent_key = \(keyText)
            WHERE l.complete IS NOT 1
            """, [.text(feed)]
        ) { row in counts = (row.count(at: 0), row.count(at: 1) == 0) }
        return counts
    }

    /// The row of a part; nil if there is none.
    package func row(
        _ part: FeedPart, on connection: Connection
    ) throws -> (row: ParentRow, seen: FeedPart.KeyValue?)? {
        let columns = values.map(\.sql) + [seen]
        return try connection.first(
            """
            SELECT \(columns.joined(separator: ", ")) FROM \(rows) WHERE \(try isKey("?1"))
            """, [part.parentKey]
        ) { row in
            (
                row: ParentRow(key: part.key, values: texts(of: row, from: 0)),
                seen: FeedPart.KeyValue(row.value(at: values.count))
            )
        }
    }

    /// The first rows that count, in the parent's order.
    package func first(_ count: Int, on connection: Connection) throws -> [ParentRow] {
        let columns = try key.map { "t.\(try SQL.identifier($0.own))" } + values.map(\.sql)
        return try connection.all(
            """
            SELECT \(columns.joined(separator: ", ")) FROM \(rows) ORDER BY t._generation DESC, t._position LIMIT ?
            """, [Value(count)]
        ) { row -> ParentRow? in
            let keys = key.indices.compactMap { FeedPart.KeyValue(row.value(at: $0)) }
            guard keys.count == key.count else { return nil }
            return ParentRow(key: part(keys).key, values: texts(of: row, from: keys.count))
        }
    }

    private func texts(of row: Statement, from start: Int) -> [ParentColumn: String] {
        var texts: [ParentColumn: String] = [:]
        for (index, value) in values.enumerated() {
            texts[value.column] = FeedPart.KeyValue(row.value(at: start + index))?.text
        }
        return texts
    }

    /// The condition that a row `t` has a key, in a form in which SQLite uses the table's own key.
    private func isKey(_ value: String) throws -> String {
        if let only = key.first, key.count == 1 { return "t.\(try SQL.identifier(only.own)) = \(value)" }
        return try key.enumerated().map { index, column in
            "t.\(try SQL.identifier(column.own)) = json_extract(\(value), '$[\(index)]')"
        }.joined(separator: " AND ")
    }

    package func part(_ values: [FeedPart.KeyValue]) -> FeedPart {
        FeedPart(
            feed: feed, key: zip(key, values).map { FeedPart.KeyColumn(name: $0.name, value: $1) })
    }

    package func part(storedKey value: Value) -> FeedPart? {
        guard let values = RowKey.values(of: value, count: key.count) else { return nil }
        let keys = values.compactMap(FeedPart.KeyValue.init)
        return keys.count == key.count ? part(keys) : nil
    }
}

extension FeedPart.KeyValue {
    /// nil for a value that cannot be a key.
    package init?(_ value: Value) {
        switch value {
        case .null, .blob: return nil
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        case .text(let text): self = .text(text)
        }
    }
}
