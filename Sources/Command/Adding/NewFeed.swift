internal import FeedSync

/// A feed as the arguments of `feedsync add` describe it.
struct NewFeed: Sendable {
    /// Where it comes from.
    enum Source: Sendable {
        case url(String)
        case preset(Preset)
    }

    let name: String
    let source: Source
    /// What is known about it, in the order of the file.
    let entry: FeedEntry

    /// Reads the operands and the headers of a command line.
    ///
    /// - Throws: `Failure` with exit code 64 for a word that means nothing.
    init(_ invocation: Invocation, presets: UserPresets) throws(Failure) {
        name = invocation.operands[0]
        let word = invocation.operands[1]
        var parameters = try Self.parameters(invocation.operands.dropFirst(2))
        var members: [FeedEntry.Member] = []
        if word.contains("://") {
            source = .url(word)
            members.append(.init("url", .text(word)))
        } else {
            let preset = try Self.preset(word, presets)
            source = .preset(preset)
            members.append(.init("preset", .text(preset.name)))
            let isOwn = { (parameter: FeedEntry.Member) in preset.parameters.contains(parameter.name) }
            let values = parameters.filter(isOwn)
            parameters.removeAll(where: isOwn)
            if !values.isEmpty { members.append(.init("with", .mapping(values))) }
            try Self.check(parameters, of: preset)
        }
        parameters = parameters.map { .init($0.name.hasPrefix("?") ? String($0.name.dropFirst()) : $0.name, $0.value) }
        if !parameters.isEmpty { members.append(.init("query", .mapping(parameters))) }
        let headers = try (invocation.values[.header] ?? []).map { text throws(Failure) in try Self.header(text) }
        if !headers.isEmpty { members.append(.init("headers", .mapping(headers))) }
        entry = FeedEntry(name: name, members: members)
    }

    /// What to try if the arguments do not make a feed: the whole line for a preset with parameters.
    var advice: String {
        guard case .preset(let preset) = source, !preset.parameters.isEmpty else { return "feedsync help add" }
        return "feedsync add NAME \(preset.name) " + preset.parameters.map { "\($0)=…" }.joined(separator: " ")
    }

    private static func preset(_ word: String, _ presets: UserPresets) throws(Failure) -> Preset {
        do throws(ConfigurationError) {
            if let preset = try presets.named(word) { return preset }
        } catch {
            throw Failure(error)
        }
        let nearest = NearestWord.suggestion(for: word, among: presets.names)
        let hint = nearest.map { "; did you mean \($0)?" } ?? ""
        throw .usage(
            "\(word) is neither a URL nor the name of a preset\(hint)",
            advice: "begin a URL with https://; feedsync presets lists the presets")
    }

    /// A query parameter that the preset does not have may be a slip, unless it is written as one.
    private static func check(_ parameters: [FeedEntry.Member], of preset: Preset) throws(Failure) {
        let known = preset.parameters + preset.queryNames
        for parameter in parameters where !parameter.name.hasPrefix("?") && !known.contains(parameter.name) {
            let name = parameter.name
            let hint = NearestWord.suggestion(for: name, among: known).map { "; did you mean \($0)?" } ?? ""
            throw .usage(
                "\(preset.name) has no parameter \(name)\(hint)",
                advice: "write '?\(name)=…' to add a query parameter; feedsync presets \(preset.name) shows the preset")
        }
    }

    /// `name=value` words; a repeated name has several values.
    private static func parameters(_ words: ArraySlice<String>) throws(Failure) -> [FeedEntry.Member] {
        var order: [String] = []
        var values: [String: [FeedEntry.Value]] = [:]
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw .usage(
                    "unexpected argument: \(word)", advice: "write parameters as name=value, for example size=100"
                )
            }
            let name = String(word[..<equals])
            if values[name] == nil { order.append(name) }
            values[name, default: []].append(FeedEntry.Value(word: String(word[word.index(after: equals)...])))
        }
        return order.map { name in
            let own = values[name] ?? []
            return FeedEntry.Member(name, own.count == 1 ? own[0] : .list(own))
        }
    }

    private static func header(_ text: String) throws(Failure) -> FeedEntry.Member {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            // Not shown: it may be a credential.
            throw .usage(
                "--header must have the form 'Name: value'", advice: "for example --header 'Accept: application/json'")
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        return FeedEntry.Member(String(text[..<colon]), .text(String(value)))
    }
}
