internal import YAML

/// The feed whose rows each have a list of their own; together, the lists form one feed.
package struct ForEachRule: Sendable, Hashable {
    /// The parent, which has the rows.
    package let feed: String
    /// The rows that have a list, as an SQL condition on the parent's table; nil for all.
    package let condition: String?
    /// The column of a row whose change means that its list may have changed; nil if any change of the row does.
    package let when: String?
    /// The origin of the nearest ancestor whose URL has one: the only origin for URLs in a row.
    package internal(set) var origin: String?
    /// The only part that a command concerns, by its name; nil for all.
    package var only: String?
    /// The feeds above the parent, the nearest first.
    package internal(set) var ancestors: [String] = []

    /// The number of ancestors.
    package var depth: Int { ancestors.count + 1 }
}

/// A column of a feed above, as in `{starred.name}`.
package struct ParentColumn: Sendable, Hashable {
    /// The feed: the parent, or one above it.
    package let feed: String
    /// The column's name.
    package let name: String

    package init(feed: String, name: String) {
        (self.feed, self.name) = (feed, name)
    }

    /// As it is written.
    package var word: String { "{\(feed).\(name)}" }

    /// The columns that a text has values of.
    package static func all(in text: String) -> [ParentColumn] {
        Template([.literal(text)], position: SourcePosition(file: "")).referringToColumns().columns
    }
}

extension MappingDecoder {
    /// The name of a feed, or a mapping with it.
    func forEachRule(_ name: String) -> ForEachRule? {
        guard let node = node(name) else { return nil }
        guard node.pairs != nil else {
            return string(name, node).map { ForEachRule(feed: $0, condition: nil, when: nil) }
        }
        let members = reader(name, node)
        defer { members.finish() }
        members.require("feed", "name the feed whose rows each have a list")
        guard let feed = members.string("feed") else { return nil }
        return ForEachRule(feed: feed, condition: members.string("where"), when: members.string("when"))
    }
}

extension Template {
    /// The template with each `{feed.column}` as a reference to the column.
    func referringToColumns() -> Template {
        let parts = parts.flatMap { part -> [Part] in
            guard case .literal(let text) = part, text.contains("{") else { return [part] }
            return Self.parts(of: text)
        }
        return Template(parts, position: position)
    }

    private static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var literal = ""
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{") {
            literal += rest[..<open]
            rest = rest[open...]
            let close = rest.firstIndex(of: "}")
            let words = close.map { rest[rest.index(after: open)..<$0].split(separator: ".", maxSplits: 1) } ?? []
            guard let close, words.count == 2, FeedNames.isValid(String(words[0])), !words[1].isEmpty else {
                literal += "{"
                rest = rest.dropFirst()
                continue
            }
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = ""
            parts.append(.column(feed: String(words[0]), name: String(words[1])))
            rest = rest[rest.index(after: close)...]
        }
        literal += rest
        return literal.isEmpty ? parts : parts + [.literal(literal)]
    }

    /// The columns of feeds above that it has values of.
    package var columns: [ParentColumn] {
        parts.compactMap {
            if case .column(let feed, let name) = $0 { ParentColumn(feed: feed, name: name) } else { nil }
        }
    }

    /// The template with values in place of the columns.
    ///
    /// - Parameter isURL: True if values are percent-encoded where they stand; one that the URL begins with goes in as
    ///   it is.
    func filled(_ values: [ParentColumn: String], isURL: Bool) -> Template {
        var before = ""
        let parts = parts.map { part -> Part in
            switch part {
            case .literal(let text):
                before += text
                return part
            case .column(let feed, let name):
                let value = values[ParentColumn(feed: feed, name: name)] ?? ""
                let text = isURL ? URLPart(after: before).encoded(value) : value
                before += text
                return .literal(text)
            default:
                before += "x"
                return part
            }
        }
        return Template(parts, position: position)
    }
}

extension BodyTemplate {
    /// The body with each of its strings passed through `change`.
    func mapped(_ change: (Template) -> Template) -> BodyTemplate {
        switch self {
        case .null, .boolean, .number: self
        case .text(let template): .text(change(template))
        case .array(let elements): .array(elements.map { $0.mapped(change) })
        case .object(let members):
            .object(members.map { Member(name: $0.name, value: $0.value.mapped(change)) })
        }
    }
}
