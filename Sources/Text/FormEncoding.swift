/// `application/x-www-form-urlencoded`, as a browser sends a form.
///
/// Source: https://url.spec.whatwg.org/#application/x-www-form-urlencoded
package enum FormEncoding {
    /// Encodes one name or value.
    package static func encoded(_ text: String) -> String {
        // Forms encode the `~` that URLs leave alone, leave the `*` that URLs encode, and write a space as a plus.
        PercentCoding.encoded(text).replacing("%20", with: "+").replacing("~", with: "%7E").replacing("%2A", with: "*")
    }

    /// A whole form, items in order.
    package static func body(_ items: [(name: String, value: String)]) -> [UInt8] {
        Array(items.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&").utf8)
    }

    /// The parameters of a form or a query, in order; a parameter without `=` has an empty value.
    package static func parameters(in form: Substring.UTF8View) -> [(name: String, value: String)] {
        form.split(separator: UInt8(ascii: "&")).map(parameter)
    }

    /// The parameters of a URL's query, in order.
    package static func parameters(inQueryOf url: String) -> [(name: String, value: String)] {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return parameters(in: query.prefix { $0 != UInt8(ascii: "#") })
    }

    /// Decodes one parameter, the text between two `&`.
    package static func parameter(_ encoded: Substring.UTF8View) -> (name: String, value: String) {
        let name = encoded.prefix { $0 != UInt8(ascii: "=") }
        let value = encoded[name.endIndex...].dropFirst()
        return (PercentCoding.decoded(name, plus: " "), PercentCoding.decoded(value, plus: " "))
    }
}
