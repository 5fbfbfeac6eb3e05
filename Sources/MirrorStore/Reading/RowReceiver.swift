/// A column of a result.
package struct RowColumn: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// The type of its values, if the column of a feed's table has one.
    package let type: ColumnType?
    /// The path of its value in the item; nil unless it is a column of a model.
    package let path: String?

    package init(name: String, type: ColumnType? = nil, path: String? = nil) {
        self.name = name
        self.type = type
        self.path = path
    }

    /// A value of the column as JSON. A Boolean becomes a JSON Boolean, and JSON stays unchanged.
    package func json(_ value: StoredValue) -> String {
        switch (type, value) {
        case (.boolean, .integer(0)): "false"
        case (.boolean, .integer(1)): "true"
        // Only text that the strict parser accepts is passed on unchanged, because other programs may have written to
        // the table.
        case (.json, .text(let text)) where (try? JSONValue(parsing: text)) != nil: text
        default: value.json
        }
    }
}

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
