internal import JSON
internal import Text
internal import Time

/// The type of a column in PostgreSQL, and how it holds what SQLite's column does.
///
/// Pure. A field is the text that COPY takes and gives: https://www.postgresql.org/docs/15/datatype.html
enum FieldType: String, Sendable, Hashable, CaseIterable {
    case text
    case bigint
    case numeric
    case double = "double precision"
    case boolean
    case timestamp = "timestamp with time zone"
    /// Keeps the text as it is.
    case json
    /// Keeps what the text means: members in an order of its own, no spaces.
    case jsonb
    /// Text that is a JSON scalar, of a column in which SQLite's values are of any type.
    case anyAsJSON

    /// As SQL has it.
    var sql: String { self == .anyAsJSON ? FieldType.text.rawValue : rawValue }

    /// A value as a field.
    struct Field: Sendable, Hashable {
        /// The text; nil for NULL.
        let text: String?
        /// Whether the value comes back from it as it was. If not, the field is as near as the type allows.
        let isExact: Bool
    }

    /// The field of a value.
    func field(_ value: StoredValue) -> Field {
        switch (self, value) {
        case (_, .null): return Field(text: nil, isExact: true)
        case (.jsonb, .text(let text)): return BinaryJSON.field(text)
        case (.timestamp, .text(let text)):
            // Each row has two that we wrote.
            if let field = Self.ownMoment(text) { return Field(text: field, isExact: true) }
            fallthrough
        default:
            let text = text(of: value)
            return Field(text: text, isExact: text.map { self.value($0) == value } ?? false)
        }
    }

    /// The field's text as PostgreSQL gives it back; nil where the type has nothing near the value.
    private func text(of value: StoredValue) -> String? {
        switch (self, value) {
        case (.anyAsJSON, _): ExactValue.scalar(value)?.json
        case (.text, .integer(let integer)), (.bigint, .integer(let integer)), (.numeric, .integer(let integer)),
            (.double, .integer(let integer)), (.jsonb, .integer(let integer)):
            "\(integer)"
        case (.text, .real(let real)), (.double, .real(let real)): "\(real)"
        // PostgreSQL writes all digits, and no sign of a zero.
        case (.numeric, .real(let real)): "\(real)".utf8.allSatisfy { $0 < 58 } && real != 0 ? "\(real)" : nil
        case (.text, .text(let text)), (.json, .text(let text)): NULText.written(text)
        case (.numeric, .text(let text)): Self.isLongInteger(text) ? text : nil
        case (.boolean, .integer(0)): "f"
        case (.boolean, .integer(1)): "t"
        case (.timestamp, .text(let text)): Self.moment(text)
        default: nil
        }
    }

    /// The value of a field that is not NULL; nil for what no value of ours can have become.
    func value(_ field: String) -> StoredValue? {
        switch self {
        case .text, .json: .text(NULText.read(field))
        case .bigint: Int64(field).map(StoredValue.integer)
        case .numeric:
            if field.utf8.contains(UInt8(ascii: ".")) {
                Double(field).map(StoredValue.real)
            } else {
                Int64(field).map(StoredValue.integer) ?? .text(field)
            }
        case .double: Double(field).map(StoredValue.real)
        case .boolean: ["t": .integer(1), "f": .integer(0)][field]
        case .timestamp: .text(Self.timestamp(field))
        case .jsonb: .text(BinaryJSON.compact(field))
        case .anyAsJSON: ExactValue.scalar(json: field)
        }
    }

    /// Digits of an integer beyond 64 bits, as PostgreSQL writes them.
    private static func isLongInteger(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        return (19...1_000).contains(digits.count) && digits.first != UInt8(ascii: "0")
            && digits.allSatisfy { (48...57).contains($0) } && Int64(text) == nil
    }

    /// The field of a time as the store writes it, `2026-11-21T02:20:11.123Z`; nil for any other text, and for days that not
    /// every month has.
    private static func ownMoment(_ text: String) -> String? {
        var bytes = Array(text.utf8)
        guard bytes.count == 24, bytes[10] == UInt8(ascii: "T"), bytes[23] == UInt8(ascii: "Z") else { return nil }
        for (index, mark) in [(4, "-"), (7, "-"), (13, ":"), (16, ":"), (19, ".")] as [(Int, Unicode.Scalar)] {
            guard bytes[index] == UInt8(ascii: mark) else { return nil }
            bytes[index] = UInt8(ascii: "0")
        }
        guard bytes[..<10].allSatisfy(isDigit), bytes[11..<23].allSatisfy(isDigit) else { return nil }
        func number(_ index: Int) -> UInt8 { (bytes[index] - 48) * 10 + bytes[index + 1] - 48 }
        guard bytes[0] != UInt8(ascii: "0"), (1...12).contains(number(5)), (1...28).contains(number(8)),
            number(11) < 24, number(14) < 60, number(17) < 60
        else { return nil }
        bytes = Array(text.utf8.prefix(23))
        bytes[10] = UInt8(ascii: " ")
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return String(decoding: bytes + "+00".utf8, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// A time, to the microsecond, without zeros at its end; nil for any other text.
    private static func moment(_ text: String) -> String? {
        // The year 0 is 1 BC there.
        guard let time = Timestamp(text), time.text == text, !text.hasPrefix("0000") else { return nil }
        var fraction = time.fraction.prefix(6)
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        let point = fraction.isEmpty ? "" : "."
        return text.prefix(19).replacing("T", with: " ") + point + String(decoding: fraction, as: UTF8.self) + "+00"
    }

    /// What PostgreSQL writes, `2026-11-21 02:20:11.5+00`, as the store does.
    private static func timestamp(_ field: String) -> String {
        var bytes = Array(field.utf8)
        // A year before the first has `BC` behind it.
        guard bytes.suffix(3).elementsEqual("+00".utf8) else { return field }
        bytes.removeLast(3)
        let point = bytes.firstIndex(of: UInt8(ascii: ".")) ?? bytes.count
        for index in bytes[..<point].indices where bytes[index] == UInt8(ascii: " ") {
            bytes[index] = UInt8(ascii: "T")
        }
        if point == bytes.count { bytes.append(UInt8(ascii: ".")) }
        while bytes.count - point < 4 { bytes.append(UInt8(ascii: "0")) }
        return String(decoding: bytes + "Z".utf8, as: UTF8.self)
    }
}

/// Text with U+0000 in a form that PostgreSQL can hold: U+10FFFF and `0`. U+10FFFF itself, which no text should have, is
/// U+10FFFF and `1`.
enum NULText {
    private static let mark = "\u{10FFFF}"

    /// As PostgreSQL gets it.
    static func written(_ text: String) -> String {
        guard text.utf8.contains(0) || text.utf8.contains(0xf4) else { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
                    switch scalar {
                    case "\0": ["\u{10FFFF}", "0"]
                    case "\u{10FFFF}": ["\u{10FFFF}", "1"]
                    default: [scalar]
                    }
                }))
    }

    /// As it was.
    static func read(_ text: String) -> String {
        guard text.utf8.contains(0xf4) else { return text }
        var result = String.UnicodeScalarView()
        var isMarked = false
        for scalar in text.unicodeScalars {
            if isMarked {
                if scalar == "0" { result.append("\0") } else { result.append("\u{10FFFF}") }
                isMarked = false
            } else if scalar == "\u{10FFFF}" {
                isMarked = true
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
