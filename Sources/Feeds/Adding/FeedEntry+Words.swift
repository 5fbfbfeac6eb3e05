internal import YAML

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
}

extension FeedEntry.Value {
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
    /// - Throws: `ConfigurationError` if it is no YAML.
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
}
