/// Writes values as JSON text (RFC 8259).
package enum JSONText {
    /// A string with its quotes.
    package static func string(_ text: String) -> String {
        var result: [UInt8] = []
        append(text, to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Adds a string with its quotes, as UTF-8.
    package static func append(_ text: String, to result: inout [UInt8]) {
        result.append(quote)
        // As most text is.
        if text.utf8.allSatisfy(isPlain) {
            result.append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars { append(scalar, to: &result) }
        }
        result.append(quote)
    }

    private static func append(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
        switch scalar {
        case "\"": result.append(contentsOf: "\\\"".utf8)
        case "\\": result.append(contentsOf: "\\\\".utf8)
        case "\n": result.append(contentsOf: "\\n".utf8)
        case "\r": result.append(contentsOf: "\\r".utf8)
        case "\t": result.append(contentsOf: "\\t".utf8)
        // Those that command a terminal, or turn the direction of what it shows.
        case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
            let digits = String(scalar.value, radix: 16)
            result.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        default: result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
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

    private static let quote = UInt8(ascii: "\"")

    /// Whether a byte is an ASCII character that stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != quote && byte != UInt8(ascii: "\\")
    }

    /// A finite number; JSON has no other, so the rest is `null`.
    package static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }
}

/// An object written member by member, in the order in which they are added.
package struct JSONObjectText: Sendable {
    /// UTF-8, because bytes are added several times faster than characters.
    private var members = [UInt8(ascii: "{")]

    /// An object without members.
    package init() { members.reserveCapacity(128) }

    /// The whole object.
    package var text: String { String(decoding: members, as: UTF8.self) + "}" }

    /// Adds a member whose value is JSON already.
    package mutating func add(_ name: String, json: String) {
        begin(name)
        members.append(contentsOf: json.utf8)
    }

    /// Adds a string, or `null`.
    package mutating func add(_ name: String, _ value: String?) {
        guard let value else { return add(name, json: "null") }
        begin(name)
        JSONText.append(value, to: &members)
    }

    private mutating func begin(_ name: String) {
        if members.count > 1 { members.append(UInt8(ascii: ",")) }
        JSONText.append(name, to: &members)
        members.append(UInt8(ascii: ":"))
    }

    /// Adds a number, or `null`.
    package mutating func add(_ name: String, _ value: Int?) { add(name, json: value.map { String($0) } ?? "null") }

    /// Adds `true`, `false` or `null`.
    package mutating func add(_ name: String, _ value: Bool?) { add(name, json: value.map { "\($0)" } ?? "null") }
}
