internal import SQLite

/// Another key for the rows of a feed, which its definition has now.
///
/// - Isolation: the store's, inside a transaction.
package struct KeyChange {
    /// The result of a change.
    package struct Result: Sendable {
        /// The columns that identify a row now.
        package let key: [String]
        /// The number of rows; nil if they already have that key.
        package let rowCount: Int?
    }

    let declared: FeedDefinition
    let definitions: StoredDefinitions

    private var connection: Connection { definitions.connection }

    /// Rebuilds the feed's table with the key of its definition.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if rows have no value for the key, or two have the same.
    func apply() throws -> Result {
        guard declared.forEach == nil else {
            throw Self.refusal("the feed has a list for each row of another, and their keys are part of its own")
        }
        let stored = try definitions.definition(of: declared.name)
        let canonical = declared.canonicalText(salt: definitions.salt)
        let shape = try stored.resolved(declared, canonical: canonical)
        let definition = shape.definition
        guard !stored.key.isEmpty, stored.key != definition.keyText, definition.isResolved,
            let table = try StoredTable.name(of: definition.name, on: connection)
        else { return Result(key: definition.key, rowCount: nil) }
        let schema = TableSchema(definition)
        let known = try StoredTable(of: definition.name, on: connection)
        try check(definition, against: known?.columns ?? [])
        try checkValues(of: definition.key, in: table)
        let before = known?.key ?? []
        let names = try SQL.identifier(table)
        try connection.execute(
            """
            CREATE TEMP TABLE _keys AS SELECT \(try ChangeView.key(before)) AS before, \(try ChangeView.key(definition.key)) AS after
            FROM main.\(names) t
            """)
        try connection.execute("CREATE INDEX temp._keys_before ON _keys (before)")
        try connection.run(
            """
            UPDATE _change SET key = (SELECT after FROM temp._keys WHERE before = _change.key)
            WHERE feed = ? AND EXISTS (SELECT 1 FROM temp._keys WHERE before = _change.key)
            """, .text(definition.name))
        try connection.execute("DROP TABLE temp._keys")
        try schema.rebuild(table, on: connection)
        try definitions.forgetUpstream(shape, canonical: canonical)
        try StoredState(of: definition.name, on: connection).forgetFailures()
        if let model = definition.model { try ModelView(model: model).apply(to: connection) }
        definitions.views.changeViewMayLag = true
        let count = try connection.count("SELECT count(*) FROM \(names)")
        return Result(key: definition.key, rowCount: count)
    }

    /// - Throws: `FeedSyncError` if a column of the key is not stored, or holds other values of the items.
    private func check(_ definition: FeedDefinition, against columns: [RowColumn]) throws {
        for name in definition.key {
            let path = definition.columns.first { $0.name == name }?.path.description
            guard let stored = columns.first(where: { $0.name == name })?.path, stored == path else {
                throw Self.refusal(
                    "the stored rows have no column `\(name)`\(path.map { $0 == name ? "" : " with `\($0)`" } ?? "")")
            }
        }
    }

    /// - Throws: `FeedSyncError` if the columns do not identify the rows.
    private func checkValues(of key: [String], in table: String) throws {
        let columns = try key.map { try SQL.identifier($0) }
        let table = try SQL.identifier(table)
        let words = key.inBackticks(joinedBy: ", ")
        let total = try connection.count("SELECT count(*) FROM \(table)")
        let without = try connection.count(
            "SELECT count(*) FROM \(table) WHERE \(columns.map { "\($0) IS NULL" }.joined(separator: " OR "))")
        guard without == 0 else {
            throw Self.refusal("\(without) of \(total) rows have no value for \(words)")
        }
        var shared: String?
        let list = columns.joined(separator: ", ")
        try connection.rows(
            "SELECT count(*), \(list) FROM \(table) GROUP BY \(list) HAVING count(*) > 1 LIMIT 1"
        ) { row in
            let values = (1...key.count).map { Excerpt.of(RowKey.text(row, from: $0, count: 1), limit: 60) ?? "" }
            shared = "\(row.int64(at: 0)) rows share \(words): \(values.joined(separator: ", "))"
        }
        if let shared { throw Self.refusal(shared) }
    }

    private static func refusal(_ problem: String) -> FeedSyncError {
        FeedSyncError(
            .configuration, "the key cannot be changed: \(problem)",
            advice: "choose another `key`, restore the old one, or start anew with remove --data")
    }
}
