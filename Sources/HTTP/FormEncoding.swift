/// `application/x-www-form-urlencoded`, as a browser sends a form.
///
/// Source: https://url.spec.whatwg.org/#application/x-www-form-urlencoded
public enum FormEncoding {
    /// One name or value.
    public static func encoded(_ text: String) -> String {
        // `~` is the one character that URLs leave as it is and forms do not; a space is a plus.
        PercentEncoding.encoded(text).replacing("%20", with: "+").replacing("~", with: "%7E").replacing(
            "%2A", with: "*")
    }

    /// A whole form, items in order.
    public static func body(_ items: [QueryItem]) -> [UInt8] {
        Array(items.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&").utf8)
    }
}
