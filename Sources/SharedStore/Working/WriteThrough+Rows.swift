internal import JSON
internal import PostgreSQL
internal import SQLite

// Row by row.
extension WriteThrough {
    /// Adds the statements that write rows as they are in SQLite now.
    ///
    /// - Parameter changes: By table.
    /// - Throws: `CopyProblem` for a row that has no place in PostgreSQL.
    func add(_ changes: [String: [ChangedRow]], to script: inout Script) throws {
        let fixed = CopiedTable.fixed.filter { changes[$0] != nil }
        let others = changes.keys.filter { !CopiedTable.fixed.contains($0) }.sorted()
        for name in fixed + others {
            guard let target = try known(name) else { throw CopyProblem.unreadable(table: name) }
            try add(changes[name] ?? [], in: target, to: &script)
        }
    }

    /// Adds the statements that write the sections, if they changed.
    func addSections(to script: inout Script) throws {
        guard let table = try known("_section", hasKey: false)?.table else {
            throw CopyProblem.unreadable(table: "_section")
        }
        let now = try table.checksum(in: source)
        guard now != sections else { return }
        sections = now
        script += "DELETE FROM _section WHERE \(scope.condition(of: "_section") ?? "true");\n"
        var rows = RowArrays(into: table)
        try table.stand(in: source) { try rows.append($0) }
        if !rows.isEmpty {
            rows.takeInsertion(into: &script)
            script += ";\n"
        }
    }

    /// A table in PostgreSQL; nil where there is none, or SQLite's has no key.
    func known(_ name: String, hasKey: Bool = true) throws -> Target? {
        if tables[name] == nil { try learn([name], feeds: StoredFeed.all(in: source)) }
        return tables[name].flatMap { hasKey && $0.key.isEmpty ? nil : $0 }
    }

    /// Asks PostgreSQL for tables.
    ///
    /// - Parameter feeds: Those that have tables in SQLite.
    func learn(_ names: [String], feeds: [StoredFeed]) throws {
        let types = Dictionary(feeds.map { ($0.table, $0.types) }) { first, _ in first }
        for (name, table) in try target.tables(names) {
            var key: [CopiedTable.Column] = []
            try source.rows("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY cid", [.text(name)]) { row in
                key += table.columns.filter { $0.name == row.text(at: 0) }
            }
            let untyped = types[name].map { types in table.columns.map(\.name).filter { types[$0] == nil } } ?? []
            tables[name] = Target(table: table, key: key, untyped: Set(untyped))
        }
    }

    private func add(_ changes: [ChangedRow], in target: Target, to script: inout Script) throws {
        let keys = target.key.map { PostgreSQL.Connection.identifier($0.shortName) }
        var gone: [String] = []
        // They keep their memory from commit to commit.
        let name = target.table.name
        var added = spare.removeValue(forKey: name) ?? RowArrays(into: target)
        var changed = RowArrays(into: target)
        // Another worker may have added the same row to a table that all feeds share.
        let isOwn = !CopiedTable.fixed.contains(name)
        let ordered = Self.ordered(changes)
        var finder = try RowFinder(target, hasNumbers: ordered != nil, in: source)
        defer { finder.end() }
        for change in ordered ?? changes {
            let isThere = try finder.find(change.key)
            if !change.isNew, !isThere || target.table.primaryKey.isEmpty {
                gone.append(try place(of: change, in: target))
            }
            guard isThere else { continue }
            if isOwn && change.isNew || target.table.primaryKey.isEmpty {
                try added.append(finder.statement)
            } else {
                try changed.append(finder.statement)
            }
        }
        if !gone.isEmpty {
            let exact = target.table.primaryKey.isEmpty ? target.key.map { CopiedTable.exact($0.shortName) } : []
            let columns = (keys + exact).joined(separator: ", ")
            script +=
                "DELETE FROM \(PostgreSQL.Connection.identifier(name)) WHERE (\(columns)) IN (\(gone.joined(separator: ", ")));\n"
        }
        if !added.isEmpty {
            added.takeInsertion(into: &script)
            script += ";\n"
        }
        if !changed.isEmpty {
            changed.takeInsertion(into: &script)
            script += update(in: target)
        }
        if isOwn { spare[name] = added }
    }

    /// Rows by their numbers; nil where they have other keys.
    private static func ordered(_ changes: [ChangedRow]) -> [ChangedRow]? {
        var rows: [(number: Int64, change: ChangedRow)] = []
        rows.reserveCapacity(changes.count)
        for change in changes {
            guard case .number(let number) = change.key else { return nil }
            rows.append((number, change))
        }
        return rows.sorted { $0.number < $1.number }.map(\.change)
    }

    /// The clause by which an insertion updates existing rows.
    private func update(in target: Target) -> String {
        let columns = target.table.columns.map(\.shortName) + (target.table.hasExact ? ["_exact"] : [])
        // What a table is partitioned by never changes, and Citus refuses to set it.
        let partitioning = Set(target.table.primaryKey).subtracting(target.key.map(\.shortName))
        let settings = columns.filter { !partitioning.contains($0) }.map(PostgreSQL.Connection.identifier)
            .map { "\($0) = EXCLUDED.\($0)" }
        let conflict = target.table.primaryKey.map(PostgreSQL.Connection.identifier)
        return """

            ON CONFLICT (\(conflict.joined(separator: ", "))) DO UPDATE SET \(settings.joined(separator: ", "));

            """
    }

    /// The values by which a row that is gone is found.
    ///
    /// - Throws: `CopyProblem` for a key that its columns cannot hold: PostgreSQL has no such row.
    private func place(of change: ChangedRow, in target: Target) throws -> String {
        let fields = try zip(target.key, change.key.values).map { column, value in
            let field = column.type.field(CopiedValue(value))
            guard let text = field.text else {
                throw CopyProblem.unfit(table: target.table.name, column: column.name)
            }
            return (text, field.isExact ? "" : ExactValue.json(CopiedValue(value)).json)
        }
        let values = fields.map(\.0) + (target.table.primaryKey.isEmpty ? fields.map(\.1) : [])
        return "(\(values.map(PostgreSQL.Connection.literal).joined(separator: ", ")))"
    }
}
