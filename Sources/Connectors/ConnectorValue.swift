internal import Feeds
internal import YAML

/// The value of an expression, as far as it is known before the connector runs.
indirect enum ConnectorValue: Sendable, Hashable {
    case nothing
    case flag(Bool)
    case number(String)
    case text(ConfigurationWords)
    case list([ConnectorValue])
    case mapping([Member])
    /// A time, with the format in which it becomes text.
    case moment(ConnectorMoment, format: String)
    /// A time span, in seconds.
    case span(Int64)
    /// Settings below this name.
    case settings([String])

    /// A member of an object.
    struct Member: Sendable, Hashable {
        let name: String
        let value: ConnectorValue
    }

    static func text(_ text: String) -> ConnectorValue { .text(ConfigurationWords(text)) }
}

/// A text for a configuration: literal pieces, and references that are written as they are.
struct ConfigurationWords: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case literal(String)
        /// `${NAME}`, `{feed.column}` or `{now}`
        case reference(String)
    }

    private(set) var pieces: [Piece]

    init(_ text: String) { pieces = text.isEmpty ? [] : [.literal(text)] }

    init(reference: String) { pieces = [.reference(reference)] }

    /// The text, where it has no references.
    var literal: String? {
        var text = ""
        for piece in pieces {
            guard case .literal(let part) = piece else { return nil }
            text += part
        }
        return text
    }

    /// The text as it is written in a configuration.
    var written: String {
        pieces.reduce("") { written, piece in
            switch piece {
            case .literal(let text): Template.joined(written, Template.escaped(text))
            case .reference(let text): Template.joined(written, text)
            }
        }
    }

    mutating func append(_ other: ConfigurationWords) { pieces += other.pieces }

    /// The words with each literal piece passed through `change`.
    func mapped(_ change: (String) -> String) -> ConfigurationWords {
        var words = self
        words.pieces = pieces.map { piece in
            if case .literal(let text) = piece { .literal(change(text)) } else { piece }
        }
        return words
    }

    /// The words with the literal piece at a place passed through `change`, without empty pieces.
    func mapped(at place: Int, _ change: (String) -> String) -> ConfigurationWords {
        var words = self
        words.pieces = pieces.enumerated().compactMap { index, piece in
            guard case .literal(let text) = piece else { return piece }
            let changed = index == place ? change(text) : text
            return changed.isEmpty ? nil : .literal(changed)
        }
        return words
    }
}

extension ConnectorValue {
    /// The value as a part of a text; nil for what has no single text.
    var words: ConfigurationWords? {
        switch self {
        case .nothing: ConfigurationWords("")
        case .flag(let flag): ConfigurationWords(flag ? "true" : "false")
        case .number(let digits): ConfigurationWords(digits)
        case .text(let words): words
        case .moment(let moment, let format): moment.words(format)
        case .list, .mapping, .span, .settings: nil
        }
    }

    /// True or false as Python has it; nil where that is not known.
    var isTrue: Bool? {
        switch self {
        case .nothing: false
        case .flag(let flag): flag
        case .number(let digits): Double(digits).map { $0 != 0 } ?? true
        case .text(let words): words.literal.map { !$0.isEmpty } ?? true
        case .list(let values): !values.isEmpty
        case .mapping(let members): !members.isEmpty
        case .moment: true
        case .span(let seconds): seconds != 0
        case .settings: true
        }
    }

    /// The value of a configuration; nil where it cannot be one, and for nothing.
    var entryValue: FeedEntry.Value? {
        switch self {
        case .nothing, .span, .settings: return nil
        case .flag(let flag): return .plain(flag ? "true" : "false")
        case .number(let digits): return .plain(digits)
        case .text(let words): return .text(words.written)
        case .moment: return words.map { .text($0.written) }
        case .list(let values): return .list(values.compactMap(\.entryValue))
        case .mapping(let members):
            return .mapping(members.compactMap { member in member.value.entryValue.map { .init(member.name, $0) } })
        }
    }

    /// The value of a node without expressions.
    init(_ node: Node) {
        switch node.content {
        case .scalar(let scalar):
            switch scalar.resolution {
            case .null: self = .nothing
            case .boolean(let flag): self = .flag(flag)
            case .integer, .oversizedInteger, .real: self = .number(scalar.text)
            case .text: self = .text(scalar.text)
            }
        case .sequence(let elements): self = .list(elements.map { ConnectorValue($0) })
        case .mapping(let pairs):
            self = .mapping(pairs.map { Member(name: $0.key.text ?? "", value: ConnectorValue($0.value)) })
        }
    }
}
