extension Timestamp {
    /// True if the moment comes before another one; fractions are compared digit by digit.
    package func isBefore(_ other: Timestamp) -> Bool {
        if seconds != other.seconds { return seconds < other.seconds }
        let count = max(fraction.count, other.fraction.count)
        let padded = { (digits: [UInt8]) in digits + Array(repeating: UInt8(ascii: "0"), count: count - digits.count) }
        return padded(fraction).lexicographicallyPrecedes(padded(other.fraction))
    }

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
}
