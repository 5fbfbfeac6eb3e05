internal import SQLite

/// Some rows of a feed's table, in feed order.
package struct RowPage: Sendable, Hashable {
    /// The model's columns, in the order of the definition; those of earlier definitions after them.
    package internal(set) var columns: [RowColumn] = []
    /// The names of the primary key's columns.
    package internal(set) var key: [String] = []
    /// The rows.
    package internal(set) var rows: [StoredRow] = []
    /// True if further rows follow these.
    package internal(set) var hasMore = false

    /// A row as a JSON object with the table's column names, and with the values of `json` columns as JSON.
    package func json(_ row: StoredRow) -> String {
        var object = JSONObjectText()
        for (column, value) in zip(columns, row.values) {
            object.add(column.name, json: column.type == .json ? column.json(value) : value.json)
        }
        for column in PlaceColumn.allCases { object.add(column.rawValue, json: row[column].json) }
        return object.text
    }

    /// Creates an empty page.
    package init() {}
}

extension RowPage: ListingResult {
    var isFull: Bool { false }

    mutating func begin(_ selection: RowSelection) { (columns, key) = (selection.columns, selection.key) }

    mutating func take(_ row: Statement) { rows.append(StoredRow(row, columnCount: columns.count)) }
}

/// One row of a feed's table.
///
/// Times are in UTC, ISO 8601 with milliseconds.
package struct StoredRow: Sendable, Hashable {
    /// The values of the model's columns, in the order of the page's `columns`.
    package let values: [StoredValue]
    /// The section's name; nil for an item without one.
    package let section: String?
    /// The newest changed crawl that placed the item.
    package let generation: Int
    /// Its number in that crawl, from 0.
    package let position: Int
    /// The time at which it was first stored.
    package let firstSeenAt: String
    /// The time at which its content last changed.
    package let changedAt: String
    /// The time at which the upstream was found to have removed it; nil while it has the item.
    package let removedAt: String?
}

extension StoredRow {
    /// A row of an item that is not stored.
    init(unstored values: [StoredValue], position: Int) {
        self.values = values
        (section, generation, self.position, firstSeenAt, changedAt, removedAt) = (nil, 0, position, "", "", nil)
    }

    /// A row of a query for `columnCount` columns of the model, then the ones that every feed has.
    init(_ statement: Statement, columnCount: Int) {
        values = (0..<columnCount).map { StoredValue(statement.value(at: $0)) }
        section = statement.text(at: columnCount)
        generation = Int(clamping: statement.int64(at: columnCount + 1))
        position = Int(clamping: statement.int64(at: columnCount + 2))
        firstSeenAt = statement.text(at: columnCount + 3) ?? ""
        changedAt = statement.text(at: columnCount + 4) ?? ""
        removedAt = statement.text(at: columnCount + 5)
    }

    subscript(column: PlaceColumn) -> StoredValue {
        switch column {
        case .section: section.map(StoredValue.text) ?? .null
        case .generation: .integer(Int64(generation))
        case .position: .integer(Int64(position))
        case .firstSeenAt: .text(firstSeenAt)
        case .changedAt: .text(changedAt)
        case .removedAt: removedAt.map(StoredValue.text) ?? .null
        }
    }
}
