/// A command line that cannot be read, and advice.
package struct CommandLineProblem: Error, Sendable, Hashable {
    package let message: String
    package let advice: String

    init(_ message: String, advice: String) {
        self.message = message
        self.advice = advice
    }
}

/// The words of a command, as a shell reads them (POSIX, section 2.2, and bash's `$'…'`).
///
/// A variable becomes a reference such as `${NAME}`: the value stays in the environment. What is a dollar and a brace
/// in the command itself becomes `$${`.
struct ShellWords {
    /// The words, in order.
    private(set) var words: [String] = []
    /// The rest after the command, from the `|` or `>` on; nil if there is none.
    private(set) var rest: String?

    private let scalars: [Unicode.Scalar]
    private var place = 0
    /// The word that is being read; nil between two words.
    private var word: String?

    /// Reads a whole command.
    ///
    /// - Throws: `CommandLineProblem` where it is not closed, or where a shell would run more than one command.
    init(_ text: String) throws(CommandLineProblem) {
        scalars = Array(text.unicodeScalars)
        while let scalar = next() { try read(scalar) }
        endWord()
    }

    private mutating func next() -> Unicode.Scalar? {
        guard place < scalars.count else { return nil }
        defer { place += 1 }
        return scalars[place]
    }

    private var following: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func add(_ text: String) { word = Template.joined(word ?? "", text) }

    private mutating func add(_ scalar: Unicode.Scalar) { add(String(scalar)) }

    private mutating func endWord() {
        if let word { words.append(word) }
        word = nil
    }

    private mutating func read(_ scalar: Unicode.Scalar) throws(CommandLineProblem) {
        switch scalar {
        case " ", "\t", "\n", "\r": endWord()
        case "\\":
            // A backslash at the end of a line joins the next one, also where the lines came from Windows.
            if following == "\r", place + 1 < scalars.count, scalars[place + 1] == "\n" { place += 1 }
            guard let escaped = next(), escaped != "\n" else { return }
            add(escaped)
        case "'": try addQuoted(until: "'")
        case "\"": try addDoubleQuoted()
        case "$" where following == "'":
            place += 1
            try addEscaped()
        case "$", "`": try addExpansion(scalar)
        case "#" where word == nil:
            while let other = next(), other != "\n" {}
        case "|" where following != "|", ">":
            // The number of a stream belongs to the arrow: `2>`.
            if scalar == ">", word?.allSatisfy(\.isNumber) == true { word = nil }
            endWord()
            rest = String(String.UnicodeScalarView(scalars[(place - 1)...]))
            place = scalars.count
        case "|", "&", ";", "<", "(", ")":
            throw CommandLineProblem(
                "`\(scalar)` outside quotes ends the curl command, as in a shell",
                advice: "put the URL and each value in quotes")
        default: add(scalar)
        }
    }

    private mutating func addQuoted(until end: Unicode.Scalar) throws(CommandLineProblem) {
        add("")
        while let scalar = next() {
            if scalar == end { return }
            add(scalar)
        }
        throw Self.open(end)
    }

    private mutating func addDoubleQuoted() throws(CommandLineProblem) {
        add("")
        while let scalar = next() {
            switch scalar {
            case "\"": return
            case "\\":
                guard let escaped = next() else { throw Self.open("\"") }
                if escaped == "\n" { continue }
                if !"$`\"\\".unicodeScalars.contains(escaped) { add("\\") }
                add(escaped)
            case "$", "`": try addExpansion(scalar)
            default: add(scalar)
            }
        }
        throw Self.open("\"")
    }

    /// `$NAME` and `${NAME}`; a dollar before anything else is a dollar.
    private mutating func addExpansion(_ scalar: Unicode.Scalar) throws(CommandLineProblem) {
        let isBraced = following == "{"
        if scalar == "`" || following == "(" {
            throw CommandLineProblem(
                "the curl command has the output of another command in it",
                advice: "put that into an environment variable, and write $NAME in its place")
        }
        let start = place + (isBraced ? 1 : 0)
        let name = scalars[min(start, scalars.count)...].prefix { Self.isOfName($0) }
        let isName = name.first.map { !("0"..."9").contains($0) } ?? false
        let end = start + name.count
        guard isName, !isBraced || end < scalars.count && scalars[end] == "}" else {
            guard !isBraced else {
                throw CommandLineProblem(
                    "the curl command has a `${` that is more than a variable", advice: "write ${NAME} in its place")
            }
            return add(scalar)
        }
        // In a configuration, `$${` is no reference.
        guard word?.last != "$" else {
            throw CommandLineProblem(
                "the curl command has a `$` directly before a variable",
                advice: "put the `$` into the environment variable")
        }
        place = end + (isBraced ? 1 : 0)
        word = (word ?? "") + "${" + String(String.UnicodeScalarView(name)) + "}"
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_")
    }

    /// `$'…'`, as browsers write it where they copy a request as a curl command.
    private mutating func addEscaped() throws(CommandLineProblem) {
        add("")
        // Escapes may be the two halves of one character.
        var units: [UInt16] = []
        while let scalar = next() {
            if scalar == "'" {
                for scalar in String(decoding: units, as: UTF16.self).unicodeScalars { add(scalar) }
                return
            }
            guard scalar == "\\", let escaped = next() else {
                units += Array(String(scalar).utf16)
                continue
            }
            switch escaped {
            case "u": units.append(code(digits: 4))
            case "x": units.append(code(digits: 2))
            default:
                if let control = Self.controls[escaped] {
                    units.append(control)
                } else {
                    if !"'\"\\?".unicodeScalars.contains(escaped) { units.append(0x5C) }
                    units += Array(String(escaped).utf16)
                }
            }
        }
        throw Self.open("'")
    }

    private static let controls: [Unicode.Scalar: UInt16] = [
        "a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11,
    ]

    private mutating func code(digits most: Int) -> UInt16 {
        let digits = scalars[min(place, scalars.count)...].prefix(most)
            .prefix { $0.isASCII && Character($0).isHexDigit }
        place += digits.count
        return UInt16(String(String.UnicodeScalarView(digits)), radix: 16) ?? 0
    }

    private static func open(_ quote: Unicode.Scalar) -> CommandLineProblem {
        CommandLineProblem(
            "the curl command has a \(quote) that is not closed",
            advice: "give the whole command as one word, in quotes of the other kind")
    }
}
