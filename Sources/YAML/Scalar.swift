/// A single value of a YAML document, as text; `resolution` has its meaning.
package struct Scalar: Sendable, Hashable {
    /// The notation of a scalar.
    package enum Style: Sendable, Hashable {
        /// Without quotes: its meaning depends on its form.
        case plain
        /// In quotes, or as a block (`|`, `>`): always text.
        case quoted
    }

    /// The type that a tag such as `!!str` declares.
    package enum Tag: String, Sendable, Hashable {
        /// `!!null`
        case null
        /// `!!bool`
        case boolean = "bool"
        /// `!!int`
        case integer = "int"
        /// `!!float`
        case real = "float"
        /// `!!str`, or `!` alone
        case text = "str"
    }

    /// The meaning of a scalar in the YAML 1.2 core schema.
    package enum Resolution: Sendable, Hashable {
        /// `null`, `~` or empty.
        case null
        /// `true` or `false`.
        case boolean(Bool)
        /// A decimal, `0o` octal or `0x` hexadecimal integer.
        case integer(Int64)
        /// An integer that 64 bits cannot hold; its digits are in `text`.
        case oversizedInteger
        /// A number with a fraction or an exponent, `.inf` or `.nan`.
        case real(Double)
        /// Everything else, and everything in quotes.
        case text
    }

    /// The text, escapes replaced and lines folded.
    package let text: String
    /// The notation of this scalar.
    package let style: Style
    /// Its declared type.
    package let tag: Tag?

    /// A scalar of this text.
    package init(_ text: String, style: Style = .plain, tag: Tag? = nil) {
        self.text = text
        self.style = style
        self.tag = tag
    }

    /// The scalar's meaning: from its tag, else its quotes, else its form.
    ///
    /// Source: https://yaml.org/spec/1.2.2/#103-core-schema
    package var resolution: Resolution {
        switch tag {
        case .text: .text
        case .real: CoreSchema.real(text)
        case nil where style == .quoted: .text
        default: CoreSchema.resolve(text)
        }
    }

    /// True if the tag permits the text.
    var fitsTag: Bool {
        // Most have no tag, and then their meaning is not needed.
        guard let tag else { return true }
        return switch (tag, resolution) {
        case (.text, .text), (.null, .null), (.boolean, .boolean), (.integer, .integer),
            (.integer, .oversizedInteger), (.real, .real):
            true
        default: false
        }
    }
}

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
