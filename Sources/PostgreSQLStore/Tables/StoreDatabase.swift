internal import Feeds
internal import JSON
internal import Migrations
package import PostgreSQL
package import SQLite
package import SchemaMigration
internal import StoreFile
internal import Time

/// A store in PostgreSQL: its tables in the schema that comes first in the connection's `search_path`.
package struct StoreDatabase {
    package let connection: PostgreSQL.Connection
    /// The schema changes that the store has, or gets.
    private let migrations: [Migration]

    package init(connection: PostgreSQL.Connection, migrations: [Migration] = Migrations.postgreSQL) {
        self.connection = connection
        self.migrations = migrations
    }

    /// Connects to a store.
    ///
    /// A host that has disappeared would keep its locks for two hours; a process that is paused in a transaction would
    /// keep them until it continues. Even a reader of a table prevents changes of its schema.
    ///
    /// Source: https://www.postgresql.org/docs/15/runtime-config-connection.html#GUC-TCP-KEEPALIVES-IDLE
    ///
    /// - Parameter patience: The time for which PostgreSQL waits for a client that is idle in a transaction or, for a
    ///   minute at most, that takes no rows.
    /// - Throws: `PostgreSQLError`.
    package init(uri: String, patience: Duration = .seconds(20)) throws(PostgreSQLError) {
        self.init(connection: try PostgreSQL.Connection(uri: uri))
        let limit = patience.components.seconds * 1_000
        try connection.execute(
            """
            SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 2;
            SET tcp_user_timeout = \(min(limit, 60_000)); SET idle_in_transaction_session_timeout = \(limit)
            """)
    }

    /// True if there is a store; false in a schema without tables, or with those of extensions alone.
    ///
    /// - Throws: `CopyProblem` if the tables in the schema are another program's.
    package func exists() throws -> Bool {
        guard let schema = try connection.scalar("SELECT current_schema()") else {
            throw CopyProblem.refused(
                "\(connection.place) has no schema for its tables", advice: "CREATE SCHEMA, or set its `search_path`")
        }
        let tables = try connection.query(
            """
            SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT EXISTS (
                SELECT FROM pg_depend d
                WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = c.oid AND d.deptype = 'e')
            """
        ).compactMap { $0[0] }
        guard !tables.isEmpty else { return false }
        guard tables.contains("_migration"), tables.contains("_salt") else {
            throw CopyProblem.refused(
                "the schema \(schema) of \(connection.place) belongs to another program: it has tables, but none of feedsync's",
                advice: "CREATE SCHEMA feeds, and add ?options=-csearch_path%3Dfeeds to the URI")
        }
        return true
    }

    /// Makes the tables, or brings those of an older feedsync up to date.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if a newer feedsync made them; `PostgreSQLError`.
    package func migrate(now: String) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS _migration (
                name text NOT NULL PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL
            )
            """)
        for migration in try pending() {
            try connection.execute(migration.sql)
            try connection.query(
                "INSERT INTO _migration (name, checksum, applied_at) VALUES ($1, $2, $3)",
                [migration.name, migration.checksum, now])
        }
    }

    /// The migrations that it lacks.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if a newer feedsync made it.
    package func pending() throws -> [Migration] {
        var recorded: [String: String] = [:]
        for row in try connection.query("SELECT name, checksum FROM _migration") { recorded[row[0] ?? ""] = row[1] }
        do { return try migrations.pending(recorded: recorded) } catch {
            throw FeedSyncError(storing: error, path: connection.place)
        }
    }

    /// The condition that the store records more migrations than there are here: a newer feedsync has changed it since
    /// it was looked at for those that it lacks.
    package static let isNewer = "((SELECT count(*) FROM _migration) > \(Migrations.postgreSQL.count))"

    /// Gives rows of logs a transaction of this server if theirs is to come yet: the store was dumped on another one.
    package func adoptRestoredLogs() throws {
        for name in CopiedTable.logs {
            try connection.execute(
                """
                UPDATE \(name) SET _transaction = pg_current_xact_id()
                WHERE _transaction >= pg_snapshot_xmax(pg_current_snapshot())
                """)
        }
    }

    /// A table with its columns and their types; nil where there is none.
    package func table(_ name: String) throws -> CopiedTable? { try tables([name])[name] }

    /// Tables by their names, of those that are there.
    package func tables(_ names: [String]) throws -> [String: CopiedTable] {
        let rows = try connection.query(
            """
            SELECT c.relname, a.attname, format_type(a.atttypid, NULL), col_description(a.attrelid, a.attnum),
                EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
                (SELECT min(r.rulename) FROM pg_rewrite r WHERE r.ev_class = c.oid AND r.is_instead)
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relname = ANY(CAST($1 AS text[])) AND c.relkind IN ('r', 'p')
                AND a.attnum > 0 AND NOT a.attisdropped\(isWritten)
            ORDER BY a.attnum
            """, [PostgreSQL.Connection.array(names)])
        return try Dictionary(grouping: rows) { $0[0] ?? "" }.reduce(into: [:]) { tables, entry in
            tables[entry.key] = try table(entry.key, columns: entry.value.map { Array($0.dropFirst()) })
        }
    }

    /// The condition that a column can be written: PostgreSQL works some out, since version 12.
    private var isWritten: String { connection.serverVersion >= 120_000 ? " AND a.attgenerated = ''" : "" }

    /// - Parameter rows: The names, types and comments of its columns, and whether they are of its primary key.
    private func table(_ name: String, columns rows: [[String?]]) throws -> CopiedTable {
        if let rule = rows.first?[4] {
            throw CopyProblem.refused(
                "the rule \(rule) of \(name) puts something else in place of what is written to it",
                advice:
                    "DROP RULE \(PostgreSQL.Connection.identifier(rule)) ON \(PostgreSQL.Connection.identifier(name))")
        }
        var columns: [CopiedTable.Column] = []
        for row in rows where !CopiedTable.isOfPostgreSQL(row[0] ?? "", in: name) {
            let isOfAnyType = CopiedTable.ofAnyType.contains([name, row[0] ?? ""])
            guard let type = isOfAnyType ? FieldType.anyAsJSON : FieldType(rawValue: row[1] ?? "") else {
                throw CopyProblem.refused(
                    "the column \(row[0] ?? "") of \(name) is of the type \(row[1] ?? ""), which feedsync does not write",
                    advice: "drop the column, or copy to another schema")
            }
            columns.append(CopiedTable.Column(row[0] ?? "", comment: row[2], type: type))
        }
        return CopiedTable(
            name: name, columns: columns, hasExact: rows.contains { $0[0] == "_exact" },
            primaryKey: rows.filter { $0[3] == "t" }.compactMap { $0[0] })
    }

    /// The columns that identify a row of a feed's table, and whether all of them are integers in SQLite; nil where the
    /// table does not say.
    package func key(of table: String) throws -> FeedKey? { try keys(of: [table])[table] }

    /// The keys of tables by the tables' names.
    package func keys(of tables: [String]) throws -> [String: FeedKey] {
        let rows = try connection.query(
            """
            SELECT c.relname, obj_description(c.oid, 'pg_class'), f.key_columns,
                json_array_length(CAST(f.key_columns AS json)) = 1 AND EXISTS (
                    SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.atttypid = CAST('bigint' AS regtype)
                        AND a.attname = CAST(f.key_columns AS json) ->> 0)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN _feed f ON f."table" = c.relname
            WHERE n.nspname = current_schema() AND c.relname = ANY(CAST($1 AS text[]))
            """, [PostgreSQL.Connection.array(tables)])
        return rows.reduce(into: [:]) { keys, row in
            // The comment may be another program's.
            let written = row[1].flatMap(FeedKey.init(comment:))
            keys[row[0] ?? ""] = written ?? row[2].flatMap { FeedKey(names: $0, isRowID: row[3] == "t") }
        }
    }

    /// The tables of the feeds.
    func feedTables() throws -> [String] {
        try connection.query("SELECT \"table\" FROM _feed ORDER BY id").compactMap { $0[0] }
    }

    /// The checksum of a table's rows, as SQLite would have them.
    func checksum(_ table: CopiedTable) throws -> TableChecksum {
        var checksum = TableChecksum()
        try rows(of: table) { checksum.add($0) }
        return checksum
    }

    /// Gives the rows of a log that meet a condition, with their transactions, in the order of these.
    package func logRows(
        of table: CopiedTable, where condition: String, _ body: ([CopiedValue], Int64) throws -> Void
    ) throws {
        let name = PostgreSQL.Connection.identifier(table.name)
        let select =
            "SELECT _transaction, \(table.postgreSQLColumns) FROM \(name) WHERE \(condition) ORDER BY _transaction, id"
        try connection.copyOut("COPY (\(select)) TO STDOUT") { row in
            try body(table.values(of: row, behind: 1), row.text(at: 0).flatMap { Int64($0) } ?? 0)
        }
    }

    /// Gives each row of a table, or those of a condition.
    package func rows(
        of table: CopiedTable, where condition: String = "true", _ body: ([CopiedValue]) throws -> Void
    ) throws {
        try lendRows(of: table, where: condition) { row in try body(table.values(of: row)) }
    }

    /// Inserts the rows of a table, or those of a condition, into the same table of a file.
    ///
    /// - Parameter key: The columns that identify an existing row, which then gets the values; empty if no row exists.
    package func insertRows(
        of table: CopiedTable, where condition: String = "true", into target: SQLite.Connection,
        updating key: [String] = []
    ) throws {
        let insertion = try CopiedTable.Insertion(of: table, into: target, updating: key)
        try lendRows(of: table, where: condition, insertion.insert)
    }

    private func lendRows(of table: CopiedTable, where condition: String, _ body: (CopyRow) throws -> Void) throws {
        let name = PostgreSQL.Connection.identifier(table.name)
        let select = "SELECT \(table.postgreSQLColumns) FROM \(name) WHERE \(condition)"
        try connection.copyOut("COPY (\(select)) TO STDOUT", body)
    }
}

/// The key of a feed's table, from its comment.
package struct FeedKey: Sendable, Hashable {
    package let columns: [String]
    /// True if the key is the row id in SQLite.
    let isRowID: Bool
}

extension FeedKey {
    init?(comment: String) {
        guard let members = try? JSONValue(parsing: comment).members, let names = members["key"],
            case .bool(let isRowID)? = members["is_row_id"]
        else { return nil }
        self.init(names, isRowID: isRowID)
    }

    /// - Parameter names: A JSON array, as `_feed` has it.
    init?(names: String, isRowID: Bool) {
        guard let names = try? JSONValue(parsing: names) else { return nil }
        self.init(names, isRowID: isRowID)
    }

    private init?(_ names: JSONValue, isRowID: Bool) {
        guard let names = names.elements else { return nil }
        self.init(columns: names.compactMap(\.text), isRowID: isRowID)
    }

    var comment: String {
        JSONValue.object(of: [
            ("key", .array(columns.map(JSONValue.string))), ("is_row_id", .bool(isRowID)),
        ]).json
    }
}

// The feeds' tables.
extension StoreDatabase {
    /// Creates a feed's table, or adds the columns that only SQLite's has. If the key is another now, or no longer
    /// fits, the table is created again, empty.
    package func shape(_ feed: StoredFeed, as shape: FeedTableShape) throws -> CopiedTable {
        // The tables of PostgreSQL itself come before those of any schema.
        guard !feed.table.hasPrefix("pg_") else {
            throw CopyProblem.refused(
                "the table `\(feed.table)` would have the name of one of PostgreSQL's own",
                advice: "feedsync rename \(feed.name) NAME  # one that does not begin with pg")
        }
        var existing = try table(feed.table)
        if let table = existing {
            let types = Dictionary(table.columns.map { ($0.name, $0.type) }) { first, _ in first }
            let keyTypes = shape.columns.filter { shape.key.columns.contains($0.name) }
            // Without a primary key, a unique index of hashes does the same.
            let fits =
                keyTypes.allSatisfy { types[$0.name] == $0.type || types[$0.name] == .text }
                && (shape.hasPrimaryKey || table.primaryKey.isEmpty)
            if try !fits || key(of: feed.table) != shape.key {
                try PostgreSQLViews(feeds: []).drop(from: connection)
                try connection.execute("DROP TABLE \(PostgreSQL.Connection.identifier(feed.table))")
                existing = nil
            }
        }
        if let table = existing {
            let names = Set(table.columns.map(\.name))
            for column in shape.columns where !names.contains(column.name) {
                for sql in shape.addition(of: column) { try connection.execute(sql) }
            }
            try retype(table, as: shape, types: feed.types)
        } else {
            try checkName(of: feed)
            for sql in shape.creation { try connection.execute(sql) }
        }
        guard let table = try table(feed.table) else { throw CopyProblem.unreadable(table: feed.table) }
        return table
    }

    /// - Throws: `CopyProblem` if something else than a table or a view has the name.
    private func checkName(of feed: StoredFeed) throws {
        let taken = try connection.scalar(
            """
            SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relname = $1 AND c.relkind NOT IN ('r', 'p', 'v', 'm', 'f')
            """, [feed.table])
        guard taken == nil else {
            throw CopyProblem.refused(
                "the name of the table `\(feed.table)` is taken in PostgreSQL, by an index, a sequence or the like",
                advice: "feedsync rename \(feed.name) NAME")
        }
    }

    /// Gives columns the types that their values have by now. If there are such columns, the table is empty then.
    private func retype(_ table: CopiedTable, as shape: FeedTableShape, types: [String: ColumnType]) throws {
        let wanted = Dictionary(shape.columns.map { ($0.name, $0.type) }) { first, _ in first }
        let changed = table.columns.filter { column in
            guard let type = wanted[column.name], type != column.type, !shape.key.columns.contains(column.name) else {
                return false
            }
            // A column without a type is text until it has values.
            return types[column.name] != nil || type.isWider(than: column.type) || column.type == .text
        }
        guard !changed.isEmpty else { return }
        try PostgreSQLViews(feeds: []).drop(from: connection)
        let name = PostgreSQL.Connection.identifier(table.name)
        try connection.execute("DELETE FROM \(name)")
        for column in changed {
            let type = wanted[column.name]?.sql ?? column.type.sql
            try connection.execute(
                "ALTER TABLE \(name) ALTER COLUMN \(PostgreSQL.Connection.identifier(column.shortName)) TYPE \(type) USING CAST(NULL AS \(type))"
            )
        }
    }

    /// The feeds with their tables, as the views show them.
    package func shownFeeds() throws -> [PostgreSQLViews.Feed] {
        let feeds = try StoredFeed.all(in: connection)
        let tables = try tables(feeds.map(\.table))
        let keys = try keys(of: feeds.map(\.table))
        return feeds.compactMap { feed in
            guard let table = tables[feed.table], let key = keys[feed.table] else { return nil }
            return PostgreSQLViews.Feed(stored: feed, table: table, key: key.columns)
        }
    }
}
