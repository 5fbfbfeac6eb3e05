/// Breaks text into lines at words.
enum TextLayout {
    /// The text in lines of at most `width` cells; a longer word gets a line of its own.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines = [""]
        for word in text.split(whereSeparator: \.isWhitespace).map(String.init) {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = word
            } else if DisplayWidth.of(last) + 1 + DisplayWidth.of(word) <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    /// A paragraph of a text, or a list in its place.
    enum Block {
        case paragraph(String)
        case list([(term: String, text: String)])
    }

    /// The paragraphs of a text, which blank lines separate. A paragraph indented by two spaces is a list: each of its
    /// lines is a term, two spaces or more, and its meaning.
    static func blocks(of text: String) -> [Block] {
        text.split(separator: "\n", omittingEmptySubsequences: false).split(whereSeparator: \.isEmpty).map { lines in
            let entries = lines.compactMap(entry)
            return entries.count == lines.count ? .list(entries) : .paragraph(lines.joined(separator: " "))
        }
    }

    /// The blocks of a text, wrapped.
    static func paragraphs(_ text: String, to width: Int) -> String {
        blocks(of: text).map { block in
            switch block {
            case .paragraph(let text): wrapped(text, to: width).joined(separator: "\n")
            case .list(let entries): list(entries, to: width)
            }
        }.joined(separator: "\n\n")
    }

    /// Terms with their meanings beside them, or below them on a narrow screen.
    static func list(_ entries: [(term: String, text: String)], to width: Int) -> String {
        let longest = entries.map { DisplayWidth.of($0.term) }.max() ?? 0
        let wanted = min(longest, 26) + 4
        let column = wanted <= width * 2 / 5 ? wanted : 8
        return entries.flatMap { term, text -> [String] in
            let lines = wrapped(text, to: width - column)
            let gap = column - 2 - DisplayWidth.of(term)
            let indentation = String(repeating: " ", count: column)
            guard gap >= 2 else { return ["  " + term] + lines.map { indentation + $0 } }
            return ["  " + term + String(repeating: " ", count: gap) + lines[0]]
                + lines.dropFirst().map { indentation + $0 }
        }.joined(separator: "\n")
    }

    private static func entry(_ line: Substring) -> (term: String, text: String)? {
        guard line.hasPrefix("  "), let gap = line.dropFirst(2).firstRange(of: "  ") else { return nil }
        let text = line[gap.upperBound...].drop { $0 == " " }
        return (String(line.dropFirst(2)[..<gap.lowerBound]), String(text))
    }
}
