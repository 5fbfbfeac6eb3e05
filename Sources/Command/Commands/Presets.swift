internal import FeedSync

extension Command {
    /// `presets [NAME]`
    static let presets = Command(
        "presets", operands: "[NAME]", count: 0...1, general: [.json, .help],
        summary: "List the feed definitions that ship with feedsync, or print one",
        explanation: """
            A feed starts from a preset with `preset: NAME`, gives its parameters with `with: {word: value}`, and may
            override any member. With a name, prints the preset's members as they would stand in a file.
            """,
        example: "feedsync presets github.search"
    ) { session throws(Failure) in
        let presets = try await failing(Failure.init(_:)) { () async throws(ConfigurationError) in try Preset.all }
        if let name = session.invocation.operands.first {
            guard let preset = presets.first(where: { $0.name == name }) else {
                throw .unknown("preset", name, among: presets.map(\.name), advice: "feedsync presets lists them")
            }
            let text = try await failing(Failure.init(_:)) { () async throws(ConfigurationError) in
                try PresetText(preset)
            }
            session.console.print(text.lines)
            return .done
        }
        if session.invocation.has(.json) {
            session.console.print(JSONLines.array(presets.map(json)))
            return .done
        }
        var table = Table([
            Table.Column(title: "PRESET") { $0.name($1) }, Table.Column(title: "PARAMETERS"),
            Table.Column(title: "WHAT IT MIRRORS"),
        ])
        for preset in presets {
            let parameters = preset.parameters.joined(separator: ", ")
            table.add([preset.name, parameters.isEmpty ? "-" : parameters, preset.description])
        }
        session.console.print(table.lines(session.console.palette, width: session.console.width))
        return .done
    }

    @Sendable private static func json(_ preset: Preset) -> String {
        var object = JSONObjectText()
        object.add("name", preset.name)
        object.add("description", preset.description)
        object.add("parameters", json: "[\(preset.parameters.map(JSONText.string).joined(separator: ","))]")
        return object.text
    }
}

/// A preset as YAML: what a feed that starts from it begins with.
private struct PresetText {
    let lines: [String]

    /// - Throws: `ConfigurationError` if the shipped preset is broken, which a test rules out.
    init(_ preset: Preset) throws(ConfigurationError) {
        let parameters = preset.parameters.map { "\($0): \"{\($0)}\"" }.joined(separator: ", ")
        let with = parameters.isEmpty ? "" : "\nwith: {\(parameters)}"
        let feed = try FeedDefinition.parse(name: "preset", yaml: "preset: \(preset.name)\(with)")
        var url = feed.url.description
        // What was put in for the parameters was encoded on its way into the URL.
        for name in preset.parameters {
            url = url.split(separator: "%7B\(name)%7D", omittingEmptySubsequences: false).joined(separator: "{\(name)}")
        }
        var lines = ["# \(preset.name): \(preset.description)", "url: \(Self.scalar(url))"]
        lines += Self.mapping("query", feed.query)
        lines += Self.mapping("headers", feed.headers)
        if let items = feed.items { lines.append("items: \(items)") }
        lines.append("key: " + (feed.key.count == 1 ? feed.key[0] : "[\(feed.key.joined(separator: ", "))]"))
        if let model = feed.model { lines.append("model: \(model)") }
        lines.append("columns:")
        lines += feed.columns.map { column in
            let typed = column.type.map { "{path: \(column.path), type: \($0.rawValue)}" }
            return "  \(column.name): \(typed ?? column.path.description)"
        }
        lines.append("pagination: {\(Self.members(feed.pagination.canonicalText))}")
        let rules = feed.responses.compactMap { rule in
            rule.status.map { "{status: \($0), do: \(rule.action.rawValue)}" }
        }
        if !rules.isEmpty { lines.append("responses: [\(rules.joined(separator: ", "))]") }
        self.lines = lines
    }

    private static func mapping(_ name: String, _ members: [NamedTemplate]) -> [String] {
        members.isEmpty ? [] : ["\(name):"] + members.map { "  \($0.name): \(scalar($0.value.description))" }
    }

    /// The canonical text of a style is its name, then names and values in turn.
    private static func members(_ text: String) -> String {
        let words = ["style"] + text.split(separator: " ").map(String.init)
        return stride(from: 0, to: words.count - 1, by: 2).map { "\(words[$0]): \(words[$0 + 1])" }
            .joined(separator: ", ")
    }

    /// In quotes unless it is plain enough to mean the same without.
    private static func scalar(_ text: String) -> String {
        let isPlain = text.first?.isLetter == true && text.allSatisfy { $0.isASCII && ($0.isLetter || "/.:+-_".contains($0)) }
        return isPlain ? text : JSONText.string(text)
    }
}
