/// A stretch of the calendar in UTC.
package enum CalendarUnit: String, Sendable, Hashable, CaseIterable {
    case hour
    case day
    /// From Monday on, as ISO 8601 has it.
    case week
    case month
    case year

    /// The first second of the unit that a moment, in seconds since 1970, is in.
    package func start(of second: Int64) -> Int64 {
        let days = Self.days(second)
        let date = CalendarDate(daysSince1970: days)
        return switch self {
        case .hour: second - (second % 3_600 + 3_600) % 3_600
        case .day: days * 86_400
        // 1970-01-01 was a Thursday.
        case .week: (days - ((days + 3) % 7 + 7) % 7) * 86_400
        case .month: (days - date.day + 1) * 86_400
        case .year: (CalendarDate(year: date.year, month: 1, day: 1)?.daysSince1970 ?? days) * 86_400
        }
    }

    /// The moment so many months later, on the last day of a month that is too short.
    package static func moved(_ second: Int64, months: Int64) -> Int64 {
        let date = CalendarDate(daysSince1970: days(second))
        let month = date.year * 12 + date.month - 1 + months
        let (year, number) = (month >= 0 ? month / 12 : (month - 11) / 12, (month % 12 + 12) % 12 + 1)
        let days = (28...31).reversed().lazy.compactMap {
            CalendarDate(year: year, month: number, day: min(date.day, Int64($0)))?.daysSince1970
        }.first
        return days.map { $0 * 86_400 + second - Self.days(second) * 86_400 } ?? second
    }

    private static func days(_ second: Int64) -> Int64 { (second - (second % 86_400 + 86_400) % 86_400) / 86_400 }
}
