internal import JSON
internal import PostgreSQL
internal import SQLite

// Row by row.
extension WriteThrough {
    /// The statements that write rows as they are in SQLite now; empty if none changed.
    ///
    /// - Throws: `CopyProblem` for a row that has no place in PostgreSQL.
    func script(of changes: [ChangedRow]) throws -> String {
        var script = ""
        let byTable = Dictionary(grouping: changes, by: \.table)
        let fixed = CopiedTable.fixed.filter { byTable[$0] != nil }
        let others = byTable.keys.filter { !CopiedTable.fixed.contains($0) }.sorted()
        for name in fixed + others {
            guard let target = try known(name) else { throw CopyProblem.unreadable(table: name) }
            script += try sql(of: byTable[name] ?? [], in: target)
        }
        return script
    }

    /// The statements that write the sections, if they changed.
    func sectionScript() throws -> String {
        guard let table = try known("_section", hasKey: false)?.table else {
            throw CopyProblem.unreadable(table: "_section")
        }
        let now = try table.checksum(in: source)
        guard now != sections else { return "" }
        nextSections = now
        var script = "DELETE FROM _section WHERE \(scope.condition(of: "_section") ?? "true");\n"
        var rows: [[StoredValue]] = []
        try table.rows(in: source) { rows.append($0) }
        if !rows.isEmpty { script += try insertion(of: rows, into: table) + ";\n" }
        return script
    }

    /// A table in PostgreSQL; nil where there is none, or SQLite's has no key.
    func known(_ name: String, hasKey: Bool = true) throws -> Target? {
        if let known = tables[name] { return known }
        guard let table = try target.table(name) else { return nil }
        var key: [CopiedTable.Column] = []
        try source.rows("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY cid", [.text(name)]) { row in
            key += table.columns.filter { $0.name == row.text(at: 0) }
        }
        guard !hasKey || !key.isEmpty else { return nil }
        let own = Target(table: table, key: key, primaryKey: try target.primaryKey(of: name))
        tables[name] = own
        return own
    }

    private func sql(of changes: [ChangedRow], in target: Target) throws -> String {
        let name = PostgreSQL.Connection.identifier(target.table.name)
        let keys = target.key.map { PostgreSQL.Connection.identifier($0.shortName) }
        var gone: [String] = []
        var rows: [[StoredValue]] = []
        let conditions = try target.key.map { "\(try SQL.identifier($0.name)) = ?" }.joined(separator: " AND ")
        let find = try source.cached(
            "SELECT \(target.table.sqliteColumns) FROM \(try SQL.identifier(target.table.name)) WHERE \(conditions)")
        for change in changes {
            let fields = try zip(target.key, change.key).map { column, value in
                let field = column.type.field(StoredValue(value))
                guard let text = field.text else {
                    throw CopyProblem.unfit(table: target.table.name, column: column.name)
                }
                return (text, field.isExact ? "" : ExactValue.json(StoredValue(value)).json)
            }
            if change.isDeleted || target.primaryKey.isEmpty {
                let values = fields.map(\.0) + (target.primaryKey.isEmpty ? fields.map(\.1) : [])
                gone.append("(\(values.map(PostgreSQL.Connection.literal).joined(separator: ", ")))")
            }
            guard !change.isDeleted else { continue }
            try find.reset()
            try find.bind(change.key)
            if try find.step() { rows.append(target.table.columns.indices.map { StoredValue(find, at: $0) }) }
        }
        try find.reset()
        var sql = ""
        if !gone.isEmpty {
            let exact = target.primaryKey.isEmpty ? target.key.map { CopiedTable.exact($0.shortName) } : []
            let columns = (keys + exact).joined(separator: ", ")
            sql += "DELETE FROM \(name) WHERE (\(columns)) IN (\(gone.joined(separator: ", ")));\n"
        }
        guard !rows.isEmpty else { return sql }
        sql += try insertion(of: rows, into: target.table)
        if !target.primaryKey.isEmpty {
            let columns = target.table.columns.map(\.shortName) + (target.table.hasExact ? ["_exact"] : [])
            // What a table is partitioned by never changes, and Citus refuses to set it.
            let partitioning = Set(target.primaryKey).subtracting(target.key.map(\.shortName))
            let settings = columns.filter { !partitioning.contains($0) }.map(PostgreSQL.Connection.identifier)
                .map { "\($0) = EXCLUDED.\($0)" }
            let conflict = target.primaryKey.map(PostgreSQL.Connection.identifier)
            sql +=
                "\nON CONFLICT (\(conflict.joined(separator: ", "))) DO UPDATE SET \(settings.joined(separator: ", "))"
        }
        return sql + ";\n"
    }

    func insertion(of rows: [[StoredValue]], into table: CopiedTable) throws -> String {
        let values = try rows.map { row in
            let fields = try table.fields(of: row).map { $0.map(PostgreSQL.Connection.literal) ?? "NULL" }
            return "(\(fields.joined(separator: ", ")))"
        }
        return
            "INSERT INTO \(PostgreSQL.Connection.identifier(table.name)) (\(table.postgreSQLColumns)) VALUES \(values.joined(separator: ", "))"
    }
}
