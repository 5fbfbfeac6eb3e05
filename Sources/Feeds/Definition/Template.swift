/// A text with references to values kept elsewhere: `${NAME}` in the environment, `${file:PATH}` in a file, `${command:
/// …}` for a command's output.
///
/// The references are found when the text is read and resolved only when a request needs them. `$${` is a literal `${`.
package struct Template: Sendable {
    /// A piece of a template.
    package enum Part: Sendable, Hashable {
        /// Literal text.
        case literal(String)
        /// The value of an environment variable.
        case environment(String)
        /// The content of a file, without the line break at its end.
        case file(String)
        /// The output of a shell command, without its last line break; the command as written.
        case command(String)
        /// The value of a column of the parent's row, for a feed that has a list for each row of another.
        case column(feed: String, name: String)
    }

    /// The pieces in order.
    package let parts: [Part]
    /// The position of the text, for errors.
    package let position: SourcePosition

    /// A template of these parts.
    package init(_ parts: [Part], position: SourcePosition) {
        self.parts = parts
        self.position = position
    }

    /// True if there are no references.
    package var isLiteral: Bool { parts.allSatisfy { if case .literal = $0 { true } else { false } } }

    /// The text that the template always starts with.
    package var literalPrefix: String {
        if case .literal(let text) = parts.first { text } else { "" }
    }

    /// The literal text, without references.
    package var literalText: String {
        parts.map { if case .literal(let text) = $0 { text } else { "" } }.joined()
    }

    /// The references, whose values are credentials.
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
        // Bytes, because this runs for each of many lists; strings are slow.
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        return text.split(separator: "${", omittingEmptySubsequences: false).joined(separator: "$${")
    }
}

/// A fault in the text of a template; never quotes the text, which may hold a credential.
struct TemplateError: Error, Equatable {
    let problem: String
    /// The number of Unicode scalars before the fault.
    let offset: Int
}
