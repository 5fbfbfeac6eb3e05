internal import CCurl
package import Time

extension HTTPDate {
    /// The seconds since 1970 of a date in any of HTTP's three forms; nil for a text that is no date.
    ///
    /// A day that the month does not have is left to libcurl.
    package static func seconds(_ text: String) -> Int64? {
        // Every response has a date in the preferred form, and libcurl takes its time to find out which form it is.
        if let seconds = preferredSeconds(text) { return seconds }
        // curl_getdate also reads bare numbers as dates, which no HTTP-date is, and stops at a NUL.
        guard text.utf8.contains(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }), !text.utf8.contains(0) else {
            return nil
        }
        guard CurlLibrary.isLoaded else { return nil }
        let seconds = ccurl_getdate(text)
        return seconds < 0 ? nil : Int64(seconds)
    }
}
