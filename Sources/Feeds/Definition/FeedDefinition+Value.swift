internal import YAML

extension FeedDefinition {
    /// A member's value: text, a number, a Boolean, a list, members of its own, or nil for a member that a preset has.
    ///
    /// A `${NAME}` in a literal is a reference, as in a file. A text that is not a literal, or is put in with `\(…)`,
    /// is taken as it is: a search that a user typed names no secret of yours.
    ///
    ///     let query = ["state": "open", "labels": form.labels]
    ///     try FeedDefinition(
    ///         "issues",
    ///         [
    ///             "preset": "github.issues", "with": ["owner": "swiftlang", "repo": "swift"],
    ///             "query": .init(query), "sync": nil,
    ///         ])
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

        /// A number.
        public init(_ number: Int) { content = .scalar("\(number)", isText: false) }

        /// A number. One that is not finite is text, which no member takes for a number.
        public init(_ number: Double) { content = .scalar("\(number)", isText: !number.isFinite) }

        /// Yes or no.
        public init(_ isTrue: Bool) { content = .scalar(isTrue ? "true" : "false", isText: false) }

        /// A text without references: `${` in it is literal.
        public init(_ text: some StringProtocol) { self = "\(text)" }

        /// A list, in order.
        public init(_ values: some Sequence<Self>) { content = .list(Array(values)) }

        /// A list of texts without references, in order.
        public init(_ texts: some Sequence<String>) { self.init(texts.map { Self($0) }) }

        /// Members, in the order of their names.
        public init(_ members: [String: Self]) {
            content = .members(members.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: $0.value) })
        }

        /// Members with texts without references, in the order of their names.
        public init(_ members: [String: String]) { self.init(members.mapValues { Self($0) }) }
    }
}

extension FeedDefinition.Value: ExpressibleByNilLiteral {
    /// Nothing: a preset's member is left out.
    public init(nilLiteral: ()) { content = .scalar("null", isText: false) }
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
        public mutating func appendLiteral(_ literal: String) { text = Template.joined(text, literal) }

        /// Appends text without references: `${` in it is literal.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text = Template.joined(text, Template.escaped(value.description))
        }
    }
}

extension FeedDefinition.Value:
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// A number.
    public init(integerLiteral number: Int) { self.init(number) }

    /// A number.
    public init(floatLiteral number: Double) { self.init(number) }

    /// Yes or no.
    public init(booleanLiteral isTrue: Bool) { self.init(isTrue) }
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
