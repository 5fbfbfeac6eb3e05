internal import Concurrency

/// A type of Foundation that columns have in another form than the one in which it decodes itself.
///
/// The type is known by its name, because feedsync does without Foundation. Its own `init(from:)` makes the value:
///
/// | type | a column has | it decodes |
/// | --- | --- | --- |
/// | `Date` | a time in ISO 8601, or seconds since 1970 | seconds since 2001 |
/// | `URL` | a text | an object with the text as `relative` |
/// | `Decimal` | a number, or its text | an object with the words of its digits |
///
/// Source: https://github.com/swiftlang/swift-foundation, `Date.swift`, `URL.swift`, `Decimal.swift`
enum FoundationType: Sendable {
    case date, url, decimal

    private static let known = Lock<[ObjectIdentifier: FoundationType?]>([:])

    /// The type of a property; nil for any other.
    init?(_ type: Any.Type) {
        let id = ObjectIdentifier(type)
        // A name takes longer to make than a value.
        let found = Self.known.withLock { known in
            if let found = known[id] { return found }
            let found: FoundationType? =
                switch String(reflecting: type) {
                case "FoundationEssentials.Date", "Foundation.Date": .date
                case "FoundationEssentials.URL", "Foundation.URL": .url
                case "FoundationEssentials.Decimal", "Foundation.Decimal", "__C.NSDecimal": .decimal
                default: nil
                }
            known[id] = .some(found)
            return found
        }
        guard let found else { return nil }
        self = found
    }

    /// A value in the form that the type decodes.
    func form(of value: DecodedValue) throws(DecodedValue.Refusal) -> DecodedValue {
        guard !value.isNull else { return value }
        switch self {
        case .date: return .column(.real(try Self.seconds(value) - Self.secondsTo2001))
        case .url: return .json(.object(["relative": .string(try value.string())]))
        case .decimal: return try DecimalForm(value.digits()).value
        }
    }

    /// The seconds from 1970 to 2001, the beginning of `Date`.
    private static let secondsTo2001 = 978_307_200.0

    private static func seconds(_ value: DecodedValue) throws(DecodedValue.Refusal) -> Double {
        guard let text = try? value.string() else { return try value.double() }
        guard let time = Timestamp(text) else {
            throw .corrupted("found text that is not an ISO 8601 time, expected Date")
        }
        return time.secondsSince1970
    }
}

/// The form in which `Decimal` decodes itself: up to 128 bits of digits, in words of 16 bits, and an exponent of ten.
private struct DecimalForm {
    let value: DecodedValue

    /// - Parameter text: A number as JSON writes it.
    init(_ text: String) throws(DecodedValue.Refusal) {
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        let number = (parts.first ?? "").split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = number.count > 1 ? number[1] : ""
        var digits = Substring((number.first ?? "") + fraction)
        let power = parts.count > 1 ? Int(parts[1].drop { $0 == "+" }) : 0
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit), let power,
            power.magnitude < 1_000
        else { throw .corrupted("found text that is not a number, expected Decimal") }
        var exponent = power - fraction.utf8.count
        while digits.last == "0", digits.utf8.count > 1 {
            digits.removeLast()
            exponent += 1
        }
        guard let mantissa = UInt128(digits), (-128...127).contains(exponent) || mantissa == 0 else {
            throw .corrupted("the number does not fit Decimal")
        }
        let words = (0..<8).map { UInt16(truncatingIfNeeded: mantissa >> ($0 * 16)) }
        let length = (words.lastIndex { $0 != 0 } ?? -1) + 1
        value = .json(
            .object([
                "exponent": .number("\(mantissa == 0 ? 0 : exponent)"), "length": .number("\(length)"),
                "isNegative": .bool(isNegative && mantissa != 0), "isCompact": .bool(true),
                "mantissa": .array(words.map { .number("\($0)") }),
            ]))
    }
}
