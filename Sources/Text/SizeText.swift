/// Sizes as people write them: `16MiB`, `256MB`, `1GB`; a number without a unit is in bytes.
package enum SizeText {
    private static let units: [(name: String, bytes: Int)] = [
        ("B", 1), ("kB", 1_000), ("KB", 1_000), ("KiB", 1 << 10), ("MB", 1_000_000), ("MiB", 1 << 20),
        ("GB", 1_000_000_000), ("GiB", 1 << 30),
    ]

    /// The bytes, or nil where the text is not a whole number, with a unit or without.
    package static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = digits.count == text.count ? "B" : text.dropFirst(digits.count).drop { $0 == " " }
        guard let count = Int(digits), let factor = units.first(where: { $0.name == unit })?.bytes else { return nil }
        let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: factor)
        return isTooLarge ? nil : bytes
    }

    /// The size in the largest unit that divides it.
    package static func text(_ bytes: Int) -> String {
        let fitting = units.filter { bytes % $0.bytes == 0 && bytes >= $0.bytes }
        guard let unit = fitting.max(by: { $0.bytes < $1.bytes }) else { return "\(bytes)B" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
