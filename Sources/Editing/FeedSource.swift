package import FeedSync

/// The origin of a new feed's settings.
package enum FeedSource: Sendable {
    case url(String)
    case preset(Preset)

    /// A URL, or the name of a preset.
    ///
    /// - Throws: `EditingError` for a word that is neither.
    package init(_ word: String, presets: UserPresets) throws(EditingError) {
        // A URL may also stand whole in a column of another feed.
        guard !word.contains("://"), ParentColumn.all(in: word).isEmpty else {
            self = .url(word)
            return
        }
        if let preset = try configuring(try presets.named(word)) {
            self = .preset(preset)
            return
        }
        let hint = NearestWord.question(for: word, among: presets.names)
        // A word that may be a secret is not repeated.
        let shown = Self.holdsSecret(word) ? "what was given" : word
        throw .words(
            "\(shown) is neither a URL nor the name of a preset\(hint)",
            advice: "feedsync presets  # lists them; a URL begins with https://")
    }

    /// True if a word contains a literal secret: a user or password, or a parameter with a secret's name.
    package static func holdsSecret(_ word: String) -> Bool {
        let start = word.firstRange(of: "://")?.upperBound ?? word.startIndex
        let authority = word[start...].prefix { !"/?#".contains($0) }
        let entry = FeedEntry(name: "", members: [.init("url", .text(word))])
        return authority.contains("@") || entry.holdsCredential
    }

    /// The member that says it.
    package var member: FeedEntry.Member {
        switch self {
        case .url(let url): .init("url", .text(url))
        case .preset(let preset): .init("preset", .text(preset.name))
        }
    }

    /// Separates the parameters: values for the preset, and parameters of the query.
    ///
    /// - Throws: `EditingError` for one that the preset lacks, unless it is written as one of the query.
    package func distributed(
        _ parameters: [FeedEntry.Member]
    ) throws(EditingError) -> (values: [FeedEntry.Member], query: [FeedEntry.Member]) {
        var (values, others): ([FeedEntry.Member], [FeedEntry.Member]) = ([], parameters)
        if case .preset(let preset) = self {
            values = parameters.filter { preset.parameters.contains($0.name) }
            others.removeAll { preset.parameters.contains($0.name) }
            try Self.check(others, of: preset)
        }
        let query = others.map { parameter in
            FeedEntry.Member(
                parameter.name.hasPrefix("?") ? String(parameter.name.dropFirst()) : parameter.name, parameter.value)
        }
        return (values, query)
    }

    /// A query parameter that the preset does not have may be a slip, unless it is written as one.
    private static func check(_ parameters: [FeedEntry.Member], of preset: Preset) throws(EditingError) {
        let known = preset.parameters + preset.queryNames
        for parameter in parameters where !parameter.name.hasPrefix("?") && !known.contains(parameter.name) {
            let name = parameter.name
            let hint = NearestWord.question(for: name, among: known)
            let own = known.isEmpty ? "none" : known.joined(separator: ", ")
            throw .words(
                "\(preset.name) has no parameter \(name)\(hint)",
                advice: "its parameters are \(own); write '?\(name)=…' to add another query parameter")
        }
    }
}

/// Words as people type them, one for each parameter or header.
package enum FeedWords {
    /// `name=value` words; a repeated name has several values.
    ///
    /// - Throws: `EditingError` for another word.
    package static func parameters(_ words: some Sequence<String>) throws(EditingError) -> [FeedEntry.Member] {
        var pairs: [(name: String, value: String)] = []
        for word in words {
            pairs.append(try pair(word, advice: "write parameters as name=value, for example size=100"))
        }
        return FeedEntry.Member.parameters(pairs)
    }

    /// `member=value` words, as members of a feed; a value may be a mapping or a list in braces or brackets, and an
    /// empty one is nil.
    ///
    /// - Throws: `EditingError` for another word, and for a member that is given twice.
    package static func members(
        _ words: some Sequence<String>
    ) throws(EditingError) -> [(name: String, value: FeedEntry.Value?)] {
        var members: [(name: String, value: FeedEntry.Value?)] = []
        for word in words {
            let (name, text) = try pair(word, advice: "write members as name=value, for example every=1h")
            guard !members.contains(where: { $0.name == name }) else {
                throw .words("the member `\(name)` is given twice", advice: "give it one value")
            }
            members.append((name, text.isEmpty ? nil : try value(text, of: "`\(name)`")))
        }
        return members
    }

    private static func pair(
        _ word: String, advice: String
    ) throws(EditingError) -> (name: String, value: String) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
            throw .words("unexpected argument: \(word)", advice: advice)
        }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    /// A word, or a mapping or a list in braces or brackets.
    ///
    /// - Parameter name: The member or the option that has the value, for messages.
    /// - Throws: `EditingError` for braces or brackets that are no YAML.
    package static func value(_ text: String, of name: String) throws(EditingError) -> FeedEntry.Value {
        do throws(ConfigurationError) {
            return try FeedEntry.Value(yaml: text)
        } catch {
            throw .words(
                "\(name) is neither a word nor a mapping or list: \(error.diagnostics[0].problem)",
                advice: "write a mapping as '{name: value, name: value}', and a list as '[value, value]'")
        }
    }

    /// A header written as `Name: value`; nil for other text.
    package static func header(_ text: String) -> FeedEntry.Member? {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return nil }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        return FeedEntry.Member(String(text[..<colon]), .text(String(value)))
    }

    /// Headers, each of which a configuration can have but once.
    ///
    /// - Throws: `EditingError` for a name that is given twice.
    package static func checkNames(of headers: [FeedEntry.Member]) throws(EditingError) {
        var names: Set<String> = []
        if let twice = headers.first(where: { !names.insert($0.name).inserted }) {
            throw .words("the header `\(twice.name)` is given twice", advice: "feedsync help add")
        }
    }
}
