internal import JSON
internal import PostgreSQL
internal import SQLite
internal import Text

/// A table of a store as both databases have it.
struct CopiedTable: Sendable, Hashable {
    /// A column that is in both.
    struct Column: Sendable, Hashable {
        /// Its name in SQLite.
        let name: String
        let type: FieldType

        /// Its name in PostgreSQL, which takes 63 bytes: https://www.postgresql.org/docs/15/sql-syntax-lexical.html
        ///
        /// Names that PostgreSQL has for columns of its own are changed, too.
        var shortName: String {
            guard name.utf8.count > 63 || Self.reserved.contains(name) else { return name }
            var hash = FNV1a()
            hash.add(name.utf8)
            var start = name
            while start.utf8.count > 54 { start.unicodeScalars.removeLast() }
            return "\(start)_\(hash.digits.prefix(8))"
        }

        /// Columns that every table has: https://www.postgresql.org/docs/15/ddl-system-columns.html
        private static let reserved: Set = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid", "_exact"]

        init(name: String, type: FieldType) {
            self.name = name
            self.type = type
        }

        /// A column in PostgreSQL.
        ///
        /// - Parameter comment: The name in SQLite if it is another; the text may also be a user's own comment.
        init(_ shortName: String, comment: String?, type: FieldType) {
            let isName = comment.map { Column(name: $0, type: type).shortName == shortName } ?? false
            self.init(name: isName ? comment ?? shortName : shortName, type: type)
        }
    }

    let name: String
    let columns: [Column]
    /// True if it has a column `_exact`, for values that do not fit the types of the others.
    let hasExact: Bool
    /// The columns of its primary key as PostgreSQL names them; none where it has none. A table that is partitioned has
    /// those by which it is, too.
    let primaryKey: [String]

    /// The columns as PostgreSQL's statements name them.
    var postgreSQLColumns: String {
        (columns.map(\.shortName) + (hasExact ? ["_exact"] : [])).map(PostgreSQL.Connection.identifier)
            .joined(separator: ", ")
    }

    /// The part of `_exact` for a column in PostgreSQL, as a text in SQL; empty if the column itself holds the value.
    static func exact(_ column: String) -> String {
        "coalesce(CAST(_exact -> \(PostgreSQL.Connection.literal(column)) AS text), '')"
    }

    /// The columns as SQLite's statements name them.
    var sqliteColumns: String {
        get throws(SQLiteError) {
            try columns.map { column throws(SQLiteError) in try SQL.identifier(column.name) }.joined(separator: ", ")
        }
    }

    /// The tables that every store has, in an order in which none refers to a later one.
    static let fixed = [
        "feed", "run", "event", "_feed", "_crawl", "_page", "_crawl_page", "_section", "_quota", "_salt", "_change",
        "_consumer", "_response", "feed_part", "_feed_part", "_part_ahead", "_column_change",
    ]

    /// The tables of events and changes; in PostgreSQL, each of their rows also has its transaction.
    static let logs = ["event", "_change"]

    /// True for a column that a table has in PostgreSQL, and not in SQLite.
    static func isOfPostgreSQL(_ column: String, in table: String) -> Bool {
        column == "_exact" || column == "_transaction" && logs.contains(table)
    }

    /// The tables whose rows are numbered in the order of insertion.
    static let numbered = ["run", "event", "_feed", "_crawl", "_page", "_change", "_feed_part", "_column_change"]

    /// Their columns in which SQLite's values are of any type.
    static let ofAnyType: Set<[String]> = [
        ["_change", "key"], ["feed_part", "parent_key"], ["_feed_part", "seen"], ["_part_ahead", "parent_key"],
    ]
}

// Rows on their way.
extension CopiedTable {
    /// Writes a row as fields.
    ///
    /// - Throws: `CopyProblem` for a value that the table cannot hold.
    func write(_ row: [CopiedValue], to writer: inout CopyWriter) throws {
        for field in try fields(of: row) { writer.field(field) }
        try writer.endRow()
    }

    /// The fields of a row, that of `_exact` last; nil for NULL.
    ///
    /// - Throws: `CopyProblem` for a value that the table cannot hold.
    func fields(of row: [CopiedValue]) throws -> [String?] {
        var exact = JSONObject()
        var fields: [String?] = []
        fields.reserveCapacity(columns.count + 1)
        for (column, value) in zip(columns, row) {
            let field = column.type.field(value)
            fields.append(field.text)
            if !field.isExact { try keep(value, of: column, in: &exact) }
        }
        if hasExact { fields.append(exact.isEmpty ? nil : JSONValue.object(exact).json) }
        return fields
    }

    /// Moves a value that its column cannot hold into the object for `_exact`.
    ///
    /// - Throws: `CopyProblem` if the table has no `_exact`.
    func keep(_ value: CopiedValue, of column: Column, in exact: inout JSONObject) throws {
        guard hasExact else { throw CopyProblem.unfit(table: name, column: column.name) }
        exact[column.shortName] = ExactValue.json(value)
    }

    /// The row of fields.
    ///
    /// - Throws: `CopyProblem` for a field that no value of SQLite's can have become.
    func row(_ fields: [[UInt8]?]) throws -> [CopiedValue] {
        guard fields.count == columns.count + (hasExact ? 1 : 0) else { throw CopyProblem.unreadable(table: name) }
        var exact: JSONObject?
        if hasExact, let text = fields.last ?? nil {
            guard case .object(let members)? = try? JSONValue(parsing: text) else {
                throw CopyProblem.unreadable(table: name)
            }
            exact = members
        }
        return try zip(columns, fields).map { column, field in
            if let own = exact?[column.shortName] {
                guard let value = ExactValue.value(own) else { throw CopyProblem.unreadable(table: name) }
                return value
            }
            guard let field else { return .null }
            guard let value = column.type.value(String(decoding: field, as: UTF8.self)) else {
                throw CopyProblem.unreadable(table: name)
            }
            return value
        }
    }
}

/// The reason for which a copy cannot be made.
enum CopyProblem: Error {
    /// A table without `_exact` has a value that a column cannot hold: it was written by hand.
    case unfit(table: String, column: String)
    /// A row in PostgreSQL is none that was copied there.
    case unreadable(table: String)
    /// The written data differs from the original.
    case different(table: String)
    /// Anything else.
    case refused(String, advice: String)
}
