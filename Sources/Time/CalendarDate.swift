/// A day of the Gregorian calendar, which is taken to have been in use always; years from 0 on.
///
/// Source of both conversions: https://howardhinnant.github.io/date_algorithms.html
package struct CalendarDate: Sendable, Hashable {
    package let year: Int64
    /// From 1.
    package let month: Int64
    /// From 1.
    package let day: Int64

    /// A day that exists; nil for any other, and outside the years 0 to 9999.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that comes so many days after 1970-01-01.
    package init(daysSince1970 days: Int64) {
        let days = days + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // The year begins in March here, so that the leap day is its last.
        let part = (5 * dayOfYear + 2) / 153
        month = part < 10 ? part + 3 : part - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * part + 2) / 5 + 1
    }

    /// The days from 1970-01-01 to this one, negative before.
    package var daysSince1970: Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

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
