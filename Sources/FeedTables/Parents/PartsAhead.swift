package import SQLite
internal import Text

/// The lists that a feed requests next: those of new rows, those whose rows changed since, and those that are due.
///
/// The first two kinds are found by reading all of the parent's rows, once for each state of the rows. They are kept in
/// `_part_ahead` until their lists are requested. So a run reads no more rows than it requests.
package struct PartsAhead {
    package let parent: ParentTable
    package let connection: Connection

    package init(parent: ParentTable, connection: Connection) {
        self.parent = parent
        self.connection = connection
    }

    private var feed: Value { .text(parent.feed) }

    /// True if the parent's rows are unchanged since all of them were read.
    package func isCurrent() throws -> Bool {
        guard let state = try state() else { return false }
        return try connection.scalar("SELECT parent_state FROM _feed WHERE feed = ?", feed)?.text == state
    }

    /// The state of the parent's rows, as far as the store shows it: the last runs of the feeds above, and the
    /// conditions on the rows. nil while a run may write the rows, and if a row may count at one time and not at
    /// another.
    private func state() throws -> String? {
        guard !parent.rule.dependsOnMore else { return nil }
        var hash = ContentHash()
        for text in [parent.rows, parent.keyText, parent.seen] { hash.add("\(text)\n".utf8) }
        for name in [parent.rule.feed] + parent.rule.ancestors {
            let last = try connection.first(
                "SELECT max(id), count(*) - count(finished_at) FROM run WHERE feed = ?", [.text(name)]
            ) { row -> Int64? in row.int64(at: 1) == 0 && !row.isNull(at: 0) ? row.int64(at: 0) : nil }
            guard let last else { return nil }
            hash.add("\(last)\n".utf8)
        }
        return hash.digits
    }

    /// Reads all of the parent's rows. Lists of removed rows must be deleted first.
    package func find() throws {
        try connection.run("DELETE FROM _part_ahead WHERE feed = ?", feed)
        try connection.run(
            """
            INSERT INTO _part_ahead (feed, parent_key, is_new, generation, position)
            SELECT ?1, \(parent.keyText), l.name IS NULL, t._generation, t._position FROM \(parent.rows)
            LEFT JOIN feed_part l ON l.feed = ?1 AND l.parent_key = \(parent.keyText)
            LEFT JOIN _feed_part s ON s.feed = l.name
            WHERE l.name IS NULL OR s.seen IS NOT \(parent.seen)
            """, feed)
        try connection.run(
            "UPDATE _feed SET parent_state = ?2, parent_rows = (SELECT count(*) FROM \(parent.rows)) WHERE feed = ?1",
            feed, Value(try state()))
    }

    /// The number of rows that count.
    package func rowCount() throws -> Int { try connection.count("SELECT parent_rows FROM _feed WHERE feed = ?", feed) }

    /// The number of rows without a complete list. `isAsked` is true if each list was requested.
    package func missingCount() throws -> (lists: Int, isAsked: Bool) {
        let new = try connection.count("SELECT count(*) FROM _part_ahead WHERE feed = ? AND is_new = 1", feed)
        let incomplete = try connection.count("SELECT count(*) FROM feed_part WHERE feed = ? AND complete = 0", feed)
        return (new + incomplete, new == 0)
    }

    /// The parent's keys of the lists to request: those never requested, then those whose rows changed, then those that
    /// are due, the earliest first, by the hour.
    package func keys(_ choice: PartChoice, dueBefore limit: String) throws -> [Value] {
        var keys: [Value] = []
        let add = { (row: Statement) in keys.append(row.value(at: 0)) }
        try connection.rows(
            "SELECT parent_key FROM _part_ahead WHERE feed = ? AND is_new = 1 ORDER BY generation DESC, position",
            [feed], add)
        let newCount = keys.count
        let mayBeAsked =
            switch choice {
            case .all: "TRUE"
            case .due: "(l.error IS NULL OR l.next_due_at IS NULL OR l.next_due_at <= ?2)"
            case .open: "l.next_page IS NOT NULL"
            }
        try connection.rows(
            """
            SELECT a.parent_key FROM _part_ahead a
            JOIN feed_part l ON l.feed = a.feed AND l.parent_key = a.parent_key
            WHERE a.feed = ?1 AND a.is_new = 0 AND ?2 IS NOT NULL AND \(mayBeAsked)
            ORDER BY l.next_due_at, a.generation DESC, a.position
            """, [feed, .text(limit)], add)
        let changed = Set(keys[newCount...])
        let isAsked = { (condition: String, values: [Value]) in
            // Lists that are due in the same hour come in the order of the table, which differs from the order of their
            // due times: a hundred neighbouring lists are stored on a tenth as many pages.
            var hour = ""
            var ofHour: [(row: Int64, key: Value)] = []
            let endHour = {
                keys += ofHour.sorted { $0.row < $1.row }.map(\.key)
                ofHour = []
            }
            try connection.rows(
                """
                SELECT parent_key, _rowid_, coalesce(substr(next_due_at, 1, 13), '') FROM feed_part
                WHERE feed = ?1 AND \(condition) ORDER BY next_due_at
                """, [feed] + values
            ) { row in
                let key = row.value(at: 0)
                guard changed.isEmpty || !changed.contains(key) else { return }
                let dueIn = row.text(at: 2) ?? ""
                if dueIn != hour { endHour() }
                hour = dueIn
                ofHour.append((row.int64(at: 1), key))
            }
            endHour()
        }
        switch choice {
        case .all where parent.rule.when == nil: try isAsked("TRUE", [])
        case .all, .due:
            // In separate queries, so that the index returns them in order.
            try isAsked("next_due_at IS NULL", [])
            try isAsked("next_due_at <= ?2", [.text(limit)])
            if choice == .all { try isAsked("complete = 0 AND next_due_at > ?2", [.text(limit)]) }
        case .open: try isAsked("next_page IS NOT NULL", [])
        }
        return keys
    }
}

extension PartsAhead {
    /// Records that a list was requested for the present state of its row.
    package static func noteAsked(_ part: FeedPart, on connection: Connection) throws {
        try connection.run(
            "DELETE FROM _part_ahead WHERE feed = ? AND parent_key = ?", .text(part.feed), part.parentKey)
    }

    /// Records that a row now has a list, which is not yet requested for the row's present state.
    package static func noteList(_ part: FeedPart, on connection: Connection) throws {
        try connection.run(
            "UPDATE _part_ahead SET is_new = 0 WHERE feed = ? AND parent_key = ?", .text(part.feed), part.parentKey)
    }
}

extension ForEachRule {
    /// True if a row's condition may depend on more than the row's own values: on other tables or on the time. Only
    /// plain conditions are known not to; for all others each run reads all rows.
    fileprivate var dependsOnMore: Bool {
        guard let condition else { return false }
        let text = condition.lowercased()
        guard !["--", "/*", "select", "exists", "current_"].contains(where: text.contains) else { return true }
        // A name before a parenthesis is a function, unless it is one of these.
        let known: Set<Substring> = [
            "in", "and", "or", "not", "length", "lower", "upper", "coalesce", "ifnull", "like", "",
        ]
        let words = text.split(separator: "(", omittingEmptySubsequences: false).map { part in
            let end = part.reversed().drop { $0.isWhitespace }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            return String(end.reversed())
        }
        guard words.dropLast().allSatisfy({ known.contains($0[...]) }) else { return true }
        // `IN name` is a table.
        let tokens = text.split { !($0.isLetter || $0.isNumber || "_(\"'[`".contains($0)) }
        return zip(tokens, tokens.dropFirst()).contains { $0 == "in" && !$1.hasPrefix("(") }
    }
}

/// The parts that a run requests.
package enum PartChoice: Sendable, Hashable {
    /// All parts. If a column shows which rows changed, only the parts of those rows and the parts that are due.
    case all
    /// Parts never requested, parts whose rows changed, and parts that are due.
    case due
    /// Parts with a further page.
    case open
}
