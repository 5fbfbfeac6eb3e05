/// Times as people write them: `500ms`, `30s`, `15m`, `2h`, `1d`; a number alone is seconds.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The time, or nil where the text is not a whole number, with a unit or without.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = digits.count == text.count ? "s" : text.dropFirst(digits.count)
        let factor = unit == "w" ? 7 * 86_400_000 : units.first { $0.name == unit }?.milliseconds
        guard let count = Int64(digits), let factor else { return nil }
        let (milliseconds, isTooLong) = count.multipliedReportingOverflow(by: factor)
        return isTooLong ? nil : .milliseconds(milliseconds)
    }

    /// The time in the largest unit that divides it; parts of a millisecond are dropped.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds =
            seconds.multipliedReportingOverflow(by: 1_000).partialValue &+ attoseconds / 1_000_000_000_000_000
        let unit = units.last { milliseconds % $0.milliseconds == 0 && (milliseconds != 0 || $0.name == "s") }
        guard let unit else { return "\(milliseconds)ms" }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
