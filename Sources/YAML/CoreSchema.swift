/// Resolves plain scalars by YAML 1.2's core schema, so that `no` and `12:30` stay text.
///
/// Source: https://yaml.org/spec/1.2.2/#1032-tag-resolution
enum CoreSchema {
    static func resolve(_ text: String) -> Scalar.Resolution {
        // Most texts begin as nothing else can.
        if let first = text.utf8.first, !firstBytes.contains(first) { return .text }
        return switch text {
        case "", "~", "null", "Null", "NULL": .null
        case "true", "True", "TRUE": .boolean(true)
        case "false", "False", "FALSE": .boolean(false)
        default: integer(text) ?? real(text)
        }
    }

    /// The first bytes of all words and numbers that are not text.
    private static let firstBytes = Array("~nNtTfF+-.0123456789".utf8)

    /// The number of a float's text, even if written like an integer; text if it is not a number.
    static func real(_ text: String) -> Scalar.Resolution {
        switch text {
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .real(.infinity)
        case "-.inf", "-.Inf", "-.INF": return .real(-.infinity)
        case ".nan", ".NaN", ".NAN": return .real(.nan)
        default:
            // `Double` reads more than the schema allows (`0x1p3`, `infinity`), so the form is checked first.
            guard isDecimal(text), let value = Double(text) else { return .text }
            return .real(value)
        }
    }

    private static func integer(_ text: String) -> Scalar.Resolution? {
        if text.hasPrefix("0o") { return integer(text.dropFirst(2), radix: 8) }
        if text.hasPrefix("0x") { return integer(text.dropFirst(2), radix: 16) }
        let hasSign = text.hasPrefix("-") || text.hasPrefix("+")
        guard let digits = integer(text.dropFirst(hasSign ? 1 : 0), radix: 10) else { return nil }
        guard hasSign else { return digits }
        return Int64(text).map(Scalar.Resolution.integer) ?? .oversizedInteger
    }

    private static func integer(_ digits: Substring, radix: Int) -> Scalar.Resolution? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ isDigit($0, radix: radix) }) else { return nil }
        return Int64(digits, radix: radix).map(Scalar.Resolution.integer) ?? .oversizedInteger
    }

    /// True for `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`.
    private static func isDecimal(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        skipSign(&rest)
        let whole = skipDigits(&rest)
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = skipDigits(&rest)
        }
        guard whole + fraction > 0 else { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            skipSign(&rest)
            guard skipDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }

    private static func skipSign(_ rest: inout Substring.UTF8View) {
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    }

    private static func skipDigits(_ rest: inout Substring.UTF8View) -> Int {
        let digits = rest.prefix { isDigit($0, radix: 10) }.count
        rest.removeFirst(digits)
        return digits
    }

    private static func isDigit(_ byte: UInt8, radix: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "7"): true
        case UInt8(ascii: "8")...UInt8(ascii: "9"): radix >= 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): radix == 16
        default: false
        }
    }
}
