internal import Text

/// The characters that control a terminal or the direction of text, or that nobody sees: C0, DEL, C1, line and
/// paragraph separators, the marks of the bidirectional algorithm, and tags.
///
/// Source: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
enum ControlCharacters {
    /// Text with each control replaced by a space, except line ends and, on request, a `Palette`'s colours.
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

    /// JSON with each of them escaped, which means the same inside strings.
    static func escaped(inJSON text: String) -> String {
        guard !isPlain(text) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if !contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else if scalar.value < 0x20 {
                // In JSON these occur only between values, as white space.
                result += " "
            } else {
                for unit in String(scalar).utf16 { result += "\\u" + Hexadecimal.digits(unit, count: 4) }
            }
        }
        return result
    }

    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xE0000...0xE007F: true
        default: false
        }
    }

    /// True if the text's bytes rule them out: in UTF-8, those beyond ASCII start with C2, D8, E2 or F3.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (byte >= 0x20 || byte == 0x0A) && byte != 0x7F && byte != 0xC2 && byte != 0xD8 && byte != 0xE2
                && byte != 0xF3
        }
    }

    /// `ESC [ … m` at the start of the text; empty if there is something else.
    private static func colour(at text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        guard text.starts(with: "\u{1B}[".unicodeScalars) else { return text.prefix(0) }
        let end = text.dropFirst(2).drop { ("0"..."9").contains($0) || $0 == ";" }
        return end.first == "m" ? text[...end.startIndex] : text.prefix(0)
    }
}
