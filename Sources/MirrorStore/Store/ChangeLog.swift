internal import SQLite

/// Keeps what happened to the rows of a feed, in the transaction in which it happens.
///
/// New rows are not among it: they tell themselves. So a first load costs nothing, and neither does a page that is as it
/// was.
///
/// - Isolation: the store's.
final class ChangeLog {
    enum Kind: String {
        case changed, removed, returned
    }

    private let connection: Connection
    private let feed: Value
    private let run: Value
    private var prepared: Statement?

    init(of feed: String, run: Int64, on connection: Connection) {
        self.feed = .text(feed)
        self.run = Value(run)
        self.connection = connection
    }

    /// Adds a change of a row.
    ///
    /// - Parameters:
    ///   - key: The value of the key's column, or a JSON array of several.
    ///   - before: The columns that changed as they were, as a JSON object; nil if none did.
    func add(_ kind: Kind, key: Value, before: String?, now: Value) throws(SQLiteError) {
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

    /// Forgets an insertion that failed.
    func abandon() { try? prepared?.reset() }

    private func statement() throws(SQLiteError) -> Statement {
        if let prepared { return prepared }
        let made = try connection.prepare(
            "INSERT INTO _change (at, feed, run, kind, key, before) VALUES (?, ?, ?, ?, ?, ?)", persistent: true)
        prepared = made
        return made
    }

    /// The key in so many columns of a row, as the log has it: behind that of the parent's row, where there is one.
    static func key(_ row: Statement, at columns: some Collection<Int>, below scope: RowScope) -> Value {
        if let only = columns.first, columns.count == 1, scope.columns.isEmpty { return row.value(at: only) }
        let own = columns.map { RowKey.text(row, from: $0, count: 1) }
        return .text("[\((scope.columns.map(\.json) + own).joined(separator: ","))]")
    }

    /// Deletes what happened before a time, the oldest first: it costs what it deletes.
    static func forget(before limit: String, on connection: Connection) throws {
        try connection.run(
            """
            DELETE FROM _change WHERE id < coalesce((SELECT id FROM _change WHERE at >= ?1 ORDER BY id LIMIT 1),
                (SELECT max(id) + 1 FROM _change))
            """, .text(limit))
    }
}
