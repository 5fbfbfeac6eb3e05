internal import SQLite

extension SectionTally {
    /// Writes the changes.
    ///
    /// - Parameter firstPlace: Finds the first item of a section in the table, in case the first one left.
    func apply(
        to feed: String, on connection: Connection, firstPlace: (String?) throws -> Place?
    ) throws {
        for (name, change) in changes {
            let name = Value(name)
            let stored = try connection.first(
                "SELECT item_count, generation, position FROM _section WHERE feed = ? AND name IS ?",
                [.text(feed), name]
            ) { row in (count: row.number(at: 0), first: row.place(at: 1)) }
            guard let stored else {
                guard change.count > 0, var first = change.first else { continue }
                if change.left.contains(first) { first = try firstPlace(name.text) ?? first }
                try connection.run(
                    "INSERT INTO _section (feed, name, item_count, generation, position) VALUES (?, ?, ?, ?, ?)",
                    .text(feed), name, Value(change.count), Value(first.generation), Value(first.position))
                continue
            }
            let count = stored.count + Int64(change.count)
            guard count > 0 else {
                try connection.run("DELETE FROM _section WHERE feed = ? AND name IS ?", .text(feed), name)
                continue
            }
            var first = stored.first
            if let placed = change.first, placed.precedes(first) { first = placed }
            if change.left.contains(first) { first = try firstPlace(name.text) ?? first }
            guard count != stored.count || first != stored.first else { continue }
            try connection.run(
                "UPDATE _section SET item_count = ?, generation = ?, position = ? WHERE feed = ? AND name IS ?",
                Value(count), Value(first.generation), Value(first.position), .text(feed), name)
        }
    }
}
