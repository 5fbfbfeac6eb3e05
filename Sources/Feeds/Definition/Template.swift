/// A text with references to values kept elsewhere: `${NAME}` from the environment, `${file:PATH}` from a file,
/// `${command: …}` from what a command prints.
///
/// The references are found when the text is read and followed only when a request needs it. `$${` is a literal `${`.
package struct Template: Sendable {
    /// A piece of a template.
    package enum Part: Sendable, Hashable {
        /// Text that stands for itself.
        case literal(String)
        /// The value of an environment variable.
        case environment(String)
        /// The content of a file, without the line break at its end.
        case file(String)
        /// What a shell command prints, without the line break at its end; the command as written.
        case command(String)
        /// The value of a column of the parent's row, for a feed that has a list for each row of another.
        case column(feed: String, name: String)
    }

    /// The pieces in order.
    package let parts: [Part]
    /// Where the text stands, for errors.
    package let position: SourcePosition

    /// A template of these parts.
    package init(_ parts: [Part], position: SourcePosition) {
        self.parts = parts
        self.position = position
    }

    /// Whether nothing is to be looked up.
    package var isLiteral: Bool { parts.allSatisfy { if case .literal = $0 { true } else { false } } }

    /// The text that the template always starts with.
    package var literalPrefix: String {
        if case .literal(let text) = parts.first { text } else { "" }
    }

    /// The parts that are looked up, whose values are credentials.
    package var references: [Part] {
        parts.filter { part in
            switch part {
            case .literal, .column: false
            case .environment, .file, .command: true
            }
        }
    }
}

extension Template: Hashable {
    /// Templates are equal if they say the same, wherever they stand.
    package static func == (one: Template, other: Template) -> Bool { one.parts == other.parts }

    /// Feeds the parts alone, as equality does.
    package func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

extension Template: CustomStringConvertible {
    /// The template as a person would write it: references stay references.
    package var description: String { written { $0 } }

    /// The template as written, each literal piece passed through `literal`.
    func written(_ literal: (String) -> String) -> String {
        parts.map { part in
            switch part {
            case .literal(let text): literal(Self.escaped(text))
            case .environment(let name): "${\(name)}"
            case .file(let path): "${file:\(path)}"
            case .command(let command): "${command:\(command)}"
            case .column(let feed, let name): "{\(feed).\(name)}"
            }
        }.joined()
    }

    private static func escaped(_ text: String) -> String {
        // Bytes, as this is asked for each of many lists; strings take their time.
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        return text.split(separator: "${", omittingEmptySubsequences: false).joined(separator: "$${")
    }
}

/// What is wrong with the text of a template; never quotes the text, which may hold a credential.
struct TemplateError: Error, Equatable {
    let problem: String
    /// How many Unicode scalars stand before what is wrong.
    let offset: Int
}
