internal import Feeds
internal import JSON
internal import PostgreSQL
internal import SQLite

/// Copies a store in SQLite to one in PostgreSQL.
///
/// The states of the copy: none; begun (`_copy` has no `finished_at`), in which each table that is like its original is
/// committed; whole. One that is whole is brought up to date in a single transaction: those who read it see the one or the
/// other. What ends a copy leaves it begun or as it was, and the next one goes on with the tables that differ.
struct PostgreSQLCopy {
    let source: SQLite.Connection
    let target: PostgreSQLStore
    let now: String
    /// Is told of each table behind it.
    let report: (CopyReport.Table) -> Void

    private var connection: PostgreSQL.Connection { target.connection }

    /// Copies what differs.
    ///
    /// - Throws: `CopyProblem`, `PostgreSQLError`, `SQLiteError`, `MigrationError`.
    func run() throws -> CopyReport {
        // All tables as they stand at one moment, while others write: https://sqlite.org/isolation.html
        try source.transaction(.deferred) {
            // It ends with the connection. https://www.postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS
            guard try connection.scalar("SELECT pg_try_advisory_lock(hashtext('feedsync ' || current_schema()))") != "f"
            else {
                throw CopyProblem.refused("somebody else is copying to \(connection.place)", advice: "wait for that")
            }
            let isWhole = try begin()
            return try isWhole ? connection.transaction { try copyAll() } : copyAll()
        }
    }

    /// Makes the tables, unless they are there.
    ///
    /// - Returns: Whether the copy was whole before.
    private func begin() throws -> Bool {
        let salt = try source.scalar("SELECT value FROM _salt")?.text ?? ""
        return try connection.transaction {
            let exists = try target.exists()
            let isEmpty = try !exists || connection.scalar("SELECT value FROM _salt") == nil
            try target.migrate(now: now)
            if isEmpty {
                try connection.query("INSERT INTO _salt VALUES ($1)", [salt])
                try connection.query("INSERT INTO _copy (started_at) VALUES ($1)", [now])
                return false
            }
            let copies = try connection.query("SELECT finished_at FROM _copy")
            guard try connection.scalar("SELECT value FROM _salt") == salt, let copy = copies.first else {
                throw CopyProblem.refused(
                    "\(connection.place) has another store already",
                    advice:
                        "name another database, or CREATE SCHEMA feeds and add ?options=-csearch_path%3Dfeeds to the URI"
                )
            }
            return copy[0] != nil
        }
    }

    private func copyAll() throws -> CopyReport {
        var result = CopyReport()
        let feeds = try feeds()
        try dropTables(except: Set(feeds.map(\.table)))
        for name in CopiedTable.fixed {
            guard let table = try target.table(name) else { throw CopyProblem.unreadable(table: name) }
            result.tables.append(try bring(table))
        }
        var shown: [PostgreSQLViews.Feed] = []
        for feed in feeds {
            let (table, key) = try connection.transaction { try shape(feed) }
            result.tables.append(try bring(table))
            shown.append(
                PostgreSQLViews.Feed(
                    name: feed.name, model: feed.model, table: table, key: key, hasParts: feed.hasParts,
                    columns: feed.columns))
        }
        try connection.transaction {
            try continueNumbers()
            try PostgreSQLViews(feeds: shown).apply(to: connection)
            try connection.query("UPDATE _copy SET finished_at = $1", [now])
        }
        return result
    }
}

// A table.
extension PostgreSQLCopy {
    /// Makes a table's rows what the source has, and makes sure of it.
    private func bring(_ table: CopiedTable) throws -> CopyReport.Table {
        let before = try target.checksum(table)
        // Of a table without rows, the rows are read once: on their way.
        var wanted = before.rowCount > 0 ? try checksum(table) : nil
        let isWritten = wanted != before
        if isWritten {
            try connection.transaction {
                let name = PostgreSQL.Connection.identifier(table.name)
                if before.rowCount > 0 { try connection.execute("DELETE FROM \(name)") }
                var written = TableChecksum()
                try connection.copyIn("COPY \(name) (\(table.postgreSQLColumns)) FROM STDIN") { writer in
                    try rows(of: table) { row in
                        written.add(row)
                        try table.write(row, to: &writer)
                    }
                }
                guard try target.checksum(table) == written else { throw CopyProblem.different(table: table.name) }
                wanted = written
            }
        }
        let both = wanted ?? before
        let result = CopyReport.Table(
            name: table.name, rowCount: both.rowCount, checksum: both.digits, isWritten: isWritten && both != before)
        report(result)
        return result
    }

    private func checksum(_ table: CopiedTable) throws -> TableChecksum {
        var checksum = TableChecksum()
        try rows(of: table) { checksum.add($0) }
        return checksum
    }

    private func rows(of table: CopiedTable, _ body: ([StoredValue]) throws -> Void) throws {
        let statement = try source.prepare("SELECT \(table.sqliteColumns) FROM \(try SQL.identifier(table.name))")
        while try statement.step() { try body(table.columns.indices.map { StoredValue(statement, at: $0) }) }
    }

    /// Gives each table the next number that the source would give.
    private func continueNumbers() throws {
        var numbers: [(table: String, number: Int64)] = []
        try source.rows("SELECT name, seq FROM sqlite_sequence") { row in
            numbers.append((row.text(at: 0) ?? "", row.int64(at: 1)))
        }
        for (table, number) in numbers where CopiedTable.fixed.contains(table) && number > 0 {
            try connection.query("SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", [table, "\(number)"])
        }
    }
}

// The feeds' tables.
extension PostgreSQLCopy {
    private struct Feed {
        let name: String
        let model: String?
        let table: String
        var types: [String: ColumnType] = [:]
        var columns: [String] = []
        let hasParts: Bool
    }

    private func feeds() throws -> [Feed] {
        var feeds: [Feed] = []
        try source.rows(
            """
            SELECT feed.name, feed.model, _feed."table", _feed.columns,
                EXISTS (SELECT 1 FROM feed_part WHERE feed_part.feed = feed.name)
            FROM feed JOIN _feed ON _feed.feed = feed.name
            WHERE _feed."table" COLLATE NOCASE IN (SELECT name FROM sqlite_schema WHERE type = 'table') ORDER BY _feed.id
            """
        ) { row in
            var feed = Feed(
                name: row.text(at: 0) ?? "", model: row.text(at: 1), table: row.text(at: 2) ?? "",
                hasParts: row.int64(at: 4) == 1)
            if case .array(let columns)? = try? JSONValue(parsing: row.text(at: 3) ?? "") {
                for case .object(let members) in columns {
                    guard case .string(let name)? = members["name"] else { continue }
                    feed.columns.append(name)
                    if case .string(let type)? = members["type"] { feed.types[name] = ColumnType(rawValue: type) }
                }
            }
            feeds.append(feed)
        }
        return feeds
    }

    /// Makes a feed's table, or adds to it what the source has besides. Where the key is another now, it is made anew.
    private func shape(_ feed: Feed) throws -> (CopiedTable, key: [String]) {
        let shape = try FeedTableShape(of: feed.table, types: feed.types, on: source)
        var existing = try target.table(feed.table)
        if let table = existing {
            let types = Dictionary(table.columns.map { ($0.name, $0.type) }) { first, _ in first }
            let keyTypes = shape.columns.filter { shape.key.columns.contains($0.name) }
            if try target.key(of: feed.table) != shape.key || keyTypes.contains(where: { types[$0.name] != $0.type }) {
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
        } else {
            for sql in shape.creation { try connection.execute(sql) }
        }
        guard let table = try target.table(feed.table) else { throw CopyProblem.unreadable(table: feed.table) }
        return (table, shape.key.columns)
    }

    /// Drops the tables of feeds that the source has no longer.
    private func dropTables(except names: Set<String>) throws {
        let gone = try target.feedTables().filter { !names.contains($0) }
        guard !gone.isEmpty else { return }
        try connection.transaction {
            try PostgreSQLViews(feeds: []).drop(from: connection)
            for name in gone {
                try connection.execute("DROP TABLE IF EXISTS \(PostgreSQL.Connection.identifier(name))")
            }
        }
    }
}
