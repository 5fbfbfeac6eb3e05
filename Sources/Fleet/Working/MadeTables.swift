internal import Feeds
internal import SQLite

/// The shapes of feeds' tables as a SQLite file had them at the last commit. A worker may have thousands of feeds: a
/// commit looks at the tables that it writes.
struct MadeTables: Sendable {
    private var shapes: [String: Shape] = [:]
    /// The tables that are not in PostgreSQL as they are in the file.
    private var stale: Set<String> = []

    private struct Shape: Sendable, Hashable {
        /// The columns, with types and keys, as SQLite has them.
        let columns: String
        /// The types of the definition, and the lists with views: a column of any type is another one in PostgreSQL
        /// when its values turn out to be of another type.
        let types: String?
    }

    /// All tables of a file.
    init(in file: SQLite.Connection) throws {
        try file.rows(Self.query) { row in
            if let (table, shape) = Self.shape(of: row) { shapes[table] = shape }
        }
    }

    /// Looks at tables again.
    ///
    /// - Parameters:
    ///   - feeds: The written rows of `_feed`.
    ///   - tables: Further tables that may have another shape.
    /// - Returns: The tables that are new or have another shape than before.
    mutating func look(
        at feeds: [ChangedRow], _ tables: some Sequence<String>, in file: SQLite.Connection
    ) throws -> Set<String> {
        var changed: Set<String> = []
        let asked =
            feeds.map { ("id = ?", $0.key.values) } + tables.map { ("\"table\" = ?", [Value.text($0)]) }
        for (condition, values) in asked {
            let statement = try file.cached("\(Self.query) WHERE \(condition)")
            defer { try? statement.reset() }
            try statement.reset()
            try statement.bind(values)
            guard try statement.step(), let (table, shape) = Self.shape(of: statement) else { continue }
            let isStale = stale.remove(table) != nil
            if isStale || shapes[table] != shape { changed.insert(table) }
            shapes[table] = shape
        }
        return changed
    }

    /// Knows the table of a renamed feed by its new name; nil for one that is deleted.
    mutating func rename(_ old: String, to new: String?) {
        let shape = shapes.removeValue(forKey: old)
        if let new { shapes[new] = shape }
    }

    /// Forgets a table: it is not as it is in PostgreSQL.
    mutating func forget(_ table: String) { stale.insert(table) }

    /// Source: https://sqlite.org/pragma.html#pragma_table_info
    private static let query = """
        SELECT "table",
            (SELECT group_concat(name || ' ' || type || ' ' || "notnull" || ' ' || pk) FROM pragma_table_info("table")),
            (SELECT group_concat(json_extract(value, '$.name', '$.type'))
                FROM json_each(CASE WHEN json_valid(columns) THEN columns ELSE '[]' END)) || coalesce(lists, '')
        FROM _feed
        """

    /// The table of a row of the query, and its shape; nil if there is no such table yet.
    private static func shape(of row: borrowing Statement) -> (String, Shape)? {
        guard let table = row.text(at: 0), let columns = row.text(at: 1) else { return nil }
        return (table, Shape(columns: columns, types: row.text(at: 2)))
    }
}
