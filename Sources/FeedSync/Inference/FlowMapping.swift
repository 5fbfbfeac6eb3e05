/// A YAML mapping in one line, as it is written in a configuration: `{style: page, first: 1}`.
struct FlowMapping: Sendable, Hashable {
    private var pairs: [String] = []

    /// An empty mapping.
    init() {}

    /// The mapping's text.
    var text: String { "{\(pairs.joined(separator: ", "))}" }

    /// The mapping with a member that is text more, quoted where it would be read as something else.
    func with(_ name: String, _ value: String?) -> FlowMapping {
        value.map { value in with(name, written: Self.isPlain(value) ? value : JSONText.string(value)) } ?? self
    }

    /// The mapping with a path more.
    func with(_ name: String, _ path: Path?) -> FlowMapping { with(name, path?.description) }

    /// The mapping with a number more.
    func with(_ name: String, _ number: Int?) -> FlowMapping {
        number.map { with(name, written: "\($0)") } ?? self
    }

    private func with(_ name: String, written: String) -> FlowMapping {
        var copy = self
        copy.pairs.append("\(name): \(written)")
        return copy
    }

    /// Whether the text means itself without quotes: a word, or words joined by dots, that YAML reads as text.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isLetter(first) || first == "_" else { return false }
        let words: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
        return !words.contains(text.lowercased())
            && text.unicodeScalars.allSatisfy { isLetter($0) || "0123456789_-.".unicodeScalars.contains($0) }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
}
