/// Writes values as JSON text (RFC 8259).
package enum JSONText {
    /// A string with its quotes.
    package static func string(_ text: String) -> String {
        var result = "\""
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
        return result + "\""
    }

    /// A finite number; JSON has no other, so the rest is `null`.
    package static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }
}

/// An object written member by member, in the order in which they are added.
package struct JSONObjectText: Sendable {
    private var members = ""

    /// An object without members.
    package init() {}

    /// The whole object.
    package var text: String { "{\(members)}" }

    /// Adds a member whose value is JSON already.
    package mutating func add(_ name: String, json: String) {
        if !members.isEmpty { members += "," }
        members += JSONText.string(name) + ":" + json
    }

    /// Adds a string, or `null`.
    package mutating func add(_ name: String, _ value: String?) {
        add(name, json: value.map(JSONText.string) ?? "null")
    }

    /// Adds a number, or `null`.
    package mutating func add(_ name: String, _ value: Int?) { add(name, json: value.map { "\($0)" } ?? "null") }

    /// Adds `true`, `false` or `null`.
    package mutating func add(_ name: String, _ value: Bool?) { add(name, json: value.map { "\($0)" } ?? "null") }
}
