internal import JSON
internal import Text

/// JSON as PostgreSQL's `jsonb` keeps it: members in the order of their names' lengths, then their bytes, the last of
/// each name, and numbers in all their digits.
///
/// Source: https://www.postgresql.org/docs/15/datatype-json.html
enum BinaryJSON {
    /// A JSON text as a field: compact, in its original order. The text is nil if `jsonb` cannot hold it.
    static func field(_ json: String) -> FieldType.Field {
        guard let value = try? JSONValue(parsing: json) else { return FieldType.Field(text: nil, isExact: false) }
        var text: [UInt8] = []
        text.reserveCapacity(json.utf8.count)
        var comesBack = true
        guard append(value, to: &text, &comesBack) else { return FieldType.Field(text: nil, isExact: false) }
        return FieldType.Field(
            text: String(decoding: text, as: UTF8.self), isExact: comesBack && json.utf8.elementsEqual(text))
    }

    /// - Parameter comesBack: Becomes false where PostgreSQL writes a number otherwise.
    /// - Returns: True if `jsonb` takes it.
    private static func append(_ value: JSONValue, to text: inout [UInt8], _ comesBack: inout Bool) -> Bool {
        switch value {
        case .null: text += "null".utf8
        case .bool(let isTrue): text += (isTrue ? "true" : "false").utf8
        case .number(let digits):
            // https://www.postgresql.org/docs/15/datatype-numeric.html: 131072 digits before the point, 16383 behind it
            let parts = digits.lowercased().split(separator: "e")
            guard digits.utf8.count <= 1_000, parts.count < 2 || (-1_000...1_000).contains(Int(parts[1]) ?? .max)
            else { return false }
            if parts.count > 1 || digits.hasPrefix("-") && Double(digits) == 0 { comesBack = false }
            text += digits.utf8
        case .string(let string):
            append(string, to: &text, &comesBack)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                guard append(element, to: &text, &comesBack) else { return false }
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            let sorted = members.sorted { left, right in
                let counts = (left.name.utf8.count, right.name.utf8.count)
                return counts.0 == counts.1
                    ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8) : counts.0 < counts.1
            }
            for (index, member) in sorted.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(member.name, to: &text, &comesBack)
                text.append(UInt8(ascii: ":"))
                guard append(member.value, to: &text, &comesBack) else { return false }
            }
            text.append(UInt8(ascii: "}"))
        }
        return true
    }

    /// A string with the escapes that PostgreSQL writes, which are fewer than ours.
    private static func append(_ string: String, to text: inout [UInt8], _ comesBack: inout Bool) {
        // A byte of 0 is two characters there, and remains so in the comparison.
        if string.utf8.contains(0) { comesBack = false }
        text.append(UInt8(ascii: "\""))
        for byte in NULText.written(string).utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 8: text += "\\b".utf8
            case 9: text += "\\t".utf8
            case 10: text += "\\n".utf8
            case 12: text += "\\f".utf8
            case 13: text += "\\r".utf8
            case 0..<32: text += "\\u\(Hexadecimal.digits(byte, count: 4))".utf8
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    /// PostgreSQL's output without the spaces after `,` and `:`.
    static func compact(_ json: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(json.utf8.count)
        var isInString = false
        var isEscaped = false
        for byte in json.utf8 {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: " ") {
                continue
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
