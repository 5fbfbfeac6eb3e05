package import Text

/// The body of a request that is a text, such as XML: a parameter's value goes in the place of its name in braces.
package enum TextBody {
    /// The place of a parameter.
    package static func place(of name: String) -> String { "{\(name)}" }

    /// True for a text that has a place for a parameter.
    package static func has(_ name: String, in text: String) -> Bool { text.contains(place(of: name)) }

    /// The media type where the definition names none.
    package static func mediaType(of text: String) -> String {
        isXML(text) ? "application/xml; charset=utf-8" : "text/plain; charset=utf-8"
    }

    private static func isXML(_ text: String) -> Bool { text.first { !$0.isWhitespace } == "<" }

    /// The text with values in the places of parameters, escaped in XML; nothing goes in the place of one without a
    /// value.
    package static func filled(_ text: String, parameters: [String], with values: [NamedValue]) -> String {
        let (isXML, names) = (isXML(text), parameters + values.map(\.name))
        return BracedWords.replaced(in: text) { word, _ in
            guard names.contains(where: { $0 == word }) else { return nil }
            let value = values.last { $0.name == word }?.value ?? ""
            return isXML ? XMLText.escaped(value) : value
        }
    }
}
