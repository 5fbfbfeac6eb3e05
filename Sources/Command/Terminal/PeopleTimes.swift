internal import FeedSync
internal import Glibc
internal import Reports

/// Times in messages, as people read them where they are; JSON keeps them in ISO 8601.
enum PeopleTimes {
    /// The text with each coming time of ISO 8601 as in `for another 59 min, until 22:17`.
    static func written(in text: String, now: Int64 = WallClock.system.milliseconds) -> String {
        var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        for index in words.indices.dropFirst() where words[index - 1] == "until" {
            let end = words[index].last.flatMap { $0 == "," || $0 == ";" ? $0 : nil }
            let word = end == nil ? words[index] : String(words[index].dropLast())
            guard let time = Timestamp(word), let clock = clock(time.seconds) else { continue }
            words[index - 1] = "for another \(RelativeTime.until(time.seconds * 1000, now: now)), until"
            words[index] = clock + (end.map(String.init) ?? "")
        }
        return words.joined(separator: " ")
    }

    /// The local time of day, with the date if that is not today's.
    private static func clock(_ seconds: Int64) -> String? {
        var (moment, present) = (time_t(seconds), time(nil))
        var (then, now) = (tm(), tm())
        guard localtime_r(&moment, &then) != nil, localtime_r(&present, &now) != nil else { return nil }
        let isToday = then.tm_yday == now.tm_yday && then.tm_year == now.tm_year
        var buffer = [CChar](repeating: 0, count: 32)
        guard strftime(&buffer, buffer.count, isToday ? "%H:%M" : "%Y-%m-%d %H:%M", &then) > 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
