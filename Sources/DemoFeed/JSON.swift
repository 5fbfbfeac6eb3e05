internal import Text

/// A JSON value to be written, its members in the order given.
enum JSON {
    case null
    case boolean(Bool)
    case integer(Int)
    /// Text that is already JSON, such as `1.0` or an item rendered before.
    case rendered(String)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    /// A string, or null for nil.
    static func optional(_ text: String?) -> JSON {
        text.map { .string($0) } ?? .null
    }

    var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .rendered(let value): text += value
        case .string(let value): quote(value, to: &text)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                quote(member.0, to: &text)
                text += ":"
                member.1.write(to: &text)
            }
            text += "}"
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(dictionaryLiteral members: (String, JSON)...) { self = .object(members) }
}

/// Source: https://www.rfc-editor.org/rfc/rfc8259#section-7
private func quote(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case "\n": text += "\\n"
        case "\u{0}"..<" ":
            text += "\\u" + Hexadecimal.digits(scalar.value, count: 4)
        default: text.unicodeScalars.append(scalar)
        }
    }
    text += "\""
}
