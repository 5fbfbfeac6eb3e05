internal import FeedSync
internal import Platform
internal import Reports

/// Times in messages, as people read them where they are; JSON keeps them in ISO 8601.
enum PeopleTimes {
    /// The text with each coming time of ISO 8601 as in `for another 59 min, until 22:17`, or `again after 22:17`.
    static func written(in text: String, now: Int64 = WallClock.system.milliseconds) -> String {
        var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        for index in words.indices.dropFirst() where ["until", "after"].contains(words[index - 1]) {
            let end = words[index].last.flatMap { $0 == "," || $0 == ";" ? $0 : nil }
            let word = end == nil ? words[index] : String(words[index].dropLast())
            guard let time = Timestamp(word), let clock = clock(time.seconds) else { continue }
            if words[index - 1] == "until" {
                words[index - 1] = "for another \(RelativeTime.until(time.seconds * 1000, now: now)), until"
            }
            words[index] = clock + (end.map(String.init) ?? "")
        }
        return words.joined(separator: " ")
    }

    /// A time of the store as lines have it, one below another: the local date and time. Other text stays.
    static func stamp(_ text: String) -> String {
        guard let time = Timestamp(text), let then = local(time.seconds) else { return text }
        return written(then, as: "%Y-%m-%d %H:%M:%S") ?? text
    }

    /// The local time of day, with the date if that is not today's.
    static func clock(_ seconds: Int64) -> String? {
        guard let then = local(seconds), let now = local(Int64(time(nil))) else { return nil }
        let isToday = then.tm_yday == now.tm_yday && then.tm_year == now.tm_year
        return written(then, as: isToday ? "%H:%M" : "%Y-%m-%d %H:%M")
    }

    private static func local(_ seconds: Int64) -> tm? {
        var (moment, result) = (time_t(seconds), tm())
        return localtime_r(&moment, &result) == nil ? nil : result
    }

    private static func written(_ moment: tm, as format: String) -> String? {
        var moment = moment
        var buffer = [CChar](repeating: 0, count: 32)
        guard strftime(&buffer, buffer.count, format, &moment) > 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
