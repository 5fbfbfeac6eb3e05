extension Template {
    /// The template with `{name}` in its literal text replaced by the values given for the names of a preset's
    /// parameters.
    ///
    /// - Parameters:
    ///   - values: The names and what to put in; other words in braces stay.
    ///   - isURL: Whether literal values are percent-encoded, so that one stays one part of the path.
    func substituting(_ values: [String: Template], isURL: Bool) -> Template {
        var result: [Part] = []
        for part in parts {
            guard case .literal(let text) = part else {
                result.append(part)
                continue
            }
            result += Self.substitute(text, values, isURL: isURL)
        }
        return Template(result, position: position)
    }

    /// Whether `{name}` occurs in the literal text.
    func mentions(_ name: String) -> Bool {
        parts.contains { if case .literal(let text) = $0 { text.contains("{\(name)}") } else { false } }
    }

    private static func substitute(_ text: String, _ values: [String: Template], isURL: Bool) -> [Part] {
        var parts: [Part] = []
        var literal = ""
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = values[name] else {
                literal += rest[...open]
                rest = rest[rest.index(after: open)...]
                continue
            }
            literal += rest[..<open]
            rest = rest[rest.index(after: close)...]
            for part in value.parts {
                if case .literal(let text) = part {
                    literal += isURL ? URLPart.percentEncoded(text) : text
                } else {
                    if !literal.isEmpty { parts.append(.literal(literal)) }
                    literal = ""
                    parts.append(part)
                }
            }
        }
        literal += rest
        return literal.isEmpty ? parts : parts + [.literal(literal)]
    }
}
