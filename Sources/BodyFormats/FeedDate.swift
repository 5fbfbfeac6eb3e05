internal import Time

/// Dates as feeds write them.
enum FeedDate {
    /// The date in UTC as ISO 8601; text that is not a date stays as it came.
    static func text(_ written: String) -> String { (Timestamp(written) ?? rfc822(written))?.text ?? written }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Hours from UTC of the zones that RFC 822 names, and of some that feeds have.
    private static let zones: [String: Int64] = [
        "gmt": 0, "ut": 0, "utc": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
        "pst": -8, "pdt": -7, "cet": 1, "cest": 2, "bst": 1, "wet": 0, "west": 1, "eet": 2, "eest": 3, "msk": 3,
        "jst": 9,
    ]

    /// `Sat, 07 Sep 2002 00:00:01 GMT` and the variants in feeds: no weekday, two-digit years, no seconds, whole names
    /// of months, zones in letters or digits or none at all, the month before the day.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc822#section-5
    private static func rfc822(_ written: String) -> Timestamp? {
        var day: Int64?
        var month: Int64?
        var year: Int64?
        var time: Int64?
        var offset: Int64?
        let words = written.lowercased().split { $0.isWhitespace || $0 == "," }.flatMap(unhyphenated)
        for word in words {
            if word.contains(":"), time == nil {
                guard let seconds = clock(word) else { return nil }
                time = seconds
            } else if let number = Int64(word), word.first?.isNumber == true {
                if day == nil, word.count <= 2 {
                    day = number
                } else if year == nil {
                    guard word.count == 2 || word.count == 4 else { return nil }
                    year = word.count == 4 ? number : number < 70 ? 2000 + number : 1900 + number
                } else {
                    return nil
                }
            } else if time != nil, let zone = zone(word) {
                guard offset == nil || zone == 0 || offset == 0 else { return nil }
                offset = offset.map { $0 + zone } ?? zone
            } else if month == nil, let index = months.firstIndex(of: String(word.prefix(3))),
                word.allSatisfy(\.isLetter)
            {
                month = Int64(index + 1)
            } else if !["mon", "tue", "wed", "thu", "fri", "sat", "sun"].contains(String(word.prefix(3))) {
                return nil
            }
        }
        guard let day, let month, let year, let date = CalendarDate(year: year, month: month, day: day) else {
            return nil
        }
        return Timestamp(milliseconds: (date.daysSince1970 * 86_400 + (time ?? 0) - (offset ?? 0)) * 1000)
    }

    /// `06-Nov-94` is three words.
    private static func unhyphenated(_ word: Substring) -> [Substring] {
        let parts = word.split(separator: "-")
        return parts.count == 3 && parts[1].allSatisfy(\.isLetter) ? parts : [word]
    }

    private static func clock(_ word: Substring) -> Int64? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
        guard parts.count == 2 || parts.count == 3, (0..<24).contains(parts[0]), (0..<60).contains(parts[1]) else {
            return nil
        }
        let second = parts.count == 3 ? parts[2] : 0
        guard (0...60).contains(second) else { return nil }
        return parts[0] * 3600 + parts[1] * 60 + min(second, 59)
    }

    /// Seconds from UTC: `+0200`, `-05:00`, `gmt+2` is not read, `est`.
    private static func zone(_ word: Substring) -> Int64? {
        if let hours = zones[String(word)] { return hours * 3600 }
        guard let sign = word.first, sign == "+" || sign == "-" else { return nil }
        let digits = word.dropFirst().filter { $0 != ":" }
        guard digits.count == 4, let number = Int64(digits), number / 100 < 24, number % 100 < 60 else { return nil }
        return (sign == "-" ? -1 : 1) * (number / 100 * 3600 + number % 100 * 60)
    }
}
