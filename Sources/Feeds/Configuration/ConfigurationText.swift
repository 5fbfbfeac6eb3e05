internal import YAML

/// Writes values as YAML that parses to the same values.
package enum ConfigurationText {
    /// The widest line on which a mapping is written in braces.
    private static let width = 100

    /// An entry as a block, one line each, without line breaks.
    ///
    /// - Parameters:
    ///   - indentation: The columns before the feed's name.
    ///   - step: The columns that each level has more.
    static func block(_ entry: FeedEntry, indentation: Int, step: Int) -> [String] {
        guard !entry.members.isEmpty else { return [spaces(indentation) + scalar(entry.name) + ": {}"] }
        return [spaces(indentation) + scalar(entry.name) + ":"]
            + entry.members.flatMap { block($0, indentation: indentation + step, step: step, isMember: true) }
    }

    /// A member of an entry as a block, one line each, without line breaks.
    static func lines(of member: FeedEntry.Member, indentation: Int) -> [String] {
        block(member, indentation: indentation, step: 2, isMember: true)
    }

    /// An entry in braces, on one line; as JSON where the text around it is.
    static func flow(_ entry: FeedEntry, asJSON: Bool) -> String {
        "\(scalar(entry.name, asJSON: asJSON)): \(flow(.mapping(entry.members), asJSON: asJSON))"
    }

    private static func block(
        _ member: FeedEntry.Member, indentation: Int, step: Int, isMember: Bool = false
    ) -> [String] {
        let start = spaces(indentation) + scalar(member.name) + ":"
        let remark = member.remark.map { "  # \($0)" } ?? ""
        let line = "\(start) \(flow(member.value))\(remark)"
        // Columns are a table; people add to it and take from it by the line.
        guard case .mapping(let members) = member.value, !members.isEmpty,
            isMember && member.name == "columns" || line.unicodeScalars.count > width
        else { return [line] }
        return [start + remark] + members.flatMap { block($0, indentation: indentation + step, step: step) }
    }

    /// A value on one line, a mapping in braces.
    package static func flow(_ value: FeedEntry.Value, asJSON: Bool = false) -> String {
        switch value {
        case .text(let text): scalar(text, asJSON: asJSON)
        case .plain(let text): text
        case .list(let values): "[" + values.map { flow($0, asJSON: asJSON) }.joined(separator: ", ") + "]"
        case .mapping(let members):
            "{"
                + members.map { "\(scalar($0.name, asJSON: asJSON)): \(flow($0.value, asJSON: asJSON))" }
                .joined(separator: ", ") + "}"
        }
    }

    /// Text, in quotes wherever it might be read as something else, by YAML 1.1 too.
    static func scalar(_ text: String, asJSON: Bool = false) -> String {
        !asJSON && isPlain(text) ? text : quoted(text)
    }

    /// A name that YAML does not take, as it would be written: "an implicit key … must not span more than 1024 Unicode
    /// characters", and libyaml counts the colon, too. https://yaml.org/spec/1.2.2/#742-flow-mappings
    static func nameTooLong(in value: FeedEntry.Value) -> String? {
        switch value {
        case .text, .plain: nil
        case .list(let values): values.lazy.compactMap { nameTooLong(in: $0) }.first
        case .mapping(let members):
            members.first { scalar($0.name, asJSON: true).unicodeScalars.count > 1_000 }?.name
                ?? members.lazy.compactMap { nameTooLong(in: $0.value) }.first
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last,
            isWordLike(first) || "$/.".unicodeScalars.contains(first),
            last != ":", last != " ",
            scalars.allSatisfy({ isWordLike($0) || " -./:?&=%+@!*$;()^~'".unicodeScalars.contains($0) })
        else { return false }
        // In braces, libyaml takes `:?` for the end of a name.
        guard !text.contains(": "), !text.contains(":?"), Scalar(text).resolution == .text else { return false }
        return !wordsOfYAML11.contains(text.lowercased()) && !isNumberLike(text)
    }

    /// The words that other parsers read as booleans.
    private static let wordsOfYAML11: Set<String> = ["y", "n", "yes", "no", "on", "off"]

    /// `12:30` is a number to YAML 1.1, `2026-11-21` a date; none begins with a letter.
    private static func isNumberLike(_ text: String) -> Bool {
        text.first?.isLetter == false && text.unicodeScalars.contains { ("0"..."9").contains($0) }
            && text.unicodeScalars.allSatisfy {
                ("0"..."9").contains($0) || "_-:.+eExXobTZ ".unicodeScalars.contains($0)
            }
    }

    private static func isWordLike(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
    }

    /// JSON's escapes are YAML's, too; libyaml takes a few more characters for none.
    private static func quoted(_ text: String) -> String {
        var quoted = ""
        // By scalars: a combining mark after such a scalar would hide it in a character.
        for scalar in JSONText.string(text).unicodeScalars {
            switch scalar {
            case "\u{FEFF}": quoted += "\\ufeff"
            case "\u{FFFE}": quoted += "\\ufffe"
            case "\u{FFFF}": quoted += "\\uffff"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted
    }

    static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
