internal import CCurl
internal import Time

/// Dates as HTTP writes them, in any of its three forms.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
public enum HTTPDate {
    /// The date in seconds since 1970, nil for a text that is no date.
    public static func seconds(_ text: String) -> Int64? {
        if let seconds = preferred(text) { return seconds }
        // curl_getdate also reads bare numbers as dates, which no HTTP-date is, and stops at a NUL.
        guard text.utf8.contains(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }), !text.utf8.contains(0) else {
            return nil
        }
        guard CurlLibrary.isLoaded else { return nil }
        let seconds = ccurl_getdate(text)
        return seconds < 0 ? nil : Int64(seconds)
    }

    /// The form that servers are to write, `Sun, 06 Nov 1994 08:49:37 GMT`, from 1970 on; nil for all others.
    ///
    /// Every response has one, and libcurl takes its time to find out which form it is.
    private static func preferred(_ text: String) -> Int64? {
        var bytes = text.utf8.makeIterator()
        guard text.utf8.count == 29 else { return nil }
        func take(_ expected: StaticString) -> Bool {
            expected.withUTF8Buffer { $0.allSatisfy { bytes.next() == $0 } }
        }
        func number(_ digits: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<digits {
                guard let byte = bytes.next(), (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - 0x30)
            }
            return number
        }
        for _ in 0..<3 { _ = bytes.next() }
        guard take(", "), let day = number(2), take(" ") else { return nil }
        var name: UInt32 = 0
        for _ in 0..<3 { name = name << 8 | UInt32(bytes.next() ?? 0) }
        guard let index = months.firstIndex(of: name), take(" "), let year = number(4), year >= 1970, take(" "),
            let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60, take(":"),
            let second = number(2), second < 60, take(" GMT")
        else { return nil }
        // A day that the month does not have is left to libcurl.
        guard let date = CalendarDate(year: year, month: Int64(index) + 1, day: day) else { return nil }
        return ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
    }

    /// The months' names, each as the number that its three bytes make.
    private static let months: [UInt32] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { (name: String) in name.utf8.reduce(0) { $0 << 8 | UInt32($1) } }
}
