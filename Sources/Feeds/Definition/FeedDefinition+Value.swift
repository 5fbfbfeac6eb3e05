internal import YAML

extension FeedDefinition {
    /// A member's value, written as a Swift literal: text, a number, a Boolean, a list, or members of its own.
    ///
    /// A `${NAME}` in the literal is a reference, as in a file. What is put in with `\(…)` is text: a search that a
    /// user typed names no secret of yours.
    public struct Value: Sendable, Hashable {
        private indirect enum Content: Sendable, Hashable {
            case scalar(String, isText: Bool)
            case list([Value])
            case members([Member])
        }

        private struct Member: Sendable, Hashable {
            let name: String
            let value: Value
        }

        private let content: Content

        /// A number that is no literal.
        public init(_ number: Int) { content = .scalar("\(number)", isText: false) }
    }
}

extension FeedDefinition.Value: ExpressibleByStringInterpolation {
    /// Text with references.
    public init(stringLiteral text: String) { content = .scalar(text, isText: true) }

    /// Text with references, and text without.
    public init(stringInterpolation: StringInterpolation) {
        content = .scalar(stringInterpolation.text, isText: true)
    }

    /// Puts a text together.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        /// No text yet.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        /// Adds text with references.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends text without references: `${` in it is literal.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let plain = value.description
            if text.hasSuffix("$"), plain.hasPrefix("{") { text += "$" }
            text += plain.replacing("${", with: "$${")
        }
    }
}

extension FeedDefinition.Value: ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A number.
    public init(integerLiteral number: Int) { self.init(number) }

    /// Yes or no.
    public init(booleanLiteral isTrue: Bool) { content = .scalar(isTrue ? "true" : "false", isText: false) }
}

extension FeedDefinition.Value: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// A list, in order.
    public init(arrayLiteral elements: Self...) { content = .list(elements) }

    /// Members, in order.
    public init(dictionaryLiteral elements: (String, Self)...) {
        content = .members(elements.map { Member(name: $0.0, value: $0.1) })
    }
}

extension FeedDefinition.Value {
    /// As if it stood in a file.
    func node(at mark: Mark) -> Node {
        switch content {
        case .scalar(let text, let isText): Self.scalar(text, isText: isText, at: mark)
        case .list(let values): Node(.sequence(values.map { $0.node(at: mark) }), mark: mark)
        case .members(let members):
            Node(
                .mapping(
                    members.map { member in
                        Node.Pair(
                            key: Self.scalar(member.name, isText: true, at: mark), value: member.value.node(at: mark))
                    }), mark: mark)
        }
    }

    private static func scalar(_ text: String, isText: Bool, at mark: Mark) -> Node {
        Node(.scalar(Scalar(text, style: isText ? .quoted : .plain)), mark: mark)
    }

    /// A name that occurs twice among members; nil if none does.
    var repeatedName: String? {
        switch content {
        case .scalar: return nil
        case .list(let values): return values.lazy.compactMap(\.repeatedName).first
        case .members(let members):
            var known: Set<String> = []
            return members.first { !known.insert($0.name).inserted }?.name
                ?? members.lazy.compactMap(\.value.repeatedName).first
        }
    }
}
