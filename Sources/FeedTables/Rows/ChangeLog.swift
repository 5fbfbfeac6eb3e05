package import SQLite

/// Logs the changes of a feed's rows, in the transaction that makes them.
///
/// New rows are not logged, because the tables show them. So a first load costs nothing, and neither does an unchanged
/// page.
///
/// - Isolation: the store's.
package final class ChangeLog {
    package enum Kind: String {
        case changed, removed, returned
    }

    private let connection: Connection
    private let feed: Value
    private let run: Value
    private var prepared: Statement?

    package init(of feed: String, run: Int64, on connection: Connection) {
        self.feed = .text(feed)
        self.run = Value(run)
        self.connection = connection
    }

    /// Adds a change of a row.
    ///
    /// - Parameters:
    ///   - key: The value of the key's column, or a JSON array of several.
    ///   - before: The changed columns with their earlier values, as a JSON object; nil if none changed.
    package func add(_ kind: Kind, key: Value, before: String?, now: Value) throws(SQLiteError) {
        let insert = try statement()
        try insert.bind(now, at: 1)
        try insert.bind(feed, at: 2)
        try insert.bind(run, at: 3)
        try insert.bind(.text(kind.rawValue), at: 4)
        try insert.bind(key, at: 5)
        try insert.bind(Value(before), at: 6)
        _ = try insert.step()
        try insert.reset()
    }

    /// Resets the statement after a failed insertion.
    func abandon() { try? prepared?.reset() }

    private func statement() throws(SQLiteError) -> Statement {
        if let prepared { return prepared }
        let made = try connection.prepare(
            "INSERT INTO _change (at, feed, run, kind, key, before) VALUES (?, ?, ?, ?, ?, ?)", persistent: true)
        prepared = made
        return made
    }

    /// The key in a number of columns of a row, in the log's form: after the key of the parent's row, if there is one.
    package static func key(_ row: Statement, at columns: some Collection<Int>, below scope: RowScope) -> Value {
        if let only = columns.first, columns.count == 1, scope.columns.isEmpty { return row.value(at: only) }
        let own = columns.map { RowKey.text(row, from: $0, count: 1) }
        return .text("[\((scope.columns.map(\.json) + own).joined(separator: ","))]")
    }

    /// Deletes the changes before a time, the oldest first, at a cost that depends only on their number: of all feeds,
    /// or of this one if some feed is kept for a time of its own.
    package static func forget(
        _ feed: String, _ keep: Retention, before limit: String, on connection: Connection
    ) throws {
        let scope = try keep.own.isEmpty ? "" : " AND feed = \(SQL.string(feed))"
        try connection.run(
            """
            DELETE FROM _change WHERE id < coalesce(
                (SELECT id FROM _change WHERE at >= ?1\(scope) ORDER BY id LIMIT 1),
                (SELECT max(id) + 1 FROM _change))\(scope)
            """, .text(limit))
    }
}
