internal import SQLite

/// Reads rows in the order of a table. The items of most pages have their rows in that order or in its reverse, and a
/// step to the next row takes half as long as a look-up by key.
///
/// - Isolation: the store's.
final class RowWalk {
    private let connection: Connection
    /// A query of all rows, without a condition.
    private let query: String
    private var statements: [Direction: Statement] = [:]
    /// The row that the last item has.
    @exclusivity(unchecked) private var row: Int64?
    /// The direction in which the last two items have their rows.
    @exclusivity(unchecked) private var direction: Direction?
    /// The statement that is at `row`.
    @exclusivity(unchecked) private var open: Statement?
    /// The number of steps on this page that led to the row of another item.
    @exclusivity(unchecked) private var misses = 0

    private enum Direction { case up, down }

    /// A page whose rows are in no order costs no more than this number of steps.
    private static let mostMisses = 2

    init(_ query: String, on connection: Connection) {
        self.query = query
        self.connection = connection
    }

    /// The next row; nil if the page has no direction, or if it is not the row that is wanted.
    func next(where isWanted: (Statement) -> Bool) throws(SQLiteError) -> Statement? {
        guard let row, let direction, misses < Self.mostMisses else { return nil }
        let statement = if let open { open } else { try begin(direction, from: row) }
        if try statement.step(), isWanted(statement) {
            self.row = statement.int64(at: 0)
            return statement
        }
        misses += 1
        try close()
        return nil
    }

    /// Goes on from a row that was looked up.
    func goOn(from found: Int64) {
        defer { row = found }
        guard let row else { return }
        // An item that is looked up again has no direction, and its step was no miss.
        guard found != row else { return misses = max(misses - 1, 0) }
        direction = found > row ? .up : .down
    }

    /// Ends at the end of a page, so that no read stays open.
    func end() throws(SQLiteError) {
        (row, direction, misses) = (nil, nil, 0)
        try close()
    }

    private func begin(_ direction: Direction, from row: Int64) throws(SQLiteError) -> Statement {
        let statement = try statement(direction)
        try statement.bindInt64(row, at: 1)
        open = statement
        return statement
    }

    private func close() throws(SQLiteError) {
        guard let statement = open else { return }
        open = nil
        try statement.reset()
    }

    private func statement(_ direction: Direction) throws(SQLiteError) -> Statement {
        if let known = statements[direction] { return known }
        let (sign, order) = direction == .up ? (">", "ASC") : ("<", "DESC")
        let made = try connection.prepare(
            "\(query) WHERE _rowid_ \(sign) ? ORDER BY _rowid_ \(order)", persistent: true)
        statements[direction] = made
        return made
    }
}
