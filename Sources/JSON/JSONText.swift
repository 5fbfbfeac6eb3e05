/// Writes values as JSON text (RFC 8259).
package enum JSONText {
    /// A string with its quotes.
    package static func string(_ text: String) -> String {
        var result = ""
        append(text, to: &result)
        return result
    }

    /// Adds a string with its quotes.
    static func append(_ text: String, to result: inout String) {
        result += "\""
        // As most text is.
        if text.utf8.allSatisfy(isPlain) { result += text } else { appendEscaped(text, to: &result) }
        result += "\""
    }

    private static func appendEscaped(_ text: String, to result: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // Those that command a terminal, or turn the direction of what it shows.
            case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// An array of numbers.
    package static func array(_ numbers: some Sequence<Int64>) -> String {
        var result = "["
        for number in numbers {
            if result.utf8.count > 1 { result += "," }
            result += String(number)
        }
        return result + "]"
    }

    /// Whether a byte is an ASCII character that stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// A finite number; JSON has no other, so the rest is `null`.
    package static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }
}

/// An object written member by member, in the order in which they are added.
package struct JSONObjectText: Sendable {
    private var members = "{"

    /// An object without members.
    package init() { members.reserveCapacity(128) }

    /// The whole object.
    package var text: String { members + "}" }

    /// Adds a member whose value is JSON already.
    package mutating func add(_ name: String, json: String) {
        if members.utf8.count > 1 { members += "," }
        JSONText.append(name, to: &members)
        members += ":"
        members += json
    }

    /// Adds a string, or `null`.
    package mutating func add(_ name: String, _ value: String?) {
        add(name, json: value.map(JSONText.string) ?? "null")
    }

    /// Adds a number, or `null`.
    package mutating func add(_ name: String, _ value: Int?) { add(name, json: value.map { String($0) } ?? "null") }

    /// Adds `true`, `false` or `null`.
    package mutating func add(_ name: String, _ value: Bool?) { add(name, json: value.map { "\($0)" } ?? "null") }
}
