internal import Time

/// Times as people say them.
package enum RelativeTime {
    /// `3 min ago`; the text itself if it is not a time, and an empty text for nil.
    package static func ago(_ text: String?, now: Int64 = WallClock.system.seconds) -> String {
        guard let text else { return "" }
        guard let seconds = Timestamp(text)?.seconds else { return text }
        return now - seconds < 1 ? "just now" : "\(NumberFormat.time(seconds: now - seconds)) ago"
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
