internal import PostgreSQL
internal import SQLite

/// A group's part of a store in PostgreSQL, in a SQLite file of a worker's own.
struct WorkingCopy {
    let source: PostgreSQLStore
    let scope: FeedScope
    /// A store that was just made.
    let target: SQLite.Connection

    /// Fills the file with what PostgreSQL has at one moment.
    ///
    /// - Parameter block: The numbers that are given to what is stored from now on.
    /// - Returns: How many commits the group had at that moment.
    func fill(group: String, block: NumberBlock) throws -> Int64 {
        try source.connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
            let version = try source.connection.scalar("SELECT version FROM _claim WHERE \"group\" = $1", [group])
            try target.transaction {
                for name in CopiedTable.fixed {
                    guard let table = try source.table(name) else { throw CopyProblem.unreadable(table: name) }
                    try target.execute("DELETE FROM \(try SQL.identifier(name))")
                    try insert(table, where: scope.condition(of: name) ?? "true")
                }
                for feed in try StoredFeed.all(in: target, withTable: false) {
                    guard let table = try source.table(feed.table), let key = try source.key(of: feed.table) else {
                        continue
                    }
                    try table.make(in: target, key: key)
                    try insert(table)
                }
                try block.use(in: target)
            }
            return version.flatMap(Int64.init) ?? 0
        }
    }

    private func insert(_ table: CopiedTable, where condition: String = "true") throws {
        try table.insert(into: target) { insert in try source.rows(of: table, where: condition, insert) }
    }
}
