extension Template {
    /// Reads a template.
    ///
    /// - Throws: `TemplateError` for a reference that is not closed, not known or not supported.
    init(_ text: String, position: SourcePosition) throws(TemplateError) {
        guard text.utf8.contains(UInt8(ascii: "$")) else {
            self.init(text.isEmpty ? [] : [.literal(text)], position: position)
            return
        }
        var parser = TemplateParser(text)
        self.init(try parser.parse(), position: position)
    }
}

private struct TemplateParser {
    private let scalars: [Unicode.Scalar]
    private var offset = 0
    private var literal = String.UnicodeScalarView()
    private var parts: [Template.Part] = []

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func parse() throws(TemplateError) -> [Template.Part] {
        while offset < scalars.count {
            if starts(with: ["$", "$", "{"]) {
                literal.append(contentsOf: "${".unicodeScalars)
                offset += 3
            } else if starts(with: ["$", "{"]) {
                endLiteral()
                parts.append(try reference())
            } else {
                literal.append(scalars[offset])
                offset += 1
            }
        }
        endLiteral()
        return parts
    }

    private func starts(with expected: [Unicode.Scalar]) -> Bool {
        scalars[offset...].starts(with: expected)
    }

    private mutating func endLiteral() {
        guard !literal.isEmpty else { return }
        parts.append(.literal(String(literal)))
        literal = String.UnicodeScalarView()
    }

    private mutating func reference() throws(TemplateError) -> Template.Part {
        let start = offset
        guard let end = endOfReference else {
            throw TemplateError(problem: "`${` is not closed; a literal `${` is written `$${`", offset: start)
        }
        let content = String(String.UnicodeScalarView(scalars[(start + 2)..<end]))
        offset = end + 1
        if content.hasPrefix("file:") {
            let path = String(content.dropFirst("file:".count))
            guard !path.isEmpty else { throw TemplateError(problem: "`${file:}` names no file", offset: start) }
            return .file(path)
        }
        if content.hasPrefix("command:") {
            let command = String(content.dropFirst("command:".count))
            guard command.contains(where: { !$0.isWhitespace }), !command.utf8.contains(0) else {
                throw TemplateError(problem: "`${command:}` names no command", offset: start)
            }
            return .command(command)
        }
        guard Self.isVariableName(content) else {
            throw TemplateError(
                problem:
                    "`${…}` takes the name of an environment variable, `file:` and a path, or `command:` and a command",
                offset: start)
        }
        return .environment(content)
    }

    /// The brace that closes the reference here; a command may have braces of its own, in pairs.
    private var endOfReference: Int? {
        guard starts(with: Array("${command:".unicodeScalars)) else { return scalars[offset...].firstIndex(of: "}") }
        var open = 0
        return scalars[offset...].firstIndex { scalar in
            if scalar == "{" { open += 1 }
            if scalar == "}" { open -= 1 }
            return scalar == "}" && open == 0
        }
    }

    private static func isVariableName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
