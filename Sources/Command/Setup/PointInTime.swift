internal import FeedSync
internal import Platform

/// A moment as people say it: `90m`, `1d`, `2w`, `1mo`, `today`, `yesterday`, `2026-11-21`, `2026-11-21T08:00:00Z`; or
/// as the configuration has it between braces: `now-1mo/month`, of which `-1mo` is enough. A day, and a time without a
/// zone, are those where the user is.
enum PointInTime {
    /// The moment as the store writes times; nil for a text that is none.
    static func stored(_ text: String) -> String? {
        let now = WallClock.system.milliseconds
        if let duration = DurationText.parse(text) {
            guard let passed = Int64(exactly: (duration / .milliseconds(1)).rounded()) else { return nil }
            let (moment, overflow) = now.subtractingReportingOverflow(passed)
            return overflow ? nil : Timestamp(milliseconds: moment)?.text
        }
        switch text {
        case "today": return midnight(daysAgo: 0, now: now)
        case "yesterday": return midnight(daysAgo: 1, now: now)
        default: return date(text) ?? time(text) ?? relative(text, now: now)
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

    /// A date and a time of day.
    private static func time(_ text: String) -> String? {
        guard let time = Timestamp(text) else { return nil }
        // Nothing may follow a zone.
        guard Timestamp("\(text)Z") != nil else { return time.text }
        var (clock, moment) = (time_t(time.seconds), tm())
        guard gmtime_r(&clock, &moment) != nil, let seconds = seconds(of: moment) else { return nil }
        return Timestamp(milliseconds: time.wholeMilliseconds + (seconds - time.seconds) * 1000)?.text
    }

    private static func start(of day: tm) -> String? {
        var day = day
        (day.tm_hour, day.tm_min, day.tm_sec) = (0, 0, 0)
        return seconds(of: day).flatMap { Timestamp(milliseconds: $0 * 1000)?.text }
    }

    /// The moment at which clocks where the user is show this, in seconds since 1970.
    private static func seconds(of moment: tm) -> Int64? {
        var moment = moment
        moment.tm_isdst = -1
        let seconds = mktime(&moment)
        return seconds == -1 ? nil : Int64(seconds)
    }
}
