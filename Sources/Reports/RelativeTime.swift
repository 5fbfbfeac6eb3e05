internal import Time

/// Times as people say them.
package enum RelativeTime {
    /// `3 min ago`, `in 2 days`; the text itself if it is not a time, and an empty text for nil.
    package static func ago(_ text: String?, now: Int64 = WallClock.system.seconds) -> String {
        guard let text else { return "" }
        guard let seconds = Timestamp(text)?.seconds else { return text }
        let (passed, overflow) = now.subtractingReportingOverflow(seconds)
        guard !overflow else { return text }
        // Two clocks are never quite the same.
        if passed < 1, passed > -2 { return "just now" }
        return passed > 0 ? "\(length(passed)) ago" : "in \(length(-passed))"
    }

    /// A duration in its largest unit, up to years.
    private static func length(_ seconds: Int64) -> String {
        switch seconds / 86_400 {
        case ..<60: NumberFormat.time(seconds: seconds)
        case ..<731: NumberFormat.count(Int(seconds / 86_400 * 100 / 3_044), "month")
        default: NumberFormat.count(Int(clamping: seconds / 86_400 * 100 / 36_524), "year")
        }
    }

    /// The duration until a time, rounded up; both in milliseconds since 1970.
    package static func until(_ time: Int64, now: Int64) -> String {
        let (left, overflow) = time.subtractingReportingOverflow(now)
        return NumberFormat.time(seconds: overflow ? .max : max(0, left) / 1000 + 1)
    }

    /// The duration since a time; both in milliseconds since 1970.
    package static func ago(_ time: Int64, now: Int64) -> String {
        let (passed, overflow) = now.subtractingReportingOverflow(time)
        return "\(NumberFormat.time(seconds: overflow ? .max : max(0, passed) / 1000)) ago"
    }
}
