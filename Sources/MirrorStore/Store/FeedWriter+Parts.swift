internal import SQLite

/// What a part of a feed shares with the others: the table, its generations, its counts and its sections.
extension FeedWriter {
    private var part: FeedPart? { shape.definition.part }

    /// The generation that a page takes which writes; nil where the feed's own newest decides.
    func nextGeneration() throws -> Int64? {
        guard let part else { return nil }
        let newest = try connection.int64("SELECT generation FROM feed WHERE name = ?", .text(part.feed)) ?? 0
        return max(newest, state.generation) + 1
    }

    /// Keeps that a generation is taken.
    func keepGeneration(_ generation: Int64, over before: Int64) throws {
        guard let part, generation != before else { return }
        try connection.run("UPDATE feed SET generation = ? WHERE name = ?", Value(generation), .text(part.feed))
    }

    /// Counts rows that came or went with those of the feed.
    func countInOwner(_ added: Int) throws {
        guard let part, added != 0 else { return }
        try connection.run(
            "UPDATE feed SET item_count = item_count + ? WHERE name = ?", Value(added), .text(part.feed))
    }

    /// Marks all rows of a part as gone; how many they were.
    func removeAll(now: String) throws -> Int {
        var rows: [MissingRow] = []
        try connection.rows(
            """
            SELECT _rowid_, _section, _generation, _position FROM \(try SQL.identifier(tableName))
            WHERE _removed_at IS NULL\(scope.and)
            """
        ) { row in
            rows.append(MissingRow(id: row.int64(at: 0), section: row.text(at: 1), place: row.place(at: 2)))
        }
        let removed = try remove(rows, now: now)
        try countInOwner(-removed)
        return removed
    }
}
