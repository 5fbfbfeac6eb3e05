extension Timestamp {
    /// Seconds since 1970 with their fraction, as Foundation's `Date(timeIntervalSince1970:)` takes them.
    public var secondsSince1970: Double { Double(seconds) + Double(wholeMilliseconds - seconds * 1000) / 1000 }
}

extension Timestamp {
    /// True if both are the same moment, with any number of fraction digits.
    public static func == (one: Timestamp, other: Timestamp) -> Bool { !one.isBefore(other) && !other.isBefore(one) }

    /// Feeds the moment.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(seconds)
        hasher.combine(fraction.prefix((fraction.lastIndex { $0 != UInt8(ascii: "0") } ?? -1) + 1))
    }
}

extension Timestamp: Comparable {
    /// True if the first moment comes before the second.
    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.isBefore(other) }
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
