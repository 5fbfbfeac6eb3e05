/// One SQLite value: of a parameter or a column.
///
/// Source: <https://sqlite.org/datatype3.html#storage_classes_and_datatypes>
public enum Value: Sendable, Hashable {
    /// No value.
    case null
    /// A signed 64-bit integer.
    case integer(Int64)
    /// An IEEE 754 double; SQLite stores a NaN as NULL.
    case real(Double)
    /// UTF-8 text, which may contain NUL.
    case text(String)
    /// Bytes as they are.
    case blob([UInt8])

    /// The integer, or NULL for nil.
    public init(_ integer: Int64?) { self = integer.map(Value.integer) ?? .null }

    /// The integer, or NULL for nil.
    public init(_ integer: Int?) { self = integer.map { .integer(Int64($0)) } ?? .null }

    /// The number, or NULL for nil.
    public init(_ real: Double?) { self = real.map(Value.real) ?? .null }

    /// The text, or NULL for nil.
    public init(_ text: String?) { self = text.map(Value.text) ?? .null }

    /// 1 or 0, or NULL for nil: SQLite has no Booleans of its own.
    public init(_ flag: Bool?) { self = flag.map { .integer($0 ? 1 : 0) } ?? .null }
}

extension Value {
    /// The integer, where the value is one.
    public var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    /// The text, where the value is text.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// True if the value is NULL.
    public var isNull: Bool { self == .null }
}

extension Value: ExpressibleByNilLiteral {
    /// NULL.
    public init(nilLiteral: ()) { self = .null }
}

extension Value: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral {
    /// A real.
    public init(floatLiteral value: Double) { self = .real(value) }
}

extension Value: ExpressibleByStringLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension Value: ExpressibleByBooleanLiteral {
    /// 1 or 0.
    public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}
