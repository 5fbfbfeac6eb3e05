/// Words in braces within a text that are replaced by a value, such as `{now}`.
package enum BracedWords {
    /// The text with the words replaced by their values. A brace without such a word stays as it is.
    ///
    /// - Parameter value: The value of a word, given the text before it; nil if it has none.
    package static func replaced(
        in text: String, by value: (_ word: Substring, _ before: String) -> String?
    ) -> String {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: "}"), let text = value(rest.dropFirst()[..<close], result) else {
                result.append("{")
                rest = rest.dropFirst()
                continue
            }
            result += text
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
