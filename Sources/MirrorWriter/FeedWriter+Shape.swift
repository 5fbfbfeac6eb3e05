internal import SQLite

extension FeedWriter {
    /// True if another list of the feed has stored findings since this list's shape was read. The page's findings would
    /// replace them, and its items may need other columns.
    func isBehind(_ page: PageCommit) throws -> Bool {
        guard shape.definition.part != nil else { return false }
        if page.shape == nil, page.content.otherElements == nil { return false }
        let stored = try storedFindings()
        if stored == commonFindings { return false }
        guard stored.flatMap(Findings.init) ?? Findings() == shape.findings else { return true }
        commonFindings = stored
        return false
    }

    /// Continues with the findings that the lists of the feed have stored by now.
    package func catchUp() throws -> ResolvedFeed {
        let stored = try storedFindings()
        let shape = try ResolvedFeed(shape.declared, stored.flatMap(Findings.init) ?? Findings())
        follow(shape)
        commonFindings = stored
        return shape
    }

    private func storedFindings() throws -> String? {
        try connection.scalar("SELECT found FROM _feed WHERE feed = ?", .text(shape.definition.owner))?.text
    }

    /// Applies the shape found with a page: creates the table or adds columns to it, widens columns in place, and
    /// records the findings. Part of the page's transaction.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the store has another object with the table's name.
    func adopt(_ shape: ResolvedFeed) throws {
        let definition = shape.definition
        guard definition.isResolved else {
            try record(shape)
            return
        }
        _ = try TableSchema(definition).extend(on: connection)
        try widen(
            definition.columns.compactMap { column in
                let known = self.shape.definition.columns.first { $0.name == column.name }
                guard let from = known?.type, let to = column.type, from != to else { return nil }
                return Widening(column: column.name, from: from, to: to)
            })
        try record(shape)
        try SearchIndex.follow(definition, on: connection)
        follow(shape)
    }

    /// Records the address to which the feed's upstream has moved for good; false if an earlier run did.
    package func isNew(address: String) throws -> Bool {
        let feed = Value.text(shape.definition.owner)
        let known = try connection.scalar("SELECT moved_to FROM _feed WHERE feed = ?", feed)?.text
        guard known != address else { return false }
        try connection.transaction {
            try connection.run("UPDATE _feed SET moved_to = ? WHERE feed = ?", .text(address), feed)
        }
        return true
    }

    /// The notices about new, lost and changed columns, once the run has ended, if an earlier run had read the whole list.
    package var columnNotices: [String] { [ColumnChange.notice(of: columnChanges), unfitNotice].compactMap(\.self) }

    /// The notice about values that do not fit the type that the definition gives their column; nil if all fit.
    private var unfitNotice: String? {
        let notes = zip(table.plan.columns, table.unfitCounts).compactMap { column, count -> String? in
            guard count > 0, let type = column.type, shape.declared.columns.contains(where: { $0.name == column.name })
            else { return nil }
            return "\(count) \(count == 1 ? "value" : "values") of `\(column.name)` (\(type.rawValue))"
        }
        let list = notes.joined(separator: ", ")
        return notes.isEmpty ? nil : "not of their column's type, and stored as they came: \(list)"
    }

    /// The changes of columns that the run found, if an earlier run had read the whole list.
    func foundColumnChanges() throws -> [ColumnChange] {
        guard let known = columnsBefore else { return [] }
        let columns = shape.definition.columns
        let table = try SQL.identifier(tableName)
        let gone = try lostColumns.union(self.table.lostColumns).sorted().filter { column in
            let name = try SQL.identifier(column)
            let isThere = "SELECT 1 FROM \(table) WHERE \(name) IS NOT NULL AND _removed_at IS NULL LIMIT 1"
            return try connection.scalar(isThere) == nil
        }.map { name in
            ColumnChange(kind: .gone, column: name, before: columns.first { $0.name == name }?.type, after: nil)
        }
        let others = columns.compactMap { column -> ColumnChange? in
            guard let before = known.first(where: { $0.name == column.name }) else {
                return ColumnChange(kind: .new, column: column.name, before: nil, after: column.type)
            }
            guard let type = column.type, let earlier = before.type, type != earlier else { return nil }
            return ColumnChange(kind: .type, column: column.name, before: earlier, after: type)
        }
        return gone + others
    }

    /// Stores the changes of columns with the run's end. Part of its transaction.
    func record(_ changes: [ColumnChange], now: String) throws {
        for change in changes {
            try connection.run(
                "INSERT INTO _column_change (at, feed, run, kind, \"column\", before, after) VALUES (?, ?, ?, ?, ?, ?, ?)",
                .text(now), .text(shape.definition.owner), Value(run), .text(change.kind.rawValue),
                .text(change.column), Value(change.before?.rawValue), Value(change.after?.rawValue))
        }
    }

    private func record(_ shape: ResolvedFeed) throws {
        try Self.record(shape, on: connection)
        commonFindings = shape.findings.json
    }

    /// Records the findings for the feed that owns the table.
    static func record(_ shape: ResolvedFeed, on connection: Connection) throws {
        let name = Value.text(shape.definition.owner)
        try connection.run("UPDATE _feed SET found = ? WHERE feed = ?", .text(shape.findings.json), name)
        guard shape.definition.isResolved else { return }
        try connection.run(
            "UPDATE _feed SET key = ?, key_columns = ?, columns = ? WHERE feed = ?", .text(shape.definition.keyText),
            .text(shape.definition.keyColumnsJSON),
            .text(try StoredColumns.merged(shape.definition, on: connection)), name)
        let model = try connection.scalar("SELECT model FROM feed WHERE name = ?", name)?.text
        if let model { try ModelView(model: model).follow(on: connection) }
    }

    /// A column whose type has become a wider one.
    private struct Widening {
        let column: String
        let from: ColumnType
        let to: ColumnType
    }

    /// Writes columns' values as they would have come in with the wider types, so that an item that comes again is the one
    /// that is stored; and declares the columns so.
    private func widen(_ widenings: [Widening]) throws {
        var storage: [String: ColumnStorage] = [:]
        var values: [String: String] = [:]
        var reals: [(column: String, id: Int64, value: Double)] = []
        let table = try SQL.identifier(tableName)
        for widening in widenings {
            let name = try SQL.identifier(widening.column)
            switch (widening.from, widening.to) {
            case (.integer, .real):
                // Larger ones stay integers, as they would on their way in.
                let isExact = "\(name) BETWEEN -9007199254740992 AND 9007199254740992"
                values[widening.column] =
                    "CASE WHEN typeof(\(name)) = 'integer' AND \(isExact) THEN CAST(\(name) AS REAL) ELSE \(name) END"
                let others =
                    "typeof(\(name)) NOT IN ('null', 'real', 'integer') OR typeof(\(name)) = 'integer' AND NOT \(isExact)"
                let hasOthers = try connection.scalar("SELECT 1 FROM \(table) WHERE \(others) LIMIT 1") != nil
                storage[widening.column] = hasOthers ? .any : .real
            case (.boolean, .text):
                storage[widening.column] = .text
                values[widening.column] =
                    "CASE WHEN typeof(\(name)) <> 'integer' THEN \(name) WHEN \(name) = 0 THEN 'false' ELSE 'true' END"
            case (.integer, .text), (.real, .text):
                storage[widening.column] = .text
                values[widening.column] = "CAST(\(name) AS TEXT)"
                // SQLite's own text of a real has 15 digits, which are not all.
                try connection.rows("SELECT _rowid_, \(name) FROM \(table) WHERE typeof(\(name)) = 'real'") { row in
                    reals.append((name, row.int64(at: 0), row.double(at: 1)))
                }
            default:
                // JSON text is text already, and what has no type yet has no values.
                break
            }
        }
        guard !storage.isEmpty else { return }
        try TableSchema.rebuild(tableName, as: storage, values: values, on: connection)
        for real in reals {
            try connection.run(
                "UPDATE \(table) SET \(real.column) = ? WHERE _rowid_ = ?", .text(JSONText.number(real.value)),
                Value(real.id))
        }
        // `1` and `100.10` were 1.0 and 100.1 by then: their texts come back with their pages.
        if widenings.contains(where: { $0.from == .real && $0.to == .text }) {
            try connection.run(
                "UPDATE _page SET etag = NULL, last_modified = NULL WHERE \(ListTables.isOf("?1"))",
                .text(shape.definition.owner))
            storedPages.forget()
        }
    }
}
