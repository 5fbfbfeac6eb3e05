package import SQLite

/// The full-text index of a feed's table.
///
/// Triggers maintain it: every change of a row, even in `sqlite3`, changes the index in the same transaction. It stores
/// no text of its own: https://sqlite.org/fts5.html#external_content_tables
package struct SearchIndex {
    let table: String
    /// The indexed columns, the one with the most weight first.
    let columns: [String]

    package init(table: String, columns: [String]) {
        self.table = table
        self.columns = columns
    }

    /// Splits text at spaces and punctuation, and ignores case and accents. A trigram index would also find parts of
    /// words, but takes six times as long to write, and misses accents and the two-character words that are most common
    /// in Chinese: https://sqlite.org/fts5.html#unicode61_tokenizer
    private static let tokenizer = "unicode61 remove_diacritics 2"

    /// The name of a table's index.
    package static func name(of table: String) -> String { "_search_\(table)" }

    /// Creates, rebuilds or drops the index to match the definition. Does nothing if it matches.
    package static func follow(_ definition: FeedDefinition, on connection: Connection) throws {
        let table = TableSchema.tableName(definition.owner)
        let wanted = definition.search?.columns(among: definition.columns) ?? []
        let stored = try storedColumns(of: table, on: connection)
        if try isCurrent(table, stored, wanted, on: connection) { return }
        // Triggers may be left of an index that was dropped by hand.
        try drop(of: table, on: connection)
        guard !wanted.isEmpty, definition.isResolved else { return }
        try SearchIndex(table: table, columns: wanted).make(on: connection)
    }

    /// True if the table has the index that the definition wants, or none if it wants none, by the schema of the last
    /// statement.
    package static func isCurrent(_ definition: FeedDefinition, on connection: Connection) throws -> Bool {
        let table = TableSchema.tableName(definition.owner)
        guard let search = definition.search else { return !connection.hasTable(name(of: table)) }
        return try isCurrent(
            table, storedColumns(of: table, on: connection), search.columns(among: definition.columns), on: connection)
    }

    private static func isCurrent(
        _ table: String, _ stored: [String], _ wanted: [String], on connection: Connection
    ) throws -> Bool {
        try stored == wanted && (wanted.isEmpty || isKept(table, on: connection))
    }

    /// The columns of a table's index; empty if there is none.
    package static func storedColumns(of table: String, on connection: Connection) throws -> [String] {
        // Reads the schema that SQLite holds in memory, so a feed without an index costs no more than that.
        try connection.columnNames(of: name(of: table))
    }

    /// True if the triggers exist. They disappear with a table that is dropped or replaced by hand.
    private static func isKept(_ table: String, on connection: Connection) throws -> Bool {
        try connection.int64(
            """
            SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
                AND name IN (?2 || '_insert', ?2 || '_update', ?2 || '_delete')
            """, .text(table), .text(name(of: table))) == 3
    }

    /// Creates the index and fills it with the existing rows.
    package func make(on connection: Connection) throws {
        let index = try SQL.identifier(Self.name(of: table))
        let table = try SQL.identifier(table)
        let names = try columns.map { try SQL.identifier($0) }
        let list = names.joined(separator: ", ")
        try connection.execute(
            """
            CREATE VIRTUAL TABLE \(index) USING fts5(\(list), content=\(table), content_rowid="_rowid_",
                tokenize="\(Self.tokenizer)")
            """)
        // The first column, usually a title, has the most weight.
        try connection.execute("INSERT INTO \(index) (\(index), rank) VALUES ('rank', 'bm25(4.0)')")
        try Self.rebuild(of: self.table, on: connection)

        func values(_ row: String) -> String { (["_rowid_"] + names).map { "\(row).\($0)" }.joined(separator: ", ") }
        let add = "INSERT INTO \(index) (rowid, \(list)) VALUES (\(values("new")));"
        let remove = "INSERT INTO \(index) (\(index), rowid, \(list)) VALUES ('delete', \(values("old")));"
        let isOther = names.map { "old.\($0) IS NOT new.\($0) OR typeof(old.\($0)) <> typeof(new.\($0))" }
        func trigger(_ event: String, _ on: String, _ body: String) throws {
            let name = try SQL.identifier("\(Self.name(of: self.table))_\(event)")
            try connection.execute("CREATE TRIGGER \(name) AFTER \(on) BEGIN \(body) END")
        }
        try trigger("insert", "INSERT ON \(table)", add)
        try trigger("delete", "DELETE ON \(table)", remove)
        // A row whose key is its rowid may get another rowid.
        let condition = (isOther + ["old._rowid_ <> new._rowid_"]).joined(separator: " OR ")
        try trigger("update", "UPDATE ON \(table) WHEN \(condition)", "\(remove) \(add)")
    }

    /// Drops the index and the triggers that maintain it.
    package static func drop(of table: String, on connection: Connection) throws {
        let name = name(of: table)
        for event in ["insert", "update", "delete"] {
            try connection.execute("DROP TRIGGER IF EXISTS \(try SQL.identifier("\(name)_\(event)"))")
        }
        try connection.execute("DROP TABLE IF EXISTS \(try SQL.identifier(name))")
    }

    /// Fills the index again, because it has the old numbers of rows that were renumbered.
    static func rebuild(of table: String, on connection: Connection) throws {
        let index = try SQL.identifier(name(of: table))
        try connection.execute("INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
    }

    /// Fills the indexes of all tables whose rowids VACUUM may have changed. It keeps rowids that are keys.
    ///
    /// Source: <https://sqlite.org/lang_vacuum.html#how_vacuum_works>
    package static func rebuildAllBehindVacuum(on connection: Connection) throws {
        let tables = try connection.all("SELECT \"table\" FROM _feed ORDER BY id") { $0.text(at: 0) ?? "" }
        for table in tables
        where try !storedColumns(of: table, on: connection).isEmpty
            && !TableSchema.keyIsRowID(of: table, on: connection)
        {
            try rebuild(of: table, on: connection)
        }
    }
}
