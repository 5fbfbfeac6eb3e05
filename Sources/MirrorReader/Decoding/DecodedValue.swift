/// A value that is to be decoded into a property.
enum DecodedValue {
    /// A whole row.
    case row(RowMembers)
    /// The value of a column, which may be JSON text if an array or object is wanted.
    case column(StoredValue)
    /// The value of a column of type `json`, as text and parsed.
    case jsonColumn(String, JSONValue)
    /// A value in JSON text.
    case json(JSONValue)

    /// The reason why a value does not fit a property.
    enum Refusal: Error {
        /// The value has another type.
        case mismatch
        /// The value is null.
        case null
        /// The value has the right type, but does not fit.
        case corrupted(String)
    }

    var isNull: Bool {
        switch self {
        case .column(.null), .json(.null), .jsonColumn(_, .null): true
        default: false
        }
    }

    /// The kind of value, for messages; never the value itself.
    var kind: String {
        switch self {
        case .row: "a row"
        case .column(.null): "NULL"
        case .column(.integer): "an integer"
        case .column(.real): "a real"
        case .column(.text): "text"
        case .column(.blob): "bytes"
        case .json(.bool), .jsonColumn(_, .bool): "a Boolean"
        case .json(let value), .jsonColumn(_, let value): value.kindWords
        }
    }

    func bool() throws(Refusal) -> Bool {
        switch self {
        case .column(.integer(0)): return false
        case .column(.integer(1)): return true
        case .column(.integer): throw .corrupted("found an integer other than 0 and 1, expected Bool")
        case .json(.bool(let flag)), .jsonColumn(_, .bool(let flag)): return flag
        default: throw refusal
        }
    }

    func string() throws(Refusal) -> String {
        switch self {
        case .column(.text(let text)): return text
        case .json(.string(let text)), .jsonColumn(_, .string(let text)): return text
        case .jsonColumn(let text, .array), .jsonColumn(let text, .object): return text
        default: throw refusal
        }
    }

    func integer<Integer: FixedWidthInteger>() throws(Refusal) -> Integer {
        let integer: Integer?
        switch self {
        case .column(.integer(let value)): integer = Integer(exactly: value)
        case .column(.real(let value)): integer = Self.whole(value)
        case .column(.text(let text)) where Self.isLongInteger(text): integer = Integer(text)
        case .json(.number(let text)), .jsonColumn(_, .number(let text)):
            integer = Integer(text) ?? Self.whole(Double(text))
        default: throw refusal
        }
        guard let integer else { throw .corrupted("the number does not fit \(Integer.self)") }
        return integer
    }

    func double() throws(Refusal) -> Double {
        let double: Double?
        switch self {
        case .column(.integer(let value)): double = Double(value)
        case .column(.real(let value)): double = value
        case .column(.text(let text)) where Self.isLongInteger(text): double = Double(text)
        case .json(.number(let text)), .jsonColumn(_, .number(let text)): double = Double(text)
        default: throw refusal
        }
        guard let double, double.isFinite else { throw .corrupted("the number does not fit Double") }
        return double
    }

    /// A number's digits, as JSON writes it.
    func digits() throws(Refusal) -> String {
        switch self {
        case .column(.integer(let value)): return "\(value)"
        case .column(.real(let value)): return "\(value)"
        case .column(.text(let text)): return text
        case .json(.number(let text)), .jsonColumn(_, .number(let text)): return text
        case .json(.string(let text)), .jsonColumn(_, .string(let text)): return text
        default: throw refusal
        }
    }

    func float() throws(Refusal) -> Float {
        let float = Float(try double())
        guard float.isFinite else { throw .corrupted("the number does not fit Float") }
        return float
    }

    func members() throws(Refusal) -> any DecodedMembers {
        if case .row(let members) = self { return members }
        guard case .object(let members) = try structure() else { throw refusal }
        return JSONMembers(members)
    }

    func elements() throws(Refusal) -> [JSONValue] {
        guard case .array(let elements) = try structure() else { throw refusal }
        return elements
    }

    private func structure() throws(Refusal) -> JSONValue {
        switch self {
        case .row, .column(.null), .column(.integer), .column(.real), .column(.blob): throw refusal
        case .json(let value), .jsonColumn(_, let value): return value
        case .column(.text(let text)):
            do { return try JSONValue(parsing: text) } catch {
                throw .corrupted("found text that is not JSON: \(error)")
            }
        }
    }

    private var refusal: Refusal { isNull ? .null : .mismatch }

    /// True if the text is the stored form of an integer beyond 64 bits; `007` is text and stays text.
    private static func isLongInteger(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        return digits.count > 18 && digits.first != UInt8(ascii: "0") && Int64(text) == nil
            && digits.allSatisfy(\.isASCIIDigit)
    }

    /// The integer of a double that is certain to be the original one: beyond 2⁵³ neighbouring integers share a double.
    private static func whole<Integer: FixedWidthInteger>(_ value: Double?) -> Integer? {
        guard let value, value.magnitude <= 9_007_199_254_740_992 else { return nil }
        return Integer(exactly: value)
    }
}
