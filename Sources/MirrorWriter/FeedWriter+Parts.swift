internal import SQLite

/// The values that a part shares with the other parts: the table, its generations, its counts and its sections.
extension FeedWriter {
    private var part: FeedPart? { shape.definition.part }

    /// The generation for a page that writes; nil if the feed's own newest generation decides.
    func nextGeneration() throws -> Int64? {
        guard let part else { return nil }
        let newest = try connection.int64("SELECT generation FROM feed WHERE name = ?", .text(part.feed)) ?? 0
        return max(newest, state.generation) + 1
    }

    /// Records that a generation is in use.
    func keepGeneration(_ generation: Int64, over before: Int64) throws {
        guard let part, generation != before else { return }
        try connection.run("UPDATE feed SET generation = ? WHERE name = ?", Value(generation), .text(part.feed))
    }

    /// Adds to the item count of the feed that owns the part.
    func countInOwner(_ added: Int) throws {
        guard let part, added != 0 else { return }
        try connection.run(
            "UPDATE feed SET item_count = item_count + ? WHERE name = ?", Value(added), .text(part.feed))
    }

    /// Marks all rows of a part as removed. Returns their number.
    func removeAll(now: String) throws -> Int {
        var rows: [MissingRows.Row] = []
        try connection.rows(
            """
            SELECT _rowid_, _section, _generation, _position FROM \(try SQL.identifier(tableName))
            WHERE _removed_at IS NULL\(scope.and)
            """
        ) { row in
            rows.append(MissingRows.Row(id: row.int64(at: 0), section: row.text(at: 1), place: row.place(at: 2)))
        }
        let removed = try remove(rows, now: now)
        try countInOwner(-removed)
        return removed
    }
}
