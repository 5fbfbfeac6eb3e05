package import JSON
internal import Text

/// A value that its column's type cannot hold, as the column `_exact` has it: a number for an integer, a string for
/// text, an object for any other.
package enum ExactValue {
    /// The value as JSON.
    package static func json(_ value: CopiedValue) -> JSONValue {
        switch value {
        case .null: .null
        case .integer(let integer): .number("\(integer)")
        case .text(let text): .string(NULText.written(text))
        // As text: PostgreSQL would write 1e16 with all its digits, and an integer has none behind a point.
        case .real(let real): .object(of: [("real", .string("\(real)"))])
        case .blob(let bytes): .object(of: [("blob", .string(Base64.encoded(bytes)))])
        case .otherText(let bytes): .object(of: [("text", .string(Base64.encoded(bytes)))])
        }
    }

    /// The value of its JSON; nil if it is none.
    static func value(_ json: JSONValue) -> CopiedValue? {
        switch json {
        case .null: return .null
        case .number(let digits): return Int64(digits).map(CopiedValue.integer)
        case .string(let text): return .text(NULText.read(text))
        case .object(let members):
            guard let member = members.first, case .string(let text) = member.value else { return nil }
            switch member.name {
            case "real": return Double(text).map(CopiedValue.real)
            case "blob": return Base64.decoded(text).map(CopiedValue.blob)
            case "text": return Base64.decoded(text).map(CopiedValue.otherText)
            default: return nil
            }
        default: return nil
        }
    }

    /// An integer, a real or a text as a JSON scalar; nil for bytes.
    static func scalar(_ value: CopiedValue) -> JSONValue? {
        switch value {
        case .integer(let integer): .number("\(integer)")
        case .real(let real): real.isFinite ? .number("\(real)") : nil
        case .text(let text): .string(NULText.written(text))
        default: nil
        }
    }

    /// The value of a JSON scalar: a number is an integer unless it has a point or an exponent.
    static func scalar(json text: String) -> CopiedValue? {
        switch try? JSONValue(parsing: text) {
        case .number(let digits): Int64(digits).map(CopiedValue.integer) ?? Double(digits).map(CopiedValue.real)
        case .string(let text): .text(NULText.read(text))
        default: nil
        }
    }
}
