/// Numbers as people read them.
package enum NumberFormat {
    /// `1234567` as `1,234,567`.
    package static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result += "," }
            result.append(digit)
        }
        return number < 0 ? "-" + result : result
    }

    /// `1 page`, `2 pages`.
    package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? one : many ?? one + "s")"
    }

    /// `612 kB`, in steps of 1,000.
    package static func bytes(_ number: Int) -> String {
        guard number >= 1_000 else { return "\(number) B" }
        var tenths = number / 100
        for unit in ["kB", "MB", "GB"] {
            if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
            if tenths < 10_000 || unit == "GB" { return "\(count(tenths / 10)) \(unit)" }
            tenths /= 1_000
        }
        return "\(number) B"
    }

    /// `0.3 ms`, `34 ms`, `1.2 s`: how long something took.
    package static func duration(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds =
            Int(clamping: seconds.multipliedReportingOverflow(by: 1_000_000).partialValue)
            + Int(attoseconds / 1_000_000_000_000)
        switch microseconds {
        case ..<10_000: return "\(microseconds / 1_000).\(microseconds / 100 % 10) ms"
        case ..<1_000_000: return "\(microseconds / 1_000) ms"
        default: return "\(count(microseconds / 1_000_000)).\(microseconds / 100_000 % 10) s"
        }
    }

    /// `12 s`, `3 min`, in the largest unit that fits.
    package static func time(seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(max(0, seconds)) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h"
        default: count(Int(clamping: seconds / 86_400), "day")
        }
    }
}
