internal import JSON
package import PostgreSQL
package import SQLite

/// Rows on their way into a table of PostgreSQL, as an array for each column: a value in an array costs PostgreSQL less
/// than one in a list of values. What is the same in all rows is sent once.
package struct RowArrays {
    let table: CopiedTable
    private let key: [CopiedTable.Column]
    private let untyped: UntypedColumns?
    private var columns: [ArrayText]
    package private(set) var count = 0

    /// - Parameters:
    ///   - key: Columns that must not be NULL.
    ///   - untyped: Columns that get another type where a value does not fit; nil if there are none.
    package init(into table: CopiedTable, key: [CopiedTable.Column] = [], untyped: UntypedColumns? = nil) {
        self.table = table
        self.key = key
        self.untyped = untyped
        columns = Array(repeating: ArrayText(), count: table.columns.count + (table.hasExact ? 1 : 0))
    }

    package var isEmpty: Bool { count == 0 }

    /// About how many bytes they are in a script.
    package var byteCount: Int { columns.reduce(0) { $0 + $1.byteCount } }

    /// Adds the current row of a statement, which has the table's columns.
    ///
    /// - Throws: `CopyProblem` for a value that the table cannot hold.
    package mutating func append(_ statement: Statement) throws {
        var exact = JSONObject()
        for (index, column) in table.columns.enumerated() {
            if column.type.appendOften(statement, at: index, to: &columns[index]) { continue }
            let value = CopiedValue(statement, at: index)
            if value.isNumber, let untyped, try untyped.areNumbers(column) {
                throw CopyProblem.unfit(table: table.name, column: column.name)
            }
            let field = column.type.field(value)
            if let text = field.text {
                columns[index].append(text)
            } else if key.contains(column) || column.type.isNarrow(for: value) && untyped?.contains(column) ?? false {
                throw CopyProblem.unfit(table: table.name, column: column.name)
            } else {
                columns[index].appendNull()
            }
            if !field.isExact { try table.keep(value, of: column, in: &exact) }
        }
        if table.hasExact, let last = columns.indices.last {
            if exact.isEmpty { columns[last].appendNull() } else { columns[last].append(JSONValue.object(exact).json) }
        }
        count += 1
    }

    /// Adds the statement that inserts them, without its end, and is empty again.
    package mutating func takeInsertion(into script: inout Script) {
        let types = table.columns.map(\.type) + (table.hasExact ? [.jsonb] : [])
        script += "INSERT INTO \(PostgreSQL.Connection.identifier(table.name)) (\(table.postgreSQLColumns)) SELECT "
        // One column at least says how many rows there are.
        let areRowsAlike = columns.allSatisfy { $0.runCount == 1 }
        for (index, type) in types.enumerated() {
            if index > 0 { script += ", " }
            add(columns[index], type, isWhole: areRowsAlike && index == 0, to: &script)
            columns[index].removeAll()
        }
        count = 0
    }

    /// Adds the expression for a column's values, one for each row.
    ///
    /// Source: https://www.postgresql.org/docs/15/xfunc-sql.html#XFUNC-SQL-FUNCTIONS-RETURNING-SET
    private func add(_ column: ArrayText, _ type: FieldType, isWhole: Bool, to script: inout Script) {
        if column.runCount == 1, !isWhole {
            script += "(CAST("
            script.append(.runs, of: column)
            script += " AS \(type.sql)[]))[1]"
        } else if type == .timestamp, !column.hasNull, column.runCount * 4 <= count {
            // A time costs more than a number, and a page's rows have the same. Its place in such an array is found at
            // once.
            script += "(CAST("
            script.append(.runs, of: column)
            script += " AS \(type.sql)[]))[unnest(CAST("
            script.append(.runNumbers, of: column)
            script += " AS integer[]))]"
        } else {
            script += "unnest(CAST("
            script.append(of: column)
            script += " AS \(type.sql)[]))"
        }
    }
}
