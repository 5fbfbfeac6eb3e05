/// Words in braces within a text that stand for something else, such as `{now}`.
package enum BracedWords {
    /// The text with what the words stand for in their places. A brace that begins no such word stays as it is.
    ///
    /// - Parameter value: What a word stands for, given what is written before it; nil if it stands for nothing.
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
