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
        case (.boolean, .integer(let integer)): [0: "f", 1: "t"][integer]
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
        guard field.hasSuffix("+00"), !field.contains("BC") else { return field }
        let parts = field.dropLast(3).split(separator: ".", maxSplits: 1)
        var fraction = parts.count > 1 ? String(parts[1]) : ""
        while fraction.utf8.count < 3 { fraction += "0" }
        return "\(parts.first.map { $0.replacing(" ", with: "T") } ?? "").\(fraction)Z"
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
