internal import SQLite

/// Some rows of a feed's table, in feed order.
package struct RowPage: Sendable, Hashable {
    /// A column of the model.
    package struct Column: Sendable, Hashable {
        /// Its name in the table.
        package let name: String
        /// The type of its values; nil to use the type of each value.
        package let type: ColumnType?
    }

    /// The model's columns, in the order of the definition; those of earlier definitions after them.
    package internal(set) var columns: [Column] = []
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
            object.add(column.name, json: json(value, in: column))
        }
        for column in PlaceColumn.allCases { object.add(column.rawValue, json: row[column].json) }
        return object.text
    }

    private func json(_ value: StoredValue, in column: Column) -> String {
        // Only text that the strict parser accepts is passed on unchanged, because other programs may have written to
        // the table.
        guard column.type == .json, case .text(let text) = value, (try? JSONValue(parsing: text)) != nil else {
            return value.json
        }
        return text
    }
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

/// The columns that every feed's table has, apart from `_raw`.
enum PlaceColumn: String, CaseIterable {
    case section = "_section"
    case generation = "_generation"
    case position = "_position"
    case firstSeenAt = "_first_seen_at"
    case changedAt = "_changed_at"
    case removedAt = "_removed_at"
}

extension StoredRow {
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
