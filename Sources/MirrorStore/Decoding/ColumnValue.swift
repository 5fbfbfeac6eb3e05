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

    /// What a slot becomes in a column. A value that does not fit the type stays as it came.
    ///
    /// Inlined, as `value(of:)` is: it is called for every value of every page, and the compiler does not see that.
    @inline(__always)
    init(_ slot: json_slot, type: ColumnType?) {
        switch type {
        case nil, .integer?, .boolean?: self.init(slot)
        case .text?: self = slot.kind == JSON_TEXT || slot.isNothing ? ColumnValue(slot) : .text(slot.rawBytes)
        case .json?: self = slot.isNothing ? ColumnValue(slot) : .text(slot.rawBytes)
        case .real?:
            // A larger integer would show other digits than it came with, even where a double holds it.
            let isExact = slot.kind == JSON_INTEGER && slot.integer.magnitude <= 1 << 53
            self = isExact ? .real(Double(slot.integer)) : ColumnValue(slot)
        case .timestamp?: self = slot.timestamp.map { .madeText($0.bytes) } ?? ColumnValue(slot)
        }
    }

    /// What a slot becomes in a column that takes values as they come.
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

    /// The time that a text or a number says.
    fileprivate var timestamp: Timestamp? {
        switch kind {
        case JSON_TEXT: Timestamp(textBytes)
        case JSON_INTEGER: Timestamp(sinceEpoch: integer)
        case JSON_REAL: Timestamp(sinceEpochDigits: rawBytes) ?? Timestamp(sinceEpoch: real)
        default: nil
        }
    }
}

extension PageItem {
    /// What a column of the plan holds for this item.
    @inline(__always)
    func value(of column: Int) -> ColumnValue {
        ColumnValue(self[column], type: layout.columns[column].type)
    }

    /// Whether a text is what a number became that was stored before its column was widened to text.
    func isWidened(_ column: Int, to text: @autoclosure () -> String?) -> Bool {
        guard plan.fittingKinds != nil, plan.columns[column].type == .text else { return false }
        let slot = self[column]
        switch slot.kind {
        case JSON_INTEGER:
            // As an integer, or as a real first; `-0` is 0 as an integer.
            let text = text()
            return text == "\(slot.integer)" || Double(exactly: slot.integer).map(JSONText.number) == text
        case JSON_REAL: return text() == JSONText.number(slot.real)
        default: return false
        }
    }

    /// The section's name; the outer nil means that the item does not say, the inner that it has none.
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

    /// The key as JSON: the value as it is stored, or an array of them. So what SQLite's JSON functions make of it is
    /// equal to the row's key.
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
            // As received it has its only form, but for `-0`.
            if slot.kind == JSON_INTEGER, integer != 0 {
                text.append(contentsOf: slot.rawBytes)
            } else {
                text.append(contentsOf: "\(integer)".utf8)
            }
        case .real(let real): text.append(contentsOf: JSONText.number(real).utf8)
        case .text(let bytes):
            // As received it is JSON already, quotes and all, where nothing in it is escaped.
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
    /// How much of a timestamp's text tells the interval.
    fileprivate var length: Int {
        switch self {
        case .hour: 13
        case .day: 10
        case .month: 7
        case .year: 4
        }
    }
}
