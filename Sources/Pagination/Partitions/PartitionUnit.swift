package import JSON
internal import Time

/// The unit of a partitioned feed's ranges. Every value is a whole number of steps, which can be halved.
package enum PartitionUnit: String, Sendable, Hashable, CaseIterable {
    /// Days of UTC, as in `2026-11-21`.
    case date
    /// Seconds of UTC, as in `2026-11-21T02:20:11Z`.
    case time
    /// Whole numbers.
    case number

    /// The most that a range may reach from zero, so that no sum of two is beyond 64 bits.
    package static let furthest = 1 << 60

    /// The value of a text, from an item or the configuration; nil for other text.
    package func value(of text: String) -> Int? {
        guard self != .number else {
            return Int(text).flatMap { (-Self.furthest...Self.furthest).contains($0) ? $0 : nil }
        }
        return Timestamp(text).map { value(ofSecond: $0.seconds) }
    }

    /// The value of an item's member; nil for other values.
    package func value(of scalar: JSONScalar?) -> Int? {
        switch scalar {
        case .text(let text)?: value(of: text)
        case .integer(let number)? where self == .number: value(of: "\(number)")
        case .integer(let number)?: Timestamp(sinceEpoch: number).map { value(ofSecond: $0.seconds) }
        default: nil
        }
    }

    /// The value at a moment in seconds since 1970; nil for numbers, which have no now.
    package func value(at second: Int64) -> Int? { self == .number ? nil : value(ofSecond: second) }

    /// The value as it goes out.
    package func text(_ value: Int) -> String {
        switch self {
        case .number: "\(value)"
        case .date: String(Self.moment(value, of: 86_400).prefix(10))
        case .time: Self.moment(value, of: 1).prefix(19) + "Z"
        }
    }

    /// The distance by which an item may seem to be outside of its partition: upstreams count days in zones of their
    /// own.
    package var tolerance: Int {
        switch self {
        case .date: 1
        case .time: 86_400
        case .number: 0
        }
    }

    private func value(ofSecond second: Int64) -> Int {
        self == .date ? Int((second - (second % 86_400 + 86_400) % 86_400) / 86_400) : Int(second)
    }

    /// Moments that are too late to be written become the last one that is not.
    private static func moment(_ value: Int, of seconds: Int) -> String {
        let last = 253_402_300_799
        let (second, isBeyond) = value.multipliedReportingOverflow(by: seconds)
        return Timestamp(seconds: Int64(isBeyond ? last : min(second, last)), fraction: []).text
    }
}
