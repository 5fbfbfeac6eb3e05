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

    /// The values of a key as JSON; nil if it is not a key.
    package static func values(ofJSON json: String) -> [Value]? {
        guard let value = try? JSONValue(parsing: json) else { return nil }
        let parts = if case .array(let parts) = value { parts } else { [value] }
        let values = parts.compactMap { Value(key: $0) }
        return values.count == parts.count ? values : nil
    }

    /// The values of a key in the form of the store's logs: the value itself for one column, otherwise an array as
    /// JSON; nil if it is not a key of so many columns.
    package static func values(of key: Value, count: Int) -> [Value]? {
        if count == 1 { return [key] }
        guard case .text(let text) = key, let values = values(ofJSON: text), values.count == count else { return nil }
        return values
    }

    private static func value(_ row: Statement, at column: Int) -> String {
        let value = row.value(at: column)
        // Bytes are in no key.
        return if case .blob = value { "null" } else { StoredValue(value).json }
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
