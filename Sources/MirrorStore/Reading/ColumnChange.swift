/// A change of a feed's columns, found by a run after the whole list had been read.
package struct ColumnChange: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The items have a column that they did not have.
        case new
        /// No item has it any more. The column stays.
        case gone
        /// The column holds a wider type.
        case type
    }

    package let kind: Kind
    /// The column's name.
    package let column: String
    /// Its type before; nil for a new one, and for one without a type.
    package let before: ColumnType?
    /// Its type now; nil for one that is gone, and for one without a type.
    package let after: ColumnType?

    /// The changes as one note; nil if there are none.
    static func notice(of changes: [ColumnChange]) -> String? {
        let gone = changes.filter { $0.kind == .gone }.map { "no item has `\($0.column)` any more" }
        let new = changes.filter { $0.kind == .new }.map { "`\($0.column)`" }
        let types = changes.filter { $0.kind == .type }.map { change in
            "`\(change.column)` was \(change.before?.rawValue ?? "null") and is \(change.after?.rawValue ?? "null") now"
        }
        let notes = gone + (new.isEmpty ? [] : ["new in the items: \(new.joined(separator: ", "))"]) + types
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }
}

/// A change of a feed's columns as the store has it: a row of the table `_column_change`.
package struct ColumnChangeRecord: Sendable, Hashable, JSONRecord {
    /// The time, in UTC, ISO 8601 with milliseconds.
    package let at: String
    /// The feed's name; of a list, that of the feed that has it.
    package let feed: String
    /// The run that found it.
    package let run: Int
    package let change: ColumnChange

    init(_ row: RecordRow) throws {
        at = try row.textOrEmpty("at")
        feed = try row.textOrEmpty("feed")
        run = try row.id("run")
        change = ColumnChange(
            kind: try row.word("kind") ?? .type, column: try row.textOrEmpty("column"), before: try row.word("before"),
            after: try row.word("after"))
    }

    package var fields: JSONFields {
        [
            "at": at,
            "feed": feed,
            "run": run,
            "kind": change.kind.rawValue,
            "column": change.column,
            "before": change.before?.rawValue,
            "after": change.after?.rawValue,
        ]
    }
}
