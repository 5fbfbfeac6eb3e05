/// Times as messages name them.
enum UTCTime {
    /// The time in ISO 8601: `2026-11-21T02:20:11Z`; nil before 1970 and after 9999.
    ///
    /// Source of the calendar: https://howardhinnant.github.io/date_algorithms.html#civil_from_days
    static func text(_ seconds: Int64) -> String? {
        guard (0..<253_402_300_800).contains(seconds) else { return nil }
        let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let shifted = day + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // The year begins in March here, so that the leap day is its last.
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let date = "\(padded(year, 4))-\(padded(month))-\(padded(dayOfYear - (153 * march + 2) / 5 + 1))"
        return "\(date)T\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))Z"
    }

    private static func padded(_ number: Int64, _ width: Int = 2) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
}
