internal import FeedTables
internal import JSON
internal import PostgreSQL
package import SQLite
internal import Text

/// A table of a store as both databases have it.
package struct CopiedTable: Sendable, Hashable {
    /// A column that is in both.
    package struct Column: Sendable, Hashable {
        /// Its name in SQLite.
        package let name: String
        package let type: FieldType

        /// Its name in PostgreSQL.
        package var shortName: String { ShortName.of(name, reserved: Self.reserved) }

        /// Columns that every table has: https://www.postgresql.org/docs/15/ddl-system-columns.html
        private static let reserved: Set = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "_exact"]
    }

    package let name: String
    package let columns: [Column]
    /// True if it has a column `_exact`, for values that do not fit the types of the others.
    package let hasExact: Bool
    /// The columns of its primary key as PostgreSQL names them; none where it has none. A table that is partitioned has
    /// those by which it is, too.
    package let primaryKey: [String]

    /// The columns as PostgreSQL's statements name them.
    var postgreSQLColumns: String {
        (columns.map(\.shortName) + (hasExact ? ["_exact"] : [])).map(PostgreSQL.Connection.identifier)
            .joined(separator: ", ")
    }

    /// The part of `_exact` for a column in PostgreSQL, as a text in SQL; empty if the column itself holds the value.
    package static func exact(_ column: String) -> String {
        "coalesce(CAST(_exact -> \(PostgreSQL.Connection.literal(column)) AS text), '')"
    }

    /// The columns as SQLite's statements name them.
    package var sqliteColumns: String {
        get throws(SQLiteError) {
            try columns.map { column throws(SQLiteError) in try SQL.identifier(column.name) }.joined(separator: ", ")
        }
    }

    /// The tables that every store has, in an order in which none refers to a later one.
    package static let fixed = [
        "feed", "run", "event", "_feed", "_crawl", "_page", "_crawl_page", "_section", "_quota", "_salt", "_change",
        "_consumer", "_response", "feed_part", "_feed_part", "_part_ahead", "_column_change",
    ]

    /// The tables of events and changes; in PostgreSQL, each of their rows also has its transaction.
    package static let logs = ["event", "_change"]

    /// True for a column that a table has in PostgreSQL, and not in SQLite.
    static func isOfPostgreSQL(_ column: String, in table: String) -> Bool {
        column == "_exact" || column == "_transaction" && logs.contains(table)
    }

    /// The tables whose rows are numbered in the order of insertion.
    package static let numbered = [
        "run", "event", "_feed", "_crawl", "_page", "_change", "_feed_part", "_column_change",
    ]

    /// Their columns in which SQLite's values are of any type.
    static let ofAnyType: Set<[String]> = [
        ["_change", "key"], ["feed_part", "parent_key"], ["_feed_part", "seen"], ["_part_ahead", "parent_key"],
    ]
}

extension CopiedTable.Column {
    /// A column in PostgreSQL.
    ///
    /// - Parameter comment: The name in SQLite if it is another; the text may also be a user's own comment.
    init(_ shortName: String, comment: String?, type: FieldType) {
        let isName = comment.map { Self(name: $0, type: type).shortName == shortName } ?? false
        self.init(name: isName ? comment ?? shortName : shortName, type: type)
    }
}

// Rows on their way.
extension CopiedTable {
    /// Writes a row as fields, that of `_exact` last.
    ///
    /// - Throws: `CopyProblem` for a value that the table cannot hold.
    func write(_ row: [CopiedValue], to writer: inout CopyWriter) throws {
        var exact = JSONObject()
        for (column, value) in zip(columns, row) {
            let field = column.type.field(value)
            writer.field(field.text)
            if !field.isExact { try keep(value, of: column, in: &exact) }
        }
        if hasExact { writer.field(exact.isEmpty ? nil : JSONValue.object(exact).json) }
        try writer.endRow()
    }

    /// Moves a value that its column cannot hold into the object for `_exact`.
    ///
    /// - Throws: `CopyProblem` if the table has no `_exact`.
    func keep(_ value: CopiedValue, of column: Column, in exact: inout JSONObject) throws {
        guard hasExact else { throw CopyProblem.unfit(table: name, column: column.name) }
        exact[column.shortName] = ExactValue.json(value)
    }

    /// The values of a row.
    ///
    /// - Parameter first: The number of fields before those of the table.
    /// - Throws: `CopyProblem` for a field that no value of SQLite's can have become.
    func values(of row: CopyRow, behind first: Int = 0) throws -> [CopiedValue] {
        try checkCount(of: row, behind: first)
        var exact: JSONObject?
        if hasExact, let text = row.text(at: first + columns.count) {
            exact = try? JSONValue(parsing: text).members
            guard exact != nil else { throw CopyProblem.unreadable(table: name) }
        }
        return try columns.enumerated().map { index, column in
            if let own = exact?[column.shortName] {
                guard let value = ExactValue.value(own) else { throw CopyProblem.unreadable(table: name) }
                return value
            }
            return try value(of: row, at: first + index, column)
        }
    }

    private func checkCount(of row: CopyRow, behind first: Int = 0) throws {
        guard row.count == first + columns.count + (hasExact ? 1 : 0) else {
            throw CopyProblem.unreadable(table: name)
        }
    }

    private func value(of row: CopyRow, at index: Int, _ column: Column) throws -> CopiedValue {
        guard let field = row.text(at: index) else { return .null }
        guard let value = column.type.value(field) else { throw CopyProblem.unreadable(table: name) }
        return value
    }
}

/// The reason for which a copy cannot be made.
package enum CopyProblem: Error {
    /// A table without `_exact` has a value that a column cannot hold: it was written by hand.
    case unfit(table: String, column: String)
    /// A row in PostgreSQL is none that was copied there.
    case unreadable(table: String)
    /// The written data differs from the original.
    case different(table: String)
    /// Anything else.
    case refused(String, advice: String)
}

// The table's rows in SQLite.
extension CopiedTable {
    /// Gives each row, or those of a condition.
    func rows(
        in connection: SQLite.Connection, where condition: String = "1", _ body: ([CopiedValue]) throws -> Void
    ) throws {
        try stand(at: condition, in: connection) { statement in
            try body(columns.indices.map { CopiedValue(statement, at: $0) })
        }
    }

    /// Stands at each row, or at those of a condition.
    package func stand(
        at condition: String = "1", in connection: SQLite.Connection, _ body: (Statement) throws -> Void
    ) throws {
        let statement = try connection.prepare(
            "SELECT \(sqliteColumns) FROM \(try SQL.identifier(name)) WHERE \(condition)")
        while try statement.step() { try body(statement) }
    }

    /// The checksum of all rows.
    package func checksum(in connection: SQLite.Connection) throws -> TableChecksum {
        var checksum = TableChecksum()
        try rows(in: connection) { checksum.add($0) }
        return checksum
    }

    /// Rows on their way into the table of a file.
    package struct Insertion {
        private let table: CopiedTable
        private let statement: Statement

        /// - Parameter key: The columns that identify an existing row, which then gets the values; empty if no row
        ///   exists.
        package init(
            of table: CopiedTable, into connection: SQLite.Connection, updating key: [String] = []
        ) throws {
            let columns = table.columns
            let marks = columns.map { _ in "?" }.joined(separator: ", ")
            var sql = "INSERT INTO \(try SQL.identifier(table.name)) (\(try table.sqliteColumns)) VALUES (\(marks))"
            if !key.isEmpty {
                // Not REPLACE, which would delete the row and its dependents without the triggers of full-text indexes.
                let keys = try key.map { try SQL.identifier($0) }.joined(separator: ", ")
                let others = try columns.filter { !key.contains($0.name) }.map { try SQL.identifier($0.name) }
                let settings = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
                sql += " ON CONFLICT (\(keys)) DO \(others.isEmpty ? "NOTHING" : "UPDATE SET \(settings)")"
            }
            self.table = table
            statement = try connection.prepare(sql)
        }

        package func insert(_ values: [CopiedValue]) throws {
            for (index, value) in values.enumerated() { try value.bind(to: statement, at: index + 1) }
            try insert()
        }

        /// Inserts a row of PostgreSQL's. A command reads the states of thousands of feeds: values that such rows often
        /// have are taken byte by byte.
        ///
        /// - Throws: `CopyProblem` for a field that no value of SQLite's can have become.
        func insert(_ row: CopyRow) throws {
            try table.checkCount(of: row)
            if table.hasExact, row[table.columns.count] != nil { return try insert(table.values(of: row)) }
            for (index, column) in table.columns.enumerated() {
                if try column.type.bindOften(row[index], to: statement, at: index + 1) { continue }
                try table.value(of: row, at: index, column).bind(to: statement, at: index + 1)
            }
            try insert()
        }

        private func insert() throws {
            _ = try statement.step()
            try statement.reset()
        }
    }

    /// Makes a feed's table as feedsync makes it, unless it is there.
    package func make(in connection: SQLite.Connection, key: FeedKey) throws {
        guard try connection.scalar("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)) == nil else { return }
        var lines = try columns.map { column in
            let isKey = key.columns.contains(column.name)
            let own = column.name == "_raw" ? "TEXT" : PlaceColumn(rawValue: column.name)?.storage
            let type = own ?? (isKey ? key.isRowID ? "INTEGER NOT NULL" : "ANY NOT NULL" : "ANY")
            return "\(try SQL.identifier(column.name)) \(type)"
        }
        lines.append("PRIMARY KEY (\(try key.columns.map { try SQL.identifier($0) }.joined(separator: ", ")))")
        try connection.execute(
            "CREATE TABLE \(try SQL.identifier(name)) (\n    \(lines.joined(separator: ",\n    "))\n) STRICT")
    }
}
