internal import FeedSync

/// Times as people say them.
enum RelativeTime {
    /// `3 min ago`; the text itself if it is not a time, and an empty text for nil.
    static func ago(_ text: String?, now: Int64 = WallClock.system.seconds) -> String {
        guard let text else { return "" }
        guard let seconds = seconds(text) else { return text }
        return now - seconds < 1 ? "just now" : "\(NumberFormat.time(seconds: now - seconds)) ago"
    }

    /// How long it is until a time, rounded up; both in milliseconds since 1970.
    static func until(_ time: Int64, now: Int64) -> String {
        let (left, overflow) = time.subtractingReportingOverflow(now)
        return NumberFormat.time(seconds: overflow ? .max : max(0, left) / 1000 + 1)
    }

    /// How long ago that was; both in milliseconds since 1970.
    static func ago(_ time: Int64, now: Int64) -> String {
        let (passed, overflow) = now.subtractingReportingOverflow(time)
        return "\(NumberFormat.time(seconds: overflow ? .max : max(0, passed) / 1000)) ago"
    }

    /// Seconds since 1970 of `2026-11-21T02:20:11.123Z`.
    private static func seconds(_ text: String) -> Int64? {
        let numbers = text.split { !$0.isNumber }.prefix(6).compactMap { Int64($0) }
        guard numbers.count == 6, text.hasSuffix("Z"), numbers.allSatisfy({ $0 < 10_000 }) else { return nil }
        return days(year: numbers[0], month: numbers[1], day: numbers[2]) * 86_400
            + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]
    }

    /// Source: https://howardhinnant.github.io/date_algorithms.html#days_from_civil
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let yearOfEra = year % 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return year / 400 * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
