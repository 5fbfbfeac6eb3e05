/// Numbers as people read them.
enum NumberFormat {
    /// `1234567` as `1,234,567`.
    static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result += "," }
            result.append(digit)
        }
        return number < 0 ? "-" + result : result
    }

    /// `1 page`, `2 pages`.
    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? one : many ?? one + "s")"
    }

    /// `612 kB`, in steps of 1,000.
    static func bytes(_ number: Int) -> String {
        guard number >= 1_000 else { return "\(number) B" }
        var tenths = number / 100
        for unit in ["kB", "MB", "GB"] {
            if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
            if tenths < 10_000 || unit == "GB" { return "\(count(tenths / 10)) \(unit)" }
            tenths /= 1_000
        }
        return "\(number) B"
    }

    /// `12 s`, `3 min`, in the largest unit that fits.
    static func time(seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(max(0, seconds)) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h"
        default: count(Int(clamping: seconds / 86_400), "day")
        }
    }
}
