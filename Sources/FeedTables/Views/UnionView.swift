internal import SQLite
internal import Text

/// A view that is the union of many SELECTs, in parts if they are too many for one.
enum UnionView {
    /// Replaces the view if it has changed. Drops it if it is empty.
    ///
    /// - Parameter refuse: Throws if something else has the view's name.
    static func make(
        _ name: String, columns: [String], selects: [String], on connection: Connection,
        unless refuse: () throws -> Void
    ) throws {
        let header = try columns.map { try SQL.identifier($0) }.joined(separator: ", ")
        let views = try UnionParts(name, of: selects) { try SQL.identifier($0) }.views
        let wanted = try views.map { "CREATE VIEW \(try SQL.identifier($0.name)) (\(header)) AS\n\($0.query)" }

        let stored = try stored(name, on: connection)
        guard Set(stored.values) != Set(wanted) else { return }
        try refuse()
        for view in stored.keys { try connection.execute("DROP VIEW \(try SQL.identifier(view))") }
        for sql in wanted { try connection.execute(sql) }
    }

    /// Drops the view, which is then created again.
    ///
    /// - Returns: True if it existed.
    static func drop(_ name: String, on connection: Connection) throws -> Bool {
        let stored = try stored(name, on: connection)
        for view in stored.keys { try connection.execute("DROP VIEW \(try SQL.identifier(view))") }
        return !stored.isEmpty
    }

    /// The view and its parts, by name.
    private static func stored(_ name: String, on connection: Connection) throws -> [String: String] {
        var stored: [String: String] = [:]
        try connection.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND (name = ? COLLATE NOCASE OR name GLOB ?)",
            [.text(name), .text("_\(name)_part[0-9]*")]
        ) { row in stored[row.text(at: 0) ?? ""] = row.text(at: 1) }
        return stored
    }
}
