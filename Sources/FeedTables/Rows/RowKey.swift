package import SQLite

/// The key of a stored row as `_page.keys` has it, so that both can be compared without loss: SQLite's own JSON
/// functions round reals and cut text at a zero byte.
package enum RowKey {
    /// The key in a number of columns of a result row.
    package static func text(_ row: Statement, from column: Int, count: Int) -> String {
        if count == 1 { return value(row, at: column) }
        let values = (column..<column + count).map { value(row, at: $0) }
        return "[\(values.joined(separator: ","))]"
    }

    private static func value(_ row: Statement, at column: Int) -> String {
        switch row.value(at: column) {
        case .null: "null"
        case .integer(let integer): "\(integer)"
        case .real(let real): JSONText.number(real)
        case .text(let text): JSONText.string(text)
        case .blob: "null"
        }
    }
}

extension Value {
    /// The value of a key's column, as JSON has it; nil for a value that is in no key.
    package init?(key: JSONValue) {
        switch key {
        case .string(let text): self = .text(text)
        case .number(let digits):
            guard let value = Int64(digits).map(Value.integer) ?? Double(digits).map(Value.real) else { return nil }
            self = value
        case .null, .bool, .array, .object: return nil
        }
    }
}
