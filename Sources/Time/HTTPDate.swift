internal import Text

/// Dates in the form that HTTP prefers, `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// The months' names, each as the number that its three bytes make.
    private static let monthNumbers = months.map { (name: String) in
        name.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }

    /// The date of a moment in seconds since 1970.
    package static func text(ofSecond seconds: Int64) -> String {
        let (whole, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (day, second) = rest < 0 ? (whole - 1, rest + 86_400) : (whole, rest)
        let date = CalendarDate(daysSince1970: day)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        // 1970-01-01 was a Thursday.
        let weekday = days[Int(((day + 4) % 7 + 7) % 7)]
        return "\(weekday), \(two(date.day)) \(months[Int(date.month) - 1]) \(date.year) "
            + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }

    /// The seconds since 1970 of a date in this form; nil for any other text, and before 1970.
    package static func preferredSeconds(_ text: String) -> Int64? {
        var bytes = text.utf8.makeIterator()
        guard text.utf8.count == 29 else { return nil }
        func take(_ expected: StaticString) -> Bool {
            expected.withUTF8Buffer { $0.allSatisfy { bytes.next() == $0 } }
        }
        func number(_ digits: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<digits {
                guard let byte = bytes.next(), byte.isASCIIDigit else { return nil }
                number = number * 10 + Int64(byte - 0x30)
            }
            return number
        }
        for _ in 0..<3 { _ = bytes.next() }
        guard take(", "), let day = number(2), take(" ") else { return nil }
        var name: UInt32 = 0
        for _ in 0..<3 { name = name << 8 | UInt32(bytes.next() ?? 0) }
        guard let index = monthNumbers.firstIndex(of: name), take(" "), let year = number(4), year >= 1970, take(" "),
            let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60, take(":"),
            let second = number(2), second < 60, take(" GMT")
        else { return nil }
        guard let date = CalendarDate(year: year, month: Int64(index) + 1, day: day) else { return nil }
        return ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
    }
}
