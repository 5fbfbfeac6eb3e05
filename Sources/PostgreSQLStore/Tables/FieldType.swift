internal import JSON
internal import PostgreSQL
internal import SQLite
internal import Text
internal import Time

/// The type of a column in PostgreSQL, and its conversion of SQLite's values. Pure.
///
/// A field is the text that COPY reads and writes: https://www.postgresql.org/docs/15/datatype.html
package enum FieldType: String, Sendable, Hashable, CaseIterable {
    case text
    case bigint
    case numeric
    case double = "double precision"
    case boolean
    case timestamp = "timestamp with time zone"
    /// Keeps the text as it is.
    case json
    /// Keeps the meaning of the text: its members in another order, without spaces.
    case jsonb
    /// Text that is a JSON scalar, of a column in which SQLite's values are of any type.
    case anyAsJSON

    /// As SQL has it.
    var sql: String { self == .anyAsJSON ? FieldType.text.rawValue : rawValue }

    /// True if a wider type for columns of numbers would hold the value.
    func isNarrow(for value: CopiedValue) -> Bool {
        switch (self, value) {
        case (.bigint, .real), (.bigint, .text), (.numeric, .text): true
        default: false
        }
    }

    /// True if it is the wider one of the types for columns whose type is derived from their values.
    func isWider(than other: FieldType) -> Bool {
        let types: [FieldType] = [.bigint, .numeric, .text]
        guard let place = types.firstIndex(of: self), let before = types.firstIndex(of: other) else { return false }
        return place > before
    }

    /// A value as a field.
    package struct Field: Sendable, Hashable {
        /// The text; nil for NULL.
        package let text: String?
        /// True if the field converts back to the same value. If not, it is as near as the type allows.
        package let isExact: Bool
    }

    /// The field of a value.
    package func field(_ value: CopiedValue) -> Field {
        switch (self, value) {
        case (_, .null): return Field(text: nil, isExact: true)
        case (.jsonb, .text(let text)): return BinaryJSON.field(text)
        case (.timestamp, .text(let text)):
            // Each row has two that we wrote.
            var text = text
            let own = text.withUTF8 { text in
                Self.withOwnMoment(UnsafeRawBufferPointer(text)) { String(decoding: $0, as: UTF8.self) }
            }
            if let own { return Field(text: own, isExact: true) }
            fallthrough
        default:
            let text = text(of: value)
            return Field(text: text, isExact: text.map { self.value($0) == value } ?? false)
        }
    }

    /// Adds the field of a statement's column to an array, if its value is one that such columns often have. A row has
    /// twenty of them: they are taken byte by byte, and none becomes a `String`.
    ///
    /// - Returns: False for all others, with nothing added.
    func appendOften(_ statement: Statement, at index: Int, to array: inout ArrayText) -> Bool {
        switch (self, statement.storageClass(at: index)) {
        case (_, .null):
            array.appendNull()
        case (.bigint, .integer):
            array.append(statement.int64(at: index))
        case (.text, .text):
            return statement.withBytes(at: index) { bytes in
                let traits = TextTraits(bytes)
                guard Self.isOrdinary(bytes, traits) else { return false }
                array.append(bytes, traits)
                return true
            }
        case (.timestamp, .text):
            return statement.withBytes(at: index) { bytes in
                Self.withOwnMoment(bytes) { array.append($0) } != nil
            }
        default: return false
        }
        return true
    }

    /// Binds a field to a parameter, if its value is one that such columns often have.
    ///
    /// - Returns: False for all others, with nothing bound.
    func bindOften(
        _ field: UnsafeRawBufferPointer?, to statement: Statement, at index: Int
    ) throws(SQLiteError) -> Bool {
        guard let field else {
            try statement.bind(.null, at: index)
            return true
        }
        switch self {
        case .text, .json:
            guard !NULText.isIn(field) else { return false }
            try statement.bindText(copying: field, at: index)
        case .bigint:
            guard let number = Self.integer(field) else { return false }
            try statement.bind(.integer(number), at: index)
        case .boolean:
            guard field.count == 1, let byte = field.first, [UInt8(ascii: "t"), UInt8(ascii: "f")].contains(byte) else {
                return false
            }
            try statement.bind(.integer(byte == UInt8(ascii: "t") ? 1 : 0), at: index)
        case .timestamp:
            let bound = Self.withOwnTime(of: field) { text in
                Result { () throws(SQLiteError) in try statement.bindText(copying: text, at: index) }
            }
            guard let bound else { return false }
            try bound.get()
        case .numeric, .double, .jsonb, .anyAsJSON: return false
        }
        return true
    }

    /// The number of up to 18 digits.
    private static func integer(_ field: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = field.first == UInt8(ascii: "-")
        let digits = isNegative ? field.dropFirst() : field[...]
        guard (1...18).contains(digits.count), digits.allSatisfy(\.isASCIIDigit) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
        return isNegative ? -number : number
    }

    /// True if the bytes are UTF-8 without the characters that `NULText` encodes.
    private static func isOrdinary(_ bytes: UnsafeRawBufferPointer, _ traits: TextTraits) -> Bool {
        guard !traits.hasExtremes else { return false }
        return traits.isASCII || (try? UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)) != nil
    }

    /// The field's text as PostgreSQL gives it back; nil where the type has nothing near the value.
    private func text(of value: CopiedValue) -> String? {
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

    /// The value of a field that is not NULL; nil for a field that no value of ours can have become.
    func value(_ field: String) -> CopiedValue? {
        switch self {
        case .text, .json: .text(NULText.read(field))
        case .bigint: Int64(field).map(CopiedValue.integer)
        case .numeric:
            if field.utf8.contains(UInt8(ascii: ".")) {
                Double(field).map(CopiedValue.real)
            } else {
                Int64(field).map(CopiedValue.integer) ?? .text(field)
            }
        case .double: Double(field).map(CopiedValue.real)
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
            && digits.allSatisfy(\.isASCIIDigit) && Int64(text) == nil
    }

    /// Lends the field of a time as the store writes it, `2026-11-21T02:20:11.123Z`.
    ///
    /// - Returns: The result of `body`; nil for any other text, and for days that not every month has.
    private static func withOwnMoment<Result>(
        _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard text.count == 24, areDigits(text, 0..<4), text[4] == UInt8(ascii: "-"), areDigits(text, 5..<7),
            text[7] == UInt8(ascii: "-"), areDigits(text, 8..<10), text[10] == UInt8(ascii: "T"),
            areDigits(text, 11..<13), text[13] == UInt8(ascii: ":"), areDigits(text, 14..<16),
            text[16] == UInt8(ascii: ":"), areDigits(text, 17..<19), text[19] == UInt8(ascii: "."),
            areDigits(text, 20..<23), text[23] == UInt8(ascii: "Z")
        else { return nil }
        func number(_ index: Int) -> UInt8 { (text[index] - 48) * 10 + text[index + 1] - 48 }
        guard text[0] != UInt8(ascii: "0"), (1...12).contains(number(5)), (1...28).contains(number(8)),
            number(11) < 24, number(14) < 60, number(17) < 60
        else { return nil }
        var end = 23
        while text[end - 1] == UInt8(ascii: "0") { end -= 1 }
        if end == 20 { end = 19 }
        return withUnsafeTemporaryAllocation(byteCount: 26, alignment: 1) { field in
            field.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[..<end]))
            field[10] = UInt8(ascii: " ")
            for (index, byte) in "+00".utf8.enumerated() { field[end + index] = byte }
            return body(UnsafeRawBufferPointer(rebasing: field[..<(end + 3)]))
        }
    }

    /// Lends a time of PostgreSQL's as the store writes it, if it has no more than milliseconds:
    /// `2026-11-21T02:20:11.500Z` for `2026-11-21 02:20:11.5+00`.
    ///
    /// - Returns: The result of `body`; nil for any other field.
    private static func withOwnTime<Result>(
        of field: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        let point = 19
        let end = field.count - 3
        guard (point...point + 4).contains(end), end != point + 1, areDigits(field, 0..<4), areDigits(field, 11..<13),
            field[10] == UInt8(ascii: " "), field[end...].elementsEqual("+00".utf8),
            end == point || field[point] == UInt8(ascii: ".")
        else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 24, alignment: 1) { text in
            text.copyMemory(from: UnsafeRawBufferPointer(rebasing: field[..<end]))
            text[10] = UInt8(ascii: "T")
            text[point] = UInt8(ascii: ".")
            for index in end..<23 where index != point { text[index] = UInt8(ascii: "0") }
            text[23] = UInt8(ascii: "Z")
            return body(UnsafeRawBufferPointer(text))
        }
    }

    private static func areDigits(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        range.allSatisfy { (48...57).contains(text[$0]) }
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

    /// The store's notation of PostgreSQL's `2026-11-21 02:20:11.5+00`.
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

/// Text with U+0000 in a form that PostgreSQL can hold: U+10FFFF and `0`. U+10FFFF itself, which no text should have,
/// is U+10FFFF and `1`.
enum NULText {
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

    /// True if the bytes may have such characters.
    static func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.contains(0xf4) }

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
