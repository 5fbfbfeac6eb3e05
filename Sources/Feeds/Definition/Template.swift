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

    /// A text as a configuration has it where nothing in it is a reference.
    package static func escaped(_ text: String) -> String {
        // Bytes, because this runs for each of many lists; strings are slow.
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        return text.split(separator: "${", omittingEmptySubsequences: false).joined(separator: "$${")
    }

    /// Two pieces of a configuration's text as one: only a `$` and a `{` of the same piece make a reference.
    package static func joined(_ start: String, _ rest: String) -> String {
        let isNewReference = start.utf8.last == UInt8(ascii: "$") && rest.utf8.first == UInt8(ascii: "{")
        return start + (isNewReference ? "$" : "") + rest
    }
}

/// A fault in the text of a template; never quotes the text, which may hold a credential.
struct TemplateError: Error, Equatable {
    let problem: String
    /// The number of Unicode scalars before the fault.
    let offset: Int
}

/// The component of a URL at some place in its text.
package enum URLPart: Hashable {
    /// Scheme, host and port, and all that a value brings along which the URL begins with.
    case beginning
    case path
    case query

    /// The component that continues after such a start of a URL.
    package init(after start: String) {
        guard !start.utf8.contains(UInt8(ascii: "?")) else {
            self = .query
            return
        }
        self = start.authorityStart.map { start.utf8[$0...].contains(UInt8(ascii: "/")) } == true ? .path : .beginning
    }

    /// A value as it must be written here to arrive as it is.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc3986#section-3.3
    package func encoded(_ value: String) -> String {
        switch self {
        case .beginning: value
        case .path: PercentCoding.encoded(value, keeping: "/!$&'()*+,;=:@")
        case .query: PercentCoding.encoded(value)
        }
    }
}

extension Template {
    /// Scheme, host and port as written in the definition: enough to know which feeds share a host.
    package var host: String {
        let text = description
        guard let start = text.authorityStart else { return text }
        return String(text[..<(text.utf8[start...].firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex)])
    }
}

extension String {
    /// The start of a URL's host and port, after its first `://`. It is found in bytes, because this runs for each of
    /// many lists; characters are slow.
    var authorityStart: String.Index? {
        var rest = utf8[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[utf8.index(after: colon)...]
            if rest.starts(with: "//".utf8) { return rest.dropFirst(2).startIndex }
        }
        return nil
    }
}

extension Template {
    /// The template with `{name}` in its literal text replaced by the values of a preset's parameters.
    ///
    /// - Parameters:
    ///   - values: The values by name; other words in braces stay.
    ///   - isURL: True to percent-encode literal values in the path and the query, so that a value stays one component.
    ///     A value at the start of the URL, or in place of its host, is not encoded.
    func substituting(_ values: [String: Template], isURL: Bool) -> Template {
        guard !values.isEmpty else { return self }
        var result = Substitution(isURL: isURL)
        for part in parts {
            switch part {
            case .literal(let text): result.add(text, values)
            default: result.add(part)
            }
        }
        return Template(result.finished, position: position)
    }

    /// True if `{name}` occurs in the literal text.
    func mentions(_ name: String) -> Bool {
        parts.contains { if case .literal(let text) = $0 { text.contains("{\(name)}") } else { false } }
    }

    /// The role of `{name}` in a URL with this template.
    func role(of name: String) -> ParameterRole {
        guard case .literal(let text) = parts.first, let place = text.firstRange(of: "{\(name)}") else { return .part }
        if place.lowerBound == text.startIndex { return place.upperBound == text.endIndex ? .wholeURL : .site }
        return URLPart.isHost(after: String(text[..<place.lowerBound])) ? .host : .part
    }
}

/// The role of a preset's parameter in the URL.
enum ParameterRole {
    /// All of it.
    case wholeURL
    /// Its beginning: more of the path follows.
    case site
    /// The host, perhaps with a port.
    case host
    /// A part of the path or the query.
    case part
}

/// Puts values in the place of names in braces.
private struct Substitution {
    let isURL: Bool
    private var parts: [Template.Part] = []
    private var literal = ""
    /// All text so far, with `x` for each reference of unknown value.
    private var before = ""

    init(isURL: Bool) {
        self.isURL = isURL
    }

    var finished: [Template.Part] { literal.isEmpty ? parts : parts + [.literal(literal)] }

    mutating func add(_ part: Template.Part) {
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = ""
        parts.append(part)
        before += "x"
    }

    mutating func add(_ text: String, _ values: [String: Template]) {
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = values[name] else {
                add(rest[...open])
                rest = rest[rest.index(after: open)...]
                continue
            }
            add(rest[..<open])
            rest = rest[rest.index(after: close)...]
            add(value, isFollowedBySlash: rest.first == "/")
        }
        add(rest)
    }

    private mutating func add(_ text: Substring) {
        literal += text
        before += text
    }

    private mutating func add(_ value: Template, isFollowedBySlash: Bool) {
        let isBeginning = before.isEmpty
        let isAsGiven = !isURL || isBeginning || URLPart.isHost(after: before)
        for (index, part) in value.parts.enumerated() {
            guard case .literal(var text) = part else {
                add(part)
                continue
            }
            // People write a site's URL with a slash at its end as often as without.
            if isURL, isBeginning, isFollowedBySlash, index == value.parts.count - 1 {
                while text.last == "/" { text.removeLast() }
            }
            add(Substring(isAsGiven ? text : PercentCoding.encoded(text)))
        }
    }
}

extension URLPart {
    /// True if the host follows such a start of a URL.
    fileprivate static func isHost(after start: String) -> Bool {
        start.authorityStart != nil && URLPart(after: start) == .beginning
    }
}

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
        guard let first = text.utf8.first, !first.isASCIIDigit else { return false }
        return text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
    }
}
