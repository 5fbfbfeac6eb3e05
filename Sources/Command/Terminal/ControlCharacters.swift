/// The characters that command a terminal, or turn the direction of what it shows: C0, DEL, C1, line and paragraph
/// separators, and the marks of the bidirectional algorithm.
///
/// Source: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
enum ControlCharacters {
    /// Text for people with a space in place of each; line ends stay, and the colours of a `Palette` if asked for.
    static func replaced(in text: String, keepsColours: Bool = false) -> String {
        guard !isPlain(text) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            let colour = keepsColours ? colour(at: rest) : rest.prefix(0)
            if !colour.isEmpty {
                result.append(contentsOf: colour)
            } else {
                result.append(contains(scalar) ? " " : scalar)
            }
            rest = rest.dropFirst(max(1, colour.count))
        }
        return String(result)
    }

    /// JSON with an escape in place of each, which inside its strings means the same.
    static func escaped(inJSON text: String) -> String {
        guard !isPlain(text) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if !contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else if scalar.value < 0x20 {
                // JSON has these between its values alone, as space.
                result += " "
            } else {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }

    private static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether the text's bytes rule all of them out: those beyond ASCII begin with C2 or E2 in UTF-8.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x0A) && $0 != 0x7F && $0 != 0xC2 && $0 != 0xE2 }
    }

    /// `ESC [ … m` at the text's begin; empty if something else is there.
    private static func colour(at text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        guard text.starts(with: "\u{1B}[".unicodeScalars) else { return text.prefix(0) }
        let end = text.dropFirst(2).drop { ("0"..."9").contains($0) || $0 == ";" }
        return end.first == "m" ? text[...end.startIndex] : text.prefix(0)
    }
}
