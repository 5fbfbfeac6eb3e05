internal import CCurl

/// Dates as HTTP writes them, in any of its three forms.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
public enum HTTPDate {
    /// The date in seconds since 1970, nil for a text that is no date.
    public static func seconds(_ text: String) -> Int64? {
        // curl_getdate also reads bare numbers as dates, which no HTTP-date is, and stops at a NUL.
        guard text.utf8.contains(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }), !text.utf8.contains(0) else {
            return nil
        }
        guard CurlLibrary.isLoaded else { return nil }
        let seconds = ccurl_getdate(text)
        return seconds < 0 ? nil : Int64(seconds)
    }
}
