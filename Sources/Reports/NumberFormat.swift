package import FeedSync

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
    package static func count(_ number: Int, _ one: String) -> String {
        "\(count(number)) \(number == 1 ? one : one + "s")"
    }

    /// A number with separators, and with as many decimals as it needs: at most six digits of them.
    package static func figure(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "\(number)" }
        guard number != number.rounded() else { return count(Int(number)) }
        let millionths = (number.magnitude * 1e6).rounded()
        let whole = (number < 0 ? "-" : "") + count(Int(millionths / 1e6))
        var digits = String(String(Int(millionths.truncatingRemainder(dividingBy: 1e6)) + 1_000_000).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return digits.isEmpty ? whole : "\(whole).\(digits)"
    }

    /// `12k`, `3.5M`: a number where there is little room.
    package static func short(_ number: Double) -> String {
        for (size, unit) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")] where abs(number) >= size {
            let tenths = (number / (size == 1e4 ? 1e3 : size) * 10).rounded() / 10
            return figure(tenths) + unit
        }
        return figure(number)
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

    /// The counts that are not 0, each with its word.
    package static func counts(_ counts: [(count: Int, word: String)]) -> [String] {
        counts.filter { $0.count > 0 }.map { "\(count($0.count)) \($0.word)" }
    }
}

extension StoredValue {
    /// True for a number, and where there is no value.
    package var isNumberOrNone: Bool {
        switch self {
        case .integer, .real, .null: true
        case .text, .blob: false
        }
    }
}
