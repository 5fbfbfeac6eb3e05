/// Receives the rows of a result one by one, so that they are never all in memory.
package protocol RowReceiver: AnyObject {
    /// The result of receiving.
    associatedtype Outcome: Sendable

    /// Takes the title of the following rows.
    func beginPart(_ title: String)
    /// Takes the columns, before the first row of each part.
    func begin(_ columns: [RowColumn])
    /// Takes a row, one value for each column.
    ///
    /// - Returns: True if further rows are wanted.
    func take(_ values: [StoredValue]) -> Bool
    /// Ends the result after the last row.
    func end() -> Outcome
}

/// The reason why a user's query has no result.
package enum QueryError: Error, Sendable {
    /// The query is wrong, with SQLite's message.
    case invalid(String)
    /// The store cannot be read.
    case store(FeedSyncError)
}
