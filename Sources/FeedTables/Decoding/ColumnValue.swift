internal import CPageDecoder

/// A column's value as the store keeps it, still a view of the page wherever that is possible.
enum ColumnValue {
    /// The item has no such member.
    case missing
    case null
    case integer(Int64)
    case real(Double)
    /// UTF-8 that lives as long as the page.
    case text(UnsafeRawBufferPointer)
    /// UTF-8 that the page does not hold in this form.
    case madeText([UInt8])

    /// The value of a slot in a column. A value that does not fit the type is kept as it came.
    ///
    /// Inlined, like `value(of:)`: it is called for every value of every page, and the compiler does not know that.
    @inline(__always)
    init(_ slot: json_slot, type: ColumnType?) {
        switch type {
        case nil: self.init(slot)
        case .integer?: self = slot.kind == JSON_TEXT ? slot.integerInText : ColumnValue(slot)
        case .boolean?: self = slot.kind == JSON_TEXT ? slot.booleanInText : ColumnValue(slot)
        case .text?: self = slot.kind == JSON_TEXT || slot.isNothing ? ColumnValue(slot) : .text(slot.rawBytes)
        case .json?: self = slot.isNothing ? ColumnValue(slot) : .text(slot.rawBytes)
        case .real?:
            // A larger integer would be shown with other digits than it came with, even if a double can hold it.
            let isExact = slot.kind == JSON_INTEGER && slot.integer.magnitude <= 1 << 53
            self =
                isExact
                ? .real(Double(slot.integer)) : slot.kind == JSON_TEXT ? slot.realInText : ColumnValue(slot)
        case .timestamp?: self = slot.timestamp.map { .madeText($0.bytes) } ?? ColumnValue(slot)
        }
    }

    /// True if the value fits the type and was not just kept as it came.
    @inline(__always)
    func fits(_ type: ColumnType?) -> Bool {
        // Patterns, because `==` of a type with raw values is a call through its protocol, for each value of each item.
        switch (self, type) {
        case (.missing, _), (.null, _), (.madeText, _): true
        case (.integer, .real?), (.integer, .timestamp?): false
        case (.integer, _): true
        case (.real, .integer?), (.real, .boolean?), (.real, .timestamp?): false
        case (.real, _): true
        case (.text, nil), (.text, .text?), (.text, .json?): true
        case (.text, _): false
        }
    }

    /// The value of a slot in a column that takes values as they come.
    @inline(__always)
    private init(_ slot: json_slot) {
        switch slot.kind {
        case JSON_TEXT: self = .text(slot.textBytes)
        case JSON_INTEGER: self = .integer(slot.integer)
        case JSON_MISSING: self = .missing
        case JSON_NULL: self = .null
        case JSON_FALSE: self = .integer(0)
        case JSON_TRUE: self = .integer(1)
        case JSON_REAL: self = .real(slot.real)
        default: self = .text(slot.rawBytes)
        }
    }
}

extension json_slot {
    fileprivate var isNothing: Bool { kind == JSON_MISSING || kind == JSON_NULL }

    /// The time in a text or a number.
    fileprivate var timestamp: Timestamp? {
        switch kind {
        case JSON_TEXT: Timestamp(textBytes) ?? timestampInDigits
        case JSON_INTEGER: Timestamp(sinceEpoch: integer)
        case JSON_REAL: Timestamp(sinceEpochDigits: rawBytes) ?? Timestamp(sinceEpoch: real)
        default: nil
        }
    }
}

/// Texts that are exactly a value of a type: `"3"` is an integer, `"007"` is not.
extension json_slot {
    /// The longest text that is tried: no number with more digits is kept exactly.
    private static let longestNumber: UInt32 = 64

    fileprivate var integerInText: ColumnValue {
        guard length <= Self.longestNumber else { return .text(textBytes) }
        let text = String(decoding: textBytes, as: UTF8.self)
        guard let integer = Int64(text), "\(integer)" == text else { return .text(textBytes) }
        return .integer(integer)
    }

    fileprivate var booleanInText: ColumnValue {
        if textBytes.elementsEqual("true".utf8) { return .integer(1) }
        return textBytes.elementsEqual("false".utf8) ? .integer(0) : .text(textBytes)
    }

    fileprivate var realInText: ColumnValue {
        guard length <= Self.longestNumber, let first = textBytes.first,
            first == UInt8(ascii: "-") || first.isASCIIDigit, textBytes.last?.isASCIIDigit == true
        else { return .text(textBytes) }
        let text = String(decoding: textBytes, as: UTF8.self)
        guard case .number? = try? JSONValue(parsing: text), let real = Double(text), real.isFinite,
            let written = DecimalDigits(text), written == DecimalDigits(JSONText.number(real))
        else { return .text(textBytes) }
        return .real(real)
    }

    /// The time in a text of digits. With fewer than nine digits it may be a year or a day.
    fileprivate var timestampInDigits: Timestamp? {
        let whole = textBytes.prefix(while: \.isASCIIDigit).count
        guard whole >= 9, length <= Self.longestNumber else { return nil }
        let text = String(decoding: textBytes, as: UTF8.self)
        if let seconds = Int64(text) { return Timestamp(sinceEpoch: seconds) }
        return Timestamp(sinceEpochDigits: textBytes)
    }
}

/// A JSON number by its digits, so that `10.50` and `1.05e1` are equal.
private struct DecimalDigits: Equatable {
    private let isNegative: Bool
    /// The digits without zeros at either end.
    private let digits: [UInt8]
    /// The power of ten of the last digit.
    private let exponent: Int

    /// - Parameter text: A JSON number. The result is nil for an exponent beyond those of a double.
    init?(_ text: String) {
        let parts = text.utf8.split { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
        guard let mantissa = parts.first else { return nil }
        let power = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) : 0
        guard let power, (-400...400).contains(power) else { return nil }
        isNegative = mantissa.first == UInt8(ascii: "-")
        let halves = mantissa.split(separator: UInt8(ascii: "."))
        var digits = halves.flatMap { $0.filter(\.isASCIIDigit) }.drop { $0 == UInt8(ascii: "0") }
        var exponent = power - (halves.count > 1 ? halves[1].count : 0)
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        self.digits = Array(digits)
        self.exponent = digits.isEmpty ? 0 : exponent
    }
}

extension PageItem {
    /// The item's value in a column of the plan.
    @inline(__always)
    func value(of column: Int) -> ColumnValue {
        ColumnValue(self[column], type: layout.columns[column].type)
    }

    /// True if a stored text is the text of this item's number, stored before the column was widened to text.
    func isWidened(_ column: Int, to text: @autoclosure () -> String?) -> Bool {
        guard plan.fittingKinds != nil, plan.columns[column].type == .text else { return false }
        let slot = self[column]
        switch slot.kind {
        case JSON_INTEGER:
            // Stored as an integer, or as a real first; `-0` is 0 as an integer.
            let text = text()
            return text == "\(slot.integer)" || Double(exactly: slot.integer).map(JSONText.number) == text
        case JSON_REAL:
            // SQLite writes `-0.0` as 0.0.
            let text = text()
            return text == JSONText.number(slot.real) || slot.real == 0 && text == "0.0"
        default: return false
        }
    }

    /// The section's name. The outer nil means that the item does not say, the inner that it has none.
    var section: String?? {
        guard let slot = sectionSlot else { return .some(nil) }
        switch slot.kind {
        case JSON_MISSING: return isPartial ? nil : .some(nil)
        case JSON_NULL: return .some(nil)
        case JSON_TEXT:
            guard let interval = plan.sectionInterval, let time = Timestamp(slot.textBytes) else {
                return String(decoding: slot.textBytes, as: UTF8.self)
            }
            return String(time.text.prefix(interval.length))
        case JSON_INTEGER:
            guard let interval = plan.sectionInterval, let time = Timestamp(sinceEpoch: slot.integer) else { break }
            return String(time.text.prefix(interval.length))
        default: break
        }
        return String(decoding: slot.rawBytes, as: UTF8.self)
    }

    /// Appends the key as JSON: the stored value, or an array of the stored values. So SQLite's JSON functions turn it
    /// into a value equal to the row's key.
    func appendKey(to text: inout [UInt8]) {
        if layout.keyColumns.count > 1 { text.append(UInt8(ascii: "[")) }
        for (index, column) in layout.keyColumns.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            appendValue(of: column, to: &text)
        }
        if layout.keyColumns.count > 1 { text.append(UInt8(ascii: "]")) }
    }

    private func appendValue(of column: Int, to text: inout [UInt8]) {
        let slot = self[column]
        switch value(of: column) {
        case .missing, .null: text.append(contentsOf: "null".utf8)
        case .integer(let integer):
            // The received text is the only form of an integer, except for `-0`.
            if slot.kind == JSON_INTEGER, integer != 0 {
                text.append(contentsOf: slot.rawBytes)
            } else {
                text.append(contentsOf: "\(integer)".utf8)
            }
        case .real(let real): text.append(contentsOf: JSONText.number(real).utf8)
        case .text(let bytes):
            // The received text is JSON already, with its quotes, if nothing in it is escaped.
            let isPlain = slot.kind == JSON_TEXT && slot.raw_length == slot.length &+ 2 && bytes.count == slot.length
            if isPlain {
                text.append(contentsOf: slot.rawBytes)
            } else {
                text.append(contentsOf: JSONText.string(String(decoding: bytes, as: UTF8.self)).utf8)
            }
        case .madeText(let bytes):
            text.append(contentsOf: JSONText.string(String(decoding: bytes, as: UTF8.self)).utf8)
        }
    }
}

extension SectionRule.Interval {
    /// The length of the part of a timestamp's text that identifies the interval.
    fileprivate var length: Int {
        switch self {
        case .hour: 13
        case .day: 10
        case .month: 7
        case .year: 4
        }
    }
}
