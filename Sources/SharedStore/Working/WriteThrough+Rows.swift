internal import JSON
internal import PostgreSQL
internal import SQLite

// Row by row.
extension WriteThrough {
    /// So many new rows of a table are copied, which costs two more round trips, and a third of the time for each row.
    private static let leastCopied = 64

    /// Commits what was written to the tables that every store has, and to those of feeds: in one round trip, or three where many
    /// rows are new.
    ///
    /// - Parameter sections: The statements that write those.
    /// - Returns: False if a key is longer than an index takes, is another one's text, or does not fit its column.
    func commitRows(_ fixed: [ChangedRow], _ rows: [ChangedRow], _ sections: String) throws -> Bool {
        let copied = Dictionary(grouping: rows.filter(\.isNew), by: \.table).filter {
            $0.value.count >= Self.leastCopied
        }
        let others = rows.filter { !$0.isNew || copied[$0.table] == nil }
        let connection = target.connection
        do {
            let script = "BEGIN;\n\(claims.guarded)" + (try self.script(of: fixed + others)) + sections
            guard !copied.isEmpty else {
                try connection.execute(script + "COMMIT")
                return true
            }
            try connection.execute(script)
            for (name, changes) in copied.sorted(by: { $0.key < $1.key }) { try copy(changes, into: name) }
            try connection.execute("COMMIT")
            return true
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            switch error {
            case CopyProblem.unfit: return false
            case let error as PostgreSQLError where ["54000", "23505"].contains(error.code): return false
            default: throw error
            }
        }
    }

    private func copy(_ changes: [ChangedRow], into name: String) throws {
        guard let target = try known(name) else { throw CopyProblem.unreadable(table: name) }
        let (table, find) = (target.table, try finder(of: target))
        let sql = "COPY \(PostgreSQL.Connection.identifier(name)) (\(table.postgreSQLColumns)) FROM STDIN"
        try self.target.connection.copyIn(sql) { writer in
            for change in changes {
                try find.reset()
                try find.bind(change.key)
                guard try find.step() else { continue }
                try table.write(table.columns.indices.map { StoredValue(find, at: $0) }, to: &writer)
            }
        }
        try find.reset()
    }

    /// Finds a row of a table in SQLite by its key.
    private func finder(of target: Target) throws -> Statement {
        let conditions = try target.key.map { "\(try SQL.identifier($0.name)) = ?" }.joined(separator: " AND ")
        return try source.cached(
            "SELECT \(target.table.sqliteColumns) FROM \(try SQL.identifier(target.table.name)) WHERE \(conditions)")
    }

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
        let find = try finder(of: target)
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

    private func insertion(of rows: [[StoredValue]], into table: CopiedTable) throws -> String {
        let values = try rows.map { row in
            let fields = try table.fields(of: row).map { $0.map(PostgreSQL.Connection.literal) ?? "NULL" }
            return "(\(fields.joined(separator: ", ")))"
        }
        return
            "INSERT INTO \(PostgreSQL.Connection.identifier(table.name)) (\(table.postgreSQLColumns)) VALUES \(values.joined(separator: ", "))"
    }
}
