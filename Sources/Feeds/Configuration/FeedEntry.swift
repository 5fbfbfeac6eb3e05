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
    /// The text; nil for another value.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The value of the member of that name; nil if there is none, or this is not a mapping.
    package subscript(_ name: String) -> FeedEntry.Value? {
        if case .mapping(let members) = self { members.first { $0.name == name }?.value } else { nil }
    }
}

extension FeedEntry.Value {
    /// A number or a word of the command line: whole numbers without quotes, as people write them.
    package init(word: String) {
        let digits = word.utf8.dropFirst(word.hasPrefix("-") ? 1 : 0)
        let isNumber =
            (1...15).contains(digits.count)
            && digits.allSatisfy(\.isASCIIDigit)
            && (word == "0" || digits.first != UInt8(ascii: "0"))
        self = isNumber ? .plain(word) : .text(word)
    }

    /// A value of JSON; nil for a text that is none.
    package init?(json text: String) {
        guard let value = try? JSONValue(parsing: text) else { return nil }
        self.init(value)
    }

    private init(_ value: JSONValue) {
        switch value {
        case .null: self = .plain("null")
        case .bool(let isTrue): self = .plain("\(isTrue)")
        case .number(let digits): self = .plain(digits)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .list(elements.map(Self.init))
        case .object(let members): self = .mapping(members.map { FeedEntry.Member($0.name, Self($0.value)) })
        }
    }

    /// A word, or a mapping or list in braces or brackets as in a configuration.
    ///
    /// - Throws: `ConfigurationError` if it is not YAML.
    package init(yaml text: String) throws(ConfigurationError) {
        guard text.hasPrefix("{") || text.hasPrefix("[") else {
            // Other words may be texts that look like something else.
            if text == "true" || text == "false" { self = .plain(text) } else { self.init(word: text) }
            return
        }
        guard let node = try Node.ofConfiguration(Array(text.utf8), source: "the command line") else {
            self = .text("")
            return
        }
        self.init(node)
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
            values.elementsEqual(elements) { $0.isSame(as: $1) }
        case (.mapping(let members), .mapping(let pairs)):
            members.elementsEqual(pairs) { $0.name == $1.key.text && $0.value.isSame(as: $1.value) }
        default: false
        }
    }
}

extension Node {
    /// True if another node has the same meaning, regardless of its position.
    ///
    /// - Parameter isSameText: True if a text may stand in the place of one that is no name of a member.
    func isSame(as other: Node, _ isSameText: (String, String) -> Bool = { $0 == $1 }) -> Bool {
        switch (content, other.content) {
        case (.scalar(let one), .scalar(let another)):
            isSameText(one.text, another.text) && one.resolution == another.resolution
        case (.sequence(let one), .sequence(let another)):
            one.elementsEqual(another) { $0.isSame(as: $1, isSameText) }
        case (.mapping(let one), .mapping(let another)):
            one.elementsEqual(another) { $0.key.isSame(as: $1.key) && $0.value.isSame(as: $1.value, isSameText) }
        default: false
        }
    }
}

extension [FeedEntry.Member] {
    /// Adds a mapping, unless it is empty.
    package mutating func add(_ name: String, _ members: [FeedEntry.Member]) {
        if !members.isEmpty { append(.init(name, .mapping(members))) }
    }
}

extension FeedEntry.Member {
    /// Parameters in the order of their names; a repeated name has a list of values.
    package static func parameters(_ pairs: [(name: String, value: String)]) -> [FeedEntry.Member] {
        var order: [String] = []
        var values: [String: [FeedEntry.Value]] = [:]
        for (name, value) in pairs {
            if values[name] == nil { order.append(name) }
            values[name, default: []].append(FeedEntry.Value(word: value))
        }
        return order.map { name in
            let own = values[name] ?? []
            return FeedEntry.Member(name, own.count == 1 ? own[0] : .list(own))
        }
    }

    /// The discovered settings, as configuration members.
    ///
    /// - Parameters:
    ///   - findings: The discovered settings.
    ///   - definition: The definition without them.
    ///   - hasColumns: True to include the columns; otherwise the key is written as paths.
    /// - Throws: `FeedSyncError` of kind `bug` if the discovered pagination is no YAML.
    package static func members(
        of findings: Findings, for definition: FeedDefinition, hasColumns: Bool
    ) throws(FeedSyncError) -> [FeedEntry.Member] {
        var members: [FeedEntry.Member] = []
        if definition.format == nil, let format = findings.format {
            members.append(Self("format", .text(format.rawValue)))
        }
        if definition.items == nil, let items = findings.items { members.append(Self("items", items.value)) }
        if definition.key.isEmpty, !findings.key.isEmpty {
            let words = findings.key.map { name in
                let column = findings.columns.first { $0.name == name }
                guard !hasColumns, let column, column.path != .memberName
                else { return FeedEntry.Value.text(name) }
                return .text(column.path.description)
            }
            members.append(Self("key", words.count == 1 ? words[0] : .list(words)))
        }
        if hasColumns, definition.hasOpenColumns, !findings.columns.isEmpty {
            members.append(Self("columns", .mapping(findings.columns.map { Self($0.name, $0.value) })))
        }
        if definition.hasOpenPagination, let text = findings.pagination {
            guard let node = try? Node.parse(text, source: "found") else {
                throw FeedSyncError(.bug, "the pagination that was found, `\(text)`, is not YAML")
            }
            members.append(Self("pagination", FeedEntry.Value(node)))
        }
        return members
    }
}

extension ItemsRule {
    /// The path, or `{path, keyed_by}`.
    var value: FeedEntry.Value {
        guard let keyedBy else { return .text(path.description) }
        return .mapping([.init("path", .text(path.description)), .init("keyed_by", .text(keyedBy))])
    }
}

extension ColumnDefinition {
    /// The path, or a mapping with what else the column has.
    var value: FeedEntry.Value {
        var members: [FeedEntry.Member] = []
        if let value = derivation?.value {
            members.append(.init("value", .text(value.description)))
        } else {
            members.append(.init("path", .text(path.description)))
        }
        if let type { members.append(.init("type", .text(type.rawValue))) }
        if case .change(let change)? = derivation {
            if let pattern = change.pattern {
                members.append(.init("replace", .list([.text(pattern), .text(change.replacement)])))
            }
            if let key = change.maskKey {
                members.append(.init("mask", .mapping([.init("hash", .text(CredentialMask.template(key)))])))
            }
        }
        return members.count == 1 && derivation == nil ? .text(path.description) : .mapping(members)
    }
}
