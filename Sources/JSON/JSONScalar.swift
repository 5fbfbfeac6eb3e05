package import Text

/// A value that a paginator asked the decoder for.
package enum JSONScalar: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number without fraction or exponent that 64 bits hold.
    case integer(Int64)
    /// A number that a double holds.
    case real(Double)
    /// Any other number, or one whose digits must be kept, as written.
    case number(String)
    /// A string, escapes replaced.
    case text(String)
    /// An object or array, as JSON text.
    case json(String)

    /// The largest count. Greater ones are lowered to it, so that sums stay far from the end of 64 bits.
    package static let mostCount = 1_000_000_000_000_000

    /// The value as a count: a number without a fraction, from 0, or such a number as text, at most `mostCount`; nil
    /// otherwise. In a text, the digits may be in groups of three: `1,234`.
    package var count: Int? {
        let count: Int? =
            switch self {
            case .integer(let value): Int(exactly: value)
            case .real(let value): Int(exactly: value)
            case .number(let digits): Double(digits).flatMap { Int(exactly: $0) }
            case .text(let text): text.utf8.allSatisfy(\.isASCIIDigit) ? Int(text) : Self.grouped(text)
            case .null, .boolean, .json: nil
            }
        return count.flatMap { $0 >= 0 ? min($0, Self.mostCount) : nil }
    }

    /// The number whose digits are in groups of three; nil for any other text, and for `1.234`, which may be a fraction.
    private static func grouped(_ text: String) -> Int? {
        // The values of all headers come here, and few begin with a digit.
        guard text.utf8.first?.isASCIIDigit == true, text.utf8.count <= 40,
            let separator = text.unicodeScalars.first(where: separators.contains)
        else {
            return nil
        }
        let groups = text.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false)
        guard let first = groups.first, (1...3).contains(first.count), first.first != "0",
            groups.dropFirst().allSatisfy({ $0.count == 3 }), separator != "." || groups.count > 2,
            groups.joined().allSatisfy({ $0.properties.numericType == .decimal && $0.isASCII })
        else { return nil }
        return Int(groups.map { String($0) }.joined())
    }

    /// Commas, points, apostrophes, and spaces that are narrow or do not break.
    private static let separators: Set<Unicode.Scalar> = [
        ",", ".", "'", "\u{2019}", " ", "\u{A0}", "\u{2009}", "\u{202F}",
    ]

    /// The value as a query parameter, a number with its original digits; nil unless it is text or a number.
    package var parameterText: String? {
        switch self {
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .number(let text), .text(let text): text
        case .null, .boolean, .json: nil
        }
    }

    /// The same, an object or array that has anything in it as JSON.
    package var tokenText: String? {
        if case .json(let text) = self { ["{}", "[]"].contains(text) ? nil : text } else { parameterText }
    }

    /// The value for a message, secrets masked; at most 40 characters of it.
    package func shown(_ secrets: Secrets) -> String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let text): "the text \"\(Excerpt.of(text, limit: 40, secrets: secrets) ?? "")\""
        case .number(let text), .json(let text): Excerpt.of(text, limit: 40, secrets: secrets) ?? ""
        }
    }

    /// True if the text is a usual spelling of the value.
    package func isWritten(_ text: String) -> Bool {
        switch self {
        case .null: text == "null"
        case .boolean(let value): text == "\(value)"
        case .integer(let value): Int64(text) == value || Double(text) == Double(value)
        case .real(let value): Double(text) == value
        case .number(let value): text == value || Double(text) == Double(value)
        case .text(let value), .json(let value): text == value
        }
    }
}
