internal import YAML

/// A feed as it is written in a configuration: its name with its members, in order.
package struct FeedEntry: Sendable, Hashable {
    /// A value of a configuration.
    package indirect enum Value: Sendable, Hashable {
        /// Text, which stays text even if it looks like a number or a boolean.
        case text(String)
        /// A number, `true` or `false`, as written.
        case plain(String)
        /// A list.
        case list([Value])
        /// Names with their values.
        case mapping([Member])
    }

    /// A name with its value.
    package struct Member: Sendable, Hashable {
        /// The member's name.
        package let name: String
        /// Its value.
        package let value: Value
        /// A comment after the value, as in `# found`.
        package let remark: String?

        /// A member of this name.
        package init(_ name: String, _ value: Value, remark: String? = nil) {
            self.name = name
            self.value = value
            self.remark = remark
        }
    }

    /// The feed's name.
    package let name: String
    /// Its members, in the order in which they are written.
    package var members: [Member]

    /// An entry of this name.
    package init(name: String, members: [Member] = []) {
        self.name = name
        self.members = members
    }

    /// The members as a JSON object.
    package var json: String { Value.mapping(members).json }

    /// The entry as it can be pasted below `feeds:`, one line each, indented by two columns.
    package var lines: [String] { ConfigurationText.block(self, indentation: 2, step: 2) }
}

extension FeedEntry.Value {
    /// A number or a word of the command line: whole numbers without quotes, as people write them.
    package init(word: String) {
        let digits = word.utf8.dropFirst(word.hasPrefix("-") ? 1 : 0)
        let isNumber =
            (1...15).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && (word == "0" || digits.first != UInt8(ascii: "0"))
        self = isNumber ? .plain(word) : .text(word)
    }

    /// The value of a node.
    init(_ node: Node) {
        switch node.content {
        case .scalar(let scalar): self = scalar.resolution == .text ? .text(scalar.text) : .plain(scalar.text)
        case .sequence(let elements): self = .list(elements.map(Self.init))
        case .mapping(let pairs):
            self = .mapping(pairs.map { FeedEntry.Member($0.key.text ?? "", Self($0.value)) })
        }
    }

    /// The value as JSON.
    package var json: String {
        switch self {
        case .text(let text): return JSONText.string(text)
        case .plain(let text):
            // YAML has numbers that JSON has not.
            return (try? JSONValue(parsing: text)) == nil ? JSONText.string(text) : text
        case .list(let values): return "[\(values.map(\.json).joined(separator: ","))]"
        case .mapping(let members):
            var object = JSONObjectText()
            for member in members { object.add(member.name, json: member.value.json) }
            return object.text
        }
    }

    /// True if a node has the same meaning.
    func isSame(as node: Node) -> Bool {
        switch (self, node.content) {
        case (.text(let text), .scalar(let scalar)): scalar.text == text && scalar.resolution == .text
        case (.plain(let text), .scalar(let scalar)): scalar.text == text
        case (.list(let values), .sequence(let elements)):
            values.count == elements.count && zip(values, elements).allSatisfy { $0.isSame(as: $1) }
        case (.mapping(let members), .mapping(let pairs)):
            members.count == pairs.count
                && zip(members, pairs).allSatisfy { $0.name == $1.key.text && $0.value.isSame(as: $1.value) }
        default: false
        }
    }
}

extension Node {
    /// True if another node has the same meaning, regardless of its position.
    func isSame(as other: Node) -> Bool {
        switch (content, other.content) {
        case (.scalar(let one), .scalar(let another)):
            one.text == another.text && one.resolution == another.resolution
        case (.sequence(let one), .sequence(let another)):
            one.count == another.count && zip(one, another).allSatisfy { $0.isSame(as: $1) }
        case (.mapping(let one), .mapping(let another)):
            one.count == another.count
                && zip(one, another).allSatisfy { $0.key.isSame(as: $1.key) && $0.value.isSame(as: $1.value) }
        default: false
        }
    }
}
