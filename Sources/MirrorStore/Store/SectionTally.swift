internal import SQLite

/// What a page does to the counts and the order of its feed's sections.
struct SectionTally {
    private struct Change {
        var count = 0
        var first: Place?
        /// The places that items of the section gave up.
        var left: [Place] = []
    }

    private var changes: [String?: Change] = [:]
    /// New items running that are of one section, not yet in `changes`.
    private var run: (section: String?, first: Place, count: Int)?

    /// A new item, or one that came back.
    mutating func add(_ section: String?, at place: Place) {
        if let last = run, last.section == section, last.first.precedes(place) {
            run = (section, last.first, last.count + 1)
        } else {
            endRun()
            run = (section, place, 1)
        }
    }

    private mutating func endRun() {
        guard let last = run else { return }
        run = nil
        changes[last.section, default: Change()].count += last.count
        note(last.section, at: last.first)
    }

    /// An item that has a place, old or new, in this section.
    mutating func note(_ section: String?, at place: Place) {
        let first = changes[section, default: Change()].first
        if first.map({ place.precedes($0) }) ?? true { changes[section, default: Change()].first = place }
    }

    /// An item that left its place, and perhaps its section.
    mutating func leave(_ section: String?, at place: Place, forAnother: Bool) {
        changes[section, default: Change()].left.append(place)
        if forAnother { changes[section, default: Change()].count -= 1 }
    }

    /// Writes the changes.
    ///
    /// - Parameter firstPlace: finds the first item of a section in the table, for when the one that was first left.
    func apply(
        to feed: String, on connection: Connection, firstPlace: (String?) throws -> Place?
    ) throws {
        var changes = self
        changes.endRun()
        try changes.write(to: feed, on: connection, firstPlace: firstPlace)
    }

    private func write(
        to feed: String, on connection: Connection, firstPlace: (String?) throws -> Place?
    ) throws {
        for (name, change) in changes {
            let name = Value(name)
            var stored: (count: Int64, first: Place)?
            try connection.rows(
                "SELECT item_count, generation, position FROM _section WHERE feed = ? AND name IS ?",
                [.text(feed), name]
            ) { row in
                stored = (row.number(at: 0), row.place(at: 1))
            }
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
