internal import FeedSync
internal import Platform

/// A moment as people say it: `90m`, `1d`, `2w`, `1mo`, `today`, `yesterday`, `2026-11-21`, `2026-11-21T08:00:00Z`; or
/// as the configuration has it between braces: `now-1mo/month`, of which `-1mo` is enough.
enum PointInTime {
    /// The moment as the store writes times; nil for a text that is none.
    ///
    /// - Parameter now: In milliseconds since 1970.
    static func stored(_ text: String, now: Int64) -> String? {
        if let duration = DurationText.parse(text) {
            guard let passed = Int64(exactly: (duration / .milliseconds(1)).rounded()) else { return nil }
            let (moment, overflow) = now.subtractingReportingOverflow(passed)
            return overflow ? nil : Timestamp(milliseconds: moment)?.text
        }
        switch text {
        case "today": return midnight(daysAgo: 0, now: now)
        case "yesterday": return midnight(daysAgo: 1, now: now)
        default: return date(text) ?? Timestamp(text)?.text ?? relative(text, now: now)
        }
    }

    private static func relative(_ text: String, now: Int64) -> String? {
        let isStep = text.utf8.first.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") } ?? false
        let words = text.hasPrefix("now") ? text : isStep ? "now\(text)" : "now-\(text)"
        guard !words.contains(":"), let moment = RelativeMoment(words) else { return nil }
        return Timestamp(moment.text(at: now / 1000))?.text
    }

    /// The start of a day where the user is.
    private static func midnight(daysAgo: Int32, now: Int64) -> String? {
        var seconds = time_t(now / 1000)
        var day = tm()
        guard localtime_r(&seconds, &day) != nil else { return nil }
        day.tm_mday -= daysAgo
        return start(of: day)
    }

    /// `2026-11-21`, which is a day where the user is.
    private static func date(_ text: String) -> String? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int32($0) }
        guard text.utf8.count == 10, parts.count == 3, Timestamp("\(text)T00:00:00Z") != nil else { return nil }
        var day = tm()
        (day.tm_year, day.tm_mon, day.tm_mday) = (parts[0] - 1900, parts[1] - 1, parts[2])
        return start(of: day)
    }

    private static func start(of day: tm) -> String? {
        var day = day
        (day.tm_hour, day.tm_min, day.tm_sec, day.tm_isdst) = (0, 0, 0, -1)
        let seconds = mktime(&day)
        return seconds == -1 ? nil : Timestamp(sinceEpoch: Int64(seconds))?.text
    }
}
