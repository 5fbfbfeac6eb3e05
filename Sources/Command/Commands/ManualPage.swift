/// Help as manual pages, in the macros of man(7).
///
/// Source: https://man7.org/linux/man-pages/man7/man.7.html
enum ManualPage {
    /// feedsync(1)
    static var overview: String {
        let commands = Command.all.map { ("\(bold("feedsync-\($0.name)"))(1)", text($0.summary)) }
        let options = (Option.general + [.version]).map { (term($0), text($0.summary)) }
        return page(
            "feedsync", purpose: HelpText.purpose,
            sections: [
                ("SYNOPSIS", "\(bold("feedsync")) \(italic("COMMAND")) [\(italic("OPTIONS"))]"),
                ("DESCRIPTION", blocks(description)),
                ("COMMANDS", list(commands)),
                ("OPTIONS", ".PP\nOptions of most commands:\n" + list(options)),
                ("FILES", blocks(HelpText.files)),
                ("ENVIRONMENT", blocks(HelpText.environment)),
                ("EXIT STATUS", blocks(HelpText.codes)),
                ("WORDS", blocks(HelpText.glossary)),
                ("EXAMPLES", example("feedsync demo") + "\n.PP\n" + example(Command.add.example)),
                ("SEE ALSO", seeAlso(of: nil)),
            ])
    }

    /// The page of a command, as in feedsync-sync(1).
    static func page(of command: Command) -> String {
        let options = command.allOptions.map { (term($0), text($0.summary)) }
        return page(
            "feedsync-\(command.name)", purpose: lowercased(command.summary),
            sections: [
                ("SYNOPSIS", synopsis(command)), ("DESCRIPTION", blocks(command.explanation)),
                ("OPTIONS", list(options)),
                ("EXIT STATUS", "0 if all went well; \(bold("feedsync"))(1) lists the others."),
                ("EXAMPLES", example(command.example)), ("SEE ALSO", seeAlso(of: command)),
            ])
    }

    private static let description = """
        feedsync fetches every page of a list behind a URL, and keeps a copy of its items in an SQLite database, which
        `sqlite3` and other programs can read at any time. Each page is committed together with the position of the next
        one, so that nothing is lost or skipped, whatever ends a run.

        DURATION is a number with a unit: 500ms, 30s, 5m, 2h or 1d; without one, it is seconds.
        """

    private static func page(_ name: String, purpose: String, sections: [(title: String, body: String)]) -> String {
        let header = ".TH \"\(literal(name.uppercased()))\" 1 \"\" \"feedsync\" \"feedsync\""
        let first = ".SH NAME\n\(literal(name)) \\- \(text(purpose))"
        return
            ([header, first]
            + sections.map { title, body in
                // A section begins a paragraph by itself.
                ".SH \(title)\n\(body.hasPrefix(".PP\n") ? String(body.dropFirst(4)) : body)"
            }).joined(separator: "\n")
    }

    private static func synopsis(_ command: Command) -> String {
        let words = command.synopsis.split(separator: " ").map(String.init)
        return bold(words.prefix(2).joined(separator: " ")) + " "
            + words.dropFirst(2).map(placeholders).joined(separator: " ")
    }

    /// Placeholders are in capitals.
    private static func placeholders(_ word: String) -> String {
        var result = ""
        var rest = word[...]
        while let first = rest.first {
            let isName = first.isUppercase
            let part = rest.prefix { $0.isLetter && $0.isUppercase == isName }
            guard !part.isEmpty else {
                result += literal(String(first))
                rest = rest.dropFirst()
                continue
            }
            result += isName ? italic(String(part)) : bold(String(part))
            rest = rest.dropFirst(part.count)
        }
        return result
    }

    private static func term(_ option: Option) -> String {
        let names = (option.letter.map { ["-\($0)"] } ?? []) + [option.written]
        let placeholder = option.placeholder.map { " " + italic($0) } ?? ""
        return names.map(bold).joined(separator: ", ") + placeholder
    }

    private static func seeAlso(of command: Command?) -> String {
        let pages = command == nil ? Command.all.map { "feedsync-\($0.name)" } : ["feedsync"]
        return (pages.map { ($0, 1) } + [("feedsync.yaml", 5), ("feedsync-store", 5)])
            .map { "\(bold($0.0))(\($0.1))" }.joined(separator: ",\n")
    }

    private static func example(_ line: String) -> String { ".EX\n\(protected(literal(line)))\n.EE" }

    private static func blocks(_ text: String) -> String {
        TextLayout.blocks(of: text).map { block in
            switch block {
            case .paragraph(let words): ".PP\n" + self.text(words)
            case .list(let entries): list(entries.map { (bold($0.term), self.text($0.text)) })
            }
        }.joined(separator: "\n")
    }

    /// Terms and texts that are marked up.
    private static func list(_ entries: [(term: String, text: String)]) -> String {
        entries.map { ".TP\n\($0.term)\n\($0.text)" }.joined(separator: "\n")
    }

    private static func lowercased(_ summary: String) -> String {
        summary.prefix(1).lowercased() + summary.dropFirst()
    }

    /// Words as lines of the page, in bold between back quotes.
    private static func text(_ words: String) -> String {
        var isCode = false
        let lines = TextLayout.wrapped(words, to: 72).map { line in
            var result = ""
            for part in line.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
                if part.offset > 0 { isCode.toggle() }
                result += isCode ? bold(String(part.element)) : prose(String(part.element))
            }
            return protected(result)
        }
        return lines.joined(separator: "\n")
    }

    /// A line that begins with a point or an apostrophe would be a request.
    private static func protected(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    /// A hyphen stays one; an option is to be copied.
    private static func prose(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("--", with: "\\-\\-")
    }

    /// Text to be typed verbatim.
    private static func literal(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
    }

    private static func bold(_ text: String) -> String { text.isEmpty ? "" : "\\fB\(literal(text))\\fR" }
    private static func italic(_ text: String) -> String { "\\fI\(literal(text))\\fR" }
}
