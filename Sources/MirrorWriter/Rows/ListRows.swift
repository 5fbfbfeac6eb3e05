internal import SQLite

/// The rows of a list in its table: their places in the order of the list, and their removal.
///
/// - Isolation: the store's.
struct ListRows {
    /// The table's name, as SQL writes it.
    let table: String
    /// The rows of the table that belong to the list.
    let scope: RowScope
    let connection: Connection

    init(inTable name: String, scope: RowScope, on connection: Connection) throws(SQLiteError) {
        table = try SQL.identifier(name)
        self.scope = scope
        self.connection = connection
    }

    /// The number of rows, removed ones included.
    func count() throws -> Int { try connection.count("SELECT count(*) FROM \(table) WHERE 1\(scope.and)") }

    // MARK: - Places

    /// The current place of a section's first item.
    func firstPlace(_ section: String?) throws -> Place? {
        try connection.first(
            """
            SELECT _generation, _position FROM \(table)
            WHERE _section IS ? AND _removed_at IS NULL ORDER BY _generation DESC, _position LIMIT 1
            """, [Value(section)]
        ) { $0.place(at: 0) }
    }

    /// True if all rows above a place were written with this generation.
    func isTop(_ place: Place, below generation: Int64?) throws -> Bool {
        try connection.int64(
            """
            SELECT 1 FROM \(table) WHERE _removed_at IS NULL\(scope.and) AND _generation IS NOT ?1
                AND _generation >= ?2 AND (_generation > ?2 OR _position < ?3) LIMIT 1
            """, Value(generation), Value(place.generation), Value(place.position)) == nil
    }

    /// True if there are rows that were written before a generation; before now, if it is nil.
    func haveRows(before generation: Int64?) throws -> Bool {
        try connection.int64(
            "SELECT 1 FROM \(table) WHERE _removed_at IS NULL\(scope.and) AND _generation < ? LIMIT 1",
            Value(generation ?? .max)) != nil
    }

    /// Moves the rows of `count` places.
    func move(from: Place, count: Int64, to: Place, sections: inout SectionTally) throws {
        try connection.rows(
            """
            UPDATE \(table) SET _generation = ?, _position = _position + ?
            WHERE _generation = ? AND _position >= ? AND _position < ?\(scope.and) RETURNING _section, _position
            """,
            [
                Value(to.generation), Value(to.position - from.position), Value(from.generation), Value(from.position),
                Value(from.position + count),
            ]
        ) { row in
            let section = row.text(at: 0)
            let place = Place(generation: to.generation, position: row.number(at: 1))
            let old = Place(generation: from.generation, position: place.position - to.position + from.position)
            sections.leave(section, at: old, forAnother: false)
            sections.note(section, at: place)
        }
    }

    // MARK: - Rows with the same values

    /// The ids of the live rows that share the values of these columns with another row.
    func sharing(_ columns: [String]) throws -> Set<Int64> {
        Set(try connection.all(try querySharing(columns)) { $0.int64(at: 0) })
    }

    /// True if live rows share the values of these columns.
    func share(_ columns: [String]) throws -> Bool {
        try connection.int64("\(try querySharing(columns)) LIMIT 1") != nil
    }

    private func querySharing(_ columns: [String]) throws -> String {
        let names = try columns.map { try SQL.identifier($0) }.joined(separator: ", ")
        let rows = "FROM \(table) WHERE _removed_at IS NULL\(scope.and)"
        return
            "SELECT _rowid_ \(rows) AND (\(names)) IN (SELECT \(names) \(rows) GROUP BY \(names) HAVING count(*) > 1)"
    }

    // MARK: - Removal

    /// The live rows for which `isMissing` is true, in feed order.
    ///
    /// - Parameter isMissing: Called with a row's key and its place. Without key columns, the key is empty.
    func missing(
        key columns: [String], where isMissing: (_ key: String, Place) -> Bool
    ) throws -> [MissingRows.Row] {
        let names = try columns.map { ", \(try SQL.identifier($0))" }.joined()
        let rows = try connection.all(
            "SELECT _rowid_, _section, _generation, _position\(names) FROM \(table) WHERE _removed_at IS NULL\(scope.and)"
        ) { row -> MissingRows.Row? in
            let place = row.place(at: 2)
            guard isMissing(RowKey.text(row, from: 4, count: columns.count), place) else { return nil }
            return MissingRows.Row(id: row.int64(at: 0), section: row.text(at: 1), place: place)
        }
        // SQLite would sort all rows, of which few are missing.
        return rows.sorted { $0.place.precedes($1.place) }
    }

    /// Marks rows as removed.
    ///
    /// - Parameters:
    ///   - key: The columns of the key.
    ///   - log: The log of changes; nil if the feed keeps none.
    /// - Returns: The sections and the places that the rows left.
    func remove(
        _ rows: [MissingRows.Row], key: [String], log: ChangeLog?, now: String
    ) throws -> (SectionTally, PlaceRanges) {
        var sections = SectionTally()
        var places = PlaceRanges()
        for row in rows {
            if let log { try add(row, key: key, to: log, now: now) }
            try connection.run("UPDATE \(table) SET _removed_at = ? WHERE _rowid_ = ?", .text(now), Value(row.id))
            sections.leave(row.section, at: row.place, forAnother: true)
            places.insert(row.place)
        }
        return (sections, places)
    }

    private func add(_ row: MissingRows.Row, key: [String], to log: ChangeLog, now: String) throws {
        let columns = try key.map { try SQL.identifier($0) }.joined(separator: ", ")
        try connection.rows("SELECT \(columns) FROM \(table) WHERE _rowid_ = ?", [Value(row.id)]) { stored in
            let key = ChangeLog.key(stored, at: 0..<key.count, below: scope)
            try log.add(.removed, key: key, before: nil, now: .text(now))
        }
    }
}
