internal import SQLite

/// The feeds' tables as a SQLite file has them.
struct MadeTables: Sendable, Hashable {
    /// The statements that made them, by table.
    private var statements: [String: String] = [:]
    /// The types of their columns and their lists with views, by table: a column of any type is another one in PostgreSQL
    /// when its values turn out to be of another type.
    private var types: [String: String] = [:]

    /// All of a file.
    init(in file: SQLite.Connection) throws {
        try readStatements(in: file)
        try readTypes("true", [], in: file)
    }

    /// The description of a table's creation, which is equal while the table is the same.
    subscript(table: String) -> [String?] { [statements[table], types[table]] }

    /// Reads the statements again.
    mutating func readStatements(in file: SQLite.Connection) throws {
        statements = [:]
        try file.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'table'") { row in
            statements[row.text(at: 0) ?? ""] = row.text(at: 1)
        }
    }

    /// Reads the types of feeds again, of which `_feed` has these rows. A sync of one feed of thousands does not read
    /// those of the others.
    mutating func readTypes(of feeds: [ChangedRow], in file: SQLite.Connection) throws {
        for feed in feeds { try readTypes("id = ?", feed.key.values, in: file) }
    }

    private mutating func readTypes(_ condition: String, _ values: [Value], in file: SQLite.Connection) throws {
        try file.rows(
            """
            SELECT "table", (SELECT group_concat(json_extract(value, '$.name', '$.type'))
                FROM json_each(CASE WHEN json_valid(columns) THEN columns ELSE '[]' END)) || coalesce(lists, '')
            FROM _feed WHERE \(condition)
            """, values
        ) { row in types[row.text(at: 0) ?? ""] = row.text(at: 1) }
    }

    /// Takes a renamed table over from the file's tables as they are now, if nothing else of it has changed.
    mutating func rename(_ old: String, to new: String, as now: MadeTables) {
        let (before, type) = (statements.removeValue(forKey: old), types.removeValue(forKey: old))
        // SQLite writes the new name into the statement, in front of the columns.
        let columns = { (statement: String?) in statement.map { $0.drop { $0 != "(" } } }
        guard columns(before) == columns(now.statements[new]), type == now.types[new] else { return }
        (statements[new], types[new]) = (now.statements[new], type)
    }

    /// Forgets a table: it is not as it is in PostgreSQL.
    mutating func forget(_ table: String) { (statements[table], types[table]) = (nil, nil) }
}
