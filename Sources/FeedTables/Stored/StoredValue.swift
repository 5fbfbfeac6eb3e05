package import SQLite

/// A value as a feed's table holds it.
package enum StoredValue: Sendable, Hashable {
    /// No value.
    case null
    /// A whole number, or a Boolean as 0 or 1.
    case integer(Int64)
    /// A number.
    case real(Double)
    /// Text, a time, a whole number beyond 64 bits, or an array or object as JSON.
    case text(String)
    /// Bytes, which feedsync itself never stores.
    case blob([UInt8])

    package init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .integer(let integer): .integer(integer)
            case .real(let real): .real(real)
            case .text(let text): .text(text)
            case .blob(let bytes): .blob(bytes)
            }
    }

    /// The value as JSON; bytes as a string of hexadecimal digits.
    package var json: String {
        switch self {
        case .null: "null"
        case .integer(let integer): "\(integer)"
        case .real(let real): JSONText.number(real)
        case .text(let text): JSONText.string(text)
        case .blob: JSONText.string(description)
        }
    }
}

extension StoredValue: CustomStringConvertible {
    /// The value as plain text: NULL as nothing, bytes as hexadecimal digits.
    package var description: String {
        switch self {
        case .null: ""
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): text
        case .blob(let bytes): Hexadecimal.encoded(bytes)
        }
    }
}
