/// A change of a feed's columns as the store has it: a row of the table `_column_change`.
package struct ColumnChangeRecord: Sendable, Hashable, JSONRecord {
    /// The change's number, in the order of the changes.
    package let id: Int
    /// The time, in UTC, ISO 8601 with milliseconds.
    package let at: String
    /// The feed's name; of a list, that of the feed that has it.
    package let feed: String
    /// The run that found it.
    package let run: Int
    package let change: ColumnChange

    init(_ row: RecordRow) throws {
        id = try row.id("id")
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
