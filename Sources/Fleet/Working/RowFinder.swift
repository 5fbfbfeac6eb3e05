internal import PostgreSQLStore
internal import SQLite

/// Finds rows of a table by their keys, one after the other.
///
/// Rows that are found by their row id must be requested in ascending order: a row close to the previous one costs
/// SQLite a step, not a search.
struct RowFinder {
    /// Stands at the row that was found last; it has the table's columns.
    let statement: Statement
    /// The index of the row id among the columns; nil for another key.
    private let numberIndex: Int?
    /// The row id of the statement's current row.
    private var number: Int64?

    /// Up to this distance, the rows between two numbers are stepped over; each of them is read, too.
    private static let longestStride: UInt64 = 4

    /// - Parameter hasNumbers: True if the key is the number of the row.
    init(_ target: WriteThrough.Target, hasNumbers: Bool, in source: SQLite.Connection) throws {
        let key = try target.key.map { try SQL.identifier($0.name) }
        numberIndex = hasNumbers ? target.table.columns.firstIndex { $0.name == target.key.first?.name } : nil
        let condition =
            numberIndex == nil
            ? key.map { "\($0) = ?" }.joined(separator: " AND ")
            : "\(key.joined()) >= ? ORDER BY \(key.joined())"
        statement = try source.cached(
            "SELECT \(try target.table.sqliteColumns) FROM \(try SQL.identifier(target.table.name)) WHERE \(condition)")
    }

    /// Stands at a row.
    ///
    /// - Parameter key: Greater than the one before if it is a number.
    /// - Returns: True if there is such a row.
    mutating func find(_ key: ChangedRow.Key) throws -> Bool {
        guard let numberIndex, case .number(let wanted) = key else {
            try statement.reset()
            try statement.bind(key.values)
            return try statement.step()
        }
        if let number, wanted > number, UInt64(bitPattern: wanted &- number) <= Self.longestStride {
            while let number = self.number, number < wanted { try step(numberIndex) }
        } else if number.map({ $0 < wanted }) ?? true {
            try statement.reset()
            try statement.bindInt64(wanted, at: 1)
            try step(numberIndex)
        }
        return number == wanted
    }

    private mutating func step(_ numberIndex: Int) throws {
        number = try statement.step() ? statement.int64(at: numberIndex) : nil
    }

    /// Lets go of the table.
    func end() { try? statement.reset() }
}
