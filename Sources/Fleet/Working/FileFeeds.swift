internal import FeedTables
internal import MirrorWriter
internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLite

/// The names and tables of a working file's feeds, by the feeds' numbers.
struct FileFeeds {
    private var entries: [Int64: Entry] = [:]

    /// A feed's name, and the name of its table.
    struct Entry: Sendable, Hashable {
        let feed: String
        let table: String
    }

    /// All of a file.
    init(in file: SQLite.Connection) throws {
        try file.rows("SELECT id, feed, \"table\" FROM _feed") { row in
            entries[row.int64(at: 0)] = Entry(feed: row.text(at: 1) ?? "", table: row.text(at: 2) ?? "")
        }
    }

    var feeds: [String] { entries.values.map(\.feed) }

    /// The feeds that were renamed or deleted since the last call, and the tables whose names some feeds are about to
    /// get.
    ///
    /// - Parameter rows: The written rows of `_feed`.
    mutating func changes(
        _ rows: [ChangedRow], in file: SQLite.Connection
    ) throws -> (moves: [FeedMove], tables: [String]) {
        var moves: [FeedMove] = []
        var tables: [String] = []
        for row in rows {
            guard case .number(let id) = row.key else { continue }
            let before = entries.removeValue(forKey: id)
            try file.rows("SELECT feed, \"table\", new_name FROM _feed WHERE id = ?", row.key.values) { row in
                entries[id] = Entry(feed: row.text(at: 0) ?? "", table: row.text(at: 1) ?? "")
                let table = row.text(at: 2).map(TableSchema.tableName)
                if let table, table != entries[id]?.table { tables.append(table) }
            }
            if let before, before.feed != entries[id]?.feed { moves.append(FeedMove(old: before, new: entries[id])) }
        }
        return (moves, tables)
    }
}

/// A feed that has another name from now on, or is deleted. The working file has the latest of its history, and
/// PostgreSQL all of it: each statement is for all rows.
struct FeedMove: Sendable, Hashable {
    let old: FileFeeds.Entry
    /// Nil for a deleted feed.
    let new: FileFeeds.Entry?

    /// Renames or deletes the feed, within a transaction.
    ///
    /// - Throws: `PostgreSQLError`, also if something of the user's own depends on the deleted table.
    func apply(to connection: PostgreSQL.Connection) throws {
        if let new { try rename(to: new, on: connection) } else { try delete(on: connection) }
    }

    private func rename(to new: FileFeeds.Entry, on connection: PostgreSQL.Connection) throws {
        let quoted = PostgreSQL.Connection.identifier
        let rows = try rows(on: connection)
        try connection.execute("SET CONSTRAINTS ALL DEFERRED")
        for (table, column) in Store.nameColumns {
            let name = "\(literal(new.feed)) || substr(\(column), \(old.feed.unicodeScalars.count + 1))"
            try connection.execute("UPDATE \(table) SET \(column) = \(name) WHERE \(rows(column))")
        }
        guard old.table != new.table, try hasTable(on: connection) else { return }
        try connection.execute("ALTER TABLE \(quoted(old.table)) RENAME TO \(quoted(new.table))")
        let (before, after) = (FeedTableShape.keyName(of: old.table), FeedTableShape.keyName(of: new.table))
        let hasKey = try connection.scalar(
            "SELECT 1 FROM pg_constraint WHERE conrelid = CAST($1 AS regclass) AND conname = $2",
            [quoted(new.table), before])
        guard hasKey != nil else { return }
        try connection.execute("ALTER TABLE \(quoted(new.table)) RENAME CONSTRAINT \(before) TO \(after)")
    }

    private func delete(on connection: PostgreSQL.Connection) throws {
        let rows = try rows(on: connection)
        if try hasTable(on: connection) {
            try PostgreSQLViews(feeds: []).drop(from: connection)
            try connection.execute("DROP TABLE \(PostgreSQL.Connection.identifier(old.table))")
        }
        try connection.execute(
            "DELETE FROM _crawl_page WHERE crawl IN (SELECT id FROM _crawl WHERE \(rows("feed")))")
        for (table, column) in Store.nameColumns.reversed() {
            try connection.execute("DELETE FROM \(table) WHERE \(rows(column))")
        }
    }

    private func hasTable(on connection: PostgreSQL.Connection) throws -> Bool {
        try StoreDatabase(connection: connection).table(old.table) != nil
    }

    /// The condition by a column with names of feeds. The names of lists begin with the feed's: no index finds them, so
    /// only a feed that has lists is looked for in this way.
    private func rows(on connection: PostgreSQL.Connection) throws -> (String) -> String {
        let hasLists = try connection.scalar(
            """
            SELECT 1 FROM _feed WHERE feed = $1
                AND (parent_rows IS NOT NULL OR EXISTS (SELECT FROM feed_part p WHERE p.feed = $1))
            """, [old.feed])
        let (name, start) = (literal(old.feed), old.feed + "/")
        return { column in
            let isFeed = "\(column) = \(name)"
            guard hasLists != nil else { return isFeed }
            return "(\(isFeed) OR left(\(column), \(start.unicodeScalars.count)) = \(literal(start)))"
        }
    }

    private func literal(_ text: String) -> String { PostgreSQL.Connection.literal(text) }
}

extension StoreDatabase {
    /// - Throws: `CopyProblem` if there is a table, a view or the like with one of these names.
    func checkFree(_ tables: [String]) throws {
        let taken = try connection.scalar(
            """
            SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relname = ANY (CAST($1 AS text[]))
            """, [PostgreSQL.Connection.array(tables)])
        guard let taken else { return }
        throw CopyProblem.refused(
            "the store already has something else named `\(taken)`", advice: "choose another name")
    }

    /// Renames or deletes feeds. A worker with an older configuration ignores the old names from then on.
    ///
    /// - Parameters:
    ///   - claims: The claims on the feeds.
    ///   - now: In milliseconds since 1970.
    func apply(_ moves: [FeedMove], claims: [Claim], now: Int64) throws {
        for move in moves { try move.apply(to: connection) }
        let gone = Set(moves.map(\.old.feed))
        try connection.query(
            """
            INSERT INTO _gone SELECT unnest(CAST($1 AS text[])), CAST($2 AS bigint)
            ON CONFLICT (feed) DO UPDATE SET configured_at = EXCLUDED.configured_at
            """, [PostgreSQL.Connection.array(gone.sorted()), "\(now)"])
        let claims = claims.filter { !gone.isDisjoint(with: $0.group.feeds) }
        guard !claims.isEmpty else { return }
        try connection.execute(
            """
            DELETE FROM _claim WHERE \(claims.isOurs);
            UPDATE _layout SET version = version + 1, digest = NULL, is_whole = false
            """)
    }
}
