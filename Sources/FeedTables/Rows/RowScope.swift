package import SQLite

/// The rows of a table that belong to one list: all rows, or those of one parent row.
package struct RowScope {
    /// The parent's key: columns of the table, their values as SQL literals and as JSON.
    let columns: [(name: String, literal: String, json: String)]

    package init(_ part: FeedPart?) throws(SQLiteError) {
        columns = try (part?.key ?? []).map { column throws(SQLiteError) in
            (try SQL.identifier(column.name), try Value(column.value).literal, column.value.json)
        }
    }

    /// A condition to add to others; empty for all rows.
    package var and: String { columns.map { " AND \($0.name) = \($0.literal)" }.joined() }
}

extension Value {
    package init(_ value: FeedPart.KeyValue) {
        switch value {
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        case .text(let text): self = .text(text)
        }
    }

    /// The value as SQL writes it.
    package var literal: String {
        get throws(SQLiteError) {
            switch self {
            case .null, .blob: "NULL"
            case .integer(let integer): "\(integer)"
            case .real(let real): JSONText.number(real)
            case .text(let text): try SQL.string(text)
            }
        }
    }
}

extension FeedPart {
    /// The name of the list.
    package var name: String { Self.name(of: feed, key: key.map(\.value)) }

    /// The parent's key as stored: the value of its column, or a JSON array of several values.
    package var parentKey: Value {
        if let only = key.first, key.count == 1 { return Value(only.value) }
        return .text("[\(key.map(\.value.json).joined(separator: ","))]")
    }
}

extension FeedPart.KeyValue {
    /// The value as keys are written in the store.
    var json: String { StoredValue(Value(self)).json }
}
