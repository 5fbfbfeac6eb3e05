internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLite

/// The part of a store in PostgreSQL that a file gets.
package enum CopyExtent: Sendable {
    /// The data from which the states of feeds follow, without a table for each feed: there may be thousands.
    case summary
    /// The same with the latest history and the feeds' tables, which stay empty.
    case states
    /// The same with items: the data that a sync may need.
    case recent
    /// All rows.
    case all
}

/// A group's part of a store in PostgreSQL, in a SQLite file of a worker's own.
struct WorkingCopy {
    let source: StoreDatabase
    let scope: FeedScope
    /// A new store, or an earlier copy.
    let target: SQLite.Connection
    /// The numbers of events and changes; nil if they keep their own, because more will be written.
    var numbers: LogNumbers?

    /// Fills the file with PostgreSQL's content at one moment.
    ///
    /// - Parameters:
    ///   - groups: The claimed groups of these feeds.
    ///   - block: The ids for rows stored from now on; nil if there will be none.
    /// - Returns: The number of the groups' commits at that moment.
    func fill(_ extent: CopyExtent, groups: [String] = [], block: NumberBlock?) throws -> [Int64] {
        // PostgreSQL does not wait until SQLite has committed all rows.
        try target.transaction {
            try source.connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
                try read(extent, groups: groups, block: block)
            }
        }
    }

    private func read(_ extent: CopyExtent, groups: [String], block: NumberBlock?) throws -> [Int64] {
        let versions = try source.connection.query(
            "SELECT version FROM _claim WHERE \"group\" = ANY(CAST($1 AS text[]))",
            [PostgreSQL.Connection.array(groups)])
        let scope = groups.isEmpty ? scope : try scope.addingRenamed(source.connection)
        let tables = try source.tables(CopiedTable.fixed)
        // The feed of one of them may have been renamed or deleted.
        let tablesBefore = try StoredFeed.all(in: target).map(\.table)
        for name in CopiedTable.fixed {
            guard let table = tables[name] else { throw CopyProblem.unreadable(table: name) }
            try target.execute("DELETE FROM \(try SQL.identifier(name))")
            let condition: String? =
                switch extent {
                case .all: scope.condition(of: name) ?? "true"
                case .recent, .states: scope.recent(of: name) ?? "true"
                case .summary: scope.summary(of: name)
                }
            if let condition { try insert(table, where: condition) }
        }
        for table in tablesBefore { try target.execute("DROP TABLE IF EXISTS \(try SQL.identifier(table))") }
        guard extent != .summary else { return [] }
        // PostgreSQL is asked once for all tables: a host may have thousands of feeds.
        let feeds = try StoredFeed.all(in: target, withTable: false)
        let itemTables = try source.tables(feeds.map(\.table))
        let keys = try source.keys(of: feeds.map(\.table))
        for feed in feeds {
            guard let table = itemTables[feed.table] else { continue }
            // Rows that are not read here would be lost: the table would be made again without them.
            guard let key = keys[feed.table] else { throw CopyProblem.unreadable(table: feed.table) }
            try table.make(in: target, key: key)
            if extent != .states { try insert(table) }
        }
        try block?.use(in: target)
        return versions.compactMap { $0[0].flatMap { Int64($0) } }
    }

    /// Inserts the rows of a table that meet a condition.
    func insert(_ table: CopiedTable, where condition: String = "true") throws {
        guard let numbers, CopiedTable.logs.contains(table.name),
            let number = table.columns.firstIndex(where: { $0.name == "id" })
        else { return try source.insertRows(of: table, where: condition, into: target) }
        let insertion = try CopiedTable.Insertion(of: table, into: target)
        try source.logRows(of: table, where: condition) { values, transaction in
            var values = values
            values[number] = .integer(numbers.next(in: transaction, of: table.name))
            try insertion.insert(values)
        }
    }
}
