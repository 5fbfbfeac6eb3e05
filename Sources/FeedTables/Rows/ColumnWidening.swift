package import SQLite

/// A column whose type has become a wider one.
package struct ColumnWidening: Sendable, Hashable {
    let column: String
    let from: ColumnType
    let to: ColumnType

    /// The columns of a definition that have another type than they had.
    package static func all(_ columns: [ColumnDefinition], since before: [ColumnDefinition]) -> [ColumnWidening] {
        columns.compactMap { column in
            let known = before.first { $0.name == column.name }
            guard let from = known?.type, let to = column.type, from != to else { return nil }
            return ColumnWidening(column: column.name, from: from, to: to)
        }
    }

    /// True if texts of numbers come back only with their pages: `1` and `100.10` are 1.0 and 100.1 by now.
    package var losesTexts: Bool { from == .real && to == .text }

    /// Writes columns' values as they would have come in with the wider types, so that an item that comes again is the
    /// one that is stored; and declares the columns so.
    package static func apply(_ widenings: [ColumnWidening], to table: String, on connection: Connection) throws {
        var storage: [String: ColumnStorage] = [:]
        var values: [String: String] = [:]
        var reals: [(column: String, id: Int64, value: Double)] = []
        let name = table
        let table = try SQL.identifier(name)
        for widening in widenings {
            let column = try SQL.identifier(widening.column)
            switch (widening.from, widening.to) {
            case (.integer, .real):
                // Larger ones stay integers, as they would on their way in.
                let isExact = "\(column) BETWEEN -9007199254740992 AND 9007199254740992"
                values[widening.column] =
                    "CASE WHEN typeof(\(column)) = 'integer' AND \(isExact) THEN CAST(\(column) AS REAL) ELSE \(column) END"
                let others =
                    "typeof(\(column)) NOT IN ('null', 'real', 'integer') OR typeof(\(column)) = 'integer' AND NOT \(isExact)"
                let hasOthers = try connection.scalar("SELECT 1 FROM \(table) WHERE \(others) LIMIT 1") != nil
                storage[widening.column] = hasOthers ? .any : .real
            case (.boolean, .text):
                storage[widening.column] = .text
                values[widening.column] =
                    "CASE WHEN typeof(\(column)) <> 'integer' THEN \(column) WHEN \(column) = 0 THEN 'false' ELSE 'true' END"
            case (.integer, .text), (.real, .text):
                storage[widening.column] = .text
                values[widening.column] = "CAST(\(column) AS TEXT)"
                // SQLite's own text of a real has 15 digits, which are not all.
                try connection.rows("SELECT _rowid_, \(column) FROM \(table) WHERE typeof(\(column)) = 'real'") { row in
                    reals.append((column, row.int64(at: 0), row.double(at: 1)))
                }
            default:
                // JSON text is text already, and what has no type yet has no values.
                break
            }
        }
        guard !storage.isEmpty else { return }
        try TableSchema.rebuild(name, as: storage, values: values, on: connection)
        for real in reals {
            try connection.run(
                "UPDATE \(table) SET \(real.column) = ? WHERE _rowid_ = ?", .text(JSONText.number(real.value)),
                Value(real.id))
        }
    }
}
