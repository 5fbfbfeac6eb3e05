/// Text as a terminal shows it.
enum DisplayWidth {
    /// The number of cells of a text.
    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The text in at most `limit` cells, with `…` for the rest.
    static func cut(_ text: String, to limit: Int) -> String {
        guard of(text) > limit else { return text }
        var result = ""
        var width = 0
        for character in text {
            width += of(character)
            guard width < limit else { break }
            result.append(character)
        }
        return limit > 0 ? result + "…" : ""
    }

    /// The text on one line, without characters that control a terminal.
    static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result.append(" ")
            // Marks that change the direction of text would mix up columns; joiners hold emoji together.
            case .format where !joiners.contains(scalar): continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]

    private static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }) {
            return 2
        }
        switch first.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark: return 0
        default: return isWide(first.value) ? 2 : 1
        }
    }

    /// East Asian Wide and Fullwidth. Source: https://www.unicode.org/reports/tr11/
    private static func isWide(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18D08,
            0x1AFF0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
