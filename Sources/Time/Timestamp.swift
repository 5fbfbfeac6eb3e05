internal import Text

/// A moment as the store writes it: UTC, ISO 8601, milliseconds or more digits, `Z`.
///
/// Text sorts as time does. Upstreams send the moment with a zone, without one (read as UTC), or as a number since
/// 1970; see https://www.rfc-editor.org/rfc/rfc3339 for the form with a zone.
public struct Timestamp: Sendable, Hashable {
    /// Whole seconds since 1970-01-01T00:00:00Z.
    public private(set) var seconds: Int64
    /// The digits behind the second, as bytes.
    package private(set) var fraction: [UInt8] = []

    /// The last second that four digits of a year can say.
    static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// - Parameter seconds: Since 1970, within the years 0 to 9999.
    package init(seconds: Int64, fraction: [UInt8]) {
        self.seconds = seconds
        self.fraction = fraction
    }

    /// A moment in milliseconds since 1970; nil outside the years 0 to 9999.
    package init?(milliseconds: Int64) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        self.seconds = rest < 0 ? seconds - 1 : seconds
        guard Self.range.contains(self.seconds) else { return nil }
        let digits = rest < 0 ? rest + 1000 : rest
        fraction = [digits / 100, digits / 10 % 10, digits % 10].map { UInt8(ascii: "0") + UInt8($0) }
    }

    /// A moment in seconds since 1970, as messages name it: `2026-11-21T02:20:11Z`; nil outside the years 0 to 9999.
    package static func text(ofSecond seconds: Int64) -> String? {
        guard range.contains(seconds) else { return nil }
        return Timestamp(seconds: seconds, fraction: []).text.prefix(19) + "Z"
    }

    /// Seconds or milliseconds since 1970; nil outside the years 0 to 9999.
    ///
    /// Seconds reach this limit only after the year 5138, milliseconds are beyond it since 1973.
    package init?(sinceEpoch number: Int64) {
        let isInSeconds = (-100_000_000_000..<100_000_000_000).contains(number)
        self.init(milliseconds: isInSeconds ? number * 1000 : number)
    }

    /// Seconds or milliseconds since 1970 with a fraction; nil outside the years 0 to 9999.
    package init?(sinceEpoch number: Double) {
        let milliseconds = abs(number) < 100_000_000_000 ? number * 1000 : number
        guard let whole = Int64(exactly: milliseconds.rounded()) else { return nil }
        self.init(milliseconds: whole)
    }

    /// Seconds or milliseconds since 1970 as they are written, with all digits of a fraction; nil for anything but
    /// digits with a fraction, and after the year 9999.
    package init?(sinceEpochDigits bytes: UnsafeRawBufferPointer) {
        var reader = DigitReader(bytes: bytes)
        let whole = reader.digits()
        guard (1...15).contains(whole.count), reader.skip(".") else { return nil }
        var rest = reader.digits()
        guard reader.isAtEnd else { return nil }
        let number = whole.reduce(into: Int64(0)) { $0 = $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        self.init(sinceEpoch: number)
        if number < 100_000_000_000 { fraction = [] }
        while rest.last == UInt8(ascii: "0") { rest.removeLast() }
        fraction += rest
    }

    /// Reads ISO 8601 as `init(_:)` of its bytes does.
    package init?(_ text: String) {
        var text = text
        let time = text.withUTF8 { Timestamp(UnsafeRawBufferPointer($0)) }
        guard let time else { return nil }
        self = time
    }

    /// Reads ISO 8601: a date, or a date and a time with or without fraction and zone; nil for anything else.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = DigitReader(bytes: bytes)
        guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
            reader.skip("-"), let day = reader.number(digits: 2),
            let date = CalendarDate(year: year, month: month, day: day)
        else { return nil }
        seconds = date.daysSince1970 * 86_400
        guard !reader.isAtEnd else { return }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60
        else { return nil }
        seconds += hour * 3600 + minute * 60
        if reader.skip(":") {
            guard let second = reader.number(digits: 2), second < 60 else { return nil }
            seconds += second
            if reader.skip(".") || reader.skip(",") {
                fraction = reader.digits()
                guard !fraction.isEmpty else { return nil }
            }
        }
        guard let offset = reader.zone(), reader.isAtEnd else { return nil }
        seconds -= offset
        guard Self.range.contains(seconds) else { return nil }
    }

    /// The beginning that stored texts have in common with a date and a time, as far as that is written:
    /// `2026-11-21T02:20` of `2026-11-21T03:20+01:00`, for all of the minute; nil for anything but a date and a time.
    package static func storedBeginning(of text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count > 10, var time = Timestamp(text) else { return nil }
        guard bytes.count > 16, bytes[16] == UInt8(ascii: ":") else { return String(time.text.prefix(16)) }
        guard !time.fraction.isEmpty else { return String(time.text.prefix(19)) }
        // `.5` and `.5000` are one moment, which is stored as `.500`.
        while time.fraction.count > 3, time.fraction.last == UInt8(ascii: "0") { time.fraction.removeLast() }
        return String(time.text.dropLast())
    }

    /// The text, 24 bytes or more.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text as UTF-8.
    package var bytes: [UInt8] {
        var days = seconds / 86_400
        var rest = seconds % 86_400
        if rest < 0 {
            rest += 86_400
            days -= 1
        }
        let date = CalendarDate(daysSince1970: days)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func add(_ number: Int64, _ width: Int, then mark: Unicode.Scalar) {
            var divisor: Int64 = width == 4 ? 1000 : 10
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
                divisor /= 10
            }
            text.append(UInt8(ascii: mark))
        }
        add(date.year, 4, then: "-")
        add(date.month, 2, then: "-")
        add(date.day, 2, then: "T")
        add(rest / 3600, 2, then: ":")
        add(rest / 60 % 60, 2, then: ":")
        add(rest % 60, 2, then: ".")
        text += fraction
        for _ in fraction.count..<max(3, fraction.count) { text.append(UInt8(ascii: "0")) }
        text.append(UInt8(ascii: "Z"))
        return text
    }
}

private struct DigitReader {
    let bytes: UnsafeRawBufferPointer
    var at = 0

    var isAtEnd: Bool { at == bytes.count }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: mark) else { return false }
        at += 1
        return true
    }

    mutating func number(digits count: Int) -> Int64? {
        guard at + count <= bytes.count else { return nil }
        var value: Int64 = 0
        for byte in bytes[at..<at + count] {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        at += count
        return value
    }

    mutating func digits() -> [UInt8] {
        let digits = bytes[at...].prefix(while: \.isASCIIDigit)
        at += digits.count
        return Array(digits)
    }

    /// Seconds east of UTC; none means UTC.
    mutating func zone() -> Int64? {
        if isAtEnd || skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), hours < 24 else { return nil }
        guard !isAtEnd else { return sign * hours * 3600 }
        _ = skip(":")
        guard let minutes = number(digits: 2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}

extension Timestamp {
    /// The moment so much before; nil where that is out of range. Parts of a second of the duration count as a whole
    /// one.
    package func earlier(by duration: Duration) -> Timestamp? {
        let (whole, rest) = duration.components
        let (begun, isTooLong) = whole.addingReportingOverflow(rest > 0 ? 1 : 0)
        let (less, isBeyond) = seconds.subtractingReportingOverflow(begun)
        guard !isTooLong, !isBeyond, Self.range.contains(less) else { return nil }
        return Timestamp(seconds: less, fraction: fraction)
    }

    /// Milliseconds since 1970.
    package var wholeMilliseconds: Int64 {
        let digits = (fraction + Array(repeating: UInt8(ascii: "0"), count: 3)).prefix(3)
        return seconds * 1000 + digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// A stored moment in milliseconds since 1970, further digits dropped; nil for a text that is none.
    package static func milliseconds(of text: String?) -> Int64? {
        text.flatMap { Timestamp($0)?.wholeMilliseconds }
    }

    /// Seconds since 1970 with their fraction, as Foundation's `Date(timeIntervalSince1970:)` takes them.
    public var secondsSince1970: Double { Double(seconds) + Double(wholeMilliseconds - seconds * 1000) / 1000 }

    /// True if both are the same moment, with any number of fraction digits.
    public static func == (one: Timestamp, other: Timestamp) -> Bool { !(one < other) && !(other < one) }

    /// Feeds the moment.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(seconds)
        hasher.combine(fraction.prefix((fraction.lastIndex { $0 != UInt8(ascii: "0") } ?? -1) + 1))
    }
}

extension Timestamp: Comparable {
    /// True if the first moment comes before the second; fractions are compared digit by digit.
    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        if one.seconds != other.seconds { return one.seconds < other.seconds }
        let count = max(one.fraction.count, other.fraction.count)
        let padded = { (digits: [UInt8]) in digits + Array(repeating: UInt8(ascii: "0"), count: count - digits.count) }
        return padded(one.fraction).lexicographicallyPrecedes(padded(other.fraction))
    }
}

extension Timestamp: CustomStringConvertible {
    /// The moment in UTC, ISO 8601, with milliseconds or more digits: `2026-11-21T02:20:11.000Z`.
    public var description: String { text }
}

extension Timestamp: Decodable {
    /// Reads the text of a column of times.
    ///
    /// - Throws: `DecodingError` for a text that is no moment.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let moment = Timestamp(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no ISO 8601 time")
        }
        self = moment
    }
}
