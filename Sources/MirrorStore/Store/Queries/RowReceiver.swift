/// A column of a result.
package struct RowColumn: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// What its values are, where the column of a feed's table says so.
    package let type: ColumnType?
    /// Where its value is in the item; nil for what is no column of a model.
    package let path: String?

    package init(name: String, type: ColumnType? = nil, path: String? = nil) {
        self.name = name
        self.type = type
        self.path = path
    }

    /// A value of the column as JSON: a Boolean as one, and JSON as it is.
    package func json(_ value: StoredValue) -> String {
        switch (type, value) {
        case (.boolean, .integer(0)): "false"
        case (.boolean, .integer(1)): "true"
        // Only what the strict reader takes goes out as it is: anybody may have written to the table.
        case (.json, .text(let text)) where (try? JSONValue(parsing: text)) != nil: text
        default: value.json
        }
    }
}

/// Takes the rows of a result one by one, so that nobody needs to hold all of them.
package protocol RowReceiver: AnyObject {
    /// What came of it.
    associatedtype Outcome: Sendable

    /// Takes the title of the rows that come next.
    func beginPart(_ title: String)
    /// Takes the columns, before the first row of each part.
    func begin(_ columns: [RowColumn])
    /// Takes a row, one value for each column.
    ///
    /// - Returns: Whether further rows are wanted.
    func take(_ values: [StoredValue]) -> Bool
    /// Takes note that no further row comes.
    func end() -> Outcome
}

/// Why a query of the user's brings nothing.
package enum QueryError: Error, Sendable {
    /// It is wrong, as SQLite says.
    case invalid(String)
    /// The store cannot be read.
    case store(FeedSyncError)
}
