internal import SQLite

/// A view that is the union of many SELECTs, in parts if SQLite would not take so many.
enum UnionView {
    /// https://sqlite.org/limits.html#max_compound_select
    private static let mostTerms = 500

    /// Replaces the view if it has changed. Drops it if it is empty.
    ///
    /// - Parameter refuse: Throws if something else has the view's name.
    static func make(
        _ name: String, columns: [String], selects: [String], on connection: Connection,
        unless refuse: () throws -> Void
    ) throws {
        var parts: [(name: String, sql: String)] = []
        var terms = selects
        let header = try columns.map { try SQL.identifier($0) }.joined(separator: ", ")
        if terms.count > mostTerms {
            terms = try stride(from: 0, to: selects.count, by: mostTerms).map { start in
                let part = "_\(name)_part\(start / mostTerms + 1)"
                let end = min(start + mostTerms, selects.count)
                parts.append((part, selects[start..<end].joined(separator: "\nUNION ALL ")))
                return "SELECT * FROM \(try SQL.identifier(part))"
            }
        }
        if !terms.isEmpty { parts.append((name, terms.joined(separator: "\nUNION ALL "))) }
        let wanted = try parts.map { "CREATE VIEW \(try SQL.identifier($0.name)) (\(header)) AS\n\($0.sql)" }

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
