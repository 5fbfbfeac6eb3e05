internal import SQLite

/// The rows of a feed as they were at a time: those of its table, with the later changes undone.
///
/// Values and presence are those of that time. Sections, places and columns are today's, because their changes are not
/// kept.
struct PastRows {
    /// A temporary view with the columns of the feed's table, as SQL. The connection has it until it is closed.
    static let view = "temp._past"

    /// A row that changed after the time.
    private struct Row {
        /// True if the upstream had the item.
        var isPresent = true
        /// The values that the later changes replaced.
        var values: [String: Value] = [:]
    }

    private let connection: Connection
    private let feed: String
    private let time: String
    private let table: String
    private let columns: [String]
    private let key: String

    /// - Parameters:
    ///   - feed: The owner of the table.
    ///   - table: The table's name.
    ///   - key: The names of its key columns.
    ///   - time: As the store writes times.
    init(of feed: String, table: String, key: [String], at time: String, on connection: Connection) throws {
        (self.connection, self.feed, self.time) = (connection, feed, time)
        columns = try connection.columnNames(of: table)
        self.table = "main.\(try SQL.identifier(table))"
        self.key = "CAST(\(try ChangeView.key(key)) AS TEXT)"
    }

    /// Creates the view.
    func makeView() throws {
        let names = try columns.map { try SQL.identifier($0) }.joined(separator: ", ")
        try connection.execute(
            """
            CREATE TEMP TABLE _changed_since (key TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE TEMP TABLE _then AS SELECT * FROM \(table) LIMIT 0;
            """)
        try fill(try changedRows(), names)
        try connection.execute(
            """
            CREATE TEMP VIEW _past AS SELECT \(names) FROM \(table) t
            WHERE _first_seen_at <= \(try SQL.string(time)) AND _removed_at IS NULL
                AND \(key) NOT IN (SELECT key FROM temp._changed_since)
            UNION ALL SELECT \(names) FROM temp._then;
            """)
    }

    /// The rows that changed after the time, by the key in the change log's form.
    private func changedRows() throws -> [String: Row] {
        var rows: [String: Row] = [:]
        let sql = "SELECT CAST(key AS TEXT), kind, before FROM _change WHERE feed = ? AND at > ? ORDER BY id"
        try connection.rows(sql, [.text(feed), .text(time)]) { change in
            let key = change.text(at: 0) ?? ""
            // The first change after the time shows what was there before it.
            let isReturn = change.text(at: 1) == ItemChange.Kind.returned.rawValue
            var row = rows[key] ?? Row(isPresent: !isReturn)
            if let before = change.text(at: 2), let members = try? JSONValue(parsing: before).members {
                for member in members where row.values[member.name] == nil {
                    row.values[member.name] = Value(restoring: member.value)
                }
            }
            rows[key] = row
        }
        return rows
    }

    /// Writes these rows as they were.
    private func fill(_ changed: [String: Row], _ names: String) throws {
        for key in changed.keys { try connection.run("INSERT INTO temp._changed_since VALUES (?)", .text(key)) }
        let parameters = columns.map { _ in "?" }.joined(separator: ", ")
        try connection.rows(
            """
            SELECT \(names), \(key), coalesce(c.at, _first_seen_at) FROM \(table) t LEFT JOIN (
                SELECT CAST(key AS TEXT) AS key, max(at) AS at FROM _change
                WHERE feed = ?1 AND at <= ?2 AND before IS NOT NULL GROUP BY 1
            ) c ON c.key = \(key)
            WHERE _first_seen_at <= ?2 AND \(key) IN (SELECT key FROM temp._changed_since)
            """, [.text(feed), .text(time)]
        ) { row in
            guard let past = changed[row.text(at: columns.count) ?? ""], past.isPresent else { return }
            let values = columns.enumerated().map { index, name -> Value in
                switch name {
                case "_removed_at": .null
                case "_changed_at": row.value(at: columns.count + 1)
                default: past.values[name] ?? row.value(at: index)
                }
            }
            try connection.run("INSERT INTO temp._then (\(names)) VALUES (\(parameters))", values)
        }
    }
}

extension Value {
    /// A column's value as the change log writes it.
    fileprivate init(restoring json: JSONValue) {
        self =
            switch json {
            case .null: .null
            case .bool(let isTrue): .integer(isTrue ? 1 : 0)
            case .array, .object: .text(json.json)
            case .string, .number: Value(key: json) ?? .text(json.json)
            }
    }
}
