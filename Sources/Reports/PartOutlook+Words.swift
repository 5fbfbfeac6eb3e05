package import FeedSync

extension PartOutlook {
    /// The number of lists, and of those that a sync of due lists would request, in words.
    package var summary: String {
        guard rowCount > 0 else { return "\(parent) has no rows yet" }
        let now = NumberFormat.counts([
            (counts[.never] ?? 0, "never asked for"), (counts[.changed] ?? 0, "whose row changed"),
            (counts[.due] ?? 0, "due"),
        ])
        return "one for each of \(NumberFormat.count(rowCount, "row")) of \(parent): "
            + (now.isEmpty ? "none is due" : now.joined(separator: ", "))
    }
}

extension PartOutlook.Next {
    /// The reason for which the list is requested, in words.
    ///
    /// - Parameter now: In milliseconds since 1970.
    package func words(of parent: String, now: Int64) -> String {
        switch reason {
        case .never: return "never asked for"
        case .changed: return "its row of \(parent) changed"
        case .due:
            let dueAt = dueText.flatMap { Timestamp.milliseconds(of: $0) }
            let when = dueAt.map { $0 > now ? "due in \(RelativeTime.until($0, now: now))" : "due" } ?? "due"
            return when + (hasFailed ? ", it failed" : "")
        }
    }
}

extension PartOutlook: JSONRecord {
    package var fields: JSONFields {
        [
            "parent": parent, "rows": rowCount, "never": counts[.never] ?? 0, "changed": counts[.changed] ?? 0,
            "due": counts[.due] ?? 0, "next": next,
        ]
    }
}

extension PartOutlook.Next: JSONRecord {
    package var fields: JSONFields {
        ["feed": list, "reason": reason.rawValue, "next_due_at": dueText, "failing": hasFailed]
    }
}
